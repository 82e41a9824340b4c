"""Memory for the result of a host function: in a compiled program that of XLA, so that nobody copies it there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._host.layout import Shape


class _Lent(threading.local):
    """The memory to which the call in this thread may write its result."""

    array: np.ndarray | None = None


_lent = _Lent()


def empty(shape: Shape, dtype: Any) -> np.ndarray:
    """As `numpy.empty`, for an array that the host function returns, and that nothing refers to after the call."""
    array = _lent.array
    if array is None or array.shape != shape or array.dtype != dtype:
        return np.empty(shape, dtype)
    _lent.array = None
    return array


def lend(array: np.ndarray, run: Callable[..., Any], operands: Sequence[np.ndarray]) -> Any:
    """`run(*operands)`, which may take the memory of this array by `empty`."""
    _lent.array = array
    try:
        return run(*operands)
    finally:
        _lent.array = None
