"""The sum of n uniform numbers: its density is a cardinal B-spline, a polynomial of degree n - 1 between integers.

De Boor's recurrence adds up positive terms, so each spline has all its digits, in the tails too,

    (r - 1) f_r(x) = x f_(r-1)(x) + (r - x) f_(r-1)(x - 1),

and f_r' = f_(r-1)(x) - f_(r-1)(x - 1) (C. de Boor, Journal of Approximation Theory 6, 50 (1972)). The probability
below x is f_(n+1)(x) + f_(n+1)(x - 1) + ...
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def spline(n: Any, x: Any, *, dd: int) -> Any:
    """The density, differentiated dd times in x; for dd = -1 the probability below."""
    n, x = np.broadcast_arrays(np.asarray(n, float), np.asarray(x, float))
    result = np.full(x.shape, np.nan)
    for count in np.unique(n[np.isfinite(n) & (n >= 1)]):
        here = n == count
        result[here] = _of_count(int(count), x[here], dd)
    return result[()]


def _of_count(n: int, x: np.ndarray, order: int) -> np.ndarray:
    if order < 0:
        shifts = np.arange(n + 1)
        return np.sum(_bumps(n + 1, x[:, None] - shifts), axis=-1)
    # by symmetry from the nearer end: there x has the digits of its distance
    far = x > n / 2
    x = np.where(far, n - x, x)
    total = np.zeros(x.shape)
    if n > order:
        for j in range(order + 1):
            total += (-1) ** j * math.comb(order, j) * _bumps(n - order, x - j)
    return np.where(far & (order % 2 == 1), -total, total)


def _bumps(n: int, x: np.ndarray) -> np.ndarray:
    """f_n(x)"""
    x = x[..., None]
    z = x - np.arange(n)
    row = np.where((z >= 0) & (z < 1), 1.0, 0.0)
    for r in range(2, n + 1):
        z = x - np.arange(n - r + 1)
        row = (z * row[..., :-1] + (r - z) * row[..., 1:]) / (r - 1)
    return row[..., 0]
