"""The second derivative of gammaincinv in a, for large a, where the formula of the implicit function theorem cancels.

Let R = dP/da / p, and J the integral over s of e^-h g, where t = x e^(side s), h = x (e^(side s) - 1) - side a s, and
where g = log t - psi(a) - (t - a)/a is small. By parts R = -x/a - side x J. So x_a = x/a + side x J, and x_aa follows
from the derivative of J along the curve x(a), of which the parts are small too.
"""

import numpy as np

from hostwrap.special.gamma_incomplete._scale import (
    exp_minus,
    log_minus_psi,
    log_ratio_minus,
    trigamma_minus,
)
from hostwrap.special.gamma_incomplete.shape import one_side


def curvature(a, x):
    """x_aa at constant P(a, x)."""
    side, s, weights = one_side(a, x)
    u = side[:, None] * s
    shift = (x / a)[:, None] * np.expm1(u)  # (t - x) / a
    g = log_ratio_minus(a[:, None], x[:, None] * np.exp(u)) + log_minus_psi(a)[:, None]
    j = side * (weights * g).sum(1)
    rate = j[:, None]  # x_a / x - 1 / a
    h_along = exp_minus(u) + np.expm1(u) * ((x - a) / a)[:, None] + rate * a[:, None] * shift
    g_along = -trigamma_minus(a)[:, None] - rate * (shift + ((x - a) / a)[:, None])
    j_along = side * (weights * (g_along - g * h_along)).sum(1)
    return x * (j / a + (1 / a + j) * j + j_along)
