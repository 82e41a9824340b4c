"""Functions that come with their derivative: like `pointwise`, for kernels that return several rows at once.

A point has the same result whatever other points there are.
"""

import functools

import numpy as np

from hostwrap.special.kernels._pointwise import CHUNK


def pointwise_rows(rows):
    """A function of flat real arrays that returns (rows, points), as one that broadcasts and goes in chunks."""

    def decorate(kernel):
        @functools.wraps(kernel)
        def broadcasting(*args, **statics):
            args = np.broadcast_arrays(*args)
            flat = [np.ravel(a).astype(np.float64, copy=False) for a in args]
            result = np.empty((rows, flat[0].size))
            with np.errstate(all="ignore"):
                for start in range(0, flat[0].size, CHUNK):
                    part = slice(start, start + CHUNK)
                    result[:, part] = kernel(*(a[part] for a in flat), **statics)
            return tuple(row.reshape(args[0].shape)[()] for row in result)

        return broadcasting

    return decorate


def where_valid(rows, valid, kernel, *args):
    """Rows of the kernel at the points where it has a meaning, NaN elsewhere."""
    result = np.full((rows, valid.size), np.nan)
    if valid.any():
        result[:, valid] = kernel(*(a[valid] for a in args))
    return result


def add_up(terms, axis=0):
    """The sum, in the order of the rows: NumPy adds in another order where there is a single point."""
    return functools.reduce(np.add, np.moveaxis(terms, axis, 0))
