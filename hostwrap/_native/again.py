"""What a tape recorded of arithmetic on single numbers, run again at other numbers by the library (again.c)."""

from __future__ import annotations

import functools

import numpy as np

from hostwrap._native import library as _library

X, Y = 1, 2  # which operands of a row move, as HW_X and HW_Y
_NONE = -1


@functools.cache
def kind(name: str) -> int | None:
    """The number of an operation or a test, such as "add" or "less"; None if the library has none of this name."""
    if _library.problem() is not None:
        return None
    found = _library.library().hw_again_number(name.encode())
    return None if found == _NONE else found


class Rows:
    """Operations in a row: (kind, place of x, place of y, more), as `hw_row` has them; their results lie from the place
    `first` on."""

    def __init__(self, rows: np.ndarray, first: int) -> None:
        self.rows, self.first = np.ascontiguousarray(rows, np.int32), first
        self.places = first + len(self.rows)
        self._given = self.rows.ctypes.data, len(self.rows), first

    def values(self, values: np.ndarray) -> bool:
        """All values after the first ones, in place; False where a test has another outcome."""
        return bool(_library.library().hw_again_values(*self._given, _address(values)))

    def along(self, values: np.ndarray, tangents: np.ndarray) -> None:
        """The tangents of all values after the first ones, in place."""
        _library.library().hw_again_along(*self._given, _address(values), _address(tangents))

    def back(self, values: np.ndarray, cotangents: np.ndarray) -> None:
        """The cotangents of all values before the last ones, in place."""
        _library.library().hw_again_back(*self._given, _address(values), _address(cotangents))


def _address(array: np.ndarray) -> int:
    """A third of the time that `array.ctypes.data` takes."""
    return array.__array_interface__["data"][0]
