"""The density of s = sqrt(chi^2 / v) in u = log s, its derivatives in v, and integrals against it.

p(u) = height e^(-v E(2u) / 2) with E(x) = e^x - 1 - x, and d/dv log p = (g(v/2) - E(2u)) / 2 with
g(z) = log z - psi(z), both without cancellation.
"""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.quadrature import reach
from hostwrap.special.gamma_beta.gamma import BERNOULLI, psi_n
from hostwrap.special.noncentral._logarithms import log_poisson
from hostwrap.special.noncentral._panels import falling_twice
from hostwrap.special.noncentral._terms import DEEP


def log_height(v):
    """log p(0)."""
    return np.log(v) + log_poisson(v / 2, v / 2)


def energy(u):
    """E(2u)."""
    x = 2 * u
    near = np.abs(x) < 0.4
    small = np.where(near, x, 0.0)
    series = 0.0
    for k in range(15, 1, -1):
        series = series * small + 1 / math.factorial(k)
    return np.where(near, series * small * small, np.expm1(x) - x)


def logs(v, u, n):
    """logs(k, 0) = (d/dv)^k log p, k = 1 .. n, as a function for `product_derivative`."""
    gaps = [_log_minus_psi(v / 2, k) for k in range(n)]
    first = (gaps[0] - energy(u)) / 2 if n else None
    return lambda k, _: first if k == 1 else gaps[k - 1] / 2.0**k


def _log_minus_psi(z, k):
    """(d/dz)^k (log z - psi(z)), DLMF 5.11.2."""
    large = z > 10
    y, x = np.where(large, z, 10.0), np.where(large, 10.0, z)
    powers = [(1, 0.5), *((2 * m, BERNOULLI[2 * m] / (2 * m)) for m in range(1, 11))]
    series = sum(c * (-1) ** k * sc.poch(p, k) * y ** (-float(p + k)) for p, c in powers)
    log = np.log(x) if k == 0 else (-1) ** (k - 1) * math.factorial(k - 1) / x**k
    return np.where(large, series, log - psi_n(x, k))


def integral(v, exponent, mode, weighted, k=0):
    """The sum of `weighted(u, weight)` for the integral of e^exponent, which has its maximum at `mode`.

    The exponent is at most k u - v E(2u) / 2, and that is what bounds the range. The second result is log of a factor.
    """
    top = exponent(mode)
    c = 2 * (DEEP - top + 8 * k) / v
    right = np.minimum(np.sqrt(c / 2), (np.log1p(2 * c) + 1) / 2) - mode
    left = mode + (c + 1) / 2
    after = reach(lambda s: exponent(mode + s) - top, right)
    before = reach(lambda s: exponent(mode - s) - top, left)

    def at(s, w):
        u = mode + s
        return weighted(u, w * np.exp(exponent(u) - top))

    return falling_twice(at, after, before), top
