"""Arrays that a host function gets and returns: check results against their declaration; booleans in full precision."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from hostwrap._errors import HostwrapError, ResultError, more_than_numbers
from hostwrap._host.layout import Result

# ---- what a function returned


def checked(what: str, value: Any, declared: Result, hint: str, cure: str, meant: str = "") -> np.ndarray:
    """The value as an array of the declared shape and dtype; raises ResultError if it does not fit."""
    shape, dtype = declared.shape, declared.dtype
    value = _array(what, value, declared)
    if value.dtype == dtype and value.shape == shape:
        return value
    if value.shape != shape:
        raise ResultError(
            f"{what} is declared with shape {shape}{hint}, the host function returned {value.shape}{meant}."
        )
    if not _castable(value.dtype, dtype):
        raise ResultError(f"{what} is declared {dtype}, the host function returned {value.dtype}; {cure}.")
    with np.errstate(all="ignore"):
        cast = value.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(cast, value):
        raise ResultError(f"{what} is declared {dtype}, and an integer in it does not fit.")
    return cast


def _array(what: str, value: Any, declared: Result) -> np.ndarray:
    if value is None:
        wanted = f"{declared.dtype}[{','.join(map(str, declared.shape))}]"
        raise ResultError(
            f"{what} is declared {wanted}, the host function returned None (is there a `return`?)."
        )
    if np.ma.is_masked(value):
        raise ResultError(f"{what} is a masked array; return numbers, such as x.filled(numpy.nan).")
    for part in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(part, np.ma.MaskedArray) and (more := more_than_numbers(part)):
            raise ResultError(f"{what} came as {type(part).__name__}: {part!r:.80}; {more}.")
    try:
        array = np.asarray(value)
    except Exception as error:
        raise ResultError(f"{what} is no array, {_came(value)} ({error}).") from error
    if array.dtype == object and not hasattr(value, "dtype"):
        of_dict = isinstance(value, dict)
        way_out = "declare a dict of results with out=" if of_dict else "return numbers or an array"
        raise ResultError(f"{what} is no array of numbers, {_came(value)}; {way_out}.")
    return array


def _came(value: Any) -> str:
    return f"the host function returned {type(value).__name__}: {value!r:.80}"


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _castable(given: np.dtype, declared: np.dtype) -> bool:
    """Whether a cast keeps or widens the kind (bool, int, float, complex). Types unknown to NumPy are floats."""
    return given.kind in _RANKS and _RANKS[given.kind] <= _RANKS.get(declared.kind, _RANKS["f"])


# ---- booleans

_DOUBLE = np.dtype(float).itemsize


class Truths(np.ndarray):
    """An array of booleans, with axes or without. A ufunc that NumPy would compute in less is computed in double.

    NumPy computes `sin(True)`, `True / True` and others in half precision, with three digits, and SciPy in single. For
    the host function the array is still a boolean array: a mask, an index, something to negate.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [_plain(x) for x in inputs]
        options = {name: _plain(value) for name, value in options.items()}
        if options.get("out") is not None:
            options["out"] = tuple(map(_plain, options["out"]))
        elif options.get("dtype") is None:
            folded = method in ("reduce", "accumulate", "reduceat")  # both operands come from the one array
            if any(map(_is_narrow, _types(ufunc, plain[:1] * 2 if folded else plain))):
                plain = [x.astype(float) if _is_truth(x) else x for x in plain]
        result = getattr(ufunc, method)(*plain, **options)
        return tuple(map(_kept, result)) if isinstance(result, tuple) else _kept(result)

    def __getitem__(self, index: Any) -> Any:
        return _kept(np.ndarray.__getitem__(self.view(np.ndarray), _plain(index)))


def truths(array: np.ndarray) -> np.ndarray:
    return array.view(Truths)


def _types(ufunc: np.ufunc, inputs: list) -> tuple:
    """The dtypes of the loop that NumPy would choose."""
    types = [type(x) if type(x) in (int, float, complex) else np.asarray(x).dtype for x in inputs]
    given = [*types, *[None] * (ufunc.nargs - len(types))]
    try:
        return ufunc.resolve_dtypes(tuple(given)) if len(types) == ufunc.nin else ()
    except (TypeError, ValueError):
        return ()  # the ufunc raises the error itself


def _is_narrow(dtype: np.dtype) -> bool:
    return dtype.kind in "fc" and dtype.itemsize < _DOUBLE * (1 + (dtype.kind == "c"))


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | np.bool_) or getattr(value, "dtype", None) == np.bool_


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.view(np.ndarray) if isinstance(value, Truths) else value


def _kept(value: Any) -> Any:
    """A boolean result becomes a `Truths` array again."""
    return truths(np.asarray(value)) if _is_truth(value) else value


def refuses_arrays(error: Exception) -> bool:
    """Whether the error may be for an array in place of a number: NumPy's (`if x > 0`), that of ctypes, or numba's."""
    if isinstance(error, HostwrapError):
        return False
    numbas = any(kind.__module__.partition(".")[0] == "numba" for kind in type(error).__mro__)
    return numbas or isinstance(error, TypeError | ValueError | ctypes.ArgumentError)


def wants_a_number(error: Exception) -> bool:
    """Whether the error is NumPy's for an array in place of a number, as in `if x > 0` and `math.sin(x)`."""
    return any(words in str(error) for words in ("is ambiguous", "can be converted to Python scalars"))
