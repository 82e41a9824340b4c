"""What a program would compute twice it computes once: branches of one mask become one branch, sums over the same rows
one sum. So a value and its derivatives share what they have in common, inside of bodies too.

What a later body computes moves to the place of an earlier one, if all that it reads is there by then. Steps are left
out, none is another one, and terms are added up in the same order: so the bits stay as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hostwrap._native.steps import Body, Step

ROUNDS = 3  # what is found to be one may make others one; nearly all is found in the first

Sums = Callable[[Body], bool]  # whether all that a repetition does with what it carries on is to add to it


def fused(steps: Sequence[Step | Body], only_adds: Sums) -> tuple[list[Step | Body], dict[int, int]]:
    """The steps, and in place of which slots others are read now."""
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
    """The steps of a body, or of the program itself."""

    def __init__(self, only_adds: Sums, numbers: _Numbers, kept: frozenset[int] = frozenset()) -> None:
        self.only_adds, self.numbers = only_adds, numbers
        self.kept = kept  # slots that have a step of their own
        self.steps: list[Any] = []
        self.alias: dict[int, int] = {}
        self.known: dict[tuple, Sequence[int]] = {}
        self.place: dict[int, int] = {}  # of the step that writes a slot
        self.groups: dict[tuple, list[int]] = {}  # places of bodies that others may be joined with

    def through(self, steps: Iterable[Step | Body]) -> list[Step | Body]:
        for step in steps:
            self._add(_renumbered(step, self.of))
        for k in sorted(k for places in self.groups.values() for k in places):
            self.steps[k] = self._once(self._inside(_renumbered(self.steps[k], self.of)))
        return [_renumbered(step, self.of) for step in self.steps]

    def of(self, slot: int) -> int:
        while slot in self.alias:
            slot = self.alias[slot]
        return slot

    def _add(self, step: Any) -> None:
        group = self._group(step)
        if group is None:
            self._alone(step)
            return
        last = max((self.place.get(i, -1) for i in step.read), default=-1)
        for k in self.groups.get(group, ()):
            if last < k:
                self.steps[k] = _joined(self.steps[k], step)
                self.place.update(dict.fromkeys(step.written, k))
                return
        self.groups.setdefault(group, []).append(len(self.steps))
        self._append(step)

    def _group(self, step: Any) -> tuple | None:
        """What bodies have in common that may be one."""
        if isinstance(step, Step):
            return None
        if not step.bound:
            return (step.flag,)
        return (step.bound, *step.table) if self.only_adds(step) else None

    def _alone(self, step: Any) -> None:
        if isinstance(step, Step):
            key: tuple = (step.loop.name, *step.read)
        else:
            step = self._inside(step)
            key = (self.numbers.of(step), *map(tuple, step.seen))
        if key in self.known and not self.kept.intersection(step.written):
            self.alias.update(zip(step.written, self.known[key], strict=True))
            return
        self.known.setdefault(key, step.written)
        self._append(step)

    def _append(self, step: Step | Body) -> None:
        self.place.update(dict.fromkeys(step.written, len(self.steps)))
        self.steps.append(step)

    def _inside(self, body: Body) -> Body:
        """With its own steps fused."""
        level = _Level(self.only_adds, self.numbers, frozenset(body.results if body.bound else ()))
        carried = len(body.results) if body.bound else 0
        outer, inner = body.outer[:carried], body.inner[:carried]
        given: dict[int, int] = {}
        for a, b in zip(body.outer[carried:], body.inner[carried:], strict=True):
            if given.setdefault(a, b) != b:
                level.alias[b] = given[a]
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
        """That gives no result twice."""
        count = len(body.results)
        if body.bound:  # the same terms, added to the same
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
        some = lambda slots: [slots[k] for k in left]
        body = dataclasses.replace(
            body, results=some(body.results), targets=some(body.targets), others=some(body.others)
        )
        if body.bound:
            body.steps = [*body.steps[:-count], *some(adding)]
            body.outer = [*some(body.outer), *body.outer[count:]]
            body.inner = [*some(body.inner), *body.inner[count:]]
        return body


def _joined(one: Body, other: Body) -> Body:
    """What both do. What a sum adds up comes first among what it is given, and is added in its last steps."""
    count, more = (len(one.results), len(other.results)) if one.bound else (0, 0)
    given = dict(zip(one.outer[count:], one.inner[count:], strict=True))
    same = dict(zip([other.turn, *other.row], [one.turn, *one.row], strict=True)) if one.bound else {}
    for a, b in zip(other.outer[more:], other.inner[more:], strict=True):
        if given.setdefault(a, b) != b:
            same[b] = given[a]
    of: Callable[[int], int] = lambda slot: same.get(slot, slot)
    steps = [_renumbered(step, of) for step in other.steps]
    ends = len(one.steps) - count, len(steps) - more
    return dataclasses.replace(
        one,
        outer=[*one.outer[:count], *other.outer[:more], *given],
        inner=[*one.inner[:count], *other.inner[:more], *given.values()],
        steps=[*one.steps[: ends[0]], *steps[: ends[1]], *one.steps[ends[0] :], *steps[ends[1] :]],
        results=[*one.results, *map(of, other.results)],
        targets=[*one.targets, *other.targets],
        others=[*one.others, *other.others],
    )


def _renumbered(step: Any, of: Callable[[int], int]) -> Any:
    """With others in place of the slots that it reads."""
    if isinstance(step, Step):
        read = [of(i) for i in step.read]
        return step if read == step.read else Step(step.loop, read, step.written)
    flag = step.flag if step.bound else of(step.flag)
    return dataclasses.replace(
        step, flag=flag, outer=[of(i) for i in step.outer], others=[of(i) for i in step.others]
    )


class _Numbers:
    """What bodies compute, numbered."""

    def __init__(self) -> None:
        self.known: dict[tuple, int] = {}

    def of(self, body: Body) -> int:
        inner: Mapping[int, int] = {id(s): self.of(s) for s in body.steps if isinstance(s, Body)}
        return self.known.setdefault(body.inside(inner), len(self.known))
