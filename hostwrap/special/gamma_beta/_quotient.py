"""Quotients of Gamma functions: their values without overflow, and mixed derivatives of any order."""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise_jets
from hostwrap.special.gamma_beta.gamma import BERNOULLI
from hostwrap.special.gamma_beta.psi_difference import log_ratio, power_differences

REGULAR = 0.25  # arguments of Gamma above it are used as they are, those below are reflected


def gamma_ratio(x, h):
    """Gamma(x + h) / Gamma(x) for x > 0, arrays of one shape."""
    m, l = gamma_ratio_parts(x, h)
    return scaled(l, m)


def gamma_ratio_parts(x, h):
    """m and l with Gamma(x + h) / Gamma(x) = m e^l, x > 0. Derivatives may be doubles where the quotient is not."""
    y = x + h
    stirling = (x >= 20) & (y >= 20)
    direct = (x < 170) & (y < 170)
    return piecewise_jets(
        [x, h],
        1,
        [
            (stirling, lambda x, h: np.stack([np.ones_like(x), loggamma_difference(x, h)])),
            (direct, lambda x, h: np.stack([sc.gamma(x + h) * sc.rgamma(x), np.zeros_like(x)])),
            (None, lambda x, h: np.stack([sc.gammasgn(x + h), sc.gammaln(x + h) - sc.gammaln(x)])),
        ],
    )


def loggamma_difference(x, h):
    """log Gamma(x + h) - log Gamma(x) for x, x + h >= 20, by Stirling's series (DLMF 5.11.1) term by term."""
    d = power_differences(x, h, 11)
    tail = sum(BERNOULLI[2 * k] / (2 * k * (2 * k - 1)) * d[2 * k - 2] for k in range(1, 7))
    return (x - 0.5) * log_ratio(x, h) + h * np.log(x + h) - h - tail


def product_derivative(value, logs, waves, i, j, log=None):
    """(d/ds)^i (d/dt)^j of value e^log waves, from the derivatives logs(i, j) of the logarithm of value e^log.

    All gamma quotients have this form: Gamma at positive arguments, times sines that contain the zeros and poles.
    """
    slope, total = exponential(logs), 0.0
    if waves is one:
        total = slope(i, j)
    else:
        for k in range(i + 1):
            for l in range(j + 1):
                binomials = math.comb(i, k) * math.comb(j, l)
                total = total + binomials * slope(k, l) * waves(i - k, j - l)
    return value * total if log is None else scaled(log, value, total)


LOG_2 = 0.6931471803691238, 1.9082149292705877e-10  # in two parts, of which the first has 33 bits
FAR, LOWEST = 1e5, -1490.0  # no factors bring e^FAR back into range; the square root of e^LOWEST is 0


def scaled(log, *factors):
    """The product of the factors times e^log. It overflows or underflows only where the result does.

    It is 0 where a factor overflows and e^log is far below the range of doubles.
    """
    log = np.clip(log, -FAR, FAR)
    bits = np.rint(np.where(np.isnan(log), 0.0, log) / LOG_2[0])
    product = np.exp(log - bits * LOG_2[0] - bits * LOG_2[1])
    for factor in factors:  # mantissas of at least 1/2: a product of a few stays in range
        mantissa, exponent = np.frexp(factor)
        product, bits = product * mantissa, bits + exponent
    beyond = np.isinf(product) & (log < LOWEST)
    return np.where(beyond, 0.0, np.ldexp(product, bits.astype(int)))


def one(i, j):
    """The wave of a quotient without zeros: 1."""
    return float(i == j == 0)


def exponential(logs):
    """(d/ds)^i (d/dt)^j e^f / e^f as a function of i and j, from the derivatives logs(i, j) of f."""
    logs = functools.cache(logs)

    @functools.cache
    def slope(i, j):
        if i == j == 0:
            return 1.0
        s, t = (1, 0) if i else (0, 1)
        return sum(
            math.comb(i - s, k) * math.comb(j - t, l) * logs(k + s, l + t) * slope(i - s - k, j - t - l)
            for k in range(i - s + 1)
            for l in range(j - t + 1)
        )

    return slope
