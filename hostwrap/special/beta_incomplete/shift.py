"""What the parameters of I_x(a, b) do to it, as a shift of the logit of x."""

from __future__ import annotations

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.beta_incomplete import further
from hostwrap.special.beta_incomplete.density import shares
from hostwrap.special.beta_incomplete.slope import Fixed, slope, slopes

TINY = np.finfo(float).tiny
LOST = 2e-7  # a parameter beside which roundings are 1e-9


@pointwise
def beta_shift(a, b, p, q, *, wrt):
    """(dI/da) / (dI/du), u = log(p / q) the logit of x, or its derivative in "a", "b", "u", "aa", ..."""
    return shift(a, b, *shares(p, q), Fixed.X, wrt)


def shift(a, b, x, y, fixed, wrt):
    """At the ends of the interval a finite number stands for what is logarithmically infinite.

    Tiny parameters are in proportion at constant I, which is nearly b / (a + b). So where both move the n-th
    derivative of the one in the other is smaller than its terms, by max(a, b)^n: such terms are NaN where this is lost.
    """
    inside = (a > 0) & (b > 0) & (x >= 0) & (y >= 0) & ~np.isinf(a) & ~np.isinf(b)
    x, y = np.maximum(x, TINY), np.maximum(y, TINY)
    derivative = {"": slope, "a": _slope(1), "b": _slope(2), "u": _slope(3), "z": _slope(3)}.get(
        wrt, functools.partial(further.shift, wrt=wrt)
    )
    cases = [(inside, lambda a, b, x, y: derivative(a, b, x, y, fixed))]
    if "b" in wrt:
        cases = [(np.maximum(a, b) < LOST ** (1 / len(wrt)), lambda *_: np.nan), *cases]
    return piecewise([a, b, x, y], cases)


def _slope(d):
    return lambda *at: slopes(*at)[d]
