"""The second derivative in x of the logarithm of Wright's function, in which the large parts cancel.

With the weights w_k of the terms of Phi(a, b, x) and rho_k = Gamma(a k + b) / Gamma(a k + a + b), the quotients of
Phi(a, b + a, x) and Phi(a, b + 2 a, x) by Phi are the means of rho_k and of rho_k rho_(k+1). So, with any c,

    (log Phi)'' = <rho_k rho_(k+1)> - <rho_k>^2
                = <(rho_k - c) (rho_(k+1) - c)> + c <rho_(k+1) - rho_k> - (<rho_k> - c)^2.

c is a rho next to the largest term, but none of the term k = 0: for small b its rho is about 1 / b, its weight b.
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
    peak, count, term = terms(a, b, x)[1:]
    rho = lambda z: np.exp(sc.gammaln(z) - sc.gammaln(z + a))
    center = rho(a * np.maximum(peak, 1.0) + b)

    def add(i, total, mean, both, fall):
        _, weight, z, log = term(i)
        w = weight * scaled_rgamma(z, log, 0)
        safe = np.where(z > 0, z, np.maximum(a, 1e-300))  # at z = 0 the weight is 0
        here = rho(safe)
        less = here * np.expm1(_second_difference(safe, a))
        # where rho falls to a part of itself, what is left of the sum has no digits
        after = np.where(-less > 0.5 * here, rho(safe + a) - center, (here - center) + less)
        both = both + w * (here - center) * after
        return total + w, mean + w * (here - center), both, fall + w * less

    total, mean, both, fall = repeated(add, [np.zeros_like(x)] * 4, count, MOST)
    return both / total + center * (fall / total) - (mean / total) ** 2


def _at_zero(a, b, x):
    rho = np.exp(sc.gammaln(b) - sc.gammaln(b + a))
    return rho * rho * np.expm1(_second_difference(b, a))


def _second_difference(z, a):
    """log rho_(k+1) - log rho_k = -(log Gamma(z + 2 a) - 2 log Gamma(z + a) + log Gamma(z)), z = a k + b."""
    near = a < SMALL * (z + a)
    middle, step = np.where(near, z + a, 1.0), np.where(near, a, 0.0)
    series = sum(2 * step ** (2 * m) / math.factorial(2 * m) * psi_n(middle, 2 * m - 1) for m in range(1, 5))
    return -np.where(near, series, sc.gammaln(z + 2 * a) - 2 * sc.gammaln(z + a) + sc.gammaln(z))
