"""What the parameters of I_x(a, b) do to it, as a shift of the logit of x."""

from __future__ import annotations

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.beta_incomplete.density import shares
from hostwrap.special.beta_incomplete.slope import Fixed, slope, slopes

TINY = np.finfo(float).tiny


@pointwise
def beta_shift(a, b, p, q, *, wrt):
    """(dI/da) / (dI/du), u = log(p / q) the logit of x, or its derivative in "a", "b" or "u"."""
    return shift(a, b, *shares(p, q), Fixed.X, ("", "a", "b", "u").index(wrt))


def shift(a, b, x, y, fixed, d):
    """At the ends of the interval a finite number stands for what is logarithmically infinite."""
    inside = (a > 0) & (b > 0) & (x >= 0) & (y >= 0) & ~np.isinf(a) & ~np.isinf(b)
    x, y = np.maximum(x, TINY), np.maximum(y, TINY)
    derivative = (lambda *at: slopes(*at)[d]) if d else slope
    return piecewise([a, b, x, y], [(inside, lambda a, b, x, y: derivative(a, b, x, y, fixed))])
