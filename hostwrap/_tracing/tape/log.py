"""The log of a recording, from which `again` makes a program that replays it without the code."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Node, as_now, bare, is_moving, next_number
from hostwrap._tracing.tape.outcomes import (
    CHOSEN,
    DECISIONS,
    DIRECTION,
    OTHER_NAMES,
    UNKNOWN,
    direction,
    gap,
    unturned,
)
from hostwrap._tracing.tape.touching import Roots


class Log:
    """How values were computed, and the comparisons that the branches of the code depend on."""

    def __init__(self) -> None:
        self.right_elsewhere = True
        self.tests: list[tuple] = []  # (when, name, nodes of two operands or None, their values, outcome)

    def made(self, function: Any, operands: Sequence[Any], result: Any) -> None:
        """Note the result of an elementwise function, which may be constant, as that of `floor`."""
        nodes, values = _apart(operands)
        if all(node is None for node in nodes):
            return
        node = getattr(result, "node", None)
        if node is not None:
            node.made = function, nodes, values
        else:
            still = Node(np.shape(result), False, 1)
            still.made = function, nodes, values
            self.tests.append(
                (still.number, "equal", (still, None), (None, getattr(result, "value", result)), True)
            )

    def refuse(self) -> None:
        """Note that the recording is valid at these numbers only."""
        self.right_elsewhere = False

    def compared(self, name: str, operands: Sequence[Any], found: Any) -> None:
        nodes, values = _apart(operands)
        if any(node is not None for node in nodes):
            self.tests.append((next_number(), name, nodes, values, as_now(found)))


def _apart(operands: Sequence[Any]) -> tuple[tuple, tuple]:
    """The nodes of operands, and their values."""
    return tuple(getattr(x, "node", None) for x in operands), tuple(
        x.value if hasattr(x, "value") else as_now(x) for x in operands
    )


log: contextvars.ContextVar[Log | None] = contextvars.ContextVar("hostwrap_log", default=None)


def only_here() -> None:
    """What follows depends on the numbers in a way that no program replays, such as a solver's answer."""
    if (kept := log.get()) is not None:
        kept.refuse()


class Way:
    """What a function decides by its numbers, one after the other; without `kinks` only what may let it jump."""

    def __init__(self, kinks: bool = True) -> None:
        self.met: list[tuple[str, np.ndarray, Sequence[Any]]] = []
        self._last: Sequence[Any] = ()
        self.kinks = kinks
        self.roots = Roots()

    def note(self, name: str, found: Any, operands: Sequence[Any]) -> None:
        """Add an outcome. NumPy comes by once for each tape, first for the outermost one."""
        one = name, np.array(bare(found)), [as_now(x) for x in operands]
        if self.met and _same(self.met[-1], one) and _is_again(self._last, operands):
            self.met.pop()
        self.met.append(one)
        self._last = operands

    def decides(self, name: str, operands: Sequence[Any]) -> None:
        """Add the outcome of an elementwise function, if it decides something."""
        name = OTHER_NAMES.get(name, name)
        decision = DECISIONS.get(name)
        if (
            decision is None
            or decision.outcome is None
            or (decision.kink and not self.counts(operands, True))
        ):
            return
        with np.errstate(all="ignore"):
            self.note(name, decision.outcome(*map(bare, operands)), operands)

    def made(self, name: str, operands: Sequence[Any], result: Any) -> None:
        """Add the outcomes of an elementwise function that has this result."""
        if not np.iscomplexobj(bare(operands[0] if operands else 0)):  # else it turns
            self.decides(name, operands)
        sides = self.roots.touched(name, operands, result) if self.kinks else None
        if sides is not None and self.counts(operands, True):
            self.note(DIRECTION if sides.known else UNKNOWN, direction(sides.value), (sides,))

    def counts(self, operands: Sequence[Any], kink: bool) -> bool:
        """Whether to note what is decided by these: only if they move, for else its place is fixed."""
        return (self.kinks or not kink) and any(map(is_moving, operands))

    def __eq__(self, other: Any) -> bool:
        """Whether nothing changes between two places, if they are so near that no direction turns by a right angle."""
        return len(self.met) == len(other.met) and self.first_other(other) is None

    __hash__ = None  # type: ignore[assignment]

    def first_other(self, other: Way) -> int | None:
        pairs = enumerate(zip(self.met, other.met, strict=False))
        return next((i for i, (a, b) in pairs if not _same(a, b)), None)

    def change(self, other: Way) -> str:
        """The name of the first decision with another outcome."""
        i = self.first_other(other)
        return "" if i is None else self.met[i][0]

    def apart(self, other: Way) -> Any:
        """What is 0 where the first different outcome changes; None if it is not known."""
        i = self.first_other(other)
        if i is None or self.met[i][0] != other.met[i][0]:
            return None
        name, found, operands = self.met[i]
        return gap(name, operands, found, other.met[i][1])


