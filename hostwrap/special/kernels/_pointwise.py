"""What kernels share: from broadcasting arrays to flat chunks, and from regimes to one result."""

import functools
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from hostwrap._host.layout import broadcast_arrays

CHUNK = 4096  # points at a time: with 256 quadrature nodes a temporary takes 8 MB
LARGE_CHUNK = 65536  # without nodes, where thousands of short operations cost more than the points


def pointwise(kernel: Any) -> Any:
    """A function of flat arrays of equal length, `kernel(*flat, **statics)`, as a function that broadcasts.

    Large arrays go through in chunks, so that temporaries (points times nodes) stay small; no warnings
    escape. The result is float64, or complex128 if an argument is complex.
    """
    return in_chunks(CHUNK)(kernel)


def pointwise_rows(rows: int) -> Any:
    """The same for a kernel that returns (rows, points): they become a tuple."""
    return in_chunks(CHUNK, rows)


def in_chunks(chunk: int, rows: int | None = None) -> Any:
    """`pointwise` with so many points at a time; for a function that returns (rows, points) they become a tuple."""

    def decorate(kernel):
        @functools.wraps(kernel)
        def broadcasting(*args, **statics):
            if any(isinstance(a, NDArrayOperatorsMixin) for a in args):
                return kernel(*args, **statics)  # stand-ins for arrays: see _host/recording
            args = broadcast_arrays(*args)
            shape = args[0].shape
            flat = [np.ravel(a).astype(_wide(a.dtype), copy=False) for a in args]
            result = np.empty((rows or 1, flat[0].size), np.result_type(*flat))
            with np.errstate(all="ignore"):
                for start in range(0, flat[0].size, chunk):
                    part = slice(start, start + chunk)
                    result[:, part] = kernel(*(a[part] for a in flat), **statics)
            shaped = tuple(row.reshape(shape)[()] for row in result)
            return shaped if rows else shaped[0]

        return broadcasting

    return decorate


def piecewise(args: Any, cases: Any) -> Any:
    """Each point by the first case whose mask holds there: `[(mask, function), ..., (None, function)]`.

    A function sees only its own points, as flat arrays; `None` stands for all that are left. Points of no
    case are NaN.
    """
    args = broadcast_arrays(*args)
    shape = args[0].shape
    flat = [np.ravel(a) for a in args]
    result = np.full(flat[0].shape, np.nan, np.result_type(np.float64, *flat))
    flat_cases = [(m if m is None else np.ravel(np.broadcast_to(m, shape)), f) for m, f in cases]
    for here, function in _regimes(result.size, flat_cases):
        result[here] = function(*(a[here] for a in flat))
    return result.reshape(shape)[()]


def piecewise_jets(args: Any, n: int, cases: Any) -> Any:
    """The same for functions that return derivatives 0..n, stacked along the first axis; `args` are flat."""
    result = np.full((n + 1, args[0].size), np.nan, np.result_type(np.float64, *args))
    for here, function in _regimes(args[0].size, cases):
        result[:, here] = function(*(a[here] for a in args))
    return result


def _regimes(size, cases):
    """(points, function) of each case that has any, a point going to the first case that holds."""
    left = np.ones(size, bool)
    for mask, function in cases:
        here = left if mask is None else left & mask
        if here.any():
            yield here, function
        left = left & ~here


def _wide(dtype):
    return np.complex128 if dtype.kind == "c" else np.float64
