"""The studentized range: k normal variables have the range W, and q = W / S by an estimate S of their spread.

With u = log S and z the smallest of the variables, w = q exp(u),

    P(W < w) = k int phi(z) (Phi(z + w) - Phi(z))^(k - 1) dz,    P(W > w) = k int phi(z) (a^(k-1) - b^(k-1)) dz,

a = Phi(-z), b = Phi(z + w) - Phi(z); and df S^2 is a chi-squared variable. All terms are positive, the difference of
powers too, by `expm1`: so the probability of either tail has all its digits. Derivatives are those of the terms.

The nodes are x = z + w / 2 and u, each a mode of its own plus a width times sinh(t): Gaussian and exponential tails are
doubly exponential in t, for which the trapezoid rule is exact to exponentially small terms (Trefethen and Weideman,
2014). Finer nodes must say the same, else the result is NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from hostwrap._recipes.scalars import OfArrays, numpy_of
from hostwrap._wrap import Wrapped, wrap
from hostwrap.special import expm1, log_ndtr
from hostwrap.special._math import exp, log, log1p, pi, where
from hostwrap.stats._functions import log_ndtr_over, log_phi, stirling_rest
from hostwrap.stats._integral import slope_in

_STEP, _REACH = 1 / 8, 5.0  # in t
_LOST = 1e-14  # the part of the sum that the last terms may be
_CLOSE = {1: 1e-9, 2: 1e-9, 4: 1e-8, 8: 1e-7}  # how near half of the nodes must be; all are nearer by far
_PIECE = 2**21  # numbers at once


class Range:
    """The formula of a probability, "below" or "above" q, or of the logarithm of the density."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, q: Any, k: Any, df: Any) -> Any:
        if self.kind == "log_density":
            return log(_integral(True, (1, 0, 0))(q, k, df))
        return _integral(self.kind == "below", (0, 0, 0))(q, k, df)


# ---- the terms


def _log_spread(u: Any, df: Any) -> Any:
    """The logarithm of the density of u."""
    constant = (log(df) + log(2.0) - log(2 * pi)) / 2 - stirling_rest(df / 2, 2 / df)
    return constant - df / 2 * (expm1(2 * u) - 2 * u)


def _below(z: Any, u: Any, q: Any, k: Any, df: Any) -> Any:
    w = q * exp(u)
    return exp(_log_spread(u, df) + log(k) + log_phi(z) + (k - 1) * log_ndtr_over(z, w))


def _above(z: Any, u: Any, q: Any, k: Any, df: Any) -> Any:
    w = q * exp(u)
    whole = log_ndtr(-z)
    missing = log_ndtr(-z - w) - whole
    many = missing > -0.7
    inner = where(many, log_ndtr_over(z, w) - whole, log1p(-exp(where(many, -1 + 0 * z, missing))))
    return -exp(_log_spread(u, df) + log(k) + log_phi(z) + (k - 1) * whole) * expm1((k - 1) * inner)


# ---- where the nodes are


