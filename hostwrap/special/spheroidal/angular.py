"""Derivatives of the characteristic values and of the angular functions S_mn(c, x).

S is a sum of Legendre functions (DLMF 30.8.1), normalized to have the value (or the slope) of P_n^m at x = 0.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets, pointwise, pointwise_rows
from hostwrap.special._numerics.taylor import derivative, over, times
from hostwrap.special.spheroidal import origin
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE, expansion, known
from hostwrap.special.spheroidal.domain import is_mode, unsafe_cv
from hostwrap.special.spheroidal.given import both_first, is_near, one_order
from hostwrap.special.spheroidal.legendre import at_origin, sums

FADED = 3e-7  # of its largest value: what is left has lost eight digits


def characteristic(sign):
    """(d/dc)^i of the characteristic value, as a kernel: NaN where SciPy has no value."""

    @pointwise
    def kernel(m, n, c, *, dc):
        value = lambda m, n, c: derivative(expansion(m, n, c, sign, dc).a, dc)
        return piecewise([m, n, c], [(is_mode(m, n, c) & ~unsafe_cv(m, n, c), value)])

    return kernel


def angular(sign):
    """(d/dc)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, n, c, x, *, dc, dx):
        valid, (m, n, c, x) = _valid(m, n, c, x)
        e = expansion(m, n, c, sign, dc)
        rows = _angular(sign, e, dx + 1, one_order(dc, dx), 2, m, n, c, x)
        return [np.where(valid, row, np.nan) for row in rows]

    return kernel


def angular_given(sign):
    """First derivatives of the function and of its derivative in x, given the characteristic value, as a kernel."""

    @pointwise_rows(4)
    def kernel(m, n, c, cv, x):
        valid, (m, n, c, x) = _valid(m, n, c, x)
        e = expansion(m, n, c, sign, 1, cv)
        rows = _angular(sign, e, 2, both_first, 4, m, n, c, x)
        valid = valid & is_near(cv, e.a[0])
        return [np.where(valid, row, np.nan) for row in rows]

    return kernel


def _valid(m, n, c, x):
    """Where there is a function, and arguments of one elsewhere."""
    valid = is_mode(m, n, c) & (np.abs(x) < 1)
    return valid, (np.where(valid, a, instead) for a, instead in ((m, 0.0), (n, 0.0), (c, 1.0), (x, 0.5)))


pro_cv_n, obl_cv_n = characteristic(PROLATE), characteristic(OBLATE)
pro_ang1_n, obl_ang1_n = angular(PROLATE), angular(OBLATE)
pro_ang1_given, obl_ang1_given = angular_given(PROLATE), angular_given(OBLATE)


def _angular(sign, e, depth, wanted, count, m, n, c, x):
    size = at_origin(m, n)
    growth = origin.meeting(e.a[0], c) if sign == OBLATE else 0.0 * c
    end = np.maximum(growth, origin.reach(e.a[0], m, c))

    def inner(size, growth, m, n, c, x, p, *a):
        return wanted(origin.series(a, np.mod(n - m, 2), sign, size, m, c, x, depth))

    def outer(size, growth, m, n, c, x, p, *a):
        rows, there = sums(known(m, n, c, sign, a, p), x, depth)
        scale = over([size, *[0.0] * (len(a) - 1)], there)
        if sign == OBLATE:
            scale = _met(scale, size, growth, m, n, c, p, a)
        else:
            scale = [np.where(_has_faded(rows, m, n, c, x), np.nan, f) for f in scale]
        return wanted([times(row, scale) for row in rows])

    args = [size, growth, m, n, c, x, e.p, *e.a]
    return piecewise_jets(args, count - 1, [(np.abs(x) < end, inner), (None, outer)])


def _has_faded(rows, m, n, c, x):
    """Beyond its turning point a prolate function falls like e^(-c x^2 / 2), below the errors of the sum."""
    inside = 1 - x * x
    size = np.abs(rows[0][0]) + inside * np.abs(rows[1][0]) / (1 + n + np.abs(c))
    return size < FADED * np.float_power(inside, m / 2)


def _met(scale, size, growth, m, n, c, p, a):
    """The jet of S / sum of Legendre functions, which is the scale from the origin, where the series there ends."""

    def met(size, growth, m, n, c, p, *a):
        a = a[: len(a) // 2]
        e = known(m, n, c, OBLATE, a, p)
        there = origin.series(a, e.parity, OBLATE, size, m, c, growth, 0)[0]
        rows, _ = sums(e, growth, 0)
        return over(there, rows[0])

    args = [size, growth, m, n, c, p, *a, *scale]
    return piecewise_jets(args, len(a) - 1, [(growth > 0, met), (None, lambda *args: args[-len(a) :])])
