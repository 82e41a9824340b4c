"""The first derivative of P(a, x) in the shape a.

The integral of `shape.py`, on one panel as long as the integrand is of account; below x = 1 the power series.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import elsewhere, piecewise
from hostwrap.special._numerics.quadrature import NEGLIGIBLE, integrals
from hostwrap.special.gamma_incomplete import _scale

SERIES_TERMS = 20
NODES = 40
DEEP, NEWTON_STEPS = 50.0, 2  # beyond NEGLIGIBLE, by what x - a may take from the other term
ROUNDING, LOST = 2.0**-53, 1e-8  # of an argument; a relative error that is too much


def support(a, x, side):
    """How long the integrand e^-h is of account, for x >= 1: h(s) = x (e^(side s) - 1 - side s) + side (x - a) s.

    Each term alone is DEEP at a known s at most: e^s - 1 - s at log(1 + c + sqrt(2 c)), because s^2 / 2 is below it;
    e^-s - 1 + s, which is above s^2 / (2 + s), at (c + sqrt(c^2 + 8 c)) / 2. Both together are deep sooner, by half at
    most. There h is convex, so that Newton's steps stay beyond.
    """
    c = DEEP / x
    curved = np.where(side < 0, (c + np.sqrt(c * (c + 8))) / 2, np.log1p(c + np.sqrt(2 * c)))
    s = np.minimum(curved, DEEP / np.abs(x - a))
    for _ in range(NEWTON_STEPS):
        t = side * s
        rise = np.expm1(t)
        bend = np.where(np.abs(t) < 0.5, t * t * (1 / 2 + t * (1 / 6 + t / 24)), rise - t)  # to three digits
        s = s - (x * bend + (x - a) * t + NEGLIGIBLE) / (side * (x * rise + (x - a)))
    return s


def relative(a, x):
    """dP/da divided by x^a e^-x / Gamma(a + 1)."""
    return piecewise([a, x], [(x < 1, _series), (None, _integral)])


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
    constant = elsewhere(np.zeros_like(a), small, lambda a: np.where(a == 0, 1.0, -a * sc.psi(a)), a)
    origin = elsewhere(growth, small, np.log, x)

    def terms(t):
        return [np.exp(-(x * _scale.exp_minus(t) + (x - a) * t)) * (a * (origin + t) + constant)]

    return -integrals(terms, [(0.0, side * support(a, x, side))], NODES)[0]
