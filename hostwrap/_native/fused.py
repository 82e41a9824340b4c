"""What a program need not compute again: common subexpressions, bodies included.

A value and its derivatives share what they both compute.

Branches with the same mask become one branch, sums over the same rows one sum, and repetitions that end in the same
turn one repetition. Two bodies can be joined if neither depends on the other; steps then move after what they read.
This only removes and moves steps, and keeps the order of each sum. So no bit of a result changes.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hostwrap._native.steps import Body, Step

ROUNDS = 3  # joined steps may make further steps equal; the first round finds nearly all

Sums = Callable[[Body], bool]  # whether a repetition is a sum, see `steps.only_adds`


def fused(steps: Sequence[Step | Body], only_adds: Sums) -> tuple[list[Step | Body], dict[int, int]]:
    """The fused steps, and a map from each removed slot to the one that replaces it."""
    alias: dict[int, int] = {}
    found, numbers = list(steps), _Numbers()
    for _ in range(ROUNDS):
        before = _size(found)
        level = _Level(only_adds, numbers)
        found = level.through(found)
        alias = {**{i: level.of(k) for i, k in alias.items()}, **{i: level.of(i) for i in level.alias}}
        if _size(found) == before:
            break
    return found, alias


def _size(steps: Iterable[Step | Body]) -> int:
    return sum(1 + _size(s.steps) if isinstance(s, Body) else 1 for s in steps)


class _Level:
    """Fuses the steps of the program, or of one body."""

    def __init__(self, only_adds: Sums, numbers: _Numbers, kept: frozenset[int] = frozenset()) -> None:
        self.only_adds, self.numbers = only_adds, numbers
        self.kept = kept  # slots that must keep a step of their own
        self.steps: list[Any] = []
        self.alias: dict[int, int] = {}
        self.known: dict[tuple, Sequence[int]] = {}
        self.groups: dict[tuple, list[int]] = {}  # indices of bodies that may be joined

    def through(self, steps: Iterable[Step | Body]) -> list[Step | Body]:
        for step in steps:
            self._add(_renumbered(step, self.alias))
        before = len(self.alias)
        self._join()
        if len(self.alias) == before:
            return self.steps
        return [_renumbered(step, self.alias) for step in self.steps]

    def of(self, slot: int) -> int:
        return _end_of(slot, self.alias)

    def _add(self, step: Any) -> None:
        key: tuple | None = None
        if isinstance(step, Step):
            key = (step.loop.name, *step.read)
        elif self._repeats(step):
            step = self._inside(step)
            key = (self.numbers.of(step), *map(tuple, step.seen))
        if key is not None:
            first = self.known.setdefault(key, step.written)
            if first is not step.written and self.kept.isdisjoint(step.written):
                self.alias.update(zip(step.written, first, strict=True))
                return
        group = self._group(step) if isinstance(step, Body) else None
        if group is not None:
            self.groups.setdefault(group, []).append(len(self.steps))
        self.steps.append(step)

    def _repeats(self, body: Body) -> bool:
        """Whether the body is a repetition, and no sum."""
        return bool(body.bound) and not self.only_adds(body)

    def _group(self, body: Body) -> tuple | None:
        """A key: bodies with different keys are never joined."""
        if not body.bound:
            return (body.flag,)
        if self._repeats(body):
            return None if body.row else ("turns", body.bound)
        return (body.bound, *body.table)

    def _join(self) -> None:
        """Join the bodies of each group that do not depend on each other, and sort the steps after what they read."""
        bodies = {k for places in self.groups.values() for k in places}
        groups = [places for places in self.groups.values() if len(places) > 1]
        places, joined = self._together(groups) if groups else (range(len(self.steps)), set())
        self.steps = [
            self._finished(self.steps[k], k in joined) if k in bodies else self.steps[k] for k in places
        ]

    def _together(self, groups: Sequence[Sequence[int]]) -> tuple[Sequence[int], set[int]]:
        """The order of the steps that are left, and which of them are joined.

        Of repetitions the last come first: theirs are the derivatives of the highest order, and what they depend on
        could otherwise have been joined with that of a lower order, of which they repeat all steps.
        """
        order = _Order(self.steps, sorted(k for places in groups for k in places))
        for places in groups:
            left = [*reversed(places)] if self._repeats(self.steps[places[0]]) else [*places]
            while left:
                k = left.pop(0)
                self.steps[k], taken = self._with(k, left, order)
                left = [other for other in left if other not in taken]
        return order.places(), set(order.into.values())

    def _with(self, k: int, others: Sequence[int], order: _Order) -> tuple[Body, set[int]]:
        """The body joined with all of the others that may be, and which these are."""
        body, taken = self.steps[k], []
        repeats = self._repeats(body)
        for other in others:
            if not order.free(k, other):
                continue
            if repeats:
                both = self._both(body, self.steps[other])
                if both is None:
                    continue
                body = both
            order.join(k, other)
            taken.append(other)
        if taken and not repeats:
            body = _joined([body, *(self.steps[other] for other in taken)])
        return body, set(taken)

    def _both(self, one: Body, other: Body) -> Body | None:
        """Two repetitions as one, if they end in the same turn."""
        numbers = self.numbers
        if numbers.of_first_end(one) != numbers.of_first_end(other):
            return None
        both = _joined([one, other])
        values = numbers.in_each_turn(both)
        return both if values.get(one.flag, one.flag) == values.get(other.flag, other.flag) else None

    def _finished(self, body: Any, joined: bool) -> Body:
        body = _renumbered(body, self.alias)
        if self._repeats(body):
            return self._inside(self._without_twins(body)) if joined else body
        return self._once(self._inside(body))

    def _without_twins(self, body: Body) -> Body:
        """The repetition without carried slots that equal another one in each turn."""
        values, count = self.numbers.in_each_turn(body), len(body.results)
        first: dict[Any, int] = {}
        same: dict[int, int] = {}
        for k, slot in enumerate(body.inner[:count]):
            if body.targets[k] in self.kept or first.setdefault(values[slot], k) == k:
                continue
            same[slot] = body.inner[first[values[slot]]]
            self.alias[body.targets[k]] = body.targets[first[values[slot]]]
        left = [k for k, slot in enumerate(body.inner[:count]) if slot not in same]
        steps = [_renumbered(step, same) for step in body.steps]
        return dataclasses.replace(body.only(left), flag=same.get(body.flag, body.flag), steps=steps)

    def _inside(self, body: Body) -> Body:
        """The body, with its own steps fused."""
        level = _Level(self.only_adds, self.numbers, frozenset(body.results if body.bound else ()))
        outer, inner = body.outer[: body.carried], body.inner[: body.carried]
        given = _given_once([body], level.alias)
        steps = level.through(body.steps)
        return dataclasses.replace(
            body,
            flag=level.of(body.flag) if body.bound else body.flag,
            outer=[*outer, *given],
            inner=[*inner, *given.values()],
            steps=steps,
            results=[level.of(i) for i in body.results],
        )

    def _once(self, body: Body) -> Body:
        """The body without duplicate results."""
        count = len(body.results)
        if body.bound:  # equal terms, added to equal start values
            adding = body.steps[-count:]
            keys = [(step.read[1], start) for step, start in zip(adding, body.outer, strict=False)]  # type: ignore[union-attr]
        else:
            keys = [(result, 0) for result in body.results]
        first: dict[tuple, int] = {}
        for k, row in enumerate(zip(keys, body.others, strict=True)):
            if body.targets[k] in self.kept or first.setdefault(row, k) == k:
                continue
            self.alias[body.targets[k]] = body.targets[first[row]]
        left = [k for k, target in enumerate(body.targets) if target not in self.alias]
        steps = [*body.steps[:-count], *(adding[k] for k in left)] if body.bound else body.steps
        return dataclasses.replace(body.only(left), steps=steps)


def _given_once(bodies: Sequence[Body], same: dict[int, int]) -> dict[int, int]:
    """What bodies read of the slots around them. Slots that have become one are given once: `same` tells which."""
    given: dict[int, int] = {}
    for body in bodies:
        for a, b in zip(body.outer[body.carried :], body.inner[body.carried :], strict=True):
            if given.setdefault(a, b) != b:
                same[b] = given[a]
    return given


def _joined(bodies: Sequence[Body]) -> Body:
    """One body that does what all do. In a sum the carried slots come first, and the last steps add to them."""
    one = bodies[0]
    same: dict[int, int] = {}
    for other in bodies[1:] if one.bound else ():
        same.update(zip([other.turn, *other.row], [one.turn, *one.row], strict=True))
    given = _given_once(bodies, same)
    of: Callable[[int], int] = lambda slot: same.get(slot, slot)
    outer: list[int] = []
    inner: list[int] = []
    steps: list[Step | Body] = []
    adding: list[Step | Body] = []
    for body in bodies:
        outer += body.outer[: body.carried]
        inner += body.inner[: body.carried]
        own = [_renumbered(step, same) for step in body.steps]
        end = len(own) - body.carried
        steps += own[:end]
        adding += own[end:]
    return dataclasses.replace(
        one,
        flag=of(one.flag) if one.bound else one.flag,
        outer=[*outer, *given],
        inner=[*inner, *given.values()],
        steps=[*steps, *adding],
        results=[of(i) for body in bodies for i in body.results],
        targets=[i for body in bodies for i in body.targets],
        others=[i for body in bodies for i in body.others],
    )


def _end_of(slot: int, alias: Mapping[int, int]) -> int:
    while slot in alias:
        slot = alias[slot]
    return slot


def _renumbered(step: Any, alias: Mapping[int, int]) -> Any:
    """The step, which reads `alias[i]` in place of the slot i."""
    if alias.keys().isdisjoint(step.read):
        return step
    return step.seen_from(lambda slot: _end_of(slot, alias))


class _Order:
    """The dependencies of the steps. For bodies that may be joined they are kept as bit sets."""

    def __init__(self, steps: Sequence[Step | Body], bodies: Sequence[int]) -> None:
        writer = {i: k for k, step in enumerate(steps) for i in step.written}
        self.needs = [{writer[i] for i in step.read if i in writer} for step in steps]
        self.bits = {k: 1 << n for n, k in enumerate(bodies)}
        self.into: dict[int, int] = {}  # the body that a joined body is part of
        before: list[int] = []
        for needs in self.needs:
            found = 0
            for k in needs:
                found |= before[k] | self.bits.get(k, 0)
            before.append(found)
        self.before = {k: before[k] for k in bodies}

    def free(self, k: int, other: int) -> bool:
        """Whether neither depends on the other."""
        return not (self.before[k] & self.bits[other] or self.before[other] & self.bits[k])

    def join(self, k: int, other: int) -> None:
        both, before = self.bits[k] | self.bits[other], self.before[k] | self.before[other]
        for body, found in self.before.items():
            if found & both:
                self.before[body] = found | both | before
        self.before[k] = self.before[other] = before
        self.needs[k] = self.needs[k] | self.needs[other]
        self.into[other] = k

    def places(self) -> list[int]:
        """The remaining steps in an order that respects dependencies, and otherwise the original one."""
        of: Callable[[int], int] = lambda k: self.into.get(k, k)
        left = {k: {of(i) for i in needs} for k, needs in enumerate(self.needs) if k not in self.into}
        waiting: dict[int, list[int]] = {}
        for k, needs in left.items():
            for i in needs:
                waiting.setdefault(i, []).append(k)
        ready, found = [k for k, needs in left.items() if not needs], []
        while ready:
            found.append(heapq.heappop(ready))
            for k in waiting.get(found[-1], ()):
                left[k].discard(found[-1])
                if not left[k]:
                    heapq.heappush(ready, k)
        return found


class _Numbers:
    """Numbers for values and for the contents of bodies: equal numbers mean equal values."""

    def __init__(self) -> None:
        self.known: dict[tuple, int] = {}
        self.ends: dict[tuple, int] = {}
        self.first_ends: dict[int, tuple[Body, Any]] = {}

    def of(self, body: Body) -> int:
        """The number of the content: what the steps compute, whatever numbers own slots have."""
        steps: dict[tuple, int] = {}
        own = [*body.inner, *([body.turn] if body.bound else ()), *body.row]
        values = self._values(body, {i: ("own", k) for k, i in enumerate(own)}, steps)
        ends = [*body.results, body.flag] if body.bound else body.results
        found = tuple([values.get(i, i) for i in ends])
        key = (body.bound, len(body.inner), found, tuple(body.table), tuple(steps))
        return self.known.setdefault(key, len(self.known))

    def of_first_end(self, body: Body) -> Any:
        """The value of the flag of a repetition after its first turn."""
        key = id(body)
        if key not in self.first_ends:
            starts = list(zip(body.outer, body.others, strict=False))
            value = self._in_turn(body, starts, self.ends).get(body.flag, body.flag)
            self.first_ends[key] = body, value  # keeps the body alive, so that its id stays unique
        return self.first_ends[key][1]

    def in_each_turn(self, body: Body) -> dict[int, Any]:
        """A value for each slot of a repetition: slots with the same value are equal in each turn.

        Carried slots with the same start value form a class. A class splits while its members are computed differently
        from the classes (Moore's minimization of automata).
        """
        classes: list[int] = _numbered(zip(body.outer, body.others, strict=False))
        while True:
            values = self._in_turn(body, classes, {})
            finer = _numbered(zip(classes, (values[i] for i in body.results), strict=True))
            if max(finer, default=0) == max(classes, default=0):
                return values
            classes = finer

    def _in_turn(self, body: Body, carried: Sequence[Any], known: dict[tuple, int]) -> dict[int, Any]:
        """The value of each slot in a turn of a repetition, given the values `carried`."""
        count = len(body.results)
        values: dict[int, Any] = {body.turn: ("turn",)}
        values |= {i: ("carried", x) for i, x in zip(body.inner[:count], carried, strict=True)}
        values |= {i: ("given", x) for i, x in zip(body.inner[count:], body.outer[count:], strict=True)}
        return self._values(body, values, known)

    def _values(self, body: Body, values: dict[int, Any], known: dict[tuple, int]) -> dict[int, Any]:
        """The value of each slot in a body, given some; `known` has a number for each step. A constant is itself."""
        of: Callable[[Iterable[int]], tuple] = lambda slots: tuple([values.get(i, i) for i in slots])
        for step in body.steps:
            if isinstance(step, Step):
                what: tuple = (step.loop.name, of(step.read))
            else:
                what = (self.of(step), *map(of, step.seen))
            number = known.setdefault(what, len(known))
            values |= {i: (number, k) for k, i in enumerate(step.written)}
        return values


def _numbered(items: Iterable[Any]) -> list[int]:
    """Numbers from 0; equal items get equal numbers."""
    known: dict[Any, int] = {}
    return [known.setdefault(item, len(known)) for item in items]
