"""The two-sided Kolmogorov and Smirnov law: the density of D_n, the largest distance from n uniform numbers' steps.

With x = (k - h) / n, k an integer and 0 <= h < 1, P(D_n < x) is n! / n^n times the middle element of H^n (J. Durbin,
Annals of Mathematical Statistics 39, 398 (1968); G. Marsaglia, W. W. Tsang and J. Wang, Journal of Statistical Software
8(18) (2003)). H has 1 / j!, in its first column and last row (1 - h^j) / j!, and so has no negative element, nor has
-dH/dh. So P has all its digits where it is small, and the density wherever it is small. Powers of a Taylor series of
matrices give the derivatives of any order.

Where the two sides cannot both be left, P is 1 minus twice the one-sided probability; from n x^2 = 6 on, the rest is
exp(-36) of that. Large matrices are not needed: with z = sqrt(n) x,

    P = K0(z) + K1(z) / n^(1/2) + K2(z) / n + K3(z) / n^(3/2) + K4(z) / n^2 + ...

(W. Pelz and I. J. Good, Journal of the Royal Statistical Society B 38, 152 (1976), have the first four). What the four
leave at smaller n and the same z gives the next ones; those of fewer n must say the same, else the result is NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from hostwrap.special._math import log
from hostwrap.special.gamma_incomplete._scale import stirling_rest
from hostwrap.special.kolmogorov_smirnov.smirnov import smirnov_n
from hostwrap.stats._method import differentiable

_ONE_SIDED = 6.0  # of n x^2
_LARGE = 121  # of n x: half of the rows of a matrix
_NEAR = np.array([32.0, 40.0, 50.0, 60.0, 70.0, 80.0])  # n x of the smaller n
_CLOSE = 1e-6  # how near the result of all but one of them must be
_FEW = 16  # for Stirling's series
_SMALL = 47 / 128  # next to exp(-1): what n steps multiply by is n^n / n!, near exp(n)
_TERMS = np.arange(1.0, 34.0)  # exp(-(pi m)^2 / (8 z^2)) is 1e-96 at the last, for n x^2 = 6


class TwoSided:
    """The formula of a probability, "below" or "above" x, or of the logarithm of the density."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __call__(self, x: Any, n: Any) -> Any:
        if self.kind == "above":
            return differentiable(above, 0, "n")(n, x)
        if self.kind == "below":
            return differentiable(two_sided, -1, "n")(n, x)
        return log(differentiable(two_sided, 0, "n")(n, x))


def two_sided(n: Any, x: Any, *, dd: int) -> Any:
    """The density, differentiated dd times in x; for dd = -1 the probability of less than x."""
    n, x = np.broadcast_arrays(np.asarray(n, float), np.asarray(x, float))
    with np.errstate(all="ignore"):
        found = [_of_one(*point, dd + 1) for point in zip(np.ravel(n), np.ravel(x), strict=True)]
    return np.reshape(found, n.shape)[()]


def above(n: Any, x: Any, *, dd: int) -> Any:
    """The probability of more than x; for dd > 0 minus the density, differentiated dd - 1 times."""
    n, x = np.broadcast_arrays(np.asarray(n, float), np.asarray(x, float))
    if dd:
        return -two_sided(n, x, dd=dd - 1)
    far = _one_sided(n, x) & (x > 0) & (x < 1)
    found = np.full(n.shape, np.nan)
    found[far] = 2 * special.smirnov(np.floor(n[far]), x[far])
    found[~far] = 1 - two_sided(n[~far], x[~far], dd=-1)
    return found[()]


def _one_sided(n: Any, x: Any) -> Any:
    return (x >= 0.5) | (n * x * x > _ONE_SIDED)


def _of_one(n: float, x: float, order: int) -> float:
    """P, differentiated in x."""
    if not (n >= 1 and np.isfinite([n, x]).all() and n == np.floor(n)):
        return np.nan
    if 2 * n * x <= 1 or x >= 1:
        return float(order == 0 and x > 0.5)
    if n * x <= 1:
        size = np.exp(_log_steps(n) + (n - order) * np.log(2 * n * x - 1) - n)
        return float(size * (2 * n) ** order * special.poch(n - order + 1, order)) if order <= n else 0.0
    if _one_sided(n, x):
        one = smirnov_n(np.array([n]), np.array([x]), dd=order) if order else special.smirnov(n, x)
        return float(order == 0) - 2 * float(np.ravel(one)[0])
    return _by_matrix(n, x, order) if n * x < _LARGE else _from_smaller(n, x, order)


def _log_steps(n: float) -> float:
    """log(n! exp(n) / n^n)"""
    if n < _FEW:
        return float(special.gammaln(n + 1) + n - n * np.log(n))
    return float(np.log(2 * np.pi * n) / 2 + stirling_rest(n))


