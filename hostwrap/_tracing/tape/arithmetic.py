"""Replay recorded arithmetic on single numbers at new inputs: values, tangents and cotangents, in C (again.c)."""

from __future__ import annotations

import functools

import numpy as np

from hostwrap._native import library as _library

X, Y = 1, 2  # which operands of a row depend on the inputs: HW_X and HW_Y of again.c
_NONE = -1


@functools.cache
def kind(name: str) -> int | None:
    """The number of an operation or a test, such as "add" or "less"; None if the library has none of this name."""
    if _library.problem() is not None:
        return None
    found = _library.library().hw_again_number(name.encode())
    return None if found == _NONE else found


class Rows:
    """A list of operations, each a row (kind, place of x, place of y, more), laid out as `hw_row`.

    All numbers lie in one array: the inputs first, then, from the place `first` on, one result for each row.
    """

    def __init__(self, rows: np.ndarray, first: int) -> None:
        self.rows, self.first = np.ascontiguousarray(rows, np.int32), first
        self.places = first + len(self.rows)
        self._given = self.rows.ctypes.data, len(self.rows), first

    def values(self, values: np.ndarray) -> bool:
        """Compute all results, in place. Return False if a recorded comparison comes out differently."""
        return bool(_library.library().hw_again_values(*self._given, _address(values)))

    def along(self, values: np.ndarray, tangents: np.ndarray) -> None:
        """Compute the tangents of all results, in place (forward mode)."""
        _library.library().hw_again_along(*self._given, _address(values), _address(tangents))

    def back(self, values: np.ndarray, cotangents: np.ndarray) -> None:
        """Compute the cotangents of the inputs, in place (reverse mode)."""
        _library.library().hw_again_back(*self._given, _address(values), _address(cotangents))


def _address(array: np.ndarray) -> int:
    """The address of the data. This takes a third of the time of `array.ctypes.data`."""
    return array.__array_interface__["data"][0]
