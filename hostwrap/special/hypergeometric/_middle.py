"""2F1(a, b; (a + b + 1) / 2; (1 - x) / 2) next to x = 0, of which z = (1 - x) / 2 has lost the digits.

It is Gegenbauer's function, up to a factor. Those of whole degree are even or odd, so a derivative may be as small as
x. By (1 - x^2) y'' - (a + b + 1) x y' - a b y = 0 (DLMF 15.10.1) the Taylor series follows from y and y' at 0, which
are DLMF 15.4.28 and that at a + 1, b + 1.
"""

from __future__ import annotations

from math import factorial, log, perm, pi

import numpy as np

from hostwrap.special._numerics.pointwise import hand_back, tape_of
from hostwrap.special.hypergeometric._gammas import gamma_quotient, unscaled
from hostwrap.special.hypergeometric.hyp2f1 import hyp2f1_scaled

NEAR, REACH = 1e-4, 0.3  # of x, and of its product with the larger parameter
PAIRS = 8  # of terms
# a parameter below which it is 1 + O(a), with derivatives that the series in z has as a factor
CONSTANT = 1e-3


def symmetric_scaled(a, b, c, place, orders, l, here=True):
    """(d/dz)^l of it, a jet and exponents of two; `here` is where c is (a + b + 1) / 2, in all that is asked for."""
    z, rest, x = place
    jet, exponents = hyp2f1_scaled(a, b, c, z, orders, l, u=rest)
    small, large = np.minimum(np.abs(a.value), np.abs(b.value)), np.maximum(np.abs(a.value), np.abs(b.value))
    middle = (np.abs(x) < NEAR) & (np.abs(x) * large < REACH) & (small > CONSTANT) & here
    recorder = tape_of(jet)
    if recorder is not None:
        hand_back(recorder, middle)
        return jet, exponents
    middle = np.flatnonzero(middle)
    if middle.size:
        near, powers = _series(*(f[middle] for f in (a, b, c, x)), orders, l)
        known = np.isfinite(near).all(tuple(range(near.ndim - 1)))
        middle, near = middle[known], near[..., known]
        jet[..., middle], exponents[middle] = near, powers[known]
    return jet, exponents


def symmetric(*problem):
    return unscaled(*symmetric_scaled(*problem))


def _series(a, b, c, x, orders, l):
    even, exponents = gamma_quotient((c,), ((a + 1) * 0.5, (b + 1) * 0.5), orders, log(pi) / 2 + 0 * x.real)
    odd, others = gamma_quotient((c,), (a * 0.5, b * 0.5), orders, log(4 * pi) / 2 + 0 * x.real)
    return (-2.0) ** l * solution(a, b, even, -unscaled(odd, others - exponents), x, l), exponents


def solution(a, b, value, slope, x, l):
    """(d/dx)^l of the solution with these jets at x = 0."""
    total, coefficients = 0.0, [value, slope]
    for k in range(l + 2 * PAIRS):
        if k >= l:
            total = total + perm(k, l) / factorial(k) * x ** (k - l) * coefficients[0]
        coefficients = [coefficients[1], (a + k).times((b + k).times(coefficients[0]))]
    return total
