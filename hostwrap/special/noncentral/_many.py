"""Means of g(s), v s^2 chi-square with many degrees v of freedom, by g's derivatives at s = 1, with all digits.

E(s - 1)^j for j = 1 .. 4 is -1/(4v) + 1/(32v^2), 1/(2v) - 1/(16v^2), -1/(8v^2), 3/(4v^2), up to v^-3; an integral loses
half of the digits of v to the cancelling of the density's derivative, and does not find a peak narrower than rounding.
"""

import math

import numpy as np
import scipy.special as sc

BOUND = 1e8  # the terms left out are below T^4 / (100 v^2) of the first, T the change of g per unit of s
MOMENTS = {1: (-1 / 4, 1 / 4), 2: (1 / 32, -1 / 32, -1 / 48, 1 / 32)}  # of g', g'', ... by the power of 1/v


def is_many(v, d, t, k=0):
    return v > BOUND * np.maximum(1.0, np.abs(t) * (1 + np.abs(t - d)) + k) ** 2


def is_hopeless(v, d, t, k=0):
    """Here the peak of an integral is narrower than rounding."""
    return (v > 1e25) & ~is_many(v, d, t, k) & np.isfinite(v)


def mean(v, n, g):
    """(d/dv)^n of the mean, g = [g(1), g'(1), .., g''''(1)]."""
    total = g[0] if n == 0 else 0.0
    for power, weights in MOMENTS.items():
        change = sum(w * x for w, x in zip(weights, g[1:], strict=False))
        total = total + (-1) ** n * sc.poch(power, n) * change * v ** -float(power) / v**n
    return total


def distribution(n, v, d, t):
    """Of Phi(t s - d)."""
    x = t - d
    rest = [t**j * (-1) ** (j - 1) * hermite(j - 1, x) * _density(x) for j in range(1, 5)]
    return mean(v, n, [sc.ndtr(x), *rest])


def moment(k, q, n, v, d, t):
    """Of s^k He_q(t s - d) phi(t s - d); the derivative of He_q phi is -He_{q+1} phi."""
    x = t - d
    waves = [(-t) ** i * hermite(q + i, x) * _density(x) for i in range(5)]
    falls = [math.perm(k, j) for j in range(5)]
    return mean(
        v, n, [sum(math.comb(j, i) * falls[j - i] * waves[i] for i in range(j + 1)) for j in range(5)]
    )


def _density(x):
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def hermite(q, x):
    """He_q, DLMF 18.9.1."""
    before, here = 0.0, np.ones_like(x)
    for m in range(q):
        before, here = here, x * here - m * before
    return here
