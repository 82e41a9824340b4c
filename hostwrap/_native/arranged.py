"""Which steps a program needs, where they stand, and in which order.

What is the same in each turn of a repetition is computed once, before the first one. A step whose result nobody reads
is left out. A step stands behind the one whose result it reads, where it can: the library has that result still at hand
(`single` in steps.c). No bit of a result depends on the order.
"""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Callable, Iterable, Sequence

from hostwrap._native.steps import Body, Step

Sums = Callable[[Body], bool]  # whether a repetition is a sum, see `steps.only_adds`


def needed(steps: Sequence[Step | Body], wanted: set[int]) -> list[Step | Body]:
    """The steps on which the slots `wanted` depend. Adds to `wanted` what these steps read."""
    found: list[Step | Body] = []
    for step in reversed(steps):
        if wanted.isdisjoint(step.written):
            continue
        if isinstance(step, Body):
            step = _needed_body(step, wanted)
        wanted.update(step.read)
        found.append(step)
    return found[::-1]


def _needed_body(body: Body, wanted: set[int]) -> Body:
    left = [k for k, target in enumerate(body.targets) if target in wanted]
    while True:
        inside = {body.results[k] for k in left} | ({body.flag} if body.bound else set())
        steps = needed(body.steps, inside)
        carried = [k for k in range(body.carried) if k in left or body.inner[k] in inside]
        if len(carried) <= len(left):
            break
        left = carried  # other carried slots depend on these
    body = body.only(left)
    given = [k for k, slot in enumerate(body.inner) if k < body.carried or slot in inside]
    rows = [k for k, slot in enumerate(body.row) if slot in inside]
    some: Callable[[Sequence[int], Iterable[int]], list[int]] = lambda slots, which: [slots[k] for k in which]
    return dataclasses.replace(
        body,
        steps=steps,
        outer=some(body.outer, given),
        inner=some(body.inner, given),
        row=some(body.row, rows),
        table=some(body.table, rows),
    )


def chained(steps: Sequence[Step | Body], only_adds: Sums) -> list[Step | Body]:
    """The steps in an order in which one that reads the result of another follows it at once, where it can."""
    writer = {i: k for k, step in enumerate(steps) for i in step.written}
    left = [{writer[i] for i in step.read if i in writer} for step in steps]
    readers: list[list[int]] = [[] for _ in steps]
    for k, needs in enumerate(left):
        for i in needs:
            readers[i].append(k)
    waiting = [k for k, needs in enumerate(left) if not needs]
    found: list[Step | Body] = []
    after: list[int] = []  # may follow now, and could not before
    while after or waiting:
        k = after.pop(0) if after else heapq.heappop(waiting)
        for other in after:
            heapq.heappush(waiting, other)
        after = []
        found.append(_inside(steps[k], only_adds))
        for other in readers[k]:
            left[other].discard(k)
            if not left[other]:
                after.append(other)
    return found


def _inside(step: Step | Body, only_adds: Sums) -> Step | Body:
    if not isinstance(step, Body):
        return step
    count = len(step.results) if step.bound and only_adds(step) else 0  # these add, and stay the last ones
    end = len(step.steps) - count
    return dataclasses.replace(step, steps=[*chained(step.steps[:end], only_adds), *step.steps[end:]])


def moved_out(steps: Sequence[Step | Body], new: Callable[[int], int]) -> list[Step | Body]:
    """The steps, those that are the same in each turn in front of their repetitions; `new(slot)` is one of its type.

    Each element goes through at least one turn, so nothing is computed that nobody needs. What stands inside of a
    branch stays there: it may be for other elements.
    """
    found: list[Step | Body] = []
    for step in steps:
        if isinstance(step, Body):
            step = dataclasses.replace(step, steps=moved_out(step.steps, new))
            if step.bound:
                before, step = _split(step, new)
                found += before
        found.append(step)
    return found


def _split(body: Body, new: Callable[[int], int]) -> tuple[list[Step | Body], Body]:
    """What is in front of a repetition now, and what is left of it."""
    count = body.carried
    outside = dict(zip(body.inner[count:], body.outer[count:], strict=True))
    of: Callable[[int], int] = lambda slot: outside.get(slot, slot)
    varying = {*body.inner[:count], body.turn, *body.row}
    own = {*body.results, body.flag}  # written in each turn, whatever it is
    before: list[Step | Body] = []
    left: list[Step | Body] = []
    for step in body.steps:
        if varying.intersection(step.read) or own.intersection(step.written):
            varying.update(step.written)
            left.append(step)
            continue
        outside |= {i: new(i) for i in step.written}
        before.append(step.seen_from(of, of))
    read = {i for step in left for i in step.read}.union([body.flag])
    given = [i for i in outside if i in read]
    return before, dataclasses.replace(
        body,
        outer=[*body.outer[:count], *(outside[i] for i in given)],
        inner=[*body.inner[:count], *given],
        steps=left,
    )
