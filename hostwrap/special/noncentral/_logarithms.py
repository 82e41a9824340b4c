"""Logarithms of the terms of Poisson mixtures, without cancellation between their large parts.

Loader (2000), "Fast and accurate computation of binomial probabilities": Stirling's series for each factorial, and
the deviance M d(A / M) in place of differences of logarithms.
"""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.until import until
from hostwrap.special.gamma_beta.beta import beta_parts
from hostwrap.special.gamma_beta.gamma import BERNOULLI

LEAST = 3.0  # below it factorials are small enough for their logarithms
STIRLING = 10.0  # above it Stirling's series is exact to double precision
RISE = np.array([0.0, *(1 / (2 * k + 1) for k in range(1, 11))])  # of atanh(v) / v - 1, in v^2
LOG_2PI = math.log(2 * math.pi)


def stirling_error(z):
    """log Gamma(z + 1) - (z + 1/2) log z + z - log(2 pi) / 2 for z >= LEAST, DLMF 5.11.1.

    From z to z + 1 it falls by (z + 1/2) log(1 + 1/z) - 1 = atanh(v) / v - 1 for v = 1 / (2 z + 1): nothing cancels.
    """

    def rise(_, z, total):
        low = z < STIRLING
        change = np.polynomial.polynomial.polyval((2 * z + 1) ** -2, RISE)
        z, total = np.where(low, z + 1, z), np.where(low, total + change, total)
        return z, total, z < STIRLING

    z, total = until(rise, [z, np.zeros_like(z)], [], math.ceil(STIRLING - LEAST) + 1)
    return total + sum(BERNOULLI[2 * k] / (2 * k * (2 * k - 1)) * z ** (1.0 - 2 * k) for k in range(1, 10))


def deviance(a, mean):
    """a log(a / mean) + mean - a >= 0."""
    v = (a - mean) / (a + mean)
    near = np.abs(v) < 0.1
    w = np.where(near, v, 0.0)
    series = sum(w ** (2 * k + 1) / (2 * k + 1) for k in range(1, 10))
    return np.where(near, (a - mean) * w + 2 * a * series, sc.xlogy(a, a / mean) + mean - a)


def log_poisson(a, x):
    """log(x^a e^-x / Gamma(a + 1)), a > -1."""
    return piecewise(
        [a, x],
        [
            (a < LEAST, lambda a, x: sc.xlogy(a, x) - x - sc.gammaln(a + 1)),
            (None, lambda a, x: -stirling_error(a) - deviance(a, x) - (LOG_2PI + np.log(a)) / 2),
        ],
    )


def log_beta_term(a, b, y, yc):
    """log(y^a yc^b Gamma(a + b) / (Gamma(a + 1) Gamma(b + 1))), a > -1, b > 0, y + yc = 1."""
    return piecewise([a, b, y, yc], [(np.minimum(a, b) < LEAST, _by_beta), (None, _by_deviance)])


def _by_beta(a, b, y, yc):
    # of a number next to 1 only the distance from 1 has all digits, and a large factor shows what is lost
    power = np.where(y < 0.5, sc.xlogy(a, y), a * np.log1p(-yc)) + b * np.where(
        y < 0.5, np.log1p(-y), np.log(yc)
    )
    m, l = beta_parts(a + 1, b)
    return power - (np.log(a + b) + np.log(b * m) + l)  # a product of all may leave the doubles


def _by_deviance(a, b, y, yc):
    n = a + b
    errors = stirling_error(n) - stirling_error(a) - stirling_error(b)
    return (
        errors - deviance(a, n * y) - deviance(b, n * yc) - (LOG_2PI + np.log(a) + np.log(b) + np.log(n)) / 2
    )
