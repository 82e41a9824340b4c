"""Derivatives of zeta(s, q) in s by the Euler-Maclaurin formula (DLMF 25.11.7), with jets in s."""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import times
from hostwrap.special._numerics.pointwise import piecewise, pointwise

BERNOULLI = sc.bernoulli(22)[2::2]
TERMS = 12  # and as many as |Im s|, before the Euler-Maclaurin formula takes over


@pointwise
def hurwitz_n(s, q, *, n):
    """(d/ds)^n zeta(s, q) for q >= 0, real s."""
    return piecewise((s, q), [(q >= 0, lambda s, q: hurwitz_jet(s, q, n)[n])])


def hurwitz_jet(s, q, n):
    """Derivatives 0..n for q > 0 and Re s > -1/2."""
    result = np.empty((n + 1, s.size), s.dtype)
    counts = TERMS * np.exp2(np.ceil(2 * np.log2(1 + np.abs(s.imag) / TERMS)) / 2)
    for count in np.unique(counts):
        here = counts == count
        result[:, here] = _euler_maclaurin(s[here], q[here], n, int(count))
    return result


def _euler_maclaurin(s, q, n, count):
    head = sum(_power_jet(s, q + k, n) for k in range(count))
    end = q + count
    last = _power_jet(s, end, n)
    pole = np.stack([(-1) ** j * math.factorial(j) / (s - 1) ** (j + 1) for j in range(n + 1)])
    tail, rising = end * times(last, pole) + last / 2, _plus(0 * last, s)
    for k, number in enumerate(BERNOULLI, 1):
        tail = tail + number / math.factorial(2 * k) * times(rising, last) * end ** (1.0 - 2 * k)
        rising = times(times(rising, _plus(0 * last, s + 2 * k - 1)), _plus(0 * last, s + 2 * k))
    return head + np.where(last[0] == 0, 0, tail)


def _power_jet(s, base, n):
    """The jet of base^-s."""
    logarithm, value = -np.log(base), base**-s
    return np.stack([np.where(value == 0, 0, logarithm**j * value) for j in range(n + 1)])


def _plus(zero, s):
    """The jet of s itself."""
    jet = zero.copy()
    jet[0] = s
    jet[1:2] = 1
    return jet
