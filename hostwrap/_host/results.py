"""What a host function returned, against what was declared."""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._errors import ResultError
from hostwrap._host.layout import Result


def checked(what: str, value: Any, declared: Result, hint: str, cure: str) -> np.ndarray:
    """The value as an array of the declared shape and dtype; ResultError if it is another one."""
    value = _array(what, value)
    shape, dtype = declared.shape, declared.dtype
    if value.dtype == dtype and value.shape == shape:
        return value
    if value.shape != shape:
        raise ResultError(
            f"{what} is declared with shape {shape}{hint}, the host function returned {value.shape}."
        )
    if not _castable(value.dtype, dtype):
        raise ResultError(f"{what} is declared {dtype}, the host function returned {value.dtype}; {cure}.")
    with np.errstate(all="ignore"):
        cast = value.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(cast, value):
        raise ResultError(f"{what} is declared {dtype}, and an integer in it does not fit.")
    return cast


def _array(what: str, value: Any) -> np.ndarray:
    if np.ma.is_masked(value):
        raise ResultError(f"{what} is a masked array; return numbers, such as x.filled(numpy.nan).")
    try:
        return np.asarray(value)
    except Exception as error:
        came = f"{type(value).__name__}: {value!r:.80}"
        raise ResultError(f"{what} is no array, the host function returned {came} ({error}).") from error


def _castable(given: np.dtype, declared: np.dtype) -> bool:
    """Kinds may widen (bool, int, float, complex), never narrow."""
    kinds = "biufc"
    rank = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    want = rank["f"] if declared.kind not in kinds else rank[declared.kind]
    return given.kind in kinds and rank[given.kind] <= want
