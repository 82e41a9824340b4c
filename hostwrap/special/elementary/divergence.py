"""What entropies and divergences are differentiated to: quotients next to x = y, next to 0, and out of range."""

import numpy as np

from hostwrap.special._numerics.pointwise import pointwise


@pointwise
def log_ratio(x, y):
    """log(x/y) of x, y >= 0: near x = y from the exact difference, out of range from two logarithms."""
    ratio = x / y
    value = np.where((ratio > 1e-300) & (ratio < 1e300), np.log(ratio), np.log(x) - np.log(y))
    value = np.where((ratio > 0.5) & (ratio < 2), np.log1p((x - y) / y), value)
    return np.where((x < 0) | (y < 0), np.nan, value)


@pointwise
def quotient(x, y):
    """x/y, and 0 where both are."""
    return x / np.where((x == 0) & (y == 0), 1.0, y)


@pointwise
def excess(x, y):
    """x/y - 1, near x = y from the exact difference; -1 where both are 0."""
    return np.where(np.abs(x - y) < y / 2, (x - y) / y, quotient(x, y) - 1)
