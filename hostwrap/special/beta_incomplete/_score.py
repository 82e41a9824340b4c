"""Logarithmic derivatives of the beta density, which are small where they cancel.

In the logit u the density is phi = x^a y^b / B(a, b), with the logarithmic derivative g = a y - b x. Parameters vary
at fixed u, or at fixed f = (b / a) (x / y), the argument of the F distribution, in which the bulk of the density
stays where it is: there the terms of g / a, log(x / x0) and psi(a) - log(a) must not be added as they are.
"""

from __future__ import annotations

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special.gamma_beta.gamma import BERNOULLI, psi_right
from hostwrap.special.gamma_beta.psi_difference import power_differences, psi_rise
from hostwrap.special.gamma_incomplete._scale import log1p_minus, polynomial

STIRLING = 12.0  # from here on the asymptotic series of psi has all digits


def log_share(x, y):
    """log x, where x + y = 1."""
    return np.where(x <= 0.5, np.log(x), np.log1p(-y))


def log_shares(x, y):
    """log x and log y, where x + y = 1: of the smaller one by log, of the other one by log1p."""
    low = np.where(x <= 0.5, x, y)
    short, long = np.log(low), np.log1p(-low)
    return np.where(x <= 0.5, short, long), np.where(x <= 0.5, long, short)


def slope(a, b, x, y):
    """d log phi / du."""
    return a * y - b * x


def score(a, b, x, y):
    """d log phi / da at fixed u."""
    return log_share(x, y) + psi_rise(a, b, 0)


def raised_score(a, b, x, y):
    """score - 1 / a, log x - psi(a + 1) + psi(a + b): finite at a = 0."""
    return score(a + 1, b, x, y) - 1 / (a + b)


def score_derivatives(a, b, x, y):
    """In a, b and u."""
    return psi_rise(a, b, 1), psi_right(a + b, 1), y


def f_score(a, b, x, y):
    """d log phi / da at fixed f, which is score + slope / a."""
    return relative_to_mean(a, b, x, y) + log_excess(a, b)


def f_score_derivatives(a, b, x, y):
    """In a, b and u = log f + ..."""
    n, g = a + b, slope(a, b, x, y)
    return (
        g * g / (n * a * a) - trigamma_excess(a, b),
        _trigamma_excess_of(n) - g * g / (n * a * b),
        y * g / a,
    )


def relative_to_mean(a, b, x, y):
    """log(x / x0) - (x - x0) / x0 with x0 = a / (a + b)."""
    d = (x * b - y * a) / a
    return np.where(np.abs(d) < 0.5, log1p_minus(np.clip(d, -0.5, 0.5)), np.log(x * (a + b) / a) - d)


def log_excess(a, b):
    """(log a - psi(a)) - (log n - psi(n)) with n = a + b, DLMF 5.11.2."""

    def series(a, b):
        d = power_differences(a, b, 18)
        return d[0] / 2 + sum(BERNOULLI[2 * k] / (2 * k) * d[2 * k - 1] for k in range(1, 9))

    return piecewise(
        [a, b],
        [(a < STIRLING, lambda a, b: psi_rise(a, b, 0) - np.log1p(b / a)), (None, series)],
    )


def trigamma_excess(a, b):
    """(psi'(a) - 1/a) - (psi'(n) - 1/n) with n = a + b, DLMF 5.15.8."""

    def series(a, b):
        d = power_differences(a, b, 18)
        return d[1] / 2 + sum(BERNOULLI[2 * k] * d[2 * k] for k in range(1, 9))

    return piecewise(
        [a, b],
        [(a < STIRLING, lambda a, b: -psi_rise(a, b, 1) - b / (a * (a + b))), (None, series)],
    )


def _trigamma_excess_of(n):
    """psi'(n) - 1/n."""

    def series(n):
        square = 1 / (n * n)
        return square * (0.5 + polynomial([BERNOULLI[2 * k] for k in range(8, 0, -1)], square) / n)

    return piecewise([n], [(n < STIRLING, lambda n: psi_right(n, 1) - 1 / n), (None, series)])
