"""Logarithms of I_v(x) and K_v(x); of large orders or arguments by many terms of Debye's expansions."""

import functools
from fractions import Fraction

FAR = 400  # sqrt(v^2 + x^2) from which on the terms used leave 75 digits
TERMS = 48


def log_i(mp, v, x):
    return _debye(mp, v, x, -1) if mp.hypot(v, x) > FAR else mp.log(mp.besseli(v, x))


def log_k(mp, v, x):
    return _debye(mp, v, x, 1) if mp.hypot(v, x) > FAR else mp.log(mp.besselk(v, x))


def _debye(mp, v, x, sign):
    """DLMF 10.41.3 and 10.41.4 in powers of 1 / sqrt(v^2 + x^2), so that the order may be 0."""
    with mp.extradps(20):
        s = mp.hypot(v, x)
        h = v * mp.asinh(v / x) - s
        t = (v / s) ** 2
        total = mp.fsum(_at(mp, u, t) * (-sign / s) ** k for k, u in enumerate(_polynomials()))
        factor = mp.pi / (2 * s) if sign > 0 else 1 / (2 * mp.pi * s)
        return sign * h + mp.log(factor) / 2 + mp.log(total)


def _at(mp, u, t):
    value = mp.zero
    for c in reversed(u):
        value = value * t + mp.mpf(c.numerator) / c.denominator
    return value


@functools.cache
def _polynomials():
    """u_k(p) / p^k in powers of p^2, DLMF 10.41.9."""
    found = [[Fraction(1)]]
    for k in range(TERMS):
        u, following = found[-1], [Fraction(0)] * (k + 2)
        for m, c in enumerate(u):
            n = k + 2 * m  # the power of p
            rise = c * (Fraction(n, 2) + Fraction(1, 8 * (n + 1)))
            fall = c * (Fraction(n, 2) + Fraction(5, 8 * (n + 3)))
            following[m] += rise
            following[m + 1] -= fall
        found.append(following)
    return found
