"""Operations that have a shorter one of the same bits: 1 x, x / 1, x / 2^k, -1 x, x + (-y).

Kernels that compute derivatives of any order write these, where a coefficient happens to be 1 or -1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._native.standins import Slot, copied

_NUMBERS = (int, float, np.float64)


def shorter(ufunc: np.ufunc, values: Sequence[Any], negated: dict[int, int]) -> Any:
    """The result without this ufunc; None if there is no shorter way.

    `negated` maps the number of each slot that is -y to that of y.
    """
    found = _OF.get(ufunc)
    return found(*values, negated) if found else None


def _doubles(*values: Any) -> bool:
    return all(type(x) is Slot and x.dtype == np.float64 for x in values)


def _multiply(x: Any, y: Any, _: dict[int, int]) -> Any:
    for factor, other in ((x, y), (y, x)):
        if type(factor) in _NUMBERS and abs(factor) == 1 and _doubles(other):
            return copied(other) if factor == 1 else -other
    return None


def _divide(x: Any, y: Any, _: dict[int, int]) -> Any:
    if not _doubles(x) or type(y) not in _NUMBERS:
        return None
    if y == 1:
        return copied(x)
    exact = 1e-300 < abs(y) < 1e300 and abs(math.frexp(y)[0]) == 0.5  # so 1 / y is
    return x * (1 / y) if exact else None


def _add(x: Any, y: Any, negated: dict[int, int]) -> Any:
    if _doubles(x, y):
        for kept, other in ((x, y), (y, x)):
            if other.number in negated:
                return kept - Slot(other.tape, negated[other.number])
    return None


def _subtract(x: Any, y: Any, negated: dict[int, int]) -> Any:
    if _doubles(x, y) and y.number in negated:
        return x + Slot(y.tape, negated[y.number])
    return None


_OF: dict[np.ufunc, Callable] = {
    np.multiply: _multiply,
    np.divide: _divide,
    np.add: _add,
    np.subtract: _subtract,
    np.positive: lambda x, _: copied(x),
}
