"""What the incomplete gamma functions are multiples of, to full accuracy also for large a and x next to each other."""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special.gamma_beta.gamma import BERNOULLI

STIRLING = 10.0  # from here on Stirling's series has all digits
ATANH_TERMS = 16
COTH = [2 * BERNOULLI[2 * k] / math.factorial(2 * k) for k in range(7, 0, -1)]


def power_over_gamma(a, x):
    """x^a e^-x / Gamma(a + 1), the density at x of the gamma distribution of shape a + 1."""
    return piecewise([a, x], [(a < STIRLING, _direct), (None, _by_stirling)])


def density(a, x):
    """x^(a - 1) e^-x / Gamma(a), of shape a; for large a with the exponent of the other."""
    return piecewise([a, x], [(a < STIRLING, _density_directly), (None, _density_by_stirling)])


def _density_directly(a, x):
    return np.where(a < 1, np.float_power(x, a - 1) * np.exp(-x) * sc.rgamma(a), _direct(a - 1, x))


def _density_by_stirling(a, x):
    half = np.exp(_exponent(a, x) / 2)  # squared, it may underflow where the result does not
    beyond = np.isinf(a) | np.isinf(x) | (x == 0) | (half == 0)  # the last factor may be infinite there
    return np.where(beyond, 0.0, half * (half * (np.sqrt(a / (2 * math.pi)) / x)))


def _direct(a, x):
    x = np.minimum(x, 1e3)  # where the result has long gone to 0, and x^a does not overflow yet
    half = np.exp(-x / 2)  # e^-x may underflow where the result does not
    return half * (np.float_power(x, a) * sc.rgamma(a + 1)) * half


def _by_stirling(a, x):
    return np.where(np.isinf(a) | np.isinf(x), 0.0, np.exp(_exponent(a, x)) / np.sqrt(2 * math.pi * a))


def _exponent(a, x):
    """DLMF 5.11.1; a (log(1 + d) - d), d = (x - a) / a, has no large terms to cancel (Loader 2000)."""
    return a * log_ratio_minus(a, x) - stirling_rest(a)


def polynomial(coefficients, x):
    """Of falling powers: np.polyval, made of loops alone."""
    return functools.reduce(lambda total, c: total * x + c, coefficients)


def stirling_rest(a):
    """log Gamma(a + 1) less Stirling's sqrt(2 pi a) (a / e)^a, DLMF 5.11.1."""
    inverse = 1 / a
    terms = [BERNOULLI[2 * k] / (2 * k * (2 * k - 1)) for k in range(1, 9)]
    return inverse * polynomial(terms[::-1], inverse * inverse)


def log_ratio_minus(a, x):
    """log(x / a) - (x - a) / a."""
    d = (x - a) / a
    near = np.abs(d) < 0.5
    return piecewise(
        [a, x, d], [(near, lambda a, x, d: log1p_minus(d)), (None, lambda a, x, d: np.log(x / a) - d)]
    )


def log1p_minus(d):
    """log(1 + d) - d for |d| <= 1/2: with r = d / (2 + d) it is 2 artanh(r) - d, where d = 2 r / (1 - r)."""
    r = d / (2 + d)
    series = polynomial([1 / (2 * k + 1) for k in range(ATANH_TERMS, 0, -1)], r * r)
    return r * (2 * r * r * series - d)


def score(a, x):
    """log x - psi(a), what the logarithm of the density grows with a."""
    large = lambda a, x: _log_ratio(a, x) + log_minus_psi(a)
    return piecewise([a, x], [(a < STIRLING, lambda a, x: np.log(x) - sc.psi(a)), (None, large)])


def _log_ratio(a, x):
    d = (x - a) / a
    return np.where(np.abs(d) < 0.5, np.log1p(np.clip(d, -0.5, 0.5)), np.log(x / a))


def log_minus_psi(a):
    """log a - psi(a) for a >= STIRLING, DLMF 5.11.2."""
    inverse = 1 / a
    terms = [BERNOULLI[2 * k] / (2 * k) for k in range(1, 9)]
    square = inverse * inverse
    return inverse / 2 + square * polynomial(terms[::-1], square)


def trigamma_minus(a):
    """psi'(a) - 1/a for a >= STIRLING, the derivative of the same series."""
    square = 1 / (a * a)
    return square * (0.5 + polynomial([BERNOULLI[2 * k] for k in range(8, 0, -1)], square) / a)


def exp_minus(t):
    """e^t - 1 - t; for small t it is t^2 (1 - t D) / (2 - t + t^2 D) with t coth(t/2) = 2 + t^2 D, DLMF 24.2.1."""
    square = t * t
    d = polynomial(COTH, square)
    return np.where(np.abs(t) < 0.5, square * (1 - t * d) / (2 - t + square * d), np.expm1(t) - t)
