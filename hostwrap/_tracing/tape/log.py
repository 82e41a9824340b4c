"""What a recording keeps so that its arithmetic can be done again without the code (see `again`)."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Node, next_number


class Log:
    """How values came about, and on which comparisons the way of the code depends: what running it again needs."""

    def __init__(self) -> None:
        self.right_elsewhere = True
        self.tests: list[tuple] = []  # (when, name, nodes of two operands or None, their values, outcome)

    def made(self, function: Any, operands: Sequence[Any], result: Any) -> None:
        """A function of single elements has this result, which may be one that does not move, such as that of floor."""
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
        """What is recorded is right at these numbers, and not at others."""
        self.right_elsewhere = False

    def compared(self, name: str, operands: Sequence[Any], found: Any) -> None:
        nodes, values = _apart(operands)
        if any(node is not None for node in nodes):
            self.tests.append((next_number(), name, nodes, values, found))


def _apart(operands: Sequence[Any]) -> tuple[tuple, tuple]:
    """The nodes of operands, and their values."""
    return tuple(getattr(x, "node", None) for x in operands), tuple(getattr(x, "value", x) for x in operands)


log: contextvars.ContextVar[Log | None] = contextvars.ContextVar("hostwrap_log", default=None)


def noted(function: Any, operands: Sequence[Any], result: Any) -> Any:
    """The result; if there is a log, it says how it came about."""
    if (kept := log.get()) is not None:
        kept.made(function, operands, result)
    return result


def compared(name: str, operands: Sequence[Any], found: Any) -> Any:
    """What a comparison has found, which the way of the code may depend on."""
    if (kept := log.get()) is not None:
        kept.compared(name, operands, found)
    return found


def looked(name: str, operands: Sequence[Any], numbers: Any) -> Any:
    """The numbers, of which the code makes something, such as an integer, that its way depends on."""
    if (kept := log.get()) is not None:
        if name in _WHOLE and len(operands) == 1:
            kept.made(_WHOLE[name], operands, _WHOLE[name](numbers))
        else:
            kept.compared(name, operands, None)
    return numbers


_WHOLE = {"int": np.trunc, "trunc": np.trunc, "floor": np.floor, "ceil": np.ceil}


def written_to(node: Node | None, value: Any) -> None:
    """Of an array that is written to again: its numbers now, for those that do not move."""
    if log.get() is not None and node is not None:
        node.made = None, (), np.array(value)