watched: contextvars.ContextVar[Way | None] = contextvars.ContextVar("hostwrap_watched", default=None)


@contextlib.contextmanager
def watching(kinks: bool = True) -> Iterator[Way]:
    """Note what is decided in this block."""
    token = watched.set(way := Way(kinks))
    try:
        yield way
    finally:
        watched.reset(token)


def unwatched(f: Callable[[], Any]) -> Any:
    """f(), of which nothing is noted: its steps are noted elsewhere."""
    token = watched.set(None)
    try:
        return f()
    finally:
        watched.reset(token)


def _same(a: tuple, b: tuple) -> bool:
    return a[0] == b[0] and (unturned if a[0] in (DIRECTION, UNKNOWN) else np.array_equal)(a[1], b[1])


def _is_again(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether b are the operands a on the next tape. The same numbers on one tape are those of another call."""
    if a is b:  # of a function with several results
        return True
    level = lambda x: max((getattr(one, "level", 0) for one in x), default=0)
    return level(a) < level(b) and all(np.array_equal(bare(x), bare(y)) for x, y in zip(a, b, strict=False))


def noted(function: Any, operands: Sequence[Any], result: Any) -> Any:
    """Note in the log, if there is one, how the result was computed; return the result."""
    if (way := watched.get()) is not None:
        way.made(function if type(function) is str else getattr(function, "__name__", ""), operands, result)
    if (kept := log.get()) is not None:
        kept.made(function, operands, result)
    return result


def compared(name: str, operands: Sequence[Any], found: Any) -> Any:
    """Note the outcome of a comparison, on which a branch may depend."""
    if (way := watched.get()) is not None:
        way.note(name, found, operands)
    if (kept := log.get()) is not None:
        kept.compared(name, operands, found)
    return found


def chosen(x: Any, places: Any, kink: bool = False) -> None:
    """Note which elements of an array along its last axis were chosen, or in which order they are."""
    if (way := watched.get()) is not None and way.counts([x], kink):
        way.note(CHOSEN, places, (x,))


def placed(x: Any, knots: Any, kink: bool = False) -> None:
    """Note between which of the knots x lies."""
    if (way := watched.get()) is not None and way.counts([x, knots], kink):
        x = np.expand_dims(x, -1)
        way.note("less", np.less(bare(knots), bare(x)), (knots, x))


def summed(x: Any, axes: Sequence[int], result: Any) -> Any:
    """Note a sum over these axes; return it."""
    if (way := watched.get()) is not None and way.kinks:
        way.roots.summed(x, axes, result)
    return result


def looked(name: str, operands: Sequence[Any], numbers: Any) -> Any:
    """Note a conversion, such as to an integer, on which the code may depend; return the concrete numbers."""
    if (way := watched.get()) is not None and len(operands) == 1:
        way.decides(name, operands)
    if (kept := log.get()) is not None:
        if name in _WHOLE and len(operands) == 1:
            kept.made(_WHOLE[name], operands, _WHOLE[name](numbers))
        else:
            kept.compared(name, operands, None)
    return numbers


_WHOLE = {"int": np.trunc, "trunc": np.trunc, "floor": np.floor, "ceil": np.ceil}


def written_to(node: Node | None, value: Any) -> None:
    """Note the current numbers of a constant array to which the code writes."""
    if log.get() is not None and node is not None:
        node.made = None, (), np.array(value)
