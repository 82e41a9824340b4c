"""Jets of binom(n + a, n) = Gamma(n + a + 1) / (Gamma(n + 1) Gamma(a + 1)) for linear forms n and a."""

from __future__ import annotations

import functools
from math import comb

import numpy as np

from hostwrap.special._numerics.pointwise import (
    elsewhere,
    hand_back,
    in_python,
    places,
    stack_of,
    tape_of,
)
from hostwrap.special.gamma_beta._quotient import exponential
from hostwrap.special.gamma_beta.binomial import binom_n, binom_value
from hostwrap.special.gamma_beta.gamma import psi_right
from hostwrap.special.gamma_beta.psi_difference import psi_rise
from hostwrap.special.hypergeometric._forms import Form, compose_two
from hostwrap.special.hypergeometric._gammas import LARGEST_PLAIN, gamma_quotient, normal
from hostwrap.special.hypergeometric._orders import shape

NEAR = 0.25  # to an integer, at which c is 0 or has lost digits in c - 1
FEW_STEPS, CLOSE = 10, 1e-3  # from so many on, which take their time, only where digits are lost
MOST_STEPS, LOST = 300, 1e-7  # so many have factors in range; beyond, what is closer, in units of c, is NaN


def scaled_binomial(n, a, orders):
    """The jet and exponents of two, where the coefficient itself may be out of range."""
    jet, exponents = normal(binomial(n, a, orders))
    size = np.abs(jet).max(tuple(range(jet.ndim - 1)))
    lost, recorder = ~(size > 0) | ~(np.abs(exponents) < LARGEST_PLAIN), tape_of(jet)
    if recorder is not None:
        hand_back(recorder, lost)
        return jet, exponents
    lost = places(lost)
    if lost.size:
        n, a = n[lost], a[lost]
        jet[..., lost], exponents[lost] = gamma_quotient((n + a + 1,), (n + 1, a + 1), orders)
    return jet, exponents


def scaled_rising(n, c, a, orders, shared=False):
    """The same of (c)_n / n! = binom(n + a, n), c = a + 1. Next to integers below 1 it is c that has its digits.

    With m factors (c + k) / (n + c + k) it is that of c + m, which is about 1. If n is next to -s, a negative integer,
    it is also that of n + s, which is about 0, with s factors (n + k) / (n + c + k - 1). Numerators that depend on n
    alone are left out where they are `shared` by a quotient of two, whose derivative in n would cancel.
    """
    steps, negative = np.round(1 - c.value), np.round(-n.value)
    away = np.abs(c.value - np.round(c.value))  # what n + c loses
    near = (steps > 0) & (steps < MOST_STEPS) & (away < np.where(steps < FEW_STEPS, NEAR, CLOSE))
    near &= (n.value > -1) | (n.value != np.round(n.value))  # there (c)_n / n! is 0 but for its slope in n
    beside = (negative > 0) & (negative < MOST_STEPS) & (np.abs(n.value + negative) < NEAR)
    if not shared:
        beside &= n.value != -negative
    moved = near | beside
    lost = (steps >= MOST_STEPS) & (away > 0) & (away < LOST * (np.abs(n.value) + np.abs(c.value)))
    recorder = tape_of(n.value, c.value)
    if recorder is not None:
        once = near & (steps == 1) & ~beside
        hand_back(recorder, moved & ~once)
        jet, exponents = scaled_binomial(n, Form(np.where(once, 0.0, a.value), a.slopes), orders)
        raised = [lambda *at, k=k: _raised(*at, 1, 0, orders)[k] for k in range(2)]
        jet, exponents = (
            elsewhere(x, once, f, n, c, a) for x, f in zip((jet, exponents), raised, strict=True)
        )
        return np.where(lost, np.nan, jet), exponents
    jet, exponents = scaled_binomial(n, a, orders)
    jet = np.where(lost, np.nan, jet)
    lowers, raises = np.where(near, steps, 0), np.where(beside, negative, 0)
    for m, s in np.unique(np.stack([lowers[moved], raises[moved]]), axis=1).astype(int).T:
        here = places(moved & (lowers == m) & (raises == s))
        jet[..., here], exponents[here] = _raised(n[here], c[here], a[here], m, s, orders, shared)
    return jet, exponents


def _raised(n, c, a, m, s, orders, shared=False):
    """From n + s and c + m."""
    n = n + s
    jet, exponents = scaled_binomial(n, c + (m - 1) if m else a, orders)
    if m:
        jet = _lowered(n, c, m, jet)
    for k in range(s):
        total = _total(n - k, c, a)
        jet = total.over(jet) if shared else _share(a, n - k, jet, total)
    return jet, exponents


def _total(n, c, a):
    """n + c - 1 = n + a, by the one that has its digits."""
    rest = np.where(np.abs(a.value) < np.abs(c.value), n.value + a.value, n.value - 1 + c.value)
    return Form(rest, (n + a).slopes)


def _lowered(n, c, m, jet):
    """prod (c + k) / (n + c + k) jet, k < m, where c + m - 1 is small, and n + c + k is for one k if n is next to j.

    Both come together as c + m - 1 over (n - j) + (c + m - 1), each of which has all its digits.
    """
    j = np.clip(np.round(n.value), 0, m - 1) if m > 1 else 0
    for i in range(m):
        other = n + ((m - j + i) % m - i)
        jet = _share(other, c + i, jet, other + (c + i))
    return jet


def _share(n, c, jet, total):
    """c / (n + c) jet: next to 1 the rest of it, whose derivatives in c do not cancel."""
    rest = np.abs(n.value) < np.abs(c.value)
    return np.where(rest, jet - total.over(n.times(jet)), total.over(c.times(jet)))


def binomial(n, a, orders):
    """The jet. Each logarithmic derivative keeps the digits of the argument with which it vanishes."""
    regular = (n.value > -1) & (a.value > -1) & (n.value + a.value > -1)
    jet = stack_of(np.nan, shape(orders), n.value)
    jet = elsewhere(jet, regular, lambda n, a: compose_two(_regular(n.value, a.value), n, a, orders), n, a)
    reflected = lambda n, a: compose_two(functools.partial(_reflected, n.value, a.value), n, a, orders)
    return elsewhere(jet, ~regular, in_python(reflected), n, a)


def _regular(n, a):
    """(d/dn)^i (d/da)^j as a function of i and j."""

    def logs(i, j):
        if j == 0:
            return psi_rise(n + 1, a, i - 1)
        return psi_right(n + a + 1, i + j - 1) if i else psi_rise(a + 1, n, j - 1)

    value, slope = binom_value(n + a, _smaller(n, a)), exponential(logs)
    return lambda i, j: value * slope(i, j)


def _reflected(n, a, i, j):
    """(d/dn)^i (d/da)^j. `binom_n` is given the top n + a and the bottom n or a."""

    def by(bottom, own, other):
        terms = (comb(own, k) * binom_n(n + a, bottom, dx=own - k + other, dy=k) for k in range(own + 1))
        return sum(terms)

    return np.where((n < 0) | (_smaller(n, a) == n), by(n, i, j), by(a, j, i))  # n may be next to an integer


def _smaller(n, a):
    """Of the two the one that n + a may lose, and with which the other is known again."""
    return np.where(np.abs(a) < np.abs(n), a, n)
