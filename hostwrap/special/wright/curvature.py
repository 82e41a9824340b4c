"""The second derivative in x of the logarithm of Wright's function, in which the large parts cancel.

With the weights w_k of the terms of Phi(a, b, x) and rho_k = Gamma(a k + b) / Gamma(a k + a + b), the quotients of
Phi(a, b + a, x) and Phi(a, b + 2 a, x) by Phi are the means of rho_k and of rho_k rho_(k+1). Then
(log Phi)'' = <rho_k rho_(k+1)> - <rho_k>^2 = <rho_k^2 (rho_(k+1) / rho_k - 1)> + var(rho).
"""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.until import repeated
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.wright.wright import MOST, inside, scaled_rgamma, terms

SMALL = 0.04  # a / (z + a), below which the difference is a series


@pointwise
def wright_curvature(a, b, x):
    regular = inside(a, b, x) & np.isfinite(x)
    return piecewise([a, b, x], [(regular & (x > 0), _curvature), (regular, _at_zero)])


def _curvature(a, b, x):
    _, count, term = terms(a, b, x)

    def quotient(i):
        _, weight, z, log = term(i)
        safe = np.where(z > 0, z, np.maximum(a, 1e-300))  # where z = 0 the weight is
        return weight * scaled_rgamma(z, log, 0), safe, np.exp(sc.gammaln(safe) - sc.gammaln(safe + a))

    center = quotient(0.0)[2]

    def add(i, total, first, second, fall):
        w, safe, rho = quotient(i)
        fall = fall + w * rho * rho * np.expm1(_second_difference(safe, a))
        return total + w, first + w * (rho - center), second + w * (rho - center) ** 2, fall

    total, first, second, fall = repeated(add, [np.zeros_like(x)] * 4, count, MOST)
    return fall / total + second / total - (first / total) ** 2


def _at_zero(a, b, x):
    rho = np.exp(sc.gammaln(b) - sc.gammaln(b + a))
    return rho * rho * np.expm1(_second_difference(b, a))


def _second_difference(z, a):
    """log rho_(k+1) - log rho_k = -(log Gamma(z + 2 a) - 2 log Gamma(z + a) + log Gamma(z)), z = a k + b."""
    near = a < SMALL * (z + a)
    middle, step = np.where(near, z + a, 1.0), np.where(near, a, 0.0)
    series = sum(2 * step ** (2 * m) / math.factorial(2 * m) * psi_n(middle, 2 * m - 1) for m in range(1, 5))
    return -np.where(near, series, sc.gammaln(z + 2 * a) - 2 * sc.gammaln(z + a) + sc.gammaln(z))
