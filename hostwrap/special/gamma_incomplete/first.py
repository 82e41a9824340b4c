"""The first derivative of P(a, x) in the shape a, made of loops alone, so that it runs without Python.

The integral of `shape.py`, on one panel as long as the integrand is of account; below x = 1 the power series. Both are
computed at every point, and `np.where` takes the one that holds.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.quadrature import integrals, reach
from hostwrap.special.gamma_incomplete import _scale

SERIES_TERMS = 20
NODES = 40
ROUNDING, LOST = 2.0**-53, 1e-8  # of an argument; a relative error that is too much


def longest(a, x, side):
    """An s where h = x (e^(side s) - 1) - side a s is above 44, as |x - a| s and x s^2 / 2 are (s < 1: x s^2 / 3)."""
    below = np.where(x > 300, np.sqrt(150 / x), np.inf)
    curved = np.where(side < 0, np.minimum((50 + x) / a, below), np.sqrt(100 / x))
    return np.minimum(curved, 50 / np.abs(x - a))


def relative(a, x):
    """dP/da divided by x^a e^-x / Gamma(a + 1)."""
    return np.where(x < 1, _series(a, x), _integral(a, x))


def _series(a, x):
    """As in shape.py: (1 + a S) (log x - psi(a + 1)) + d(a S)/da, S = sum over k >= 1 of (-x)^k / (k! (a + k))."""
    power, total, slope = 1.0, 0.0, 0.0
    for k in range(1, SERIES_TERMS + 1):
        power = power * -x / k
        term = power / (a + k)
        total, slope = total + term, slope - term / (a + k)
    return np.exp(x) * (_scale.score(a + 1, x) * (1 + a * total) + (a * slope + total))


def _integral(a, x):
    growth = _scale.score(a, x)
    side = np.where(growth < 0, -1.0, 1.0)
    # of Gamma(a + 1) t^-a d/da (t^a / Gamma(a)) as a polynomial in log t; for small a without psi(a), which is large
    small = a < 1
    constant = np.where(small, np.where(a == 0, 1.0, -a * sc.psi(a)), 0.0)
    origin = np.where(small, np.log(x), growth)

    def terms(t):
        return [np.exp(-(x * _scale.exp_minus(t) + (x - a) * t)) * (a * (origin + t) + constant)]

    length = reach(lambda s: -(x * (np.expm1(side * s) - side * s) + side * (x - a) * s), longest(a, x, side))
    return -integrals(terms, [(0.0, side * length)], NODES)[0]
