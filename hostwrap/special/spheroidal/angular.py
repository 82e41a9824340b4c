"""Derivatives of the characteristic values and of the angular functions S_mn(c, x).

S is a sum of Legendre functions (DLMF 30.8.1), normalized to have the value (or the slope) of P_n^m at x = 0.
"""

import functools

import numpy as np

from hostwrap.special._numerics.jets import times
from hostwrap.special._numerics.pointwise import pointwise, pointwise_rows
from hostwrap.special._numerics.tridiagonal_pairs import where_valid
from hostwrap.special.spheroidal import origin
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE, Expansion
from hostwrap.special.spheroidal.domain import is_mode
from hostwrap.special.spheroidal.jets import constant, over
from hostwrap.special.spheroidal.legendre import at_origin, sums


def characteristic(sign):
    """(d/dc)^i of the characteristic value, as a kernel."""

    @pointwise
    def kernel(m, n, c, *, dc):
        def value(m, n, c):
            return Expansion(m, n, c, sign, dc).value[dc:]

        return where_valid(1, is_mode(m, n, c), value, m, n, c)[0]

    return kernel


def angular(sign):
    """(d/dc)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, n, c, x, *, dc, dx):
        valid = is_mode(m, n, c) & (np.abs(x) < 1)
        return where_valid(2, valid, functools.partial(_angular, sign, dc, dx), m, n, c, x)

    return kernel


pro_cv_n, obl_cv_n = characteristic(PROLATE), characteristic(OBLATE)
pro_ang1_n, obl_ang1_n = angular(PROLATE), angular(OBLATE)


def _angular(sign, i, j, m, n, c, x):
    expansion = Expansion(m, n, c, sign, i)
    size = at_origin(m, n)
    result = times(sums(expansion, m, x, j + 1)[j:].swapaxes(0, 1), _scale(expansion, size, m, c)[:, None])[i]
    end = np.maximum(_growth(expansion, c), origin.reach(expansion.value[0], m, c))
    inner = np.abs(x) < end
    if inner.any():
        arguments = size[inner], m[inner], c[inner], x[inner]
        result[:, inner] = origin.series(expansion.part(inner), *arguments, j + 1)[j:, i]
    return result


def _growth(expansion, c):
    return origin.meeting(expansion.value[0], c) if expansion.sign == OBLATE else np.zeros(c.shape)


def _scale(expansion, size, m, c):
    """The jet of S / sum of Legendre functions, from the origin or from where the series there ends."""
    zero = np.zeros(m.shape)
    there = np.where(expansion.parity == 0, *sums(expansion, m, zero, 1))
    scale = over(constant(size, there), there)
    at = _growth(expansion, c)
    grows = at > 0
    if grows.any():
        part, end = expansion.part(grows), at[grows]
        known = origin.series(part, size[grows], m[grows], c[grows], end, 0)[0]
        scale[:, grows] = over(known, sums(part, m[grows], end, 0)[0])
    return scale
