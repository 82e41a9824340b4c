"""Quotients of Gamma functions: their values without overflow, and mixed derivatives of any order."""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import piecewise
from hostwrap.special.kernels.gamma.gamma import BERNOULLI
from hostwrap.special.kernels.gamma.psi_difference import log_ratio, power_differences

REGULAR = 0.25  # arguments of Gamma above it are used as they are, those below are reflected


def gamma_ratio(x, h):
    """Gamma(x + h) / Gamma(x) for x > 0."""
    y = x + h
    stirling = (x >= 20) & (y >= 20)
    direct = (x < 170) & (y < 170)
    return piecewise(
        [x, h],
        [
            (stirling, lambda x, h: np.exp(loggamma_difference(x, h))),
            (direct, lambda x, h: sc.gamma(x + h) * sc.rgamma(x)),
            (None, lambda x, h: sc.gammasgn(x + h) * np.exp(sc.gammaln(x + h) - sc.gammaln(x))),
        ],
    )


def loggamma_difference(x, h):
    """log Gamma(x + h) - log Gamma(x) for x, x + h >= 20, by Stirling's series (DLMF 5.11.1) term by term."""
    d = power_differences(x, h, 11)
    tail = sum(BERNOULLI[2 * k] / (2 * k * (2 * k - 1)) * d[2 * k - 2] for k in range(1, 7))
    return (x - 0.5) * log_ratio(x, h) + h * np.log(x + h) - h - tail


def product_derivative(value, logs, waves, i, j):
    """(d/ds)^i (d/dt)^j of value(s, t) waves(s, t), from the derivatives logs(i, j) of log value.

    All gamma quotients have this form: Gamma at positive arguments, times sines that hold the zeros and poles.
    """
    logs = functools.cache(logs)
    total = 0.0
    for k in range(i + 1):
        for l in range(j + 1):
            binomials = math.comb(i, k) * math.comb(j, l)
            total = total + binomials * _exponential(logs, k, l) * waves(i - k, j - l)
    return value * total


def one(i, j):
    """The wave of a quotient without zeros."""
    return float(i == j == 0)


def _exponential(logs, i, j):
    """(d/ds)^i (d/dt)^j e^f / e^f."""
    if i == j == 0:
        return 1.0
    s, t = (1, 0) if i else (0, 1)
    return sum(
        math.comb(i - s, k)
        * math.comb(j - t, l)
        * logs(k + s, l + t)
        * _exponential(logs, i - s - k, j - t - l)
        for k in range(i - s + 1)
        for l in range(j - t + 1)
    )
