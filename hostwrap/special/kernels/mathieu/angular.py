"""Derivatives of the characteristic values and of ce_m and se_m, from Fourier series (DLMF 28.4)."""

import functools

import numpy as np

from hostwrap.special.kernels._pointwise import piecewise, pointwise, pointwise_rows
from hostwrap.special.kernels._trigpi import cospi_n, sinpi_n
from hostwrap.special.kernels.mathieu.domain import is_order
from hostwrap.special.kernels.mathieu.fourier import Solution
from hostwrap.special.kernels.mathieu.large import LARGE, characteristic_n
from hostwrap.special.kernels.tridiagonal.pairs import add_up, where_valid


@pointwise
def a_n(m, q, *, n):
    """(d/dq)^n a_m(q)."""
    return _characteristic(m, q, n, True)


@pointwise
def b_n(m, q, *, n):
    """(d/dq)^n b_m(q)."""
    return _characteristic(m, q, n, False)


@pointwise_rows(2)
def ce_ij(m, q, x, *, i, j):
    """(d/dq)^i (d/dx)^j of ce_m(x, q), and one more derivative in x; x in degrees, derivatives per radian."""
    return where_valid(
        2,
        is_order(m, 0) & (np.abs(q) < LARGE) & np.isfinite(x),
        functools.partial(_series, i, j, True),
        m,
        q,
        x,
    )


@pointwise_rows(2)
def se_ij(m, q, x, *, i, j):
    """The same of se_m(x, q)."""
    return where_valid(
        2,
        is_order(m, 1) & (np.abs(q) < LARGE) & np.isfinite(x),
        functools.partial(_series, i, j, False),
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
    rows = [add_up(terms * solution.k**d * wave(turns, j + d) / np.pi ** (j + d)) for d in (0, 1)]
    return np.stack(rows)
