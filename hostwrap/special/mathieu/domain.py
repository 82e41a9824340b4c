"""Which arguments have a Mathieu function, and with which of them SciPy's loops may be called."""

import numpy as np

HIGHEST = 1000  # no matrix larger than this is set up
ROOM = 252  # coefficients that SciPy has room for


def is_order(m, lowest):
    return (m == np.floor(m)) & (m >= lowest) & (m <= HIGHEST)


def long_matrix(m, q):
    """SciPy's characteristic values take memory and time for a matrix of this order: a second at 1e8."""
    return np.abs(m) > 1e8


@np.errstate(all="ignore")
def unsafe(m, q, x):
    """SciPy estimates how many coefficients it needs and gives up (NaN) when they are too many.

    The estimate overflows the integer it is converted to when m or q is huge, infinite or NaN: SciPy then writes
    far outside of its arrays. Its own test, made here before there are integers, has the same result elsewhere.
    Where x is NaN its modified functions are numbers all the same.
    """
    h = np.sqrt(np.abs(q))
    small = 7.5 + h * (56.1 + h * (-134.7 + h * 90.7))
    large = 17.0 + h * (3.1 + h * (-0.126 + h * 0.0037))
    return ~(np.where(h <= 1, small, large) + 0.5 * m < ROOM) | np.isnan(x)
