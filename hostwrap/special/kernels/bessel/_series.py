"""Derivatives in the order of the power series of J and I (DLMF 10.2.2, 10.25.2), relative to its sum."""

from math import comb, factorial

import numpy as np
import scipy.special as sc

MOST_TERMS = 200


def relative_jet(v, x, n, sign):
    """[f^(k)(v) / f(v), k = 0..n] for f = J (sign = -1) or I (sign = 1); v >= 0, x^2 / (v + 1) moderate.

    The derivatives of a term's logarithm (v + 2m) log(x/2) - log Gamma(v + m + 1) are
    log(x/2) - psi(v + m + 1), -psi'(v + m + 1), ...
    """
    term = np.ones_like(x)
    polygammas = [sc.digamma(v + 1), *(sc.polygamma(k, v + 1) for k in range(1, n))]
    log_half, square = np.log(x / 2), sign * x * x / 4
    total = np.zeros((n + 1, x.size))
    for m in range(1, MOST_TERMS):
        total += term * exponential_jet([log_half - polygammas[0], *(-p for p in polygammas[1:])], n)
        polygammas = [p - factorial(k) / (-(v + m)) ** (k + 1) for k, p in enumerate(polygammas)]
        term = term * square / (m * (v + m))
        if np.all(np.abs(term) < 1e-18 * np.abs(total[0])):
            break
    return total / total[0]


def exponential_jet(slopes, n):
    """[exp(g)^(k) / exp(g), k = 0..n] from the derivatives g', g'', ...: Bell's polynomials."""
    jet = [np.ones_like(slopes[0])]
    for k in range(n):
        jet.append(sum(comb(k, m) * jet[k - m] * slopes[m] for m in range(k + 1)))
    return np.stack(jet)
