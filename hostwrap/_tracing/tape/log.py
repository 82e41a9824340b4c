"""The log of a recording, from which `again` makes a program that replays it without the code."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Node, next_number


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
            self.tests.append((next_number(), name, nodes, values, _now(found)))


def _apart(operands: Sequence[Any]) -> tuple[tuple, tuple]:
    """The nodes of operands, and their values."""
    return tuple(getattr(x, "node", None) for x in operands), tuple(
        x.value if hasattr(x, "value") else _now(x) for x in operands
    )


def _now(x: Any) -> Any:
    """The value; of a plain array a copy, because the code may go on writing to it."""
    return x.copy() if type(x) is np.ndarray else x


log: contextvars.ContextVar[Log | None] = contextvars.ContextVar("hostwrap_log", default=None)


def only_here() -> None:
    """What follows depends on the numbers in a way that no program replays, such as a solver's answer."""
    if (kept := log.get()) is not None:
        kept.refuse()


class Way:
    """The outcomes of comparisons, on which the result of a function depends, one after the other."""

    def __init__(self) -> None:
        self.met: list[tuple[str, np.ndarray, Sequence[Any]]] = []

    def note(self, name: str, found: Any, operands: Sequence[Any]) -> None:
        """Add an outcome. NumPy comes by once for each tape, first for the outermost one."""
        one = name, np.array(_bare(found)), operands
        if self.met and _same(self.met[-1], one) and _same_numbers(self.met[-1][2], operands):
            self.met.pop()
        self.met.append(one)

    def __eq__(self, other: Any) -> bool:
        return len(self.met) == len(other.met) and self.first_other(other) is None

    __hash__ = None  # type: ignore[assignment]

    def first_other(self, other: Way) -> int | None:
        pairs = enumerate(zip(self.met, other.met, strict=False))
        return next((i for i, (a, b) in pairs if not _same(a, b)), None)

    def apart(self, other: Way) -> Any:
        """What is 0 where the first different outcome changes; None if it is not known."""
        i = self.first_other(other)
        if i is None or self.met[i][0] != other.met[i][0] or self.met[i][1].shape != other.met[i][1].shape:
            return None
        name, found, operands = self.met[i]
        at = np.flatnonzero(np.ravel(found != other.met[i][1]))[0]
        x, *rest = (np.reshape(np.broadcast_to(x, np.shape(found)), -1)[at] for x in operands)
        return x - (rest[0] if rest and name not in _JUMPS else np.rint(_bare(x)) if name in _WHOLES else 0.0)


watched: contextvars.ContextVar[Way | None] = contextvars.ContextVar("hostwrap_watched", default=None)
_WHOLES = {"floor", "ceil", "rint", "trunc"}
_JUMPS = {"sign", "heaviside"} | _WHOLES


@contextlib.contextmanager
def watching() -> Iterator[Way]:
    """Note the comparisons in this block."""
    token = watched.set(way := Way())
    try:
        yield way
    finally:
        watched.reset(token)


def _same(a: tuple, b: tuple) -> bool:
    return a[0] == b[0] and np.array_equal(a[1], b[1])


def _same_numbers(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return all(np.array_equal(_bare(x), _bare(y)) for x, y in zip(a, b, strict=False))


def _bare(x: Any) -> Any:
    while hasattr(x, "value"):
        x = x.value
    return x


def noted(function: Any, operands: Sequence[Any], result: Any) -> Any:
    """Note in the log, if there is one, how the result was computed; return the result."""
    if (way := watched.get()) is not None and getattr(function, "__name__", "") in _JUMPS:
        way.note(function.__name__, result, operands)
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


def looked(name: str, operands: Sequence[Any], numbers: Any) -> Any:
    """Note a conversion, such as to an integer, on which the code may depend; return the concrete numbers."""
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
