"""The graph of a recorded computation: each node has edges, the linear maps from the values that it was computed from.

Tangents go forward through the graph, cotangents backward. Both are NumPy arrays, or arrays on an outer tape, when this
tape is itself differentiated.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

lost: contextvars.ContextVar[list] = contextvars.ContextVar("hostwrap_lost")
"""The errors of this recording that C code was given where it asked for numbers. It may drop them."""
keys: contextvars.ContextVar[list] = contextvars.ContextVar("hostwrap_keys")
"""What this recording saw that may have found a result of an earlier call: a number that was equal to another one, that
was hashed, or made a whole one."""
next_number = functools.partial(next, itertools.count())
"""Of nodes and tests: when they came."""
current_level: contextvars.ContextVar[int] = contextvars.ContextVar("hostwrap_tape", default=0)
"""The number of the tape that new arrays are on."""
WHERE = "where"
careful: contextvars.ContextVar[Any] = contextvars.ContextVar("hostwrap_careful", default=None)
"""In a sweep that is repeated because of NaN: where the result moves and is used, or WHERE, if that is asked."""
_random = np.random.default_rng(0)


def generic(t: Any) -> Any:
    """Multiply by random numbers, which do not cancel. They stand for partial derivatives that are not 0."""
    return t * _random.uniform(1, 2, np.shape(t))


NUMBERS = (float, np.float64)
"""Of double precision; nobody can write to them."""
DOUBLE = np.dtype(float)


def is_inexact(value: Any) -> bool:
    return (
        getattr(getattr(value, "dtype", None), "kind", "f" if type(value) in (float, complex) else "") in "fc"
    )


def bare(x: Any) -> Any:
    """The numbers of an array that may record, on any tape."""
    while hasattr(x, "value"):
        x = x.value
    return x


def is_moving(x: Any) -> bool:
    """Whether it moves on some tape."""
    while hasattr(x, "node"):
        if x.node is not None:
            return True
        x = x.value
    return False


def as_now(x: Any) -> Any:
    """The array as it is now, with its derivatives: the code may go on writing to it."""
    return x.now() if hasattr(x, "now") else x.copy() if type(x) is np.ndarray else x


def kept(x: Any) -> Any:
    """The value as it is now, for a derivative that is computed later: code may go on writing to an array or a list.

    An array that records need not be copied: a write to it makes the copy.
    """
    if issubclass(type(x), np.ndarray):  # an array that records is none, though `isinstance` says so
        if hasattr(type(x), "stands_for"):
            return np.array(x, order="K")  # NumPy's own
        return x.copy(order="K") if x.ndim and (x.flags.writeable or x.base is not None) else x
    if type(x) is list or type(x) is tuple:
        return type(x)(map(kept, x))
    return {k: kept(v) for k, v in x.items()} if type(x) is dict else x


keeping: contextvars.ContextVar[bool] = contextvars.ContextVar("hostwrap_keeping", default=False)
"""Whether nodes keep their values."""


class Edge:
    """The derivative in one operand: `forward` maps tangents, `backward`, its transpose, maps cotangents.

    `into(total, c)` adds `backward(c)` to `total` in place; `within(c)` is `backward(c)`, and may overwrite c. If a
    loop goes through an array by elements, these cost as much as one element, not as much as the array.
    """

    __slots__ = ("backward", "forward", "into", "parent", "within")

    def __init__(self, parent: Node, forward: Callable[[Any], Any], backward: Callable[[Any], Any]) -> None:
        self.parent, self.forward, self.backward = parent, forward, backward
        self.into = self.within = None


class Step:
    """An edge of two functions of plain arrays that are independent of the numbers; it is one step on an outer tape."""

    __slots__ = ("back", "into", "parent", "to", "within")

    def __init__(
        self, parent: Node, to: Callable, back: Callable, into: Any = None, within: Any = None
    ) -> None:
        self.parent, self.to, self.back, self.into, self.within = parent, to, back, into, within

    def forward(self, t: Any) -> Any:
        return t.through(Map(self.to, self.back)) if hasattr(t, "through") else self.to(t)

    def backward(self, c: Any) -> Any:
        return c.through(Map(self.back, self.to)) if hasattr(c, "through") else self.back(c)


class Node:
    """A value on the tape."""

    __slots__ = ("complex", "edges", "level", "made", "number", "shape", "value")

    def __init__(
        self,
        shape: tuple[int, ...],
        is_complex: bool,
        level: int,
        edges: Sequence[Edge | Step] = (),
        value: Any = None,
    ) -> None:
        self.shape, self.complex, self.level, self.edges = shape, is_complex, level, tuple(edges)
        self.number, self.value = next_number(), value if keeping.get() else None
        self.made: Any = None
        """In a `Log`: (function, nodes of its operands or None, their values), or (None, (), value)."""


class Map:
    """A linear map that is independent of the numbers. It is one step on an outer tape, too."""

    def __init__(self, to: Callable[[Any], Any], back: Callable[[Any], Any]) -> None:
        self.to, self.back = to, back

    def __call__(self, x: Any) -> Any:
        return x.through(self) if hasattr(x, "through") else self.to(x)

    @property
    def transpose(self) -> Map:
        return Map(self.back, self.to)


def reachable(nodes: Sequence[Node | None]) -> list[Node]:
    """These nodes, and all that they were computed from, in the order of computation."""
    found: dict[int, Node] = {}
    waiting = [node for node in nodes if node is not None]
    while waiting:
        node = waiting.pop()
        if node.number not in found:
            found[node.number] = node
            waiting += [e.parent for e in node.edges]
    return [found[number] for number in sorted(found)]


def forward(
    results: Sequence[Node | None], tangents: Mapping[Node, Any], own: Callable[[Any], Any] | None = None,
    noted: dict[Node, Any] | None = None, support: Mapping[Node, Any] | None = None,
) -> list:  # fmt: skip
    """The tangent of each result.

    None for a constant. `own` holds extra tangents, which are added to those of nodes.
    """
    known: dict[Node, Any] = dict(tangents)
    for node in reachable(results):
        if support is not None:
            careful.set(support.get(node))
        parts = [e.forward(known[e.parent]) for e in node.edges if e.parent in known]
        if own is not None and node.value is not None and node.edges:
            parts.append(own(node.value))
        if parts:
            total = sum(parts[1:], parts[0])
            known[node] = total if np.shape(total) == node.shape else np.broadcast_to(total, node.shape)
        if noted is not None:
            noted[node] = np.not_equal(known.get(node, 0.0), 0)
    return [None if node is None else known.get(node) for node in results]


def carefully(
    sweep: Callable[..., list], results: Sequence[Node | None], sources: Sequence[Node], *given: Any
) -> list:
    """A sweep for infinite derivatives that meet a 0: constants and branches that are not taken count as 0, not NaN.

    A product with a mask, `numpy.where` and `numpy.maximum` say what is not taken. A tangent or a cotangent that
    happens to be 0 does not count, because the limit may differ from 0. Random numbers in place of all partial
    derivatives distinguish the two, forward and backward.
    """
    ones = lambda node: None if node is None else generic(np.ones(node.shape))
    moves: dict[Node, Any] = {}
    used: dict[Node, Any] = {}
    token = careful.set(WHERE)
    try:
        forward(results, {node: ones(node) for node in sources}, noted=moves)
        backward(results, list(map(ones, results)), sources, noted=used)
        support = {node: used.get(node, False) & moves[node] for node in moves}
        return sweep(results, *given, support=support)
    finally:
        careful.reset(token)


def moving(results: Sequence[Node | None], sources: Sequence[Node]) -> list:
    """Which elements of the results depend on a source, whatever the partial derivatives are."""
    token = careful.set(WHERE)
    try:
        found = forward(results, {node: generic(np.ones(node.shape)) for node in sources})
    finally:
        careful.reset(token)
    return [np.array(False) if t is None else np.not_equal(t, 0) for t in found]


def backward(
    results: Sequence[Node | None], cotangents: Sequence[Any], sources: Sequence[Node],
    noted: dict[Node, Any] | None = None, support: Mapping[Node, Any] | None = None,
) -> list:  # fmt: skip
    """The cotangent of each source; None if no result depends on it."""
    totals: dict[Node, Any] = {}
    wanted = set(sources)
    own: set[Node] = set()  # whose total may be written to
    for node, c in zip(results, cotangents, strict=True):
        if node is not None:
            totals[node] = totals[node] + c if node in totals else c
    kept = {}
    for node in reversed(reachable(results)):
        c = totals.pop(node, None)
        if c is None:
            continue
        if noted is not None:
            noted[node] = np.not_equal(c, 0)
        if support is not None:
            careful.set(support.get(node))
        if node in wanted:
            kept[node] = c
        for e in node.edges:
            parent = e.parent
            if e.into is not None and parent.shape:
                if parent not in own:
                    zeros = np.zeros(parent.shape, np.complex128 if parent.complex else np.float64)
                    totals[parent] = totals[parent] + zeros if parent in totals else zeros
                    own.add(parent)
                if type(totals[parent]) is np.ndarray and type(c) in _PLAIN:
                    e.into(totals[parent], c if parent.complex else _real(c))
                    continue
            if e.within is not None and node in own and parent not in totals and _has_views(c):
                totals[parent] = e.within(c)
                own.add(parent)
                continue
            part = e.backward(c)
            if not parent.complex:
                part = _real(part)
            if parent in totals:
                if parent in own and _fits(part, totals[parent]):
                    totals[parent] += part
                    continue
                part = totals[parent] + part
                own.add(parent)
            totals[parent] = part
    return [kept.get(source) for source in sources]


def _has_views(c: Any) -> bool:
    """Whether `c.reshape(-1)` is a view of c: not for a number, nor for another memory order."""
    return type(c) is np.ndarray and c.flags.c_contiguous


def _fits(part: Any, total: Any) -> bool:
    """Whether c can be added to the total in place."""
    if type(total) is not np.ndarray or type(part) not in _PLAIN:
        return False
    return part.dtype is total.dtype or np.can_cast(part.dtype, total.dtype, "same_kind")


_PLAIN = (np.ndarray, np.float64, np.complex128)


def _real(x: Any) -> Any:
    if type(x) in NUMBERS or (type(x) is np.ndarray and x.dtype.kind == "f"):
        return x
    return np.real(x) if np.iscomplexobj(x) else x


def unbroadcast(x: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes along which an array of this shape was broadcast."""
    own = x.shape if type(x) is np.ndarray else () if type(x) in NUMBERS else np.shape(x)
    if own == shape:
        return x
    if len(own) > len(shape):
        x = np.sum(x, axis=tuple(range(len(own) - len(shape))))
        own = np.shape(x)
    if len(own) < len(shape):
        return np.reshape(x, shape) if not own or np.size(x) else np.zeros(shape)
    axes = tuple(i for i, (a, b) in enumerate(zip(own, shape, strict=True)) if a != b)
    return np.sum(x, axis=axes, keepdims=True) if axes else x
