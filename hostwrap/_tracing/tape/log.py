"""The log of a recording, from which `again` makes a program that replays it without the code."""

from __future__ import annotations

import contextvars
from collections.abc import Sequence
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


def noted(function: Any, operands: Sequence[Any], result: Any) -> Any:
    """Note in the log, if there is one, how the result was computed; return the result."""
    if (kept := log.get()) is not None:
        kept.made(function, operands, result)
    return result


def compared(name: str, operands: Sequence[Any], found: Any) -> Any:
    """Note the outcome of a comparison, on which a branch may depend."""
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
