"""Record a NumPy computation: the tape runs it on stand-ins for arrays, and notes each C loop that NumPy would call.

A `Slot` stands for an array (see `standins`). `branch` records a computation for the elements where a mask holds,
`repeat` a loop. What the tape cannot record raises `NoLoop`; then Python runs the computation.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._host import numpy_ops
from hostwrap._native import loops
from hostwrap._native.identities import shorter
from hostwrap._native.loops import Loop
from hostwrap._native.standins import Slot, Stack, char, copied, flat, resolved, type_of, unflat, weak
from hostwrap._native.steps import MAX_DEPTH, Body, Step

MAX_STEPS = 1 << 17  # stops recursion, which never ends by itself: the tape records both sides of a branch


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Stop garbage collection during a recording: all objects stay alive, and the search would take half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@functools.lru_cache(maxsize=4096)
def _resolved(ufunc: np.ufunc, given: tuple) -> tuple[tuple[np.dtype, ...], Loop | None]:
    """The dtypes in which NumPy computes, and the loop for them."""
    chosen = resolved(ufunc, given)
    return chosen, loops.find(ufunc, chosen)


class _Level:
    """The steps of the program, or of one body; `given` maps each outer slot that a body reads to its own copy."""

    def __init__(self, outside: _Level | None) -> None:
        self.outside = outside
        self.depth: int = outside.depth + 1 if outside else 0
        self.steps: list[Step | Body] = []
        self.known: dict[tuple, list[int]] = {}  # results of earlier steps
        self.given: dict[int, tuple[int, int]] = {}
        self.back: Slot | None = None  # a mask: the elements that Python has to compute


class Tape:
    """The recorded steps. Slots have numbers: the inputs come first, then constants and results as they appear.

    A program may leave some elements to Python. `may_hand_back` says whether its caller can do that.
    """

    def __init__(self, dtypes: Sequence[Any], may_hand_back: bool = False) -> None:
        self.may_hand_back = may_hand_back
        self.dtypes: list[np.dtype] = []
        self.constants: dict[int, bytes] = {}
        self._constants: dict[tuple, Slot] = {}
        self._tables: dict[tuple, int] = {}
        self._negated: dict[int, int] = {}  # the number of each slot that is -y, and of y
        self._program = self._level = _Level(None)
        self._levels: list[_Level | None] = []  # of each slot; None for a constant, which all levels see
        self._count = 0
        self.inputs = [self._new(d) for d in map(np.dtype, dtypes)]

    @property
    def steps(self) -> list[Step | Body]:
        return self._program.steps

    @property
    def back(self) -> Slot | None:
        """A mask of the elements for which Python computes all results; None if the program computes all elements."""
        return self._program.back

    def release(self) -> None:
        """Forget the slots, which refer to the tape: else garbage collection would look at all of its steps."""
        self.inputs.clear()
        self._constants.clear()
        self._levels.clear()
        self._program.back = None

    def hand_back(self, mask: Any) -> None:
        """Leave the elements where the mask holds to Python."""
        if not self.may_hand_back:
            raise NoLoop("elements that only Python can compute")
        back, mask = self._level.back, self.slot(mask, np.dtype(bool))
        self._level.back = mask if back is None else back | mask

    def either(self, first: Callable, second: Callable) -> Any:
        """Record the first function. If that fails, undo what it recorded, and record the second one."""
        level = self._level
        before = [*level.steps], dict(level.known), dict(level.given), level.back, self._count
        try:
            return first()
        except Exception:
            level.steps[:], level.known, level.given, level.back, self._count = before
            return second()

    def _new(self, dtype: np.dtype) -> Slot:
        self.dtypes.append(dtype)
        self._levels.append(self._level)
        return Slot(self, len(self.dtypes) - 1)

    def like(self, number: int) -> int:
        """The number of a new slot, of the type of this one."""
        return self._new(self.dtypes[number]).number

    def _seen(self, slot: Slot) -> int:
        """The number by which the current level reads the slot."""
        if slot.tape is not self:
            raise NoLoop("a number of another program")
        return self._seen_from(self._level, slot.number)

    def _seen_from(self, level: _Level | None, number: int) -> int:
        owner = self._levels[number]
        if owner is None or owner is level:
            return number
        if level is None:
            raise NoLoop("a number that belongs to a finished body")
        if number not in level.given:
            outer = self._seen_from(level.outside, number)
            before, self._level = self._level, level
            level.given[number] = (outer, self._new(self.dtypes[number]).number)
            self._level = before
        return level.given[number][1]

    def step(
        self, loop: Loop | None, what: str, inputs: Sequence[Slot], results: Sequence[np.dtype]
    ) -> list[Slot]:
        if loop is None:
            raise NoLoop(what)
        numbers, known = tuple(map(self._seen, inputs)), self._level.known
        found = known.get((loop.name, numbers))
        if found is None:
            found = known[loop.name, numbers] = self._append(loop, numbers, results)
        return [Slot(self, number) for number in found]

    def _append(self, loop: Loop, inputs: Sequence[int], results: Sequence[np.dtype]) -> list[int]:
        self._count += 1
        if self._count > MAX_STEPS:
            raise NoLoop("too many steps")
        numbers = [self._new(dtype).number for dtype in results]
        self._level.steps.append(Step(loop, [*inputs], numbers))
        return numbers

    def copy(self, x: Slot) -> Slot:
        """A new slot with the same numbers."""
        loop: Any = loops.named(f"select {char(x.dtype)}")
        which = self.slot(np.True_, np.dtype(bool))
        return Slot(self, *self._append(loop, [which.number, self._seen(x), self._seen(x)], [x.dtype]))

    def own(self, name: str, inputs: Sequence[Slot], result: Any) -> Slot:
        return self.step(loops.named(name), name, inputs, [np.dtype(result)])[0]

    def slot(self, value: Any, dtype: np.dtype) -> Slot:
        """The value as a slot of this dtype. A value that is no slot becomes a constant."""
        if isinstance(value, Slot):
            return value.astype(dtype)
        if np.ndim(value) or value is None:
            raise NoLoop("an array that is no argument" if np.ndim(value) else "None in place of a number")
        constant = np.asarray(value, dtype).tobytes()
        if (constant, dtype) not in self._constants:
            self._constants[constant, dtype] = self._constant(constant, dtype)
        return copied(self._constants[constant, dtype])

    def _constant(self, constant: bytes, dtype: np.dtype) -> Slot:
        slot = self._new(dtype)
        self._levels[slot.number] = None
        self.constants[slot.number] = constant
        return slot

    def _table(self, values: np.ndarray) -> int:
        """Store the values as consecutive constants; return the number of the first."""
        key = (values.dtype, values.tobytes())
        if key not in self._tables:
            slots = [self._constant(x.tobytes(), values.dtype) for x in values]
            self._tables[key] = slots[0].number
        return self._tables[key]

    def perform(self, operation: Callable, inputs: Sequence[Any]) -> Any:
        """Record one operation; without a slot among the inputs, compute it now."""
        if not any(isinstance(x, Slot) for x in inputs):
            return operation(*inputs)
        return (self.compose if operation is numpy_ops.join_complex else operation)(*inputs)

    def compose(self, re: Any, im: Any) -> Slot:
        """re + i im."""
        return self.own("complex d", [self.slot(x, np.dtype(np.float64)) for x in (re, im)], np.complex128)

    def call(self, ufunc: np.ufunc, values: Sequence[Any]) -> Any:
        if ufunc in _DECIDED and all(type_of(x) in (bool, np.dtype(bool)) for x in values):
            decided = _decided(_DECIDED[ufunc], *values)
            if decided is not None:
                return decided
        result = shorter(ufunc, values, self._negated)
        return self._called(ufunc, values) if result is None else result

    def _called(self, ufunc: np.ufunc, values: Sequence[Any]) -> Any:
        chosen, loop = _resolved(ufunc, tuple(map(type_of, values)))
        inputs = [
            x if type(x) is Slot and x.dtype is d else self.slot(x, d)
            for x, d in zip(values, chosen, strict=False)
        ]
        results = self.step(loop, ufunc.__name__, inputs, chosen[ufunc.nin :])
        if ufunc is np.negative:
            self._negated[results[0].number] = inputs[0].number
        return results[0] if ufunc.nout == 1 else tuple(results)

    def write(self, target: Any, result: Any) -> Any:
        """Record `target[...] = result`: from here on, `target` has the number of the result."""
        if not (isinstance(target, Slot) and isinstance(result, Slot)) or target.dtype != result.dtype:
            raise NoLoop("an array that is written to")
        target.number = result.number
        return target

    def stack(self, sizes: Sequence[int], value: Any) -> Stack:
        """A stack of this shape with the same number everywhere."""
        return Stack.full(self, sizes, value)

    def where(self, which: Any, yes: Any, no: Any) -> Slot:
        dtype = np.result_type(weak(yes), weak(no))
        inputs = [self.slot(which, np.dtype(bool)), self.slot(yes, dtype), self.slot(no, dtype)]
        return self.own(f"select {char(dtype)}", inputs, dtype)

    # ---- bodies

    @contextlib.contextmanager
    def _inside(self) -> Iterator[_Level]:
        around = self._level
        level = self._level = _Level(around)
        if level.depth >= MAX_DEPTH:
            raise NoLoop("too many bodies within one another")
        try:
            yield level
        finally:
            self._level = around

    def _add(self, level: _Level, body: Body) -> list[Slot]:
        """Add a finished body as a step of the level around it; return its targets."""
        for outer, inner in level.given.values():
            body.outer.append(outer)
            body.inner.append(inner)
        body.targets = [self._new(self.dtypes[i]).number for i in body.results]
        self._level.steps.append(body)
        return [Slot(self, number) for number in body.targets]

    def branch(
        self, mask: Any, function: Callable, inputs: Sequence[Any], others: Sequence[Any]
    ) -> list[Any]:
        """The results of `function(*inputs)`, a sequence, where the mask holds, and `others` elsewhere."""
        inside = lambda *numbers: flat(function(*unflat(numbers, inputs)))
        return unflat(self._branch(mask, inside, flat(inputs), flat(others)), others)

    def _branch(
        self, mask: Any, function: Callable, inputs: Sequence[Any], others: Sequence[Any]
    ) -> list[Any]:
        if not isinstance(mask, Slot):
            return list(map(copied, function(*map(copied, inputs)) if mask else others))
        flag = self._seen(mask)
        with self._inside() as level:
            values = list(function(*map(copied, inputs)))
            dtypes = [np.result_type(weak(x), weak(y)) for x, y in zip(values, others, strict=True)]
            if level.back is not None:
                values, others, dtypes = [*values, level.back], [*others, False], [*dtypes, np.dtype(bool)]
            results = [self._seen(self.slot(x, d)) for x, d in zip(values, dtypes, strict=True)]
        elsewhere = [self._seen(self.slot(x, d)) for x, d in zip(others, dtypes, strict=True)]
        targets = self._add(level, Body(flag, [], [], level.steps, results, [], elsewhere))
        if level.back is not None:
            self.hand_back(targets.pop())
        return targets

    def repeat(self, function: Callable, start: Sequence[Any], fixed: Sequence[Any], bound: int) -> list[Any]:
        """Repeat `*start, going = function(turn, *start, *fixed)` while going; NaN if that is after `bound` turns."""
        inside = lambda turn, *numbers: flat(function(turn, *unflat(numbers, start), *fixed))
        return unflat(self._repeat(inside, flat(start), bound), start)

    def _repeat(self, function: Callable, start: Sequence[Any], bound: int) -> list[Slot]:
        dtypes = [np.result_type(weak(x), np.float64) for x in start]
        with self._inside() as level:
            turn, carried = self._new(np.dtype(float)), list(map(self._new, dtypes))
            *values, going = function(turn, *carried)
            body = self._turns(level, turn, carried, values, self.slot(going, np.dtype(bool)), bound)
        return self._from(level, body, start, dtypes)

    def added(self, function: Callable, columns: Sequence[np.ndarray]) -> list[Slot]:
        """Sum each number of `function(*row)` over the rows of the columns, in the order of the rows."""
        columns = [*columns, np.arange(len(columns[0])) < len(columns[0]) - 1]
        with self._inside() as level:
            turn = self._new(np.dtype(float))
            *row, going = [self._new(column.dtype) for column in columns]
            terms = function(*row)
            dtypes = [np.result_type(weak(x), np.float64) for x in terms]
            carried = list(map(self._new, dtypes))
            totals = [self._called(np.add, pair) for pair in zip(carried, terms, strict=True)]
            body = self._turns(level, turn, carried, totals, going, len(columns[0]))
        body.row, body.table = [x.number for x in (*row, going)], list(map(self._table, columns))
        # -0.0 + x is x, also for -0.0
        nothing = [complex(-0.0, -0.0) if d.kind == "c" else -0.0 for d in dtypes]
        return self._from(level, body, nothing, dtypes)

    def _turns(
        self,
        level: _Level,
        turn: Slot,
        carried: Sequence[Slot],
        values: Sequence[Any],
        going: Slot,
        bound: int,
    ) -> Body:
        """Finish the body of a repetition. `_from` adds the start values."""
        if level.back is not None:
            raise NoLoop("elements that only Python can compute, in a repetition")
        written = {i for step in level.steps for i in step.written}
        results: list[int] = []
        for x, old in zip(values, carried, strict=True):
            if np.result_type(weak(x), old.dtype) != old.dtype:
                raise NoLoop("numbers that change their type from turn to turn")
            number = self._seen(self.slot(x, old.dtype))
            if number not in written or number in results:
                number = self.copy(Slot(self, number)).number
            results.append(number)
        inner = [x.number for x in carried]
        return Body(self._seen(going), [], inner, level.steps, results, [], [], bound, turn.number)

    def _from(
        self, level: _Level, body: Body, start: Sequence[Any], dtypes: Sequence[np.dtype]
    ) -> list[Slot]:
        body.outer = [self._seen(self.slot(x, d)) for x, d in zip(start, dtypes, strict=True)]
        body.others = [self.slot(np.nan, d).number for d in dtypes]
        return self._add(level, body)


# the known operand that decides the result: `False & mask` is False, so the tape records nothing
_DECIDED: dict[np.ufunc, bool] = {
    **dict.fromkeys((np.bitwise_and, np.logical_and), False), **dict.fromkeys((np.bitwise_or, np.logical_or), True)
}  # fmt: skip


def _decided(deciding: bool, x: Any, y: Any) -> Any:
    """The result if one operand is a known truth value; else None."""
    for known, other in ((x, y), (y, x)):
        if not isinstance(known, Slot):
            return np.bool_(deciding) if known == deciding else copied(other)
    return None
