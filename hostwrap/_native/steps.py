"""The parts of a program: steps, which call a loop on slots, and bodies, which run steps for some of the elements.

A body holds its steps as a nested list, so no number in the text of a program can jump into a body or out of it. It
reads constants and the slots that it is given, and nothing else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._native.loops import Loop

MAX_DEPTH = 16  # of nested bodies
NUMBERS = 16  # bytes in which a body keeps the index of one element
MAX_TURNS = 1 << 30  # of one repetition
MAX_CALLS = 1 << 31  # of loops for one block of elements: a program from a file must end within seconds


@dataclasses.dataclass
class Step:
    """A call of a loop: the slots that it reads, and those that it writes."""

    loop: Loop
    read: list[int]
    written: list[int]

    def renumbered(self, where: Mapping[int, int]) -> Step:
        return self.seen_from(where.__getitem__, where.__getitem__)

    def seen_from(self, read: Callable[[int], int], written: Callable[[int], int] = int) -> Step:
        """The step, which reads and writes slots of other numbers."""
        return Step(self.loop, [*map(read, self.read)], [*map(written, self.written)])

    def text(self) -> Any:
        return [self.loop.name, self.read, self.written]

    @property
    def slots(self) -> list[int]:
        return [*self.read, *self.written]


@dataclasses.dataclass
class Body:
    """Steps that run for some of the elements: a branch (`bound` is 0), or a repetition.

    The steps read the `outer` slots under the numbers `inner`. Their `results` go to the `targets`; an element without
    a result gets the value of `others`.

    A branch runs for the elements where `flag`, an outer slot, is true. A repetition runs for each element until its
    `flag`, an inner slot, is false, at most `bound` times; the results of a turn replace the first inner slots in the
    next turn. `turn` counts from 0. In turn t each slot of `row` has the t-th of consecutive constants, whose first is
    the slot in `table`. An element that needs more turns gets `others`.
    """

    flag: int
    outer: list[int]
    inner: list[int]
    steps: list[Step | Body]
    results: list[int]
    targets: list[int]
    others: list[int]
    bound: int = 0
    turn: int = 0
    row: list[int] = dataclasses.field(default_factory=list)
    table: list[int] = dataclasses.field(default_factory=list)

    def renumbered(self, where: Mapping[int, int]) -> Body:
        moved = {name: [where[i] for i in getattr(self, name)] for name in _LISTS}
        steps = [s.renumbered(where) for s in self.steps]
        turn = where[self.turn] if self.bound else 0
        return Body(where[self.flag], steps=steps, bound=self.bound, turn=turn, **moved)

    def seen_from(self, read: Callable[[int], int], written: Callable[[int], int] = int) -> Body:
        """The body, which reads and writes slots around it of other numbers; those inside of it stay."""
        of: dict[str, Any] = {name: [*map(read, getattr(self, name))] for name in ("outer", "others")}
        flag = self.flag if self.bound else read(self.flag)
        return dataclasses.replace(self, flag=flag, targets=[*map(written, self.targets)], **of)

    def text(self) -> Any:
        return {**vars(self), "steps": [s.text() for s in self.steps]}

    def only(self, left: Sequence[int]) -> Body:
        """The body with these results; a repetition carries on only their slots."""
        some = lambda slots: [slots[k] for k in left]
        fewer: dict[str, Any] = {name: some(getattr(self, name)) for name in ("results", "targets", "others")}
        if self.bound:
            lists = {name: getattr(self, name) for name in ("outer", "inner")}
            fewer |= {name: [*some(slots), *slots[self.carried :]] for name, slots in lists.items()}
        return dataclasses.replace(self, **fewer)

    @property
    def carried(self) -> int:
        """How many slots a repetition carries on from turn to turn: the first outer and inner ones."""
        return len(self.results) if self.bound else 0

    @property
    def seen(self) -> Sequence[Sequence[int]]:
        """The outer slots on which the results depend. Bodies with the same content and the same `seen` are equal."""
        return self.outer, self.others, [] if self.bound else [self.flag]

    @property
    def read(self) -> Sequence[int]:
        """The outer slots that it reads."""
        return [i for slots in self.seen for i in slots]

    @property
    def written(self) -> Sequence[int]:
        return self.targets

    @property
    def slots(self) -> list[int]:
        """All slots, in the order of hw_body in steps.c."""
        lists = (self.outer, self.inner, self.results, self.targets, self.others, self.row, self.table)
        return [self.flag, self.turn, *(i for some in lists for i in some)]


_LISTS = ("outer", "inner", "results", "targets", "others", "row", "table")


def read(text: Any, named: Callable[[str], Loop], depth: int = 0) -> list[Step | Body]:
    """The steps of a text. Raises `NoLoop` unless numbers are integers, lists are lists, and all loops exist."""
    if depth > MAX_DEPTH or type(text) is not list:
        raise NoLoop("steps that are no list, or too many within one another")
    steps: list[Step | Body] = []
    for item in text:
        if type(item) is dict:
            item = {**item, "steps": read(item.get("steps"), named, depth + 1)}
            body = Body(**item)
            if not all(type(getattr(body, name)) is list for name in _LISTS):
                raise NoLoop("slots that are no list")
            steps.append(body)
        else:
            name, inputs, outputs = item
            steps.append(Step(named(name), [*inputs], [*outputs]))
    for step in steps:
        bound = [step.bound] if isinstance(step, Body) else []
        if not all(type(n) is int for n in (*step.slots, *bound)):
            raise NoLoop("a number that is no integer")
    return steps


def rows(steps: Sequence[Step | Body]) -> list[Step | Body]:
    """All steps in the library's order: the steps of a body follow the body."""
    found: list[Step | Body] = []
    for step in steps:
        found.append(step)
        if isinstance(step, Body):
            found += rows(step.steps)
    return found


