"""Derivatives in m of Legendre's incomplete integrals F(phi, m) and E(phi, m), by Carlson's (DLMF 19.25.5, 19.25.9).

The amplitude is reduced to |phi| <= pi/2 by quasi-periodicity (DLMF 19.2.10), through its sine and cosine: they
have kept the digits that phi - k pi would lose.
"""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.elliptic.carlson import integral


@pointwise
def first_n(phi, m, *, n):
    """(d/dm)^n F: the integral of (1/2)_n sin^2n (1 - m sin^2)^(-n - 1/2)."""
    return _quasi_periodic(functools.partial(_first, n=n), phi, m)


@pointwise
def second_n(phi, m, *, n):
    """(d/dm)^n E, n > 0: the integral of (-1/2)_n sin^2n (1 - m sin^2)^(-n + 1/2)."""
    return _quasi_periodic(functools.partial(_second, n=n), phi, m)


def _quasi_periodic(part, phi, m):
    k = np.round(phi / np.pi)
    parity = 1 - 2 * (k % 2)
    s, c = parity * np.sin(phi), np.cos(phi)
    result = part(1.0, s, c * c, c * c + (1 - m) * s * s)
    beyond = lambda result, k, m: result + part(2 * k, np.ones_like(m), np.zeros_like(m), 1 - m)
    return piecewise([result, k, m], [(k != 0, beyond), (None, lambda result, *_: result)])


def _first(turns, s, c2, delta2, n):
    """So many times the integral; R_D with arguments of at most 1, for it may underflow where the product does not."""
    if n == 1:
        size = np.maximum(delta2, 1.0)
        return turns * (s**3 / 6 * sc.elliprd(c2 / size, 1 / size, delta2 / size)) / size / np.sqrt(size)
    return _raised(turns, s, c2, delta2, rising(0.5, n), n, n, 0)


def _second(turns, s, c2, delta2, n):
    if n == 1:
        return turns * -(s**3) / 6 * sc.elliprd(c2, delta2, 1.0)
    return _raised(turns, s, c2, delta2, rising(-0.5, n), n, n - 1, 1)


def _raised(turns, s, c2, delta2, factor, n, j, k):
    """By homogeneity with arguments of at most 1, for the integral may underflow where so many times it do not."""
    size = np.maximum(delta2, 1.0)
    one = 1 / size
    result = (
        factor * s ** (2 * n + 1) / 2 * integral(c2 / size, delta2 / size, one, one, i=0, j=j, k=k, n=0, e=0)
    )
    for _ in range(k):  # as large as the integral is
        result = result / size
    result = turns * result
    for _ in range(j):
        result = result / size
    return result / np.sqrt(size)


def rising(a, n):
    """Pochhammer's symbol."""
    return math.prod(a + k for k in range(n))
