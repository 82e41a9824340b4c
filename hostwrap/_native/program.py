"""From a tape to a program of the library: its text, the key of the text, and the memory layout.

The text names loops and has no addresses. It travels with the compiled program, so a process that reads a compiled
program from a file learns from the text what the key means. Such a text can only name loops that this process finds by
itself.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import itertools
import json
import timeit
from collections.abc import Mapping, Sequence

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._host import parallel
from hostwrap._host.layout import Shape
from hostwrap._native import library as _library
from hostwrap._native import loops as _loops
from hostwrap._native import steps as _steps
from hostwrap._native.arranged import chained, moved_out, needed
from hostwrap._native.fused import fused
from hostwrap._native.loops import Loop
from hostwrap._native.standins import Slot
from hostwrap._native.steps import Body, Step
from hostwrap._native.tape import Tape

_DTYPES = {np.dtype(c).str: np.dtype(c) for c in _loops.SHARED}
WORTHWHILE = 20e-6  # seconds of work that outweigh the start of a thread
FEW = 64  # this many elements never go to several threads
USUAL_TURNS = 16  # of a repetition, to estimate its cost
_OWN_COST = 1e-9  # seconds per element of a loop that only moves numbers


@dataclasses.dataclass(frozen=True)
class Assembled:
    """A registered program."""

    key: int
    text: str
    steps: tuple[Step | Body, ...]
    results: tuple[np.dtype, ...]

    @property
    def may_raise(self) -> bool:
        return any(row.loop.may_raise for row in _steps.rows(self.steps) if isinstance(row, Step))

    def run(self, arrays: Sequence[np.ndarray], shape: Shape) -> list[np.ndarray] | None:
        """Run the program in this thread on arrays of its dtypes; None if a loop raised, or memory was short."""
        operands = [*map(np.ascontiguousarray, arrays), *(np.empty(shape, dtype) for dtype in self.results)]
        rank = len(shape)
        sizes = [n for a in operands for n in ((1,) * (rank - a.ndim) + a.shape if rank else ())]
        addresses = [a.ctypes.data for a in operands]
        done = _library.library().hw_call(self.key, rank, _longs(sizes), _longs(addresses)) == 0
        return operands[len(arrays) :] if done else None

    def set_grain(self) -> None:
        """Measure the cost of one element, and set the number of elements that is worth a thread."""
        _library.library().hw_set_grain(self.key, grain(_cost_of(self.steps)))


def _longs(numbers: Sequence[int]) -> ctypes.Array:
    return (ctypes.c_int64 * len(numbers))(*numbers)


def assemble(tape: Tape, outputs: Sequence[Slot], dtypes: Sequence[np.dtype]) -> Assembled:
    """Register the program that computes these outputs in these dtypes."""
    adds = lambda body: _steps.only_adds(body, tape.constants)
    tape.steps[:], alias = fused(moved_out(tape.steps, tape.like), adds)
    outputs = [Slot(tape, alias.get(x.number, x.number)) if isinstance(x, Slot) else x for x in outputs]
    results = _outputs(tape, outputs, dtypes)
    tape.steps[:] = chained(needed(tape.steps, set(results)), adds)
    order = [*range(len(tape.inputs)), *results, *tape.constants]
    used = {i for row in _steps.rows(tape.steps) for i in row.slots}
    order += sorted(used - set(order))
    where = {number: i for i, number in enumerate(order)}
    steps = [s.renumbered(where).text() for s in tape.steps]
    types, constants = [tape.dtypes[i].str for i in order], [c.hex() for c in tape.constants.values()]
    description = Description(types, len(tape.inputs), len(outputs), constants, steps)
    return register(json.dumps(vars(description), separators=(",", ":")))


def key_of(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1  # a positive int64


@functools.lru_cache(maxsize=4096)
def register(text: str, foreign: bool = False) -> Assembled:
    """Register the program of this text with the library, under the key by which a compiled program calls it."""
    description = Description(**json.loads(text))

    def named(name: str) -> Loop:
        loop = _loops.named(name, foreign)
        if loop is None:
            where = " among those that a program from a file may name" if foreign else ""
            raise NoLoop(f"there is no loop {name}{where}")
        return loop

    steps = _steps.read(description.steps, named)
    program = _program(description, steps)
    program.key = key_of(text)
    if _library.library().hw_register(ctypes.byref(program)):
        raise NoLoop("no room for another program")
    results = description.types[description.inputs : description.operands]
    return Assembled(program.key, text, tuple(steps), tuple(_DTYPES[t] for t in results))


def _outputs(tape: Tape, outputs: Sequence[Slot], dtypes: Sequence[np.dtype]) -> list[int]:
    """The slot of each output. A slot that is an input, a constant or another output is copied."""
    numbers: list[int] = []
    for value, dtype in zip(outputs, dtypes, strict=True):
        slot = tape.slot(value, dtype)
        if slot.number in (*numbers, *range(len(tape.inputs)), *tape.constants):
            slot = tape.copy(slot)
        numbers.append(slot.number)
    return numbers


@dataclasses.dataclass
class Description:
    """The content of the text. Slots are numbered in this order: inputs, outputs, constants, temporaries."""

    types: Sequence[str]
    inputs: int
    outputs: int
    constants: Sequence[str]
    steps: Sequence

    @property
    def operands(self) -> int:
        return self.inputs + self.outputs

    @property
    def fixed(self) -> int:
        return self.operands + len(self.constants)


def _program(d: Description, steps: Sequence[Step | Body]) -> _library.Program:
    rows = _steps.rows(steps)
    contents = _check_slots(d)
    dtypes = [_DTYPES[t] for t in d.types]
    constants = range(d.operands, d.fixed)
    known = {*range(d.inputs), *constants}
    _steps.Check(dtypes, constants, d.fixed, set(known)).check(steps, known)
    if not known.issuperset(range(d.operands)):
        raise NoLoop("a result that nobody writes")
    places = _steps.Places(dtypes, d.fixed)
    places.find(steps)
    uses = [i for row in rows for i in row.slots]
    read = {i for row in rows for i in _read(row) if i in constants}
    return _library.Program(
        inputs=d.inputs, outputs=d.outputs, constants=len(contents), slots=len(dtypes), steps=len(rows),
        uses=len(uses), temporary=places.size, bodies=bool(places.numbers),
        read=max(read, default=d.operands - 1) + 1 - d.operands,
        may_raise=any(row.loop.may_raise for row in rows if isinstance(row, Step)),
        dtype=_library.array([_library.TYPES[d.name] for d in dtypes[: d.operands]]),
        slot=_library.array([*itertools.chain(*zip((d.itemsize for d in dtypes), places.told(), strict=True))]),
        step=_c_steps(rows, places, dict(zip(constants, contents, strict=True))),
        use=_library.array(uses),
        constant=b"".join(c.ljust(_library.CONSTANT, b"\0") for c in contents),
    )  # fmt: skip


def _read(row: Step | Body) -> Sequence[int]:
    """The slots that a step or a body reads, without the rows of a table."""
    return row.read if isinstance(row, Step) else [row.flag, *row.outer, *row.results, *row.others]


def _check_slots(d: Description) -> list[bytes]:
    """The constants as bytes. A text may come from a file, so this checks that numbers and sizes agree."""
    if not all(type(n) is int for n in (d.inputs, d.outputs)):
        raise NoLoop("a number that is no integer")
    if not set(d.types) <= set(_DTYPES):
        raise NoLoop("a type that XLA does not have")
    if len(d.types) > _library.MAX_SLOTS or d.operands > _library.MAX_OPERANDS:
        raise NoLoop("too many operands")
    too_long = any(len(c) > 2 * _library.CONSTANT for c in d.constants)
    if d.inputs < 0 or d.outputs < 1 or d.fixed > len(d.types) or too_long:
        raise NoLoop("operands and constants that do not fit in their slots")
    contents = [bytes.fromhex(c) for c in d.constants]
    truths = (c for t, c in zip(d.types[d.operands :], contents, strict=False) if _DTYPES[t].kind == "b")
    if not {b"\0", b"\1"}.issuperset(truths):
        raise NoLoop("a truth that is neither true nor false")
    return contents


def _c_steps(
    steps: Sequence[Step | Body], places: _steps.Places, constants: Mapping[int, bytes]
) -> ctypes.Array:
    rows, first, place = (_library.Step * len(steps))(), 0, iter(places.numbers)
    inside: dict[int, int] = {}  # how many rows each body has, by its id
    for step in reversed(steps):
        if isinstance(step, Body):
            inside[id(step)] = len(step.steps) + sum(inside.get(id(own), 0) for own in step.steps)
    for row, step in zip(rows, steps, strict=True):
        row.first, row.operands = first, len(step.slots)
        first += row.operands
        if isinstance(step, Step):
            row.function, row.data, row.inputs = step.loop.function, step.loop.data, len(step.read)
            row.own, row.single = all(i >= places.fixed for i in step.written), _single(step.loop.name)
        else:
            row.inputs, row.rows, row.body = len(step.outer), len(step.row), inside[id(step)]
            row.bound, row.place, row.sums = step.bound, next(place), _steps.only_adds(step, constants)
    return rows


@functools.cache
def _single(name: str) -> int:
    return _library.library().hw_single(name.encode())


def learn(key: int, text: str) -> None:
    """Register a program that came with a compiled one from a file, if the key matches the text."""
    if key != key_of(text):
        raise NoLoop("the program's text is not what its key was made of")
    program = register(text, foreign=True)
    if parallel.thread_count() > 1:
        program.set_grain()


# ---- the number of elements that is worth a thread


def grain(cost: float) -> int:
    """The least number of elements for one thread; `cost` is the time of one element in seconds."""
    return max(FEW, int(WORTHWHILE / cost))


def _cost_of(steps: Sequence[Step | Body]) -> float:
    total = 0.0
    for step in steps:
        if isinstance(step, Body):
            total += _cost_of(step.steps) * (min(step.bound, USUAL_TURNS) if step.bound else 1)
        else:
            ufunc, types = step.loop.ufunc, step.loop.types[: step.loop.inputs]
            total += cost(ufunc, types) if ufunc else _OWN_COST
    return total


@functools.lru_cache(maxsize=4096)
def cost(ufunc: np.ufunc, operands: tuple) -> float:
    """Seconds per element, measured once at ordinary arguments: the costs of loops differ by a factor of 1,000."""
    few = _time(ufunc, operands, 64)
    return (_time(ufunc, operands, 4096) / 4096) if few < WORTHWHILE else few / 64


def _time(ufunc: np.ufunc, operands: tuple, size: int) -> float:
    points = np.linspace(0.55, 2.45, size)
    args = [points.astype(dtype) for dtype in operands]
    with np.errstate(all="ignore"):
        return min(timeit.repeat(lambda: ufunc(*args), number=1, repeat=2))