# ---- check a program that comes from a file


@dataclasses.dataclass
class Check:
    """Checks that loops get the dtypes of their names, bodies read only what they are given, and reads follow writes.

    A body owns temporaries only, the slots from `fixed` on; every step may read the `constants`.
    """

    dtypes: Sequence[np.dtype]
    constants: range
    fixed: int
    taken: set[int]  # slots that no step may write again

    def check(self, steps: Sequence[Step | Body], known: set[int], lowest: int = 0) -> int:
        """Check the steps; return how many loops they call. Adds what they write to `known`, the readable slots.

        A body writes to no slot below `lowest`.
        """
        calls = 0
        for step in steps:
            if not known.issuperset(step.read):
                raise NoLoop(f"{_name(step)} reads a slot that nobody has written")
            self._write(step.written, lowest, _name(step))
            calls += self._loop(step) if isinstance(step, Step) else self._body(step)
            known.update(step.written)
        if calls > MAX_CALLS:
            raise NoLoop("loops that would be called too often")
        return calls

    def _write(self, slots: Sequence[int], lowest: int, what: str) -> None:
        if not all(lowest <= i < len(self.dtypes) for i in slots):
            raise NoLoop(
                f"{what} writes to a slot that is not there, or none of its own: nobody has written it"
            )
        if self.taken.intersection(slots) or len(set(slots)) < len(slots):
            raise NoLoop(f"{what} writes to an argument, or twice")
        self.taken.update(slots)

    def _loop(self, step: Step) -> int:
        dtypes = [self.dtypes[i] for i in step.slots]
        if step.loop.inputs != len(step.read) or step.loop.types != tuple(dtypes):
            raise NoLoop(f"{_name(step)} does not take {[d.str for d in dtypes]}")
        return 1

    def _body(self, body: Body) -> int:
        if body.bound < 0 or body.bound > MAX_TURNS or (body.bound == 0 and body.turn != 0):
            raise NoLoop("a number of turns that is none")
        turn = [body.turn] if body.bound else []
        own = [*body.inner, *turn, *body.row]
        self._write(own, self.fixed, _name(body))
        inside = {*self.constants, *own}
        calls = self.check(body.steps, inside, self.fixed)
        if not inside.issuperset(body.results) or (body.bound and body.flag not in inside):
            raise NoLoop(f"{_name(body)} has results that nobody has written")
        if body.bound and self._not_their_own(body):
            raise NoLoop(f"{_name(body)} has results that are not its own")
        self._tables(body)
        types = lambda slots: [self.dtypes[i] for i in slots]
        fits = types(body.outer) == types(body.inner) and types(body.results) == types(body.targets)
        carried = body.inner[: len(body.results)] if body.bound else body.results
        fits = fits and types(body.results) == types(body.others) == types(carried)
        if not fits or self.dtypes[body.flag] != np.bool_ or types(turn) != [np.dtype(float)] * len(turn):
            raise NoLoop(f"{_name(body)} has slots of other types")
        return 1 + calls * max(1, body.bound)

    def _tables(self, body: Body) -> None:
        for slot, first in zip(body.row, body.table, strict=True):
            if not body.bound or first not in self.constants or first + body.bound > self.fixed:
                raise NoLoop(f"{_name(body)} has rows that are not there")
            if any(self.dtypes[first + t] != self.dtypes[slot] for t in range(body.bound)):
                raise NoLoop(f"{_name(body)} has rows of other types")

    @staticmethod
    def _not_their_own(body: Body) -> bool:
        """Whether the body does not write a result, or has it twice: results and carried slots swap their memory."""
        written = {i for step in body.steps for i in step.written}
        return not written.issuperset(body.results) or len(set(body.results)) < len(body.results)


