"""Carlson's integrals and their gradients where the arguments are nearly equal (DLMF 19.19.7, 19.36.1).

R_{-a} of n/2 parameters is A^-a sum_m (a)_m / (n/2)_m T_m in X_i = 1 - x_i / A, with A the mean of the n arguments and
T_m of the generating function prod (1 - t X_i)^(-1/2). Seven terms are taken.
"""

import functools
from math import prod

import numpy as np

DEGREE = 7


def gradient_f(x, y, z):
    """The gradient of R_F, from the polynomial of DLMF 19.36.1 in E_2 and E_3 = X Y Z, and the largest |X|."""
    mean = (x + y + z) / 3
    relative = [1 - v / mean for v in (x, y, z)]
    a, b, c = relative
    e2, e3 = a * b - c * c, a * b * c
    value = (
        1
        + e2 * (-1 / 10 + e2 * (1 / 24 - 5 / 208 * e2))
        + e3 * (1 / 14 + e2 * (e2 / 16 - 3 / 44) + 3 / 104 * e3)
    )
    by_e2 = -1 / 10 + e2 * (1 / 12 - 15 / 208 * e2) + e3 * (e2 / 8 - 3 / 44)
    by_e3 = 1 / 14 + e2 * (e2 / 16 - 3 / 44) + 3 / 52 * e3
    common = -value / 6 - 2 / 3 * e2 * (by_e2 + by_e3) - e3 * by_e3
    scale = 1 / mean / np.sqrt(mean)
    return [scale * (common + v * (by_e2 - v * by_e3)) for v in relative], _largest(relative)


def gradient(a, args, weights):
    """The gradient of R_{-a}, where each argument counts `weights` times, and the largest |X|; a = k + 1/2."""
    n = sum(weights)
    mean = sum(w * x for w, x in zip(weights, args, strict=True)) / n
    relative = [1 - x / mean for x in args]
    terms = _terms(relative, weights)
    factors = [_rising(a, m) / _rising(n / 2, m) * t for m, t in enumerate(terms)]
    inner = [_by_argument(a, n, k, terms) for k in range(DEGREE)]
    slopes = [w / 2 * _horner(inner, x) for w, x in zip(weights, relative, strict=True)]
    homogeneous = sum((a + m) * f for m, f in enumerate(factors))
    common = (sum(slopes) - homogeneous) / n
    scale = mean ** -int(a + 0.5) / np.sqrt(mean)
    return [scale * (w * common - s) for w, s in zip(weights, slopes, strict=True)], _largest(relative)


def _terms(relative, weights):
    """T_m from the power sums, of which the first is 0, by the logarithm of the generating function."""
    sums, powers, terms = [0.0, 0.0], relative, [1.0, 0.0]
    for m in range(2, DEGREE + 1):
        powers = [p * x for p, x in zip(powers, relative, strict=True)]
        sums.append(sum(w * p for w, p in zip(weights, powers, strict=True)))
        terms.append(sum(sums[k] * terms[m - k] for k in range(2, m + 1) if m - k != 1) / (2 * m))
    return terms


def _by_argument(a, n, k, terms):
    """The coefficient of X_i^k in twice the derivative in X_i, sum_m (a)_m / (n/2)_m T_(m - 1 - k)."""
    orders = [m for m in range(k + 1, DEGREE + 1) if m != k + 2]
    return sum(_rising(a, m) / _rising(n / 2, m) * terms[m - 1 - k] for m in orders)


def _rising(a, m):
    return prod(a + k for k in range(m))


def _horner(coefficients, x):
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def _largest(relative):
    return functools.reduce(np.maximum, [np.abs(v) for v in relative])
