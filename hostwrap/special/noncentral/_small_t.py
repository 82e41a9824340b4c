"""Integrals over s at small t, by powers of t: what cancels in them, as E s^2 = 1, cancels here term by term."""

import math

import numpy as np

from hostwrap.special._numerics.jets import times
from hostwrap.special.gamma_beta._quotient import gamma_ratio
from hostwrap.special.gamma_beta.gamma import exponentials
from hostwrap.special.gamma_beta.psi_difference import psi_rise

TERMS = 30


def is_small(v, d, t):
    return (t * t < np.minimum(0.01 * v, 0.5)) & (np.abs(t * d) < 2)


def nct_moment_small(k, q, n, v, d, t):
    """phi(d) (-1)^q sum_m t^m / m! He_(q+m)(d) (d/dv)^n E s^(k+m)."""
    moments, hermite = [_zeroth(v, n), _first(v, n)], [np.ones_like(d), d]
    total, power = 0.0, 1.0
    for m in range(TERMS):
        while len(moments) <= k + m:
            moments.append(times(moments[-2], _growth(v, n, len(moments) - 2)))
        while len(hermite) <= q + m:
            hermite.append(d * hermite[-1] - (len(hermite) - 1) * hermite[-2])
        total = total + power * hermite[q + m] * moments[k + m][n]
        power = power * t / (m + 1)
    return (-1) ** q * np.exp(-d * d / 2) / math.sqrt(2 * math.pi) * total


def _zeroth(v, n):
    return np.stack([np.full(v.shape, float(k == 0)) for k in range(n + 1)])


def _first(v, n):
    """The jet in v of E s = sqrt(2 / v) Gamma((v + 1) / 2) / Gamma(v / 2)."""
    half = np.full(v.shape, 0.5)
    value = np.sqrt(2 / v) * gamma_ratio(v / 2, half)
    logs = lambda k: psi_rise(v / 2, half, k - 1) / 2**k + _reciprocal(v, k - 1) / -2
    return np.stack([value * slope for slope in exponentials(logs, n)])


def _growth(v, n, p):
    """The jet in v of E s^(p+2) / E s^p = 1 + p / v."""
    return np.stack([float(k == 0) + p * _reciprocal(v, k) for k in range(n + 1)])


def _reciprocal(v, k):
    """(d/dv)^k 1 / v."""
    return (-1) ** k * math.factorial(k) / v ** (k + 1)
