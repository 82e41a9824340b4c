"""Derivatives of the radial functions R^(1)_mn(c, x) and R^(2)_mn(c, x)."""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import pointwise_rows
from hostwrap.special._numerics.tridiagonal_pairs import where_valid
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE, Expansion
from hostwrap.special.spheroidal.domain import is_mode
from hostwrap.special.spheroidal.inwards import continued
from hostwrap.special.spheroidal.series import radial_series

START = 4.0  # from here on the terms of the second kind's series fall like 16^-r


def radial(sign, kind):
    """(d/dc)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, n, c, x, *, dc, dx):
        valid = is_mode(m, n, c) & ((x > 1) if sign == PROLATE else (x >= 0)) & np.isfinite(x)
        rows = where_valid(2, valid, functools.partial(_radial, sign, kind, dc, dx), m, n, np.abs(c), x)
        return rows * np.where(
            (c < 0) & (np.mod(n + kind + 1 + dc, 2) == 1), -1.0, 1.0
        )  # R^(1) has n's parity in c

    return kernel


pro_rad1_n, pro_rad2_n = radial(PROLATE, 1), radial(PROLATE, 2)
obl_rad1_n, obl_rad2_n = radial(OBLATE, 1), radial(OBLATE, 2)


def _radial(sign, kind, i, j, m, n, c, x):
    expansion = Expansion(m, n, c, sign, i)
    if kind == 1:
        return radial_series(expansion, kind, m, n, c, x, j + 1)[j:, i]
    outer = np.maximum(x, START)
    result = radial_series(expansion, kind, m, n, c, outer, j + 1)
    inner = x < START
    if inner.any():
        part, arguments = expansion.part(inner), (m[inner], c[inner], outer[inner])
        result[:, :, inner] = continued(part, *arguments, result[:2, :, inner], x[inner], j + 1)
    return result[j:, i]