# ---- by powers of a matrix


def _by_matrix(n: float, x: float, order: int) -> float:
    k = int(np.ceil(n * x))
    series = _SMALL * _steps(2 * k - 1, k - n * x, order)
    row = np.zeros((order + 1, 1, 2 * k - 1))
    row[0, 0, k - 1] = 1.0
    left, halvings, of_series = int(n), 0, 0
    while True:
        if left % 2:
            row, less = _scaled(_product(row, series))
            halvings += of_series + less
        left //= 2
        if not left:
            break
        series, less = _scaled(_product(series, series))
        of_series = 2 * of_series + less
    size = np.exp(_log_steps(n) - n * (1 + np.log(_SMALL)) + halvings * np.log(2.0))
    return float(size * row[order, 0, k - 1] * math.factorial(order) * (-n) ** order)


def _steps(m: int, h: float, order: int) -> np.ndarray:
    """H at h, and its Taylor coefficients."""
    one_over = np.exp(-special.gammaln(np.arange(m + 1) + 1.0))  # 1 / j!
    series = np.zeros((order + 1, m, m))
    apart = np.arange(m)[:, None] - np.arange(m) + 1
    series[0] = np.where(apart >= 0, one_over[np.maximum(apart, 0)], 0.0)
    j = np.arange(1, m + 1)
    for r in range(order + 1):
        power = np.maximum(j - r, 0)
        moved = np.where(j >= r, h**power * one_over[power] / math.factorial(r), 0.0)
        edge = (one_over[j] if r == 0 else 0.0) - moved
        corner = (one_over[m] if r == 0 else 0.0) - 2 * moved[-1]
        if h > 0.5 and m >= r:
            corner += 2.0**r * (2 * h - 1) ** (m - r) * one_over[m - r] / math.factorial(r)
        series[r, :, 0], series[r, -1, :], series[r, -1, 0] = edge, edge[::-1], corner
    return series


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of two Taylor series of matrices."""
    return np.array([sum(a[s] @ b[r - s] for s in range(r + 1)) for r in range(len(a))])


def _scaled(series: np.ndarray) -> tuple[np.ndarray, int]:
    """Without a power of two, which is exact."""
    power = int(np.frexp(np.max(series[0]))[1])
    return np.ldexp(series, -power), power


# ---- from smaller n


def _from_smaller(n: float, x: float, order: int) -> float:
    z = np.sqrt(n) * x
    smaller = np.round((_NEAR / z) ** 2)
    rest = [
        _by_matrix(m, z / np.sqrt(m), order) * m ** (-order / 2) - _first_four(m, z, order) for m in smaller
    ]
    more = [
        np.sum(np.linalg.solve((m[:, None] / n) ** (-np.arange(4, 4 + len(m)) / 2), rest[-len(m) :]))
        for m in (smaller, smaller[1:])
    ]
    near = _first_four(n, z, order)
    close = abs(more[0] - more[1]) <= _CLOSE * abs(near + more[0])
    return float((near + more[0]) * n ** (order / 2)) if close else np.nan


def _first_four(n: float, z: float, order: int) -> float:
    """K0 to K3 with their powers of n, differentiated in z.

    Each is a sum of c z^-p exp(-a / z^2), of which the derivative is -p c z^-(p + 1) + 2 a c z^-(p + 3).
    """
    a = (np.pi * _TERMS) ** 2 / 8
    odd, even, b = _TERMS % 2, 1 - _TERMS % 2, 2 * a
    sums: list[dict[int, np.ndarray]] = [
        {1: odd},
        {4: odd * b / 6, 2: -odd / 6},
        {
            1: odd / 12, 3: odd * (1 + b) / 36 - even * b / 36,
            5: -odd * b * (5 + 2 * b) / 72, 7: odd * b * b / 72,
        },
        {
            10: odd * b**3 / 1296, 8: -odd * b * b * (b + 2) / 216,
            6: odd * b * (212 * b + 135) / 6480 - even * b * b / 216,
            4: -odd * (16 * b + 5) / 1080 + even * b / 72, 2: -odd / 72,
        },
    ]  # fmt: skip
    total = 0.0
    for i, parts in enumerate(sums):
        for _ in range(order):
            moved: dict[int, np.ndarray] = {}
            for p, c in parts.items():
                moved[p + 1] = moved.get(p + 1, 0.0) - p * c
                moved[p + 3] = moved.get(p + 3, 0.0) + 2 * a * c
            parts = moved
        of_z = sum(float(np.sum(c * np.exp(-a / (z * z) - p * np.log(z)))) for p, c in parts.items())
        total += np.sqrt(2 * np.pi) * of_z * n ** (-i / 2)
    return float(total)
