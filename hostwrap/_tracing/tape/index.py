"""Reading and writing parts of an array, as linear maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Map, Node, Step, unbroadcast


def places_in(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape)


def may_repeat(key: Any) -> bool:
    """Whether an index can repeat a place: arrays of integers can, masks cannot."""
    if type(key) in (int, slice):
        return False
    return any(
        isinstance(k, np.ndarray) and k.dtype != bool for k in (key if isinstance(key, tuple) else (key,))
    )


def overlaps(part: Any) -> bool:
    """Whether two elements may share memory, as in sliding windows."""
    reach = part.itemsize
    for step, count in sorted((abs(s), n) for s, n in zip(part.strides, part.shape, strict=True) if n > 1):
        if step < reach:
            return True
        reach += step * (count - 1)
    return False


class Taken:
    """The edge of x[key]. A class of its own, not a `Step`, because loops make many of them."""

    __slots__ = ("key", "parent")
    within = None

    def __init__(self, parent: Node, key: Any) -> None:
        self.parent, self.key = parent, key

    def into(self, z: Any, c: Any) -> None:
        if may_repeat(self.key):
            np.add.at(z, self.key, c)
        else:
            z[self.key] += c

    def forward(self, t: Any) -> Any:
        return t.through(Map(self._to, self._back)) if hasattr(t, "through") else t[self.key]

    def backward(self, c: Any) -> Any:
        return c.through(Map(self._back, self._to)) if hasattr(c, "through") else self._back(c)

    def _to(self, t: Any) -> Any:
        return t[self.key]

    def _back(self, c: Any) -> Any:
        return into_zeros(self.into, self.parent.shape, c)


def into_zeros(into: Callable, shape: tuple[int, ...], c: Any) -> np.ndarray:
    z = np.zeros(shape, np.result_type(c, np.float64))
    into(z, c)
    return z


def written(
    old: Node | None, shape: tuple, part: Callable, key: Any, new: Node | None, is_complex: bool, level: int
) -> Node | None:
    """The maps of the assignment `part(x)[key] = y`, where the part is a view. The last of equal places counts."""

    def erase(t: Any) -> Any:
        z = np.array(t, order="C")
        part(z)[key] = 0
        return z

    def within(c: Any) -> Any:
        part(c)[key] = 0
        return c

    edges = []
    if new is not None:
        alive: Any = 1.0
        if may_repeat(key):
            mark = np.zeros(shape, np.int64)
            order = np.arange(np.size(part(mark)[key])).reshape(np.shape(part(mark)[key]))
            part(mark)[key] = order
            last = part(mark)[key] == order
            alive = 1.0 if last.all() else last * 1.0
        source = new.shape

        def insert(t: Any) -> Any:
            z = np.zeros(shape, np.result_type(t, np.float64))
            part(z)[key] = t
            return z

        def extract(c: Any) -> Any:
            return unbroadcast(part(c)[key] * alive, source)

        edges.append(Step(new, insert, extract))
    if old is not None and not (new is not None and key is Ellipsis and part is whole):
        edges.append(Step(old, erase, erase, within=within))
    return Node(shape, is_complex, level, edges) if edges else None


def whole(z: Any) -> Any:
    return z


def onto(x: Any) -> Callable:
    """The function from the whole array to its view x. If x gets another shape later, it stays what it is."""
    if x._base is None:
        return whole
    view, of_base = x._view, onto(x._base)
    return lambda z: view(of_base(z))


def part_of(x: Any, whole: Node) -> Node:
    """The node of a view x, as a step from that of the whole array."""
    view, shape = x._view, whole.shape

    def into(z: Any, c: Any) -> None:
        part = view(z)
        if np.may_share_memory(part, z) and part.flags.writeable and not overlaps(part):
            part += c
        else:
            places = np.unravel_index(view(places_in(shape)), (1, *shape))
            np.add.at(z[None], places, c)

    step = Step(whole, view, lambda c: into_zeros(into, shape, c), into=into)  # type: ignore[arg-type]
    return Node(x.shape, whole.complex, x.level, [step])
