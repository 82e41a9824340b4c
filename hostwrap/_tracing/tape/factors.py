"""The derivatives of operations on single elements: tangents and cotangents times a partial derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import WHERE, Node, careful, generic, unbroadcast


class Scaled:
    """The edge of an operation on single elements: times a partial derivative."""

    __slots__ = ("_factor", "operands", "parent", "partial", "value")
    into = within = None

    def __init__(self, parent: Node, partial: Any, value: Any, operands: Sequence[Any]) -> None:
        self.parent, self.partial, self.value, self.operands = parent, partial, value, operands
        self._factor: Any = None

    def forward(self, t: Any) -> Any:
        return self._times(t, 0)

    def backward(self, c: Any) -> Any:
        return unbroadcast(self._times(c, 1), self.parent.shape)

    def _times(self, t: Any, back: int) -> Any:
        partial, support = self.partial, careful.get()
        if not callable(partial) and not isinstance(partial, Pair):
            return t if partial == 1 else partial * t
        if support is WHERE and not isinstance(partial, Choice):
            return generic(np.broadcast_to(t, np.shape(self.value)))
        if isinstance(partial, Pair):
            found = partial[back](t, self.value, *self.operands)
        else:
            if self._factor is None:
                self._factor = partial(self.value, *self.operands)
            found = generic(t) * np.not_equal(self._factor, 0) if support is WHERE else self._factor * t
        return found if support is None or support is WHERE else np.where(support, found, 0.0)


class Choice:
    """A partial that is 0 where the operand is not taken, and not just there."""

    __slots__ = ("partial",)

    def __init__(self, partial: Callable[..., Any]) -> None:
        self.partial = partial

    def __call__(self, *given: Any) -> Any:
        return self.partial(*given)


class Pair(tuple):
    """In place of a partial that is not complex-linear: (forward, backward), functions of (t, result, *operands)."""
