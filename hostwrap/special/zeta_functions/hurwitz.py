"""Derivatives of zeta(s, q) in s by the Euler-Maclaurin formula (DLMF 25.11.7), with jets in s."""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import product
from hostwrap.special._numerics.pointwise import piecewise, pointwise

BERNOULLI = sc.bernoulli(22)[2::2]
TERMS = 12  # and as many as |Im s|, before the Euler-Maclaurin formula takes over
MOST_TERMS = 2**17  # where it takes more, the result is NaN
NOTHING = 1e-20  # of a sum


@pointwise
def hurwitz_n(s, q, *, n):
    """(d/ds)^n zeta(s, q) for q >= 0, real s."""
    return piecewise((s, q), [(q >= 0, lambda s, q: hurwitz_jet(s, q, n)[n])])


def hurwitz_jet(s, q, n):
    """Derivatives 0..n for q > 0 and Re s > -1/2; for real s made of loops alone. For complex s, q is 1."""
    if not np.iscomplexobj(s):
        return _euler_maclaurin(s, q, n, TERMS)
    result = np.full((n + 1, s.size), np.nan, s.dtype)
    # the terms from k on are at most k^(1 - Re s) / (Re s - 1) together, beside 2^(-Re s)
    enough = 2 * NOTHING ** (-1 / np.maximum(s.real - 1, NOTHING))
    wanted = np.abs(s.imag)
    counts = TERMS * np.exp2(np.ceil(2 * np.log2(1 + np.minimum(wanted, enough) / TERMS)) / 2)
    for count in np.unique(counts[counts <= MOST_TERMS]):
        for method, here in ((_euler_maclaurin, enough >= wanted), (_head, enough < wanted)):
            here = here & (counts == count)
            if here.any():
                result[:, here] = method(s[here], q[here], n, int(count))
    return result


def _head(s, q, n, count):
    return [sum(jet) for jet in zip(*(_power_jet(s, q + k, n) for k in range(count)), strict=True)]


def _euler_maclaurin(s, q, n, count):
    head, end = _head(s, q, n, count), q + count
    last, above = (
        _power_jet(s, end, n),
        _power_jet(s - 1, end, n),
    )  # end times the first one, which may underflow
    pole = [(-1) ** j * math.factorial(j) / (s - 1) ** (j + 1) for j in range(n + 1)]
    tail = [f + g / 2 for f, g in zip(product(above, pole), last, strict=True)]
    rising = [s, *(np.ones_like(s) if j == 1 else np.zeros_like(s) for j in range(1, n + 1))]
    for k, number in enumerate(BERNOULLI, 1):
        factor = number / math.factorial(2 * k) * end ** (1.0 - 2 * k)
        tail = [t + factor * f for t, f in zip(tail, product(rising, last), strict=True)]
        rising = _raised(_raised(rising, s + 2 * k - 1), s + 2 * k)
    return np.stack([h + np.where(above[0] == 0, 0.0, t) for h, t in zip(head, tail, strict=True)])


def _power_jet(s, base, n):
    """The jet of base^-s."""
    logarithm, value = -np.log(base), np.float_power(base, -s)
    return [np.where(value == 0, 0.0, logarithm**j * value) for j in range(n + 1)]


def _raised(jet, s):
    """The jet times s, where s grows as its variable does."""
    return [f * s + j * jet[j - 1] if j else f * s for j, f in enumerate(jet)]
