"""Tools for kernels: flatten broadcast arrays to chunks, and combine the regimes of a function.

A point gets the same bits alone and among others. NumPy sums the nodes of one point in another order than those of
many, and uses other instructions for one number. So a point that is alone is computed as two equal points.
"""

import functools
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from hostwrap._host.layout import broadcast_arrays

CHUNK = 4096  # points in a chunk: with 256 quadrature nodes a temporary takes 8 MB
# for kernels without nodes, whose thousands of short operations cost more than the points
LARGE_CHUNK = 65536


def pointwise(kernel: Any) -> Any:
    """A function of flat arrays of equal length, `kernel(*flat, **statics)`, as a function that broadcasts.

    Large arrays go through in chunks, so that temporaries (points times nodes) stay small; no warnings
    escape. The result is float64, or complex128 if an argument is complex.

    Where an argument is an exponent, kernels say `np.float_power`: NumPy's `**` takes a square root for x^(1/2) if the
    exponent is one number for all points, and a power if each has its own, which has other bits.
    """
    return in_chunks(CHUNK)(kernel)


def pointwise_rows(rows: int) -> Any:
    """`pointwise` for a kernel that returns (rows, points): the rows become a tuple."""
    return in_chunks(CHUNK, rows)


def in_chunks(chunk: int, rows: int | None = None) -> Any:
    """`pointwise` with this chunk size; if the function returns (rows, points), the rows become a tuple."""

    def decorate(kernel):
        @functools.wraps(kernel)
        def broadcasting(*args, **statics):
            if tape_of(*args) is not None:
                result = kernel(*map(_widened, args), **statics)
                return tuple(result) if rows else result
            args = broadcast_arrays(*args)
            shape = args[0].shape
            flat = [_widened(np.ravel(a)) for a in args]
            result = np.empty((rows or 1, flat[0].size), np.result_type(*flat))
            with np.errstate(all="ignore"):
                for start in range(0, flat[0].size, chunk):
                    part = slice(start, start + chunk)
                    result[:, part] = _of_part(kernel, [a[part] for a in flat], statics)
            shaped = tuple(row.reshape(shape)[()] for row in result)
            return shaped if rows else shaped[0]

        return broadcasting

    return decorate


def tape_of(*args: Any) -> Any:
    """The tape of stand-ins for arrays (see `Host.record`), which records operations; None for plain arrays."""
    found: Any = next((a for a in args if isinstance(a, NDArrayOperatorsMixin)), None)
    return None if found is None else found.tape


def _of_part(kernel, arrays, statics):
    if arrays[0].size != 1:
        return kernel(*arrays, **statics)
    return np.asarray(kernel(*(np.repeat(a, 2) for a in arrays), **statics))[..., :1]


def piecewise(args: Any, cases: Any) -> Any:
    """Each point by the first case whose mask holds there: `[(mask, function), ..., (None, function)]`.

    A function gets only its own points, as flat arrays. The mask `None` stands for all remaining points. Points
    without a case are NaN. A compiled program leaves the points of `in_python(function)` to Python.
    """
    recorder = tape_of(*args, *(mask for mask, _ in cases))
    if recorder is not None:
        listed = [(m, f if isinstance(f, in_python) else lambda *a, f=f: [f(*a)]) for m, f in cases]
        return _branches(recorder, args, listed, 1)[0]
    args = broadcast_arrays(*args)
    shape = args[0].shape
    flat = [np.ravel(a) for a in args]
    result = np.full(flat[0].shape, np.nan, np.result_type(np.float64, *flat))
    flat_cases = [(m if m is None else np.ravel(np.broadcast_to(m, shape)), f) for m, f in cases]
    for here, function in _regimes(result.size, flat_cases):
        result[here] = function(*(a[here] for a in flat))
    return result.reshape(shape)[()]


def piecewise_jets(args: Any, n: int, cases: Any) -> Any:
    """`piecewise` for functions that return derivatives 0..n, stacked along the first axis; `args` are flat."""
    recorder = tape_of(*args, *(mask for mask, _ in cases))
    if recorder is not None:
        return _branches(recorder, args, cases, n + 1)
    result = np.full((n + 1, args[0].size), np.nan, np.result_type(np.float64, *args))
    for here, function in _regimes(args[0].size, cases):
        result[:, here] = function(*(a[here] for a in args))
    return result


def stack_of(value: Any, sizes: Any, *like: Any, dtype: Any = None) -> Any:
    """An array [*sizes, points] filled with one number, for the points of the flat arrays `like`, in their dtype."""
    recorder = tape_of(*like)
    if recorder is not None:
        return recorder.stack(sizes, np.result_type(*(getattr(x, "dtype", x) for x in like)).type(value))
    return np.full((*sizes, np.size(like[0])), value, dtype or np.result_type(*like))


def elsewhere(result: Any, mask: Any, function: Any, *args: Any) -> Any:
    """Replace `result`, whose last axis is the points, by `function(*args)` where the mask holds.

    The function gets only those points, and must not write to its arguments. Arguments are arrays whose last axis is
    the points, or objects that can be indexed like such arrays. `result` may be overwritten.
    """
    recorder = tape_of(result, mask, *args)
    if recorder is None:
        here = places(mask)
        if here.size:
            result[..., here] = function(*(a[..., here] for a in args))
        return result
    if isinstance(function, in_python):
        hand_back(recorder, mask)
        return result
    return recorder.branch(mask, lambda: [function(*args)], [], [result])[0]


def hand_back(recorder: Any, mask: Any) -> None:
    """In a recording, leave the points where the mask holds to Python."""
    if tape_of(mask) is not None or mask:
        recorder.hand_back(mask)


def places(mask: Any) -> Any:
    """The indices where a mask holds; a single index is repeated, see above."""
    here = np.flatnonzero(mask)
    return np.repeat(here, 2) if here.size == 1 else here


def weighted_sum(terms: Any, weights: Any) -> Any:
    """The sum over the last axis of terms times weights. (The rounding of a matrix product depends on its rows.)"""
    return np.sum(np.ascontiguousarray(terms * weights), axis=-1)


def rounded_up(wanted: Any) -> Any:
    """Round a number of terms or nodes up to one of four values between two powers of two.

    Points with the same value are computed together, so a result does not depend on the neighbours of the point.
    """
    return np.exp2(np.ceil(4 * np.log2(np.maximum(wanted, 1))) / 4)


class in_python:
    """A case of `piecewise` that is not recorded: a program leaves its points to Python, which calls the function.

    Use it for regimes of few points, or for code that reads numbers.
    """

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def _branches(recorder, args, cases, rows):
    """The recorded branches. If a mask is a constant True or False, cases without points are not recorded."""
    results, left = [np.float64(np.nan)] * rows, np.True_
    for mask, function in cases:
        mask = np.bool_(mask) if type(mask) is bool else mask  # ~ of a Python bool is an integer
        here = left if mask is None else left & mask
        if not isinstance(function, in_python):
            results = recorder.branch(here, function, args, results)
        else:
            hand_back(recorder, here)
        left = np.False_ if mask is None else left & ~mask
    return results


def _regimes(size, cases):
    """(indices, function) of each case with points; a point belongs to the first case whose mask holds."""
    left = np.ones(size, bool)
    for mask, function in cases:
        here = left if mask is None else left & mask
        found = places(here)
        if found.size:
            yield found, function
        left = left & ~here


def _widened(a):
    a = a if tape_of(a) is not None else np.asarray(a)
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64, copy=False)
