"""Derivatives of the characteristic values and of ce_m and se_m, from Fourier series (DLMF 28.4)."""

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets, pointwise, pointwise_rows
from hostwrap.special._numerics.taylor import derivative
from hostwrap.special._numerics.trigpi import cospi_n, sinpi_n
from hostwrap.special.mathieu.domain import is_order
from hostwrap.special.mathieu.fourier import solution, summed
from hostwrap.special.mathieu.large import LARGE, characteristic_n


@pointwise
def a_n(m, q, *, dq):
    """(d/dq)^n a_m(q)."""
    return _characteristic(m, q, dq, True)


@pointwise
def b_n(m, q, *, dq):
    """(d/dq)^n b_m(q)."""
    return _characteristic(m, q, dq, False)


@pointwise_rows(2)
def ce_n(m, q, x, *, dq, dx):
    """(d/dq)^dq (d/dx)^dx of ce_m(x, q), x in degrees, and of its derivative per radian."""
    return _periodic(m, q, x, dq, dx, True)


@pointwise_rows(2)
def se_n(m, q, x, *, dq, dx):
    """The same of se_m(x, q)."""
    return _periodic(m, q, x, dq, dx, False)


def _characteristic(m, q, n, even):
    valid = is_order(m, 0 if even else 1) & ~np.isnan(q)
    large = np.abs(q) > LARGE
    return piecewise(
        (m, q),
        [
            (valid & ~large, lambda m, q: derivative(solution(m, q, n, even).a, n)),
            (valid & large, lambda m, q: characteristic_n(m, q, n, even)),
        ],
    )


def _periodic(m, q, x, i, j, even):
    valid = is_order(m, 0 if even else 1) & (np.abs(q) < LARGE) & np.isfinite(x)
    return piecewise_jets([m, q, x], 1, [(valid, lambda m, q, x: _series(i, j, even, m, q, x))])


def _series(i, j, even, m, q, x):
    wave = cospi_n if even else sinpi_n

    def terms(k, turns):
        return [k ** (j + d) * wave(k * turns, j + d) / np.pi ** (j + d) for d in (0, 1)]

    rows = summed(solution(m, q, i, even), terms, [np.fmod(x, 360.0) / 180])
    return [(np.pi / 180) ** j * derivative(row, i) for row in rows]  # per degree
