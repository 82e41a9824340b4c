"""Derivatives of the radial functions R^(1)_mn(c, x) and R^(2)_mn(c, x)."""

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise_jets, pointwise_rows
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE, expansion, known, with_more_rows
from hostwrap.special.spheroidal.domain import is_mode
from hostwrap.special.spheroidal.given import both_first, is_near, one_order
from hostwrap.special.spheroidal.inwards import continued
from hostwrap.special.spheroidal.series import radial_series, radial_series_near_zero

START = 4.0  # from here on the terms of the second kind's series fall like 16^-r
NEAR = 0.05  # c x, below which the first kind's Bessel functions are power series


def radial(sign, kind):
    """(d/dc)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, n, c, x, *, dc, dx):
        valid, (m, n, c, x) = _valid(sign, m, n, c, x)
        e = expansion(m, n, np.abs(c), sign, dc)
        rows = _rows(kind)(sign, e, dx + 1, one_order(dc, dx), 2, m, n, np.abs(c), x)
        side = _side(valid, n, c, kind, dc)
        return [side * row for row in rows]

    return kernel


def radial_given(sign, kind):
    """First derivatives of the function and of its derivative in x, given the characteristic value, as a kernel."""

    @pointwise_rows(4)
    def kernel(m, n, c, cv, x):
        valid, (m, n, c, x) = _valid(sign, m, n, c, x)
        e = expansion(m, n, np.abs(c), sign, 1, cv)
        rows = _rows(kind)(sign, e, 2, both_first, 4, m, n, np.abs(c), x)
        valid = valid & is_near(cv, e.a[0])
        return [_side(valid, n, c, kind, dc) * row for dc, row in zip((1, 1, 0, 0), rows, strict=True)]

    return kernel


def _valid(sign, m, n, c, x):
    """Where there is a function, and arguments of one elsewhere."""
    valid = is_mode(m, n, c) & ((x > 1) if sign == PROLATE else (x >= 0)) & np.isfinite(x)
    return valid, (np.where(valid, a, instead) for a, instead in ((m, 0.0), (n, 0.0), (c, 1.0), (x, 2.0)))


def _side(valid, n, c, kind, dc):
    odd = np.mod(n + kind + 1 + dc, 2) == 1  # R^(1) has n's parity in c
    return np.where(valid, np.where((c < 0) & odd, -1.0, 1.0), np.nan)


pro_rad1_n, pro_rad2_n = radial(PROLATE, 1), radial(PROLATE, 2)
obl_rad1_n, obl_rad2_n = radial(OBLATE, 1), radial(OBLATE, 2)
pro_rad1_given, pro_rad2_given = radial_given(PROLATE, 1), radial_given(PROLATE, 2)
obl_rad1_given, obl_rad2_given = radial_given(OBLATE, 1), radial_given(OBLATE, 2)


def _rows(kind):
    return _first if kind == 1 else _second


def _first(sign, e, depth, wanted, count, m, n, c, x):
    def rows(series):
        def of(m, n, c, x, p, *a):
            return wanted(series(known(m, n, c, sign, a, p), m, n, c, x))

        return of

    near = lambda e, m, n, c, x: radial_series_near_zero(e, sign, m, n, c, x, depth)
    far = lambda e, m, n, c, x: radial_series(e, sign, 1, m, n, c, x, depth)
    return piecewise_jets([m, n, c, x, e.p, *e.a], count - 1, [(c * x < NEAR, rows(near)), (None, rows(far))])


def _second(sign, e, depth, wanted, count, m, n, c, x):
    outer, many = np.maximum(x, START), len(e.a)
    rows = radial_series(with_more_rows(e, c), sign, 2, m, n, c, outer, depth)

    def inside(x, outer, m, c, *numbers):
        value, *first = [numbers[k * many : (k + 1) * many] for k in range(3)]
        return wanted(continued(sign, value, m, c, outer, first, x, depth))

    args = [x, outer, m, c, *e.a, *rows[0], *rows[1], *wanted(rows)]
    cases = [(x < START, lambda *args: inside(*args[:-count])), (None, lambda *args: args[-count:])]
    return piecewise_jets(args, count - 1, cases)
