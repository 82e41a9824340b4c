"""Mixed derivatives of the associated Legendre functions of integer order m and real degree v on the cut.

P(v, m; x) = (1 - x^2)^(k/2) F(k - v, k + v + 1; k + 1; (1 - x) / 2) / (2^k k!) for m = -k <= 0 (DLMF 14.3.4), and
(-1)^k (v - k + 1)_2k times that for m = k (DLMF 14.9.3).
"""

from __future__ import annotations

import math
from math import comb, factorial

import numpy as np

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, hand_back, in_chunks, tape_of
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.hypergeometric._forms import Form, derivative
from hostwrap.special.hypergeometric._middle import symmetric
from hostwrap.special.orthogonal.jacobi import with_ends

LARGEST = 10**7  # of degree and order; SciPy counts up to them, which takes minutes at 2^31
MIDDLE = 0.1  # of x: the two terms of an odd derivative of the weight cancel at 0
LARGEST_RECORDED = 10**5  # of the order, in a program, which must not run for ever


@in_chunks(LARGE_CHUNK)
def lpmv_n(m, v, x, *, dv, dx):
    """(d/dv)^i (d/dx)^l of lpmv."""
    there = (m == 0) | (np.abs(x) <= 1)
    x = np.where(there, x, 0.0)  # elsewhere SciPy's value is NaN, and the function may take long
    forms = [Form(m, (0,)), Form(v, (1,))]
    result = with_ends(
        lambda z, rest, x, m, v: _derivative(m.value, v, (z, rest, x), dv, dx),
        (1 - x) / 2,
        (1 + x) / 2,
        [x, *forms],
    )
    return np.where(there, result, np.nan)


def _derivative(m, v, place, i, l):
    """By Leibniz for (1 - x^2)^(k/2) and the rest of the function."""
    z, rest, x = place
    total = 0.0
    for order in range(l + 1):
        power = np.abs(m) / 2
        root = weight_derivative(power, 2 * z, 2 * rest, l - order)
        root = np.where(np.abs(x) < MIDDLE, _weight_in_the_middle(power, x, l - order), root)
        core = _core(m, v, place, i, order)
        total = total + comb(l, order) * np.where((root == 0) & np.isfinite(core), 0.0, root * core)
    return total


def _core(m, v, place, i, l):
    k = np.abs(m)
    jet = symmetric(k - v, v + k + 1, Form(k + 1, (0,)), place, (i,), l)

    def divided(turn, jet, m, k, v):
        step = turn + 1
        rising = (v + step).times((v + (1 - step)).times(jet)) * (-1 / (2 * step))
        return np.where(step <= m, rising, np.where(step <= k, jet / (2 * step), jet)), step < k

    recorder = tape_of(jet)
    if recorder is not None:
        hand_back(recorder, k > LARGEST_RECORDED)
    jet = until_stacked(divided, [jet], [m, k, v], LARGEST if recorder is None else LARGEST_RECORDED)[0]
    return derivative(jet, (i,)) * (-0.5) ** l


def weight_derivative(power, left, right, l):
    """(d/dx)^l (1 - x^2)^power, by Leibniz for the two factors left = 1 - x and right = 1 + x."""
    return sum(
        comb(l, t) * (-1) ** t * _falling(power, left, t) * _falling(power, right, l - t)
        for t in range(l + 1)
    )


def _weight_in_the_middle(power, x, l):
    """The same by the chain rule for x^2: those of odd order have x as a factor."""
    return sum(
        factorial(l) // (factorial(j) * factorial(l - 2 * j))
        * (-1) ** (l - j) * (2 * x) ** (l - 2 * j) * _falling(power, 1 - x * x, l - j)
        for j in range(l // 2 + 1)
    )  # fmt: skip


def _falling(power, base, order):
    """The derivative of base^power, 0 where its factor is."""
    factor = math.prod(power - k for k in range(order))
    return np.where(factor == 0, 0.0, factor * np.float_power(base, power - order))
