"""The derivatives of elementwise operations: tangents and cotangents times a partial derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import NUMBERS, WHERE, Node, careful, generic, unbroadcast

_CONSTANT = frozenset((int, float, complex, np.float64))


class Scaled:
    """The edge of an elementwise operation: multiply by a partial derivative."""

    __slots__ = ("_factor", "operands", "parent", "partial", "value")
    into = within = None

    def __init__(self, parent: Node, partial: Any, value: Any, operands: Sequence[Any]) -> None:
        self.parent, self.partial, self.value, self.operands = parent, partial, value, operands
        self._factor: Any = None

    def forward(self, t: Any) -> Any:
        return self._times(t, 0)

    def backward(self, c: Any) -> Any:
        partial, shape = self.partial, self.parent.shape
        kind = type(partial)
        if kind is int and not shape and type(c) in NUMBERS:
            return c if partial == 1 else partial * c
        if (kind is FunctionType or kind is Choice) and careful.get() is None:  # nearly all
            if self._factor is None:
                self._factor = partial(self.value, *self.operands)
            found = self._factor * c
        else:
            found = self._times(c, 1)
        return found if not shape and type(found) in NUMBERS else unbroadcast(found, shape)

    def _times(self, t: Any, back: int) -> Any:
        partial, support = self.partial, careful.get()
        if type(partial) in _CONSTANT:
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
    """A partial that is 0 where the operation does not take the operand, as in `where` or `maximum`."""

    __slots__ = ("partial",)

    def __init__(self, partial: Callable[..., Any]) -> None:
        self.partial = partial

    def __call__(self, *given: Any) -> Any:
        return self.partial(*given)


class Pair(tuple):
    """A partial that is not complex-linear: (forward, backward), functions of (t, result, *operands)."""
