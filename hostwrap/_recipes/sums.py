"""C functions for the transposes of host functions: sums over the pixels around a point, and over pairs of points.

NumPy would first store all products in an array, and then add them up. `here()` says whether the library is loaded. If
it is not, the caller uses NumPy.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence

import numpy as np

from hostwrap._native import library as _library

MOST_AXES = 8  # the most axes of a grid: HW_SPLINE_AXES
_MODES = {"reflect": 1, "grid-wrap": 2, "nearest": 3, "grid-constant": 4}  # all others: 0, HW_MIRROR


class _Spline(ctypes.Structure):
    """`hw_spline` of splines.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("sizes", "places")]
    _fields_ += [(name, ctypes.c_int64) for name in ("axes", "count", "order", "mode")]
    _fields_ += [("outside", ctypes.c_double)]


@functools.cache
def here() -> bool:
    return _library.problem() is None


class Spline:
    """Sums of B-splines on a grid of these sizes, at places [d, n]."""

    def __init__(self, sizes: Sequence[int], places: np.ndarray, order: int, mode: str) -> None:
        self._sizes, self._places = np.array(sizes, np.int64), np.ascontiguousarray(places, float)
        self._given = self._places.shape
        self._how = *self._given, order, _MODES.get(mode, 0)

    def _of(self, outside: float) -> _Spline:
        return _Spline(self._sizes.ctypes.data, self._places.ctypes.data, *self._how, outside)

    def slopes(self, coefficients: np.ndarray, outside: complex) -> np.ndarray:
        """The derivative of the sum along each axis at each place, [d, n].

        Beyond the grid coefficients are `outside`.
        """
        if np.iscomplexobj(coefficients):
            parts = zip((coefficients.real, coefficients.imag), _parts(outside), strict=True)
            real, imaginary = (self.slopes(*x) for x in parts)
            return real + 1j * imaginary
        values, found = np.ascontiguousarray(coefficients, float), np.empty(self._given)
        spline = self._of(_parts(outside)[0])
        _library.library().hw_spline_slopes(ctypes.byref(spline), values.ctypes.data, found.ctypes.data)
        return found

    def spread(self, c: np.ndarray) -> np.ndarray:
        """The transpose: the derivative of `sum(c * values)` in each coefficient."""
        if np.iscomplexobj(c):
            return self.spread(c.real) + 1j * self.spread(c.imag)
        given, found = np.ascontiguousarray(c, float), np.zeros(self._sizes)
        spline = self._of(0.0)
        _library.library().hw_spline_spread(ctypes.byref(spline), given.ctypes.data, found.ctypes.data)
        return found


def _parts(x: complex) -> tuple[float, float]:
    return float(np.real(x)), float(np.imag(x))


def pairs_back(
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    distances: np.ndarray | None = None,
    sides: Sequence[int] = (0, 1),
) -> list:
    """Gradients of sums over pairs: `sum_j c_ij (a_i - b_j)`, `sum_i c_ij (b_j - a_i)`; None for a side not in `sides`.

    `a` is [n, k], `b` is [m, k], `c` is [n, m]. With `distances`, c is divided by them; pairs at distance 0 contribute
    nothing.
    """
    a, b, c = (np.ascontiguousarray(x, float) for x in (a, b, c))
    distances = None if distances is None else np.ascontiguousarray(distances, float)
    found = [np.zeros(x.shape) if i in sides else None for i, x in enumerate((a, b))]
    if here():
        places = [None if x is None else x.ctypes.data for x in (a, b, c, distances, *found)]
        _library.library().hw_pairs_back(*c.shape, a.shape[1], *places)
        return found
    if distances is not None:
        c = np.divide(c, distances, out=np.zeros(c.shape), where=distances != 0)
    for k in range(a.shape[1]):
        apart = a[:, None, k] - b[:, k]
        for x, form, sign in zip(found, ("ij,ij->i", "ij,ij->j"), (1, -1), strict=True):
            if x is not None:
                x[:, k] = sign * np.einsum(form, c, apart)
    return found
