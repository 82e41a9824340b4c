"""Derivatives of the radial functions R^(1)_mn(c, x) and R^(2)_mn(c, x)."""

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise_jets, pointwise_rows
from hostwrap.special._numerics.taylor import derivative
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE, expansion, known, with_more_rows
from hostwrap.special.spheroidal.domain import is_mode
from hostwrap.special.spheroidal.inwards import continued
from hostwrap.special.spheroidal.series import radial_series

START = 4.0  # from here on the terms of the second kind's series fall like 16^-r
NEAR = 0.05  # c x, below which the first kind's Bessel functions are power series


def radial(sign, kind):
    """(d/dc)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, n, c, x, *, dc, dx):
        valid = is_mode(m, n, c) & ((x > 1) if sign == PROLATE else (x >= 0)) & np.isfinite(x)
        m, n, c, x = (np.where(valid, a, instead) for a, instead in ((m, 0.0), (n, 0.0), (c, 1.0), (x, 2.0)))
        rows = (_first if kind == 1 else _second)(sign, dc, dx, m, n, np.abs(c), x)
        odd = np.mod(n + kind + 1 + dc, 2) == 1  # R^(1) has n's parity in c
        side = np.where(valid, np.where((c < 0) & odd, -1.0, 1.0), np.nan)
        return [side * row for row in rows]

    return kernel


pro_rad1_n, pro_rad2_n = radial(PROLATE, 1), radial(PROLATE, 2)
obl_rad1_n, obl_rad2_n = radial(OBLATE, 1), radial(OBLATE, 2)


def _first(sign, i, j, m, n, c, x):
    e = expansion(m, n, c, sign, i)

    def rows(near):
        def of(m, n, c, x, p, *a):
            e = known(m, n, c, sign, a, p)
            return [derivative(row, i) for row in radial_series(e, sign, 1, m, n, c, x, j + 1, near)[j:]]

        return of

    return piecewise_jets([m, n, c, x, e.p, *e.a], 1, [(c * x < NEAR, rows(True)), (None, rows(False))])


def _second(sign, i, j, m, n, c, x):
    e, outer = expansion(m, n, c, sign, i), np.maximum(x, START)
    rows = radial_series(with_more_rows(e, c), sign, 2, m, n, c, outer, j + 1)
    outside = [derivative(row, i) for row in rows[j:]]

    def inside(x, outer, m, c, *numbers):
        value, *first = [numbers[k * (i + 1) : (k + 1) * (i + 1)] for k in range(3)]
        found = continued(sign, value, m, c, outer, first, x, j + 1)
        return [derivative(row, i) for row in found[j:]]

    args = [x, outer, m, c, *e.a, *rows[0], *rows[1], *outside]
    cases = [(x < START, lambda *args: inside(*args[:-2])), (None, lambda *args: args[-2:])]
    return piecewise_jets(args, 1, cases)
