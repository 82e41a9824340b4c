"""Derivatives of I_x(a, b) in its parameters, the first two accurate relative to themselves in both tails."""

from __future__ import annotations

import math

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.beta_incomplete import further
from hostwrap.special.beta_incomplete._score import f_score, raised_score, score, score_derivatives
from hostwrap.special.beta_incomplete._tail import SMALL
from hostwrap.special.beta_incomplete.density import POINTLIKE, logit_density, shares, within_reach
from hostwrap.special.beta_incomplete.slope import Fixed, slope, slopes

MANY = 1e3  # so large a parameter comes first: by a small one its derivatives would cancel
# at fixed x and y, further derivatives in a where f moves with it are powers of a for smaller ones
LEAST = 1e-50
NEGLIGIBLE = 1e-5  # so small a parameter must not be divided by, in either tail


@pointwise
def betainc_parameter(a, b, p, q, *, wrt):
    """The derivative of I_x(a, b), x = p / (p + q), in "a", "b", "aa", "ab", "bb", "aaa", ..."""
    inside = (a >= 0) & (b >= 0) & (a + b > 0) & (p >= 0) & (q >= 0)
    return piecewise(
        [a, b, *shares(p, q)],
        [(inside, lambda a, b, x, y: parameter_derivative(a, b, x, y, Fixed.X, wrt))],
    )


def parameter_derivative(a, b, x, y, fixed, wrt):
    """With I_x(a, b) = 1 - I_y(b, a), one of them is always a."""
    if wrt[0] == "b":
        return -parameter_derivative(b, a, y, x, fixed, "a" * len(wrt))

    of_a = wrt.count("a")

    def within(a, b, x, y):
        up = np.maximum(LEAST / a, 1.0) if fixed is Fixed.F and of_a > 1 else 1.0
        *at, factor = within_reach(a * up, b, x, y, of_a, wrt.count("b"), 0)
        return factor * up ** (of_a - 1) * _derivative(*at, fixed, wrt)

    cases = [
        ((x == 0) | (y == 0), lambda *_: 0.0),
        (np.maximum(a, b) < POINTLIKE, lambda a, b, x, y: _pointlike(a, b, wrt)),
        (None, within),
    ]
    return piecewise([a, b, x, y], cases)


def _pointlike(a, b, wrt):
    """With so small parameters all mass is at the ends: I = b / (a + b), to all digits; no product is out of range."""
    n, k, of_b = a + b, len(wrt), wrt.count("b")
    value = math.factorial(k) * (b / n) - of_b * math.factorial(k - 1)
    for _ in wrt:
        value = -value / n
    return value


def _derivative(a, b, x, y, fixed, wrt):
    if wrt == "a":
        return logit_density(a, b, x, y, slope(a, b, x, y, fixed))
    if len(wrt) > 2:
        return further.parameter(a, b, x, y, fixed, wrt)
    if fixed is Fixed.X:
        return _second_at_fixed_x(a, b, x, y, wrt)
    if wrt == "aa":
        return _second(a, b, x, y, fixed, wrt)
    turned = lambda a, b, x, y: -_second(b, a, y, x, fixed, wrt)
    cases = [((a < SMALL) & (b > MANY), turned), (None, lambda *at: _second(*at, fixed, wrt))]
    return piecewise([a, b, x, y], cases)


def _second(a, b, x, y, fixed, wrt):
    growth = f_score if fixed is Fixed.F else score
    first, *further = slopes(a, b, x, y, fixed)
    if wrt == "aa":
        change = growth(a, b, x, y) * first + further[0]
    else:
        change = growth(b, a, y, x) * first + further[1]
    return logit_density(a, b, x, y, change)


def _second_at_fixed_x(a, b, x, y, wrt):
    """Next to 0 at a + 1, and at b + 1, and what this takes away (DLMF 8.17.20-21), where 1 / a^2 does not cancel."""
    nothing = lambda *_: 0.0
    small_a = (a < SMALL) & ((raised_score(a, b, x, y) < 0) | (a < NEGLIGIBLE))
    above_a = np.where(small_a, a + 1, a)
    small_b = (b < SMALL) & (score(above_a, b, x, y) >= 0)
    above = _second(above_a, np.where(small_b, b + 1, b), x, y, Fixed.X, wrt)
    of_b = lambda a, b, x, y: _between_b(a, b, x, y, wrt)
    above = above - piecewise([above_a, b, x, y], [(small_b, of_b), (None, nothing)])
    of_a = lambda a, b, x, y: _between_a(a, b, x, y, wrt)
    return piecewise([a, b, x, y], [(small_a, of_a), (None, nothing)]) + above


def _between_a(a, b, x, y, wrt):
    """The second derivative of phi / a = I(a, b) - I(a + 1, b)."""
    own, (own_a, own_b, _) = raised_score(a, b, x, y), score_derivatives(a + 1, b, x, y)
    other = own if wrt == "aa" else score(b, a, y, x)
    change = own * other + (own_a if wrt == "aa" else own_b) + 1 / (a + b) ** 2
    return logit_density(a, b, x, y, change / a)


def _between_b(a, b, x, y, wrt):
    """The second derivative of phi / b = I(a, b + 1) - I(a, b)."""
    own, (own_a, own_b, _) = score(a, b, x, y), score_derivatives(a, b, x, y)
    other = own if wrt == "aa" else raised_score(b, a, y, x)
    change = own * other + (own_a if wrt == "aa" else own_b)
    return logit_density(a, b, x, y, change / b)
