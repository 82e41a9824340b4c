"""Wallenius' urn: N things are taken one by one out of n of one colour, with odds each, and m of another, with 1 each.

The probability of k of the first colour is (A. Fog, Communications in Statistics 37, 258 (2008), with t = exp(-D u))

    binom(n, k) binom(m, N - k) int_0^inf D exp(-D u) (1 - exp(-odds u))^k (1 - exp(-u))^(N - k) du,

D = odds (n - k) + m - (N - k). All terms are positive, and derivatives in the odds are integrals of those of the
terms. In v = log u the logarithm of the integrand is concave. The nodes are its mode plus a width times sinh(t), for
which the trapezoid rule is exact to exponentially small terms; half of the nodes must say the same, else the result is
NaN.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from hostwrap._recipes.scalars import OfArrays, numpy_of
from hostwrap._table.partials import unknown
from hostwrap._wrap import Wrapped, wrap
from hostwrap.special import betaln
from hostwrap.special._math import exp, log
from hostwrap.stats._functions import log1mexp
from hostwrap.stats._integral import slope_in
from hostwrap.stats._range import decreasing_root

_STEP, _REACH = 1 / 16, 5.0  # in t
_CLOSE = 1e-8  # how near half of the nodes must be, as a part of the sum of sizes; with all, the error is its square
_PIECE = 2**14  # counts at once
_INTEGER = unknown("it is an integer")


class Taken:
    """The formula of the probability of k of the first colour, of at most k ("below"), or of more ("above")."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, k: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
        return _integral(self.kind, 0)(k, M, n, N, odds)


def _term(v: Any, k: Any, n: Any, m: Any, N: Any, odds: Any) -> Any:
    u, rest = exp(v), odds * (n - k) + m - (N - k)
    ways = -betaln(n - k + 1, k + 1) - betaln(m - (N - k) + 1, N - k + 1) - log((n + 1) * (m + 1))
    inside = k * log1mexp(odds * u) + (N - k) * log1mexp(u)
    return exp(ways + log(rest) - rest * u + inside + v)


@functools.lru_cache(maxsize=64)
def _integral(kind: str, order: int) -> Wrapped:
    """Differentiated so often in the odds."""

    @functools.cache
    def term() -> OfArrays:
        function: Any = _term
        for _ in range(order):
            function = slope_in(function, 5)
        return numpy_of("urn", lambda *args: [function(*args)], 6)

    def integrate(k: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
        full = np.broadcast_arrays(k, M, n, N, odds)
        points = zip(*(np.ravel(x).astype(float) for x in full), strict=True)
        with np.errstate(all="ignore"):
            found = [_sum_of_counts(term(), kind, order, *point) for point in points]
        return np.reshape(found, full[0].shape)

    return wrap(integrate, vmap_method="broadcast_all").defpartials(
        *[_INTEGER] * 4, lambda ans, *args: _integral(kind, order + 1)(*args)
    )


def _sum_of_counts(
    term: Any, kind: str, order: int, k: float, M: float, n: float, N: float, odds: float
) -> float:
    if not (np.isfinite([k, M, n, N, odds]).all() and odds > 0):
        return np.nan
    m = M - n
    low, high = max(0.0, N - m), min(n, N)
    first, last = {"mass": (k, k), "below": (low, k), "above": (k + 1, high)}[kind]
    first, last = max(first, low), min(last, high)
    if N == M:  # all are taken
        return float(order == 0 and first <= last)
    total = 0.0
    for start in np.arange(first, last + 1, _PIECE):
        counts = np.arange(start, min(start + _PIECE, last + 1))[:, None]
        total += _sum(term, counts, n, m, N, odds)
    return total


def _sum(term: Any, k: np.ndarray, n: float, m: float, N: float, odds: float) -> float:
    rest = odds * (n - k) + m - (N - k)

    def slope(v: Any) -> Any:
        u = np.exp(v)
        return 1 - rest * u + k * _decay(odds * u) + (N - k) * _decay(u)

    mode, curvature = decreasing_root(slope, -700.0, 700.0)
    width = 1 / np.sqrt(curvature)
    left = max(_REACH, float(np.max(np.arcsinh(45 / width))))
    t = np.arange(-np.ceil(left / _STEP), np.ceil(_REACH / _STEP) + 1) * _STEP
    values = term([mode + width * np.sinh(t), k, n, m, N, odds])[0] * width * np.cosh(t)
    values = np.where(np.isfinite(values), values, 0.0)
    full, half = np.sum(values), 2 * np.sum(values[:, ::2])
    return float(full * _STEP) if abs(full - half) <= _CLOSE * np.sum(np.abs(values)) else np.nan


def _decay(z: Any) -> Any:
    """z / (exp(z) - 1)"""
    return np.where(z < 1e-300, 1.0, z / np.expm1(np.minimum(np.where(z < 1e-300, 1.0, z), 700.0)))
