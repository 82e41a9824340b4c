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

    def g(u, a, x, rest):
        return log_ratio_minus(a, x * np.exp(u)) + rest

    def along(u, a, x, rest, rate, slope):
        rise = np.expm1(u)
        shift = x / a * rise  # (t - x) / a
        h_along = exp_minus(u) + rise * ((x - a) / a) + rate * a * shift
        return slope - rate * (shift + (x - a) / a) - g(u, a, x, rest) * h_along

    rest = log_minus_psi(a)
    j = one_side(g, a, x, rest)  # x_a / x - 1 / a
    j_along = one_side(along, a, x, rest, j, -trigamma_minus(a))
    return x * (j / a + (1 / a + j) * j + j_along)
