"""What NumPy would do, written down: stand-ins for arrays that record the loops called on them.

A `Slot` takes the place of an array in a computation made of ufuncs, `astype`, `np.where` and complex parts. What
else is done with it, such as looking at its numbers, raises `NoLoop`: then Python has to run the computation.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from hostwrap._errors import NoLoop
from hostwrap._host import numpy_ops
from hostwrap._native import _loops
from hostwrap._native._loops import Loop


@dataclasses.dataclass
class Step:
    loop: Loop
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class Tape:
    """The steps so far. Slots are numbered: the inputs first, then constants and results as they come."""

    def __init__(self, dtypes: Sequence[Any]) -> None:
        self.dtypes = list(map(np.dtype, dtypes))
        self.steps: list[Step] = []
        self.constants: dict[int, bytes] = {}
        self._known: dict[tuple, Any] = {}  # constants, and results: what stands twice is computed once
        self.inputs = [Slot(self, i) for i in range(len(self.dtypes))]

    def step(
        self, loop: Loop | None, what: str, inputs: Sequence[Slot], results: Sequence[np.dtype]
    ) -> list[Slot]:
        if loop is None:
            raise NoLoop(what)
        numbers = tuple(x.number for x in inputs)
        if (loop.name, numbers) not in self._known:
            self._known[loop.name, numbers] = self._append(loop, numbers, results)
        return self._known[loop.name, numbers]

    def _append(self, loop: Loop, inputs: tuple[int, ...], results: Sequence[np.dtype]) -> list[Slot]:
        first = len(self.dtypes)
        self.dtypes += results
        self.steps.append(Step(loop, inputs, tuple(range(first, len(self.dtypes)))))
        return [Slot(self, number) for number in self.steps[-1].outputs]

    def copy(self, x: Slot) -> Slot:
        """The same numbers in a slot of their own."""
        loop: Any = _loops.named(f"select {_char(x.dtype)}")
        which = self.slot(np.True_, np.dtype(bool))
        return self._append(loop, (which.number, x.number, x.number), [x.dtype])[0]

    def own(self, name: str, inputs: Sequence[Slot], result: Any) -> Slot:
        return self.step(_loops.named(name), name, inputs, [np.dtype(result)])[0]

    def slot(self, value: Any, dtype: np.dtype) -> Slot:
        """A value as a slot of this type; what is no slot is a constant."""
        if isinstance(value, Slot):
            return value.astype(dtype)
        if np.ndim(value):
            raise NoLoop("an array that is no argument")
        constant = np.asarray(value, dtype).tobytes()
        if (constant, dtype) not in self._known:
            self.dtypes.append(dtype)
            self._known[constant, dtype] = Slot(self, len(self.dtypes) - 1)
            self.constants[len(self.dtypes) - 1] = constant
        return self._known[constant, dtype]

    def perform(self, operation: Callable, inputs: Sequence[Any]) -> Any:
        """One operation of a program."""
        if not any(isinstance(x, Slot) for x in inputs):
            return operation(*inputs)
        return self._complex(*inputs) if operation is numpy_ops.join_complex else operation(*inputs)

    def _complex(self, re: Any, im: Any) -> Slot:
        double = np.dtype(np.float64)
        return self.own("complex d", [self.slot(re, double), self.slot(im, double)], np.complex128)

    def call(self, ufunc: np.ufunc, values: Sequence[Any]) -> Any:
        chosen = _resolved(ufunc, tuple(map(_type, values)))
        inputs = [self.slot(x, d) for x, d in zip(values, chosen, strict=False)]
        results = self.step(_loops.find(ufunc, chosen), ufunc.__name__, inputs, chosen[ufunc.nin :])
        return results[0] if ufunc.nout == 1 else tuple(results)

    def where(self, which: Any, yes: Any, no: Any) -> Slot:
        dtype = np.result_type(_weak(yes), _weak(no))
        inputs = [self.slot(which, np.dtype(bool)), self.slot(yes, dtype), self.slot(no, dtype)]
        return self.own(f"select {_char(dtype)}", inputs, dtype)


class Slot(NDArrayOperatorsMixin):
    """In the place of an array."""

    shape: tuple[int, ...] = ()

    def __init__(self, tape: Tape, number: int) -> None:
        self.tape, self.number = tape, number

    @property
    def dtype(self) -> np.dtype:
        return self.tape.dtypes[self.number]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            raise NoLoop(f"{ufunc.__name__}.{method} with {sorted(options)}")
        return self.tape.call(ufunc, inputs)

    def __array_function__(self, function: Callable, types: Any, args: tuple, options: dict) -> Any:
        if function in (np.real, np.imag):
            return getattr(self, function.__name__)
        if function is np.iscomplexobj:
            return self.dtype.kind == "c"
        if function is np.ones_like:
            return self.dtype.type(1)
        if function is np.clip and len(args) == 3:
            return np.minimum(np.maximum(args[0], args[1]), args[2])
        if function is not np.where or len(args) != 3 or options:
            raise NoLoop(function.__name__)
        return self.tape.where(*args)

    def __pow__(self, exponent: Any) -> Any:
        """As arrays have it: some powers are other ufuncs."""
        others = {0.5: np.sqrt, 1: np.positive, 2: np.square, -1: np.reciprocal}
        plain = type(exponent) in (int, float) and self.dtype.kind in "fc"
        return (
            others.get(exponent, lambda x: np.power(x, exponent))(self) if plain else np.power(self, exponent)
        )

    def astype(self, dtype: Any, copy: bool = True) -> Slot:
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        return self.tape.own(f"cast {_char(self.dtype)}{_char(dtype)}", [self], dtype)

    @property
    def real(self) -> Slot:
        return self._part("real", self)

    @property
    def imag(self) -> Any:
        return self._part("imag", self.dtype.type(0))

    def _part(self, name: str, of_real: Any) -> Any:
        if self.dtype.kind != "c":
            return of_real
        return self.tape.own(f"{name} {_char(self.dtype)}", [self], {8: "f", 16: "d"}[self.dtype.itemsize])

    def _looked_at(self, *_: Any) -> Any:
        raise NoLoop("a look at the numbers")

    __bool__ = __len__ = __iter__ = __getitem__ = __array__ = __float__ = __index__ = _looked_at  # type: ignore[assignment]


@functools.lru_cache(maxsize=4096)
def _resolved(ufunc: np.ufunc, given: tuple) -> tuple[np.dtype, ...]:
    try:
        return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))
    except TypeError as error:
        raise NoLoop(str(error)) from error


def _type(value: Any) -> Any:
    """What `resolve_dtypes` wants to know: Python's numbers have no width of their own."""
    return type(value) if type(value) in (int, float, complex) else np.result_type(_weak(value))


def _weak(value: Any) -> Any:
    return value.dtype if hasattr(value, "dtype") else value


def _char(dtype: np.dtype) -> str:
    """NumPy's character, one for each type: int64 has two."""
    return {"q": "l", "Q": "L"}.get(dtype.char, dtype.char)
