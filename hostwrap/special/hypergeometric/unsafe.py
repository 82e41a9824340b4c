"""Where SciPy's loops would not come back: their cost grows with these numbers, or they recurse without end."""

import numpy as np
import scipy

LONGEST = 1e6  # steps, some hundredths of a second
LARGEST = 1e10  # of an argument, where 1F1 is infinite if it is not a polynomial
COUNTED = 1e8  # steps of real numbers, a fifth of a second: 22 seconds at 1e10
OLD = np.bool_(tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17))


def bessel(v, z):
    """For 0F1, which divides by the order v - 1 of an I_0 that overflows."""
    return (v == 1) & (np.real(z) > 127000) & (not np.iscomplexobj(z))


def kummer(a, b, z):
    """For 1F1: of complex argument as many steps as a says, of real argument series that grow with a and z."""
    large = np.abs(a) > LONGEST
    if np.iscomplexobj(z):
        return large
    counted = (a > COUNTED) & (z < 0)
    short = (_degree(a) <= LONGEST) | (a == b)
    return (large & (np.abs(z) > LONGEST) | (z > LARGEST) | counted) & ~short


def tricomi(a, b, x):
    """For U, before SciPy 1.17."""
    return OLD & ((np.abs(a) > LONGEST) | (np.abs(b) > LONGEST))


def gauss(a, b, c, z):
    """For 2F1 of complex argument: sums of as many terms as a whole number says that parameters make.

    That is the degree of a polynomial or, from the unit circle on, a difference in which a connection formula is
    degenerate.
    """
    if not np.iscomplexobj(z):
        return np.False_
    degree = np.minimum(_degree(a), _degree(b))
    terms = np.where(np.isinf(degree), 0, degree)
    for power in (c - a, c - b):
        terms = np.maximum(terms, np.where(np.isinf(degree) & (_degree(power) < np.inf), _degree(power), 0))
    # a z that is no number counts as one that is there
    for difference, there in ((b - a, ~(np.abs(z) <= 0.85)), (c - a - b, ~(np.abs(1 - z) >= 0.95))):
        length = np.abs(difference)
        terms = np.maximum(terms, np.where(np.isinf(degree) & (length == np.rint(length)) & there, length, 0))
    return ~(terms <= LONGEST) | np.isnan(a) | np.isnan(b) | np.isnan(c)


def _degree(a):
    return np.where((a <= 0) & (a == np.rint(a)), np.abs(a), np.inf)


def weber(v, x):
    """For the parabolic cylinder functions, which reserve memory for all orders from 0 to v."""
    return ~(np.abs(v) <= 1e6)
