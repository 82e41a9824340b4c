"""Characteristic values and expansion coefficients of spheroidal functions, with derivatives in c (DLMF 30.8).

In the basis of normalized Legendre functions P_l^m, l = m + p, m + p + 2, ..., the equation is the eigenvalue problem
of l(l + 1) + t <x^2>, t = c^2 (prolate) or -c^2 (oblate), symmetric and tridiagonal.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import special

from hostwrap.special._numerics import tridiagonal
from hostwrap.special._numerics.taylor import times
from hostwrap.special._numerics.tridiagonal import Family, Matrix
from hostwrap.special.spheroidal.domain import unsafe_cv

PROLATE, OBLATE = 1, -1
MARGIN = 24  # rows beyond the largest coefficient, where they have fallen below 1e-17
LEAST = 12  # for small c: j rows beyond the row of n they have fallen by (c/4)^(2j) / j!^2


class Expansion(NamedTuple):
    """Taylor coefficients in c of the characteristic value `a`, which is number `index` of its matrix.

    Row r belongs to the degree m + parity + 2 r; p is the row of a large coefficient.
    """

    matrix: Matrix
    parity: Any
    index: Any
    a: Any
    p: Any


def expansion(m, n, c, sign, i, cv=None):
    """With the derivatives up to the i-th; NaN for a characteristic value `cv` that is none, or another one."""
    e = known(m, n, c, sign, [0.0] * (i + 1), None)
    if cv is None:
        a = tridiagonal.eigenvalue(e.matrix, e.index, _guess(m, n, np.abs(c), sign))
    else:
        a = tridiagonal.eigenvalue_near(e.matrix, e.index, cv)
    a, p = tridiagonal.jets(e.matrix._replace(t=[e.matrix.t[0], 1.0][: i + 1]), a, i)
    return e._replace(a=_in_c(a, e.matrix.t), p=p)


def known(m, n, c, sign, a, p):
    """The expansion whose characteristic value and p are known."""
    parity, index = np.mod(n - m, 2), np.floor((n - m) / 2)
    size = np.abs(c)
    count = np.floor(index + np.minimum(MARGIN + 0.7 * size, LEAST + 1.1 * size))
    t = [sign * c * c, 2 * sign * c, float(sign)][: len(a)]
    return Expansion(Matrix(FAMILY, t, count, [m, m + parity]), parity, index, a, p)


def with_more_rows(e, c):
    """As many as the series of the second kind needs, whose terms fall like x^-2r."""
    count = np.floor(e.index + (MARGIN + 0.7 * np.abs(c)))
    return e._replace(matrix=e.matrix._replace(count=count))


def _in_c(a, t):
    """The Taylor coefficients in c, from those in t."""
    total, step = [a[-1], *[0.0] * (len(a) - 1)], [0.0, *t[1:]]
    for f in a[-2::-1]:
        total = times(total, step)[: len(a)]
        total[0] = total[0] + f
    return total


def _guess(m, n, c, sign):
    value = special.pro_cv if sign == PROLATE else special.obl_cv
    safe = ~unsafe_cv(m, n, c)
    return np.where(safe, value(m, n, np.where(safe, c, 1.0)), n * (n + 1) + 0.5 * sign * c * c)


def _row(r, m, lowest):
    l = lowest + 2 * r
    return l * (l + 1), (2 * l * (l + 1) - 2 * m * m - 1) / ((2 * l - 1) * (2 * l + 3))


def _coupling(r, m, lowest):
    l = lowest + 2 * r
    square = ((l + 1) ** 2 - m * m) * ((l + 2) ** 2 - m * m) / ((2 * l + 1) * (2 * l + 5))
    return np.where(r < 0, 0.0, np.sqrt(square) / (2 * l + 3))


def _bounds(t, index, m, lowest):
    """0 <= <x^2> <= 1."""
    l = lowest + 2 * index
    return lowest * (lowest + 1) + np.minimum(t, 0.0), l * (l + 1) + np.maximum(t, 0.0)


def _last(a, t, m, lowest):
    """l(l + 1) = a, or a + c^2 in an oblate function."""
    l = np.sqrt(np.maximum(a - np.minimum(t, 0.0) + 1.25, 0.0)) - 0.5
    return np.floor(0.5 * (l - lowest))


FAMILY = Family(_row, _coupling, _bounds, _last)