def decreasing_root(decreasing: Callable, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where a decreasing function is 0, by bisection, and how steep it is there."""
    low, high = (np.array(x) for x in np.broadcast_arrays(low, high))
    for _ in range(50):
        middle = (low + high) / 2
        up = decreasing(middle) > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    root, d = (low + high) / 2, 1e-4
    return root, (decreasing(root - d) - decreasing(root + d)) / (2 * d)


def _steepness(w: Any) -> Any:
    """w phi(w / 2) / (2 Phi(w / 2) - 1): how the logarithm of P(|z| < w / 2) grows with that of w."""
    small = w < 1e-6
    w = np.where(small, 1.0, w)
    return np.where(small, 1.0, w * np.exp(-w * w / 8) / np.sqrt(2 * np.pi) / special.erf(w / np.sqrt(8)))


def _of_spread(lower: bool, dense: bool, q: Any, k: Any, df: Any) -> tuple[Any, Any]:
    def slope(u: Any) -> Any:
        w = q * np.exp(np.minimum(u, 350.0))
        more = (k - 1) * _steepness(w) if lower else 0.0
        return -df * special.expm1(2 * u) + more - (w * w / 2 if dense or not lower else 0.0)

    centre, curvature = decreasing_root(slope, -400.0, 400.0)
    return centre, 1 / np.sqrt(2.0 + np.maximum(curvature, 0.0))


def _of_smallest(lower: bool, dense: bool, w: Any, k: Any) -> tuple[Any, Any]:
    if dense:
        return np.zeros_like(w * k), 1 / np.sqrt(2.0 + np.maximum(k - 2, 0.0) * _steepness(w))

    def hazard(z: Any) -> Any:
        return np.exp(-z * z / 2 - special.log_ndtr(-z)) / np.sqrt(2 * np.pi)

    if not lower:
        least, curvature = decreasing_root(lambda z: -z - (k - 1) * hazard(z), -40.0 + 0 * k, 0 * k)
        return np.minimum(0.0, least + w / 2), 1 / np.sqrt(1.0 + curvature)

    def slope(x: Any) -> Any:
        small = w < 1e-4
        wide = np.where(small, 1.0, w)
        near, far = x - wide / 2, x + wide / 2
        part = special.ndtr(far) - special.ndtr(near)
        quotient = (np.exp(-far * far / 2) - np.exp(-near * near / 2)) / np.sqrt(2 * np.pi) / part
        return -(x - w / 2) + (k - 1) * np.where(small, -x, quotient)

    centre, curvature = decreasing_root(slope, 0 * w * k, w / 2 + 0 * k)
    return centre, 1 / np.sqrt(1.0 + np.maximum(curvature, 0.0))


# ---- the sums


@functools.lru_cache(maxsize=64)
def _integral(lower: bool, order: tuple[int, ...]) -> Wrapped:
    """The probability below or above q, differentiated so often in q, k and df."""

    @functools.cache
    def terms() -> OfArrays:
        function: Callable = _below if lower else _above
        for i, n in enumerate(order, start=2):
            for _ in range(n):
                function = slope_in(function, i)
        return numpy_of("range", lambda *args: [function(*args)], 5)

    def integrate(q: Any, k: Any, df: Any) -> Any:
        full = np.broadcast_arrays(q, k, df)
        points = zip(*(np.ravel(x).astype(float) for x in full), strict=True)
        with np.errstate(all="ignore"):
            found = [_settled(terms(), lower, order[0] > 0, *point) for point in points]
        return np.reshape(found, full[0].shape)

    raised = [tuple(n + (i == j) for j, n in enumerate(order)) for i in range(3)]
    return wrap(integrate, vmap_method="broadcast_all").defpartials(
        *[lambda ans, *args, up=up: _integral(lower, up)(*args) for up in raised]
    )


def _settled(terms: Callable, lower: bool, dense: bool, q: float, k: float, df: float) -> float:
    if not (q > 0 and k > 1 and df > 0 and np.isfinite([q, k, df]).all()):
        return np.nan
    centre, width = _of_spread(lower, dense, q, k, df)
    left = max(_REACH, float(np.arcsinh(45 / (df * width))))
    for finer, close in _CLOSE.items():
        step = _STEP / finer
        t = np.arange(-np.ceil(left / step), np.ceil(_REACH / step) + 1) * step
        u = (centre + width * np.sinh(t))[:, None]
        s = np.arange(-np.ceil(_REACH / step), np.ceil(_REACH / step) + 1) * step
        if u.size * s.size > _PIECE:
            break
        w = q * np.exp(np.minimum(u, 300.0))
        mode, spread = _of_smallest(lower, dense, w, k)
        z = mode + spread * np.sinh(s) - w / 2
        values = terms([z, u, q, k, df])[0] * (spread * np.cosh(s)) * (width * np.cosh(t))[:, None]
        values = np.where(np.isfinite(values), values, 0.0)
        full, half = np.sum(values), 2 * np.sum(values[:, ::2])
        sizes = np.abs(values)
        rows, size = np.sum(values, axis=1), np.sum(sizes)
        quarter = 2 * np.sum(rows[::2])
        ends = sizes[0].sum() + sizes[-1].sum() + sizes[:, 0].sum() + sizes[:, -1].sum()
        if max(abs(full - half), abs(full - quarter)) <= close * size and ends <= _LOST * size:
            return float(full * step * step)
    return np.nan
