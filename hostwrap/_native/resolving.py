"""In which types NumPy computes."""

from __future__ import annotations

import functools
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
