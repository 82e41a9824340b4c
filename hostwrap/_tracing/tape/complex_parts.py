"""The real and imaginary parts of complex arrays as views: a write to them changes the array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Node, Step


def half_of(x: Any, function: Callable, turn: complex) -> Any:
    """The parts by `function`, np.real or np.imag, whose transpose multiplies by `turn`; None for a number."""
    if (found := x.as_view(function(x._peek()), function)) is not None:
        found._half = turn
    return found


def step_of(half: Any, whole: Node) -> Node:
    turn = half._half
    back = lambda c: turn * np.asarray(c, np.complex128)
    return Node(whole.shape, False, half.level, [Step(whole, half._view, back)])


def write_half(x: Any, key: Any, value: Any) -> bool:
    """Write all elements of parts, or of a view of parts; return False for other arrays."""
    views, half = [], x
    while half._base is not None and half._half is None:
        views.append(half._view)
        half = half._base
    if half._base is None:
        return False
    whole, target = half._base, (parts := half.copy())
    for view in reversed(views):
        target = type(x)(None, None, x.level, target, view)
    target[key] = value
    whole[...] = parts + 1j * np.imag(whole) if half._half == 1 else np.real(whole) + 1j * parts
    return True
