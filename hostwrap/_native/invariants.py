"""What is the same in each turn of a repetition is computed once, before the first one.

Each element goes through at least one turn, so nothing is computed that nobody needs. The loops and their numbers are
the same, and so are the bits. What stands inside of a branch stays there: it may be for other elements.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from hostwrap._native.steps import Body, Step


def moved_out(steps: Sequence[Step | Body], new: Callable[[int], int]) -> list[Step | Body]:
    """The steps, those that are the same in each turn in front of their repetitions; `new(slot)` is one of its type."""
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
    count = len(body.results)
    outside = dict(zip(body.inner[count:], body.outer[count:], strict=True))
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
        before.append(_from_outside(step, outside))
    read = {i for step in left for i in step.read}.union([body.flag])
    given = [i for i in outside if i in read]
    return before, dataclasses.replace(
        body,
        outer=[*body.outer[:count], *(outside[i] for i in given)],
        inner=[*body.inner[:count], *given],
        steps=left,
    )


def _from_outside(step: Step | Body, outside: Mapping[int, int]) -> Step | Body:
    """With the slots of the level around in place of those of the body; constants are their own everywhere."""
    of: Callable[[Sequence[int]], list[int]] = lambda slots: [outside.get(i, i) for i in slots]
    if isinstance(step, Step):
        return Step(step.loop, of(step.read), of(step.written))
    flag = step.flag if step.bound else outside.get(step.flag, step.flag)
    return dataclasses.replace(
        step, flag=flag, outer=of(step.outer), others=of(step.others), targets=of(step.targets)
    )
