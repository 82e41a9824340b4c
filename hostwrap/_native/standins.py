"""Stand-ins for arrays while a tape records: `Slot` for one array, `Stack` for an array of several rows.

The tape records ufuncs, `astype`, `np.where` and complex parts. Everything else, such as reading a number, raises
`NoLoop`. A kernel that computes derivatives of several orders keeps them in one array [order, .., element]; a `Stack`
stands for such an array. It has all axes but the last, the axis of the elements, and holds a slot or a number at each
index.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from hostwrap._errors import NoLoop

# ---- the dtypes in which NumPy computes


@functools.lru_cache(maxsize=4096)
def resolved(ufunc: np.ufunc, given: tuple) -> tuple[np.dtype, ...]:
    try:
        return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError as error:
        raise NoLoop(str(error)) from error


def type_of(value: Any) -> Any:
    """The type that `resolve_dtypes` expects: a Python number keeps its Python type, because it has no width."""
    if type(value) is Slot:
        return value.dtype
    return type(value) if type(value) in (int, float, complex) else np.result_type(weak(value))


def weak(value: Any) -> Any:
    return value.dtype if hasattr(value, "dtype") else value


def char(dtype: np.dtype) -> str:
    """NumPy's type character, one for each type: NumPy has two for int64."""
    return {"q": "l", "Q": "L"}.get(dtype.char, dtype.char)


# ---- one array


class StandIn(NDArrayOperatorsMixin):
    """Base of the stand-ins."""

    tape: Any

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError


class Slot(StandIn):
    """Stands for one array. A write to the array gives the slot another number."""

    shape: tuple[int, ...] = ()
    ndim = 0

    def __init__(self, tape: Any, number: int) -> None:
        self.tape, self.number = tape, number

    @property
    def dtype(self) -> np.dtype:
        return self.tape.dtypes[self.number]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        for x in inputs:
            if type(x) is Stack:
                return NotImplemented  # it handles this
        (target,) = options.pop("out", (None,)) if ufunc.nout == 1 else (None,)
        if method != "__call__" or options:
            raise NoLoop(f"{ufunc.__name__}.{method} with {sorted(options)}")
        result = self.tape.call(ufunc, inputs)
        return result if target is None else self.tape.write(target, result)

    def __array_function__(self, function: Callable, types: Any, args: tuple, options: dict) -> Any:
        if not all(issubclass(t, Slot) for t in types if issubclass(t, StandIn)):
            return NotImplemented
        if function is np.where and len(args) == 3:
            return self.tape.where(*args)
        count, meaning = _OF_SLOTS.get(function, (0, None))
        if meaning is None or len(args) != count or options:
            raise NoLoop(function.__name__)
        return meaning(*args)

    def __pow__(self, exponent: Any) -> Any:
        """NumPy's `**`: some exponents call another ufunc than `np.power`."""
        others = {0.5: np.sqrt, 1: np.positive, 2: np.square, -1: np.reciprocal}
        if type(exponent) in (int, float) and self.dtype.kind in "fc" and exponent in others:
            return others[exponent](self)
        return np.power(self, exponent)

    def astype(self, dtype: Any, copy: bool = True) -> Slot:
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return copied(self)
        return self.tape.own(f"cast {char(self.dtype)}{char(dtype)}", [self], dtype)

    real = property(lambda self: self._part("real") if self.dtype.kind == "c" else self)
    imag = property(lambda self: self._part("imag") if self.dtype.kind == "c" else self.dtype.type(0))

    def _part(self, name: str) -> Slot:
        return self.tape.own(f"{name} {self.dtype.char}", [self], self.dtype.char.lower())

    def _looked_at(self, *_: Any, **__: Any) -> Any:
        raise NoLoop("a look at the numbers")

    __bool__ = __len__ = __iter__ = __array__ = __float__ = __index__ = _looked_at  # type: ignore[assignment]

    def __getitem__(self, key: Any) -> Slot:
        return Slot(self.tape, self.number) if isinstance(key, tuple) and not key else self._looked_at()

    def __setitem__(self, key: Any, value: Any) -> None:
        """Record `x[mask] = number`; all other assignments raise `NoLoop`."""
        if not isinstance(key, Slot) or key.dtype.kind != "b" or isinstance(value, Slot) or np.ndim(value):
            self._looked_at()
        self.tape.write(self, np.where(key, self.dtype.type(value), self))

    def __getattr__(self, name: str) -> Any:
        """Refuse other attributes of arrays. (Protocols look for dunder names: those raise AttributeError.)"""
        raise AttributeError(name) if name.startswith("__") else NoLoop(f"an array's {name}")


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """`np.clip`, where None means no bound."""
    above = x if low is None else np.maximum(x, low)
    return above if high is None else np.minimum(above, high)


