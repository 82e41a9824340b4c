"""From a tape to a program of the library: which slot lies where, and the key that says what the program is."""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
from collections.abc import Sequence

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._native import _library, _threads
from hostwrap._native._tape import Slot, Step, Tape

# XLA_FFI_DataType
_XLA = {"?": 1, "b": 2, "h": 3, "i": 4, "l": 5, "q": 5, "B": 6, "H": 7, "I": 8, "L": 9, "Q": 9}
_XLA |= {"f": 11, "d": 12, "F": 15, "D": 18}
_OWN_COST = 1e-9  # seconds for an element, of a loop that only moves numbers


@dataclasses.dataclass(frozen=True)
class Assembled:
    """A registered program, and what an element of it costs."""

    key: int
    loops: tuple

    def cost(self) -> float:
        """Seconds for one element, all steps together."""
        return sum(_threads.cost(*loop) if loop else _OWN_COST for loop in self.loops)


def assemble(tape: Tape, outputs: Sequence[Slot], dtypes: Sequence[np.dtype]) -> Assembled:
    """Register the program that computes these outputs, in these types."""
    order = [*range(len(tape.inputs)), *_outputs(tape, outputs, dtypes), *tape.constants]
    order += sorted(set(range(len(tape.dtypes))) - set(order))
    if len(order) > _library.MAX_SLOTS or len(tape.inputs) + len(outputs) > _library.MAX_OPERANDS:
        raise NoLoop("too many operands")
    program, text = _program(tape, order, len(outputs))
    program.key = (
        int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1
    )  # a positive int64
    if any(d.char not in _XLA for d in (*[x.dtype for x in tape.inputs], *dtypes)):
        raise NoLoop("a type that XLA does not have")
    if _library.library().hw_register(ctypes.byref(program)):
        raise NoLoop("no room for another program")
    loops = [
        (s.loop.ufunc, tuple(tape.dtypes[i] for i in s.inputs)) if s.loop.ufunc else None for s in tape.steps
    ]
    return Assembled(program.key, tuple(loops))


def _outputs(tape: Tape, outputs: Sequence[Slot], dtypes: Sequence[np.dtype]) -> list[int]:
    """The slot of each output, written by a step and for this output alone: else it is a copy."""
    numbers: list[int] = []
    for value, dtype in zip(outputs, dtypes, strict=True):
        slot = tape.slot(value, dtype)
        if slot.number in (*numbers, *range(len(tape.inputs)), *tape.constants):
            copied = tape.where(np.True_, slot, slot)
            slot = copied
        numbers.append(slot.number)
    return numbers


def _program(tape: Tape, order: list[int], outputs: int) -> tuple[_library.Program, str]:
    inputs, constants = len(tape.inputs), len(tape.constants)
    where = {number: i for i, number in enumerate(order)}
    steps = [Step(s.loop, _renamed(s.inputs, where), _renamed(s.outputs, where)) for s in tape.steps]
    places, temporary = _places(tape, order, inputs + outputs + constants, steps)
    uses = [i for s in steps for i in (*s.inputs, *s.outputs)]
    constant = b"".join(c.ljust(_library.CONSTANT, b"\0") for c in tape.constants.values())
    types = [tape.dtypes[i] for i in order]
    program = _library.Program(
        inputs=inputs, outputs=outputs, constants=constants, slots=len(order), steps=len(steps),
        uses=len(uses), temporary=temporary,
        dtype=_library.array([_XLA.get(d.char, 0) for d in types[: inputs + outputs]]),
        itemsize=_library.array([d.itemsize for d in types]),
        place=_library.array(places), step=_steps(steps), use=_library.array(uses), constant=constant,
    )  # fmt: skip
    lines = [f"{s.loop.name} {s.inputs} {s.outputs}" for s in steps]
    head = f"{np.dtype(np.intp).itemsize} {inputs} {outputs} {[d.str for d in types]} {constant.hex()}"
    return program, "\n".join([head, *lines])


def _renamed(numbers: Sequence[int], where: dict[int, int]) -> tuple[int, ...]:
    return tuple(where[i] for i in numbers)


def _steps(steps: Sequence[Step]) -> ctypes.Array:
    rows, first = (_library.Step * len(steps))(), 0
    for row, s in zip(rows, steps, strict=True):
        row.function, row.data, row.first = s.loop.function, s.loop.data, first
        row.inputs, row.operands = len(s.inputs), len(s.inputs) + len(s.outputs)
        first += row.operands
    return rows


def _places(tape: Tape, order: list[int], fixed: int, steps: Sequence[Step]) -> tuple[list[int], int]:
    """Where each temporary lies, in bytes for one element; a place that nobody needs any more is used again."""
    last = {i: k for k, s in enumerate(steps) for i in (*s.inputs, *s.outputs)}
    places, size, free = [0] * len(order), 0, dict[int, list[int]]()
    for k, s in enumerate(steps):
        for i in s.outputs:
            if i >= fixed:
                itemsize = tape.dtypes[order[i]].itemsize
                if not free.get(itemsize):
                    free[itemsize], size = [size], size + itemsize
                places[i] = free[itemsize].pop()
        for i in {*s.inputs, *s.outputs}:
            if i >= fixed and last[i] == k:
                free.setdefault(tape.dtypes[order[i]].itemsize, []).append(places[i])
    return places, size
