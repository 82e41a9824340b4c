"""What functions that come with their derivative share. A point has the same result whatever other points there are."""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import places


def where_valid(rows, valid, kernel, *args):
    """Rows of the kernel at the points where it has a meaning, NaN elsewhere."""
    result = np.full((rows, valid.size), np.nan)
    here = places(valid)
    if here.size:
        result[:, here] = kernel(*(a[here] for a in args))
    return result


def add_up(terms, axis=0):
    """The sum, in the order of the rows: NumPy adds in another order where there is a single point."""
    return functools.reduce(np.add, np.moveaxis(terms, axis, 0))