_EXTREMES = np.finfo(float).min, np.finfo(float).max
# NumPy functions that are no ufuncs: the number of arguments, and what the function is for a slot
_OF_SLOTS: dict[Any, tuple[int, Callable]] = {
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


# ---- several arrays


class Stack(StandIn):
    """Stands for an array of several rows; its last axis, of length 1, stands for the elements."""

    def __init__(self, tape: Any, rows: np.ndarray) -> None:
        self.tape, self.rows = tape, rows

    @staticmethod
    def full(tape: Any, sizes: Sequence[int], value: Any) -> Stack:
        rows = np.empty(sizes, object)
        rows[...] = _boxed(value)
        return Stack(tape, rows)

    shape = property(lambda self: (*self.rows.shape, 1))
    ndim = property(lambda self: self.rows.ndim + 1)
    dtype = property(lambda self: np.result_type(*map(weak, self.rows.flat)))
    real = property(lambda self: self._each(np.real, self))
    imag = property(lambda self: self._each(np.imag, self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        (target,) = options.pop("out", (None,))
        if method != "__call__" or options or ufunc.nout != 1:
            raise NoLoop(f"{ufunc.__name__}.{method} of stacked numbers with {sorted(options)}")
        result = self._each(ufunc, *inputs)
        if target is None:
            return result
        target[...] = result
        return target

    def __array_function__(self, function: Callable, types: Any, args: tuple, options: dict) -> Any:
        meaning = _OF_STACKS.get(function)
        if meaning is None or options:
            raise NoLoop(f"{function.__name__} of stacked numbers")
        return meaning(self, *args)

    def _each(self, function: Callable, *operands: Any) -> Stack:
        rows = np.frompyfunc(function, len(operands), 1)(*map(_rows, operands))
        return Stack(self.tape, rows)

    def where(self, which: Any, yes: Any, no: Any) -> Stack:
        return self._each(self.tape.where, which, yes, no)

    def copy(self) -> Stack:
        return Stack(self.tape, self.rows.copy())

    def filled(self, value: Any) -> Stack:
        return Stack.full(self.tape, self.rows.shape, value)

    def max(self, axes: Any) -> Any:
        return self._reduced(np.maximum, axes)

    def all(self, axes: Any) -> Any:
        return self._reduced(np.logical_and, axes)

    def any(self, axes: Any = None) -> Any:
        if axes is None and not any(isinstance(x, StandIn) for x in self.rows.flat):
            return any(self.rows.flat)  # no slot among them
        return self._reduced(np.logical_or, axes)

    def _reduced(self, ufunc: np.ufunc, axes: Any) -> Any:
        if axes not in (0, tuple(range(self.rows.ndim))) or (axes == 0 and self.rows.ndim > 1):
            raise NoLoop("a reduction over some axes of stacked numbers, or over the elements")
        return functools.reduce(ufunc, self.rows.flat)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self.rows)))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: Any) -> Any:
        part = self.rows[_place(key)]
        return Stack(self.tape, part) if isinstance(part, np.ndarray) else copied(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(self.rows[_place(key)], np.ndarray):
            self.rows[key] = _rows(value)
        else:
            self.rows[key] = copied(value)


def _rows(x: Any) -> np.ndarray:
    """The rows of a stack; of an array with a last axis of 1, which has the same numbers for all elements."""
    if isinstance(x, Stack):
        return x.rows
    if isinstance(x, np.ndarray) and x.ndim:
        if x.shape[-1] != 1:
            raise NoLoop("an array with a number for each element")
        return x[..., 0].astype(object)
    return _boxed(x)


def _boxed(x: Any) -> np.ndarray:
    box = np.empty((), object)
    box[()] = x
    return box


def _place(key: Any) -> Any:
    if any(isinstance(k, StandIn) for k in (key if type(key) is tuple else (key,))):
        raise NoLoop("a look at the numbers")
    return key


def _stacked(first: Stack, arrays: Sequence[Any]) -> Stack:
    parts = [_rows(a) for a in arrays]
    rows = np.empty((len(parts), *np.broadcast_shapes(*(p.shape for p in parts))), object)
    for i, part in enumerate(parts):
        rows[i, ...] = part
    return Stack(first.tape, rows)


# NumPy functions for stacks; the first argument is the first stack among the arguments
_OF_STACKS: dict[Any, Callable] = {
    np.where: Stack.where,
    np.stack: _stacked,
    np.real: lambda _, x: x.real,
    np.imag: lambda _, x: x.imag,
    np.iscomplexobj: lambda _, x: x.dtype.kind == "c",
    np.isrealobj: lambda _, x: x.dtype.kind != "c",
    np.zeros_like: lambda _, x: x.filled(x.dtype.type(0)),
    np.ones_like: lambda _, x: x.filled(x.dtype.type(1)),
    np.empty_like: lambda _, x: x.filled(x.dtype.type(0)),
    np.full_like: lambda _, x, value: x.filled(value),
}


# ---- lists of stand-ins, for branches and repetitions


def flat(values: Sequence[Any]) -> list[Any]:
    """The slots and numbers of all values in one list."""
    return [x for value in values for x in (value.rows.flat if isinstance(value, Stack) else [value])]


def unflat(numbers: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """The inverse of `flat`; `like` gives the shapes."""
    found, rest = [], iter(numbers)
    for value in like:
        if isinstance(value, Stack):
            rows = np.empty(value.rows.shape, object)
            for i in np.ndindex(rows.shape):
                rows[i] = next(rest)
            found.append(Stack(value.tape, rows))
        else:
            found.append(next(rest))
    return found


def copied(x: Any) -> Any:
    """A copy: a later write to one does not change the other."""
    if type(x) is Slot:
        return Slot(x.tape, x.number)
    return x[()] if isinstance(x, StandIn) else x
