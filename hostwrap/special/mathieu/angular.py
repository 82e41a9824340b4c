"""Derivatives of the characteristic values and of ce_m and se_m, from Fourier series (DLMF 28.4)."""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise, pointwise_rows
from hostwrap.special._numerics.tridiagonal_pairs import add_up, where_valid
from hostwrap.special._numerics.trigpi import cospi_n, sinpi_n
from hostwrap.special.mathieu.domain import is_order
from hostwrap.special.mathieu.fourier import Solution
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
    return where_valid(
        2,
        is_order(m, 0) & (np.abs(q) < LARGE) & np.isfinite(x),
        functools.partial(_series, dq, dx, True),
        m,
        q,
        x,
    )


@pointwise_rows(2)
def se_n(m, q, x, *, dq, dx):
    """The same of se_m(x, q)."""
    return where_valid(
        2,
        is_order(m, 1) & (np.abs(q) < LARGE) & np.isfinite(x),
        functools.partial(_series, dq, dx, False),
        m,
        q,
        x,
    )


def _characteristic(m, q, n, even):
    valid = is_order(m, 0 if even else 1) & ~np.isnan(q)
    large = np.abs(q) > LARGE
    return piecewise(
        (m, q),
        [
            (valid & ~large, lambda m, q: Solution(m, q, n, even).a[n]),
            (valid & large, lambda m, q: characteristic_n(m, q, n, even)),
        ],
    )


def _series(i, j, even, m, q, x):
    solution = Solution(m, q, i, even)
    terms, turns = solution.coefficients()[i] * solution.k**j, solution.k * np.fmod(x, 360.0) / 180
    wave = cospi_n if even else sinpi_n
    rows = np.stack([add_up(terms * solution.k**d * wave(turns, j + d) / np.pi ** (j + d)) for d in (0, 1)])
    for _ in range(j):
        rows = np.pi / 180 * rows  # per degree
    return rows