def _name(step: Step | Body) -> str:
    return step.loop.name if isinstance(step, Step) else "a repetition" if step.bound else "a branch"


# ---- repetitions whose turns are independent


def only_adds(body: Body, constants: Mapping[int, bytes]) -> bool:
    """Whether the repetition is a sum: the last steps of a turn add to the carried slots, and nothing else reads these.

    Then the library computes many turns at once, and adds their terms up in order.
    """
    count = len(body.results)
    totals, adding, before = body.inner[:count], body.steps[-count:], body.steps[:-count]
    if body.flag not in body.row or len(adding) < count or not count:
        return False
    sums = [step for step in adding if isinstance(step, Step) and step.loop.name in _ADDS]
    terms = [step.read[1] for step in sums]
    expected = [([total, x], [y]) for total, x, y in zip(totals, terms, body.results, strict=False)]
    if len(sums) < count or [(step.read, step.written) for step in sums] != expected:
        return False
    own = {*totals, body.turn, *body.results}
    if own.intersection(terms) or any(own.intersection(step.read) for step in before):
        return False
    first = body.table[body.row.index(body.flag)]
    return all(constants[first + t] == bytes([t < body.bound - 1]) for t in range(body.bound))


_ADDS = ("numpy.add ddd", "numpy.add DDD")


# ---- the memory of temporaries


class Places:
    """The offset of each temporary, in bytes for one element. Temporaries that are not alive together share memory."""

    def __init__(self, dtypes: Sequence[np.dtype], fixed: int) -> None:
        self.dtypes, self.fixed = dtypes, fixed
        self.at, self.size = [0] * len(dtypes), 0
        self.numbers: list[int] = []  # the offset of the element indices of each body, in the order of `rows`
        self.moved: set[int] = set()  # the carried slots of repetitions: they swap memory after each turn
        self._free: dict[int, list[int]] = {}
        self._has: set[int] = set()

    def find(self, steps: Sequence[Step | Body], kept: frozenset[int] = frozenset()) -> None:
        """Place the temporaries of these steps. The surrounding body still needs the slots `kept` at their end."""
        last = {i: k for k, step in enumerate(steps) for i in (*step.read, *step.written)}
        for k, step in enumerate(steps):
            self._take(step.written)
            if isinstance(step, Body):
                own = frozenset([*step.inner, *step.row, *([step.turn, *step.results] if step.bound else [])])
                keep = own.union(step.results, [step.flag])
                self.moved.update(step.results if step.bound else ())
                self.numbers.append(self._new(NUMBERS))
                number = self.numbers[-1]
                self._take(own)
                self.find(step.steps, keep)
                self._drop(own | {i for s in step.steps for i in s.written if i in keep})
                self._free.setdefault(NUMBERS, []).append(number)
            self._drop({i for i in (*step.read, *step.written) if last[i] == k and i not in kept})

    def told(self) -> list[int]:
        """The offsets as hw_slot_kind in registry.h expects them."""
        places = [~at if i in self.moved else at for i, at in enumerate(self.at)]
        return [*[-1] * self.fixed, *places[self.fixed :]]

    def _take(self, slots: Sequence[int] | frozenset[int]) -> None:
        for i in sorted(slots):
            if i >= self.fixed and i not in self._has:
                self.at[i] = self._new(self.dtypes[i].itemsize)
                self._has.add(i)

    def _new(self, itemsize: int) -> int:
        if not self._free.get(itemsize):
            self._free[itemsize], self.size = [self.size], self.size + itemsize
        return self._free[itemsize].pop()

    def _drop(self, slots: set[int] | frozenset[int]) -> None:
        for i in slots & self._has:
            self._has.remove(i)
            self._free.setdefault(self.dtypes[i].itemsize, []).append(self.at[i])
