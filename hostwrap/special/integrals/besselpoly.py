"""Derivatives of int_0^1 x^l J_v(2 a x) dx, h times in a, i times in l and j times in v.

For a < 1 the power series serves. It cancels for large a; there it is a series of Bessel functions of z = 2a,

    (1/z) sum over k of (v + 2k + 1) (A)_k / (B)_{k+1} J_{v+2k+1}(z),  A = (v - l + 1)/2, B = (v + l + 1)/2

(Abramowitz and Stegun 1964, 11.1.1), whose terms backward recurrence gives all at once.
"""

from math import factorial

import numpy as np

from hostwrap.special._numerics.jets import falling_factorial, from_higher_orders, times
from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special.bessel._ascending import ascending, at_zero
from hostwrap.special.integrals._neumann import neumann_sums

SMALL = 1.0
STEEP, MODERATE = (
    -50.0,
    8.0,
)  # for such powers the Bessel functions cancel more than the power series, up to here
STEEPEST = 1e30  # powers in units of 1 + |v|
LARGEST = 1e4  # the number of terms is about 2a, and as many as -v and, in Bessel functions, -l more


@pointwise
def besselpoly_n(a, l, v, *, da, dlmb, dnu):
    terms = {
        "sign": -1,
        "e": -da,
        "b": 1.0,
        "c": 1.0,
        "factor": lambda k, v, l: _weight(k, v, l, da, dlmb, dnu),
    }
    inside = np.isfinite(a + l + v) & (a >= 0) & (a < LARGEST) & (v > -LARGEST)
    by_powers = (a < SMALL) | (l < STEEP) & (a < MODERATE)
    cases = [
        (~inside, lambda a, l, v: np.full_like(a, np.nan)),
        (a == 0, in_python(lambda a, l, v: at_zero(v, [l], dnu, **terms))),
        (by_powers, lambda a, l, v: ascending(v, a, [l], dnu, **terms)),
        (l > -LARGEST, lambda a, l, v: _expanded(a, l, v, da, dlmb, dnu)),
    ]
    most = STEEPEST * (1 + np.abs(v))
    share = np.minimum(1.0, most / np.maximum(np.abs(l), 1.0))
    value = piecewise([a, np.minimum(l, most), v], cases)
    for _ in range(dlmb + 1):  # from there on it is J_v(2 a) / l, whose powers may underflow on the way
        value = np.where(l > most, value * share, value)
    return value


def _weight(k, v, l, h, i, j):
    """The jet in v of (d/dl)^i p (p - 1) ... (p - h + 1) / (p + l + 1), p = v + 2k."""
    q = 2 * k + v + l + 1
    inverse = np.stack([(-1) ** (i + m) * factorial(i + m) / q ** (i + m + 1.0) for m in range(j + 1)])
    return times(falling_factorial(v, h, j, 2 * k), inverse)


def _expanded(a, l, v, h, i, j):
    """d/da of the integral is (v/a) times it, less twice the one with l + 1 and v + 1, by DLMF 10.6.2."""
    values = [[f / (2 * a) for f in jet] for jet in neumann_sums(2 * a, l, v, h, i, j)]
    return from_higher_orders(values, v, a, j, h, -2, 0)[j][h]
