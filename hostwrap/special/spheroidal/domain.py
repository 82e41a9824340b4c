"""Which arguments have a spheroidal function, and with which of them SciPy's loops may be called.

SciPy sums a number of terms that it derives from c and n, and has arrays of a fixed size. It does not look whether the
terms fit in, nor whether the numbers are finite.
"""

import numpy as np

DEGREES = 198  # SciPy's own limit of n - m
ORDERS = 10_000  # beyond, it loops for long, and at last overflows its integers
HIGHEST = 300  # of m and |c| here: no matrix larger than this is set up


def is_mode(m, n, c):
    whole = (m == np.floor(m)) & (n == np.floor(n)) & (m >= 0) & (m <= HIGHEST)
    return whole & (n >= m) & (n - m <= DEGREES) & (np.abs(c) <= HIGHEST)


def unsafe_cv(m, n, c):
    """Characteristic values: a matrix of 10 + terms rows, 300 at most."""
    return ~(_is_order(m, n) & (_terms(m, n, c) < 291))


def unsafe_ang1(m, n, c, x):
    """Angular functions: 25 + terms coefficients, 199 at most."""
    return ~(_is_order(m, n) & (_terms(m, n, c) < 175)) | np.isnan(x)


def unsafe_rad1(m, n, c, x):
    """Radial functions, first kind: spherical Bessel functions up to the order m + 2 (25 + terms), 251 at most."""
    return unsafe_ang1(m, n, c, x) | ~(m + 2 * (25 + _terms(m, n, c)) <= 251)


def unsafe_rad2(m, n, c, x):
    """The second kind: arrays of m + 25 + terms too, and terms counted down from the last one, for c < 0 below 0."""
    count = 25 + _terms(m, n, c)
    return unsafe_rad1(m, n, c, x) | ~(m + count <= 199) | (count < 5)


def given(unsafe):
    """The same predicate for the functions that are given the characteristic value."""
    return lambda m, n, c, cv, x: unsafe(m, n, c, x) | ~np.isfinite(cv)


unsafe_ang1_cv, unsafe_rad1_cv, unsafe_rad2_cv = given(unsafe_ang1), given(unsafe_rad1), given(unsafe_rad2)


@np.errstate(all="ignore")
def _is_order(m, n):
    return (m >= 0) & (m <= ORDERS) & (n >= m) & (n - m <= DEGREES)


@np.errstate(all="ignore")
def _terms(m, n, c):
    return np.trunc(0.5 * (n - m) + c)
