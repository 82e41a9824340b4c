"""What NumPy would do with several arrays of one length in a row, written down: slots in an array of their own.

A kernel that computes derivatives of several orders keeps them in one array, [order, .., element]. A `Stack` takes the
place of such an array. It has all axes but the last, which is that of the elements, and a slot or a number at a place.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from hostwrap._errors import NoLoop
from hostwrap._native.meanings import weak


class StandIn(NDArrayOperatorsMixin):
    """In the place of an array (`Slot`), or of several of them (`Stack`)."""

    tape: Any

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def stack(self, sizes: Sequence[int], value: Any) -> Stack:
        """The same number at each place."""
        return Stack.full(self.tape, sizes, value)

    def branch(
        self, mask: Any, function: Callable, inputs: Sequence[Any], others: Sequence[Any]
    ) -> list[Any]:
        """`function(*inputs)`, a sequence, where the mask holds, and the `others` elsewhere."""
        inside = lambda *numbers: _flat(function(*_unflat(numbers, inputs)))
        return _unflat(self.tape.branch(mask, inside, _flat(inputs), _flat(others)), others)

    def repeat(self, function: Callable, start: Sequence[Any], fixed: Sequence[Any], bound: int) -> list[Any]:
        """`*start, going = function(turn, *start, *fixed)` until an element does not go on; else it is NaN."""
        turn = lambda turn, *numbers: _flat(function(turn, *_unflat(numbers, start), *fixed))
        return _unflat(self.tape.repeat(turn, _flat(start), bound), start)

    def added(self, function: Callable, columns: Sequence[np.ndarray]) -> list[Any]:
        return self.tape.added(function, columns)

    def hand_back(self, mask: Any) -> None:
        self.tape.hand_back(mask)


class Stack(StandIn):
    """Each operation is recorded for each place. A last axis of length 1 stands for the elements."""

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
        meaning = _FUNCTIONS.get(function)
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
            return any(self.rows.flat)  # known now
        return self._reduced(np.logical_or, axes)

    def _reduced(self, ufunc: np.ufunc, axes: Any) -> Any:
        if axes not in (0, tuple(range(self.rows.ndim))) or (axes == 0 and self.rows.ndim > 1):
            raise NoLoop("some of the axes of stacked numbers, or the one of the elements")
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
    """A stack's places, or those of an array of numbers that are the same for all elements."""
    if isinstance(x, Stack):
        return x.rows
    if isinstance(x, np.ndarray) and x.ndim:
        if x.shape[-1] != 1:
            raise NoLoop("an array of numbers for the elements")
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


# what a function of NumPy is for the first stack among its arguments
_FUNCTIONS: dict[Any, Callable] = {
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


# ---- several of them in one list, as branches and repetitions have them


def _flat(values: Sequence[Any]) -> list[Any]:
    """The slots and numbers of all values, one after the other."""
    return [x for value in values for x in (value.rows.flat if isinstance(value, Stack) else [value])]


def _unflat(numbers: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """The other way, in the shapes of these values."""
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
    """What is written to the one is not written to the other."""
    return x[()] if isinstance(x, StandIn) else x
