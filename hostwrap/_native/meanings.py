"""What NumPy makes of stand-ins for arrays: in which types it computes, and its functions that are no ufuncs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop


@functools.lru_cache(maxsize=4096)
def resolved(ufunc: np.ufunc, given: tuple) -> tuple[np.dtype, ...]:
    try:
        return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError as error:
        raise NoLoop(str(error)) from error


def type_of(value: Any) -> Any:
    """What `resolve_dtypes` wants to know: Python's numbers have no width of their own."""
    return type(value) if type(value) in (int, float, complex) else np.result_type(weak(value))


def weak(value: Any) -> Any:
    return value.dtype if hasattr(value, "dtype") else value


def char(dtype: np.dtype) -> str:
    """NumPy's character, one for each type: int64 has two."""
    return {"q": "l", "Q": "L"}.get(dtype.char, dtype.char)


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """None is no bound."""
    above = x if low is None else np.maximum(x, low)
    return above if high is None else np.minimum(above, high)


_EXTREMES = np.finfo(float).min, np.finfo(float).max
# how many arguments a function has, and what it is for a stand-in
FUNCTIONS: dict[Any, tuple[int, Callable]] = {
    np.real: (1, lambda x: x.real),
    np.imag: (1, lambda x: x.imag),
    np.iscomplexobj: (1, lambda x: x.dtype.kind == "c"),
    np.isrealobj: (1, lambda x: x.dtype.kind != "c"),
    np.ones_like: (1, lambda x: x.dtype.type(1)),
    np.zeros_like: (1, lambda x: x.dtype.type(0)),
    np.full_like: (2, lambda x, value: x.tape.slot(value, x.dtype)),
    np.clip: (3, _clipped),
    np.round: (1, np.rint),
    np.nan_to_num: (1, lambda x: np.where(np.isnan(x), 0.0, np.clip(x, *_EXTREMES))),
    np.isposinf: (1, lambda x: x == np.inf),
    np.isneginf: (1, lambda x: x == -np.inf),
    np.stack: (1, tuple),
    np.putmask: (3, lambda x, mask, value: x.tape.write(x, np.where(mask, value, x))),
}
