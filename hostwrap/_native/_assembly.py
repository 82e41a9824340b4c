"""From a tape to a program of the library: a text that says what it is, the key of the text, and what lies where.

The text names loops; it has no addresses. So a process that reads a compiled program from a file can learn from the
text, which travels with it, what the key means, and it can only ever mean loops that this process finds itself.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._native import _library, _loops, _threads
from hostwrap._native._tape import Slot, Tape

_DTYPES = {np.dtype(c).str: np.dtype(c) for c in _loops.SHARED}
_OWN_COST = 1e-9  # seconds for an element, of a loop that only moves numbers


@dataclasses.dataclass(frozen=True)
class Assembled:
    """A registered program."""

    key: int
    text: str
    loops: tuple[tuple[np.ufunc, tuple] | None, ...]

    def cost(self) -> float:
        """Seconds for one element, all steps together."""
        return sum(_threads.cost(*loop) if loop else _OWN_COST for loop in self.loops)


def assemble(tape: Tape, outputs: Sequence[Slot], dtypes: Sequence[np.dtype]) -> Assembled:
    """Register the program that computes these outputs, in these types."""
    order = [*range(len(tape.inputs)), *_outputs(tape, outputs, dtypes), *tape.constants]
    order += sorted(set(range(len(tape.dtypes))) - set(order))
    where = {number: i for i, number in enumerate(order)}
    steps = [[s.loop.name, [where[i] for i in s.inputs], [where[i] for i in s.outputs]] for s in tape.steps]
    description = {
        "types": [tape.dtypes[i].str for i in order],
        "inputs": len(tape.inputs),
        "outputs": len(outputs),
        "constants": [c.hex() for c in tape.constants.values()],
        "steps": steps,
    }
    text = json.dumps(description, separators=(",", ":"))
    loops = [
        (s.loop.ufunc, tuple(tape.dtypes[i] for i in s.inputs)) if s.loop.ufunc else None for s in tape.steps
    ]
    return Assembled(register(text), text, tuple(loops))


def key_of(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1  # a positive int64


@functools.lru_cache(maxsize=4096)
def register(text: str) -> int:
    """Make the program known to the library; the key by which a compiled program names it."""
    program = _program(**json.loads(text))
    program.key = key_of(text)
    if _library.library().hw_register(ctypes.byref(program)):
        raise NoLoop("no room for another program")
    return program.key


def _outputs(tape: Tape, outputs: Sequence[Slot], dtypes: Sequence[np.dtype]) -> list[int]:
    """The slot of each output, written by a step and for this output alone: else it is a copy."""
    numbers: list[int] = []
    for value, dtype in zip(outputs, dtypes, strict=True):
        slot = tape.slot(value, dtype)
        if slot.number in (*numbers, *range(len(tape.inputs)), *tape.constants):
            slot = tape.copy(slot)
        numbers.append(slot.number)
    return numbers


def _program(
    types: Sequence[str], inputs: int, outputs: int, constants: Sequence[str], steps: Sequence
) -> _library.Program:
    if not set(types) <= set(_DTYPES):
        raise NoLoop("a type that XLA does not have")
    dtypes, fixed = [_DTYPES[t] for t in types], inputs + outputs + len(constants)
    if len(types) > _library.MAX_SLOTS or inputs + outputs > _library.MAX_OPERANDS:
        raise NoLoop("too many operands")
    if (
        inputs < 0
        or outputs < 1
        or fixed > len(types)
        or any(len(c) > 2 * _library.CONSTANT for c in constants)
    ):
        raise NoLoop("operands and constants that do not fit in their slots")
    _check(dtypes, inputs, outputs, len(constants), steps)
    places, temporary = _places(dtypes, fixed, steps)
    uses = [i for _, ins, outs in steps for i in (*ins, *outs)]
    return _library.Program(
        inputs=inputs, outputs=outputs, constants=len(constants), slots=len(types), steps=len(steps),
        uses=len(uses), temporary=temporary, may_raise=_may_raise(steps),
        dtype=_library.array([_library.TYPES[d.name] for d in dtypes[: inputs + outputs]]),
        itemsize=_library.array([d.itemsize for d in dtypes]),
        place=_library.array(places), step=_steps(steps), use=_library.array(uses),
        constant=b"".join(bytes.fromhex(c).ljust(_library.CONSTANT, b"\0") for c in constants),
    )  # fmt: skip


def _check(dtypes: Sequence[np.dtype], inputs: int, outputs: int, constants: int, steps: Sequence) -> None:
    """A text may come from a file: loops get what their names say, and all that is read has been written."""
    fixed = range(inputs + outputs, inputs + outputs + constants)
    known = {*range(inputs), *fixed}
    for name, ins, outs in steps:
        loop = _loops.named(name)
        slots = [*ins, *outs]
        if not all(0 <= i < len(dtypes) for i in slots) or not known.issuperset(ins):
            raise NoLoop(f"{name} reads a slot that nobody has written")
        if loop is None or loop.inputs != len(ins) or loop.types != tuple(dtypes[i] for i in slots):
            raise NoLoop(f"{name} does not take {[dtypes[i].str for i in slots]}")
        if known.intersection(outs) or len(set(outs)) < len(outs):
            raise NoLoop(f"{name} writes to an argument, or twice")
        known.update(outs)
    if not known.issuperset(range(inputs + outputs)):
        raise NoLoop("a result that nobody writes")


def _may_raise(steps: Sequence) -> bool:
    loops: list[Any] = [_loops.named(name) for name, _, _ in steps]
    return any(loop.may_raise for loop in loops)


def _steps(steps: Sequence) -> ctypes.Array:
    rows, first = (_library.Step * len(steps))(), 0
    for row, (name, inputs, outputs) in zip(rows, steps, strict=True):
        loop: Any = _loops.named(name)
        row.function, row.data, row.first = loop.function, loop.data, first
        row.inputs, row.operands = len(inputs), len(inputs) + len(outputs)
        first += row.operands
    return rows


def _places(dtypes: Sequence[np.dtype], fixed: int, steps: Sequence) -> tuple[list[int], int]:
    """Where each temporary lies, in bytes for one element; a place that nobody needs any more is used again."""
    last = {i: k for k, (_, ins, outs) in enumerate(steps) for i in (*ins, *outs)}
    places, size, free = [0] * len(dtypes), 0, dict[int, list[int]]()
    for k, (_, ins, outs) in enumerate(steps):
        for i in outs:
            if i >= fixed:
                itemsize = dtypes[i].itemsize
                if not free.get(itemsize):
                    free[itemsize], size = [size], size + itemsize
                places[i] = free[itemsize].pop()
        for i in {*ins, *outs}:
            if i >= fixed and last[i] == k:
                free.setdefault(dtypes[i].itemsize, []).append(places[i])
    return places, size


def learn(key: int, text: str) -> None:
    """Register a program that came with a compiled one from a file, if the key is the text's."""
    if key != key_of(text):
        raise NoLoop("the program's text is not what its key was made of")
    register(text)
