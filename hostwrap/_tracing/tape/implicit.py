"""Answers of equations in recorded code: a solver finds them for concrete numbers, and more steps are recorded.

A step x - J^-1 f(x) with the fixed Jacobian J turns an x with right derivatives to order k into one with right
derivatives to order k + 1. Each tape takes one derivative, so there are as many steps as tapes.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array, concrete, holds
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.nodes import Node, backward, current_level, forward
from hostwrap._tracing.tape.refusals import refused


def corrected(x: Any, residual: Callable[[Any], Any], newton: Callable[[Any], Any]) -> Any:
    """x, which solves `residual(x) = 0`, with derivatives; `newton` multiplies by the fixed inverse of the Jacobian."""
    only_here()
    step, steps = 0, current_level.get()
    while step < steps:
        off = residual(x)
        steps, step = max(steps, getattr(off, "level", 0)), step + 1
        x = x - newton(off - concrete(off))
    return x


def at_value(value: Any, like: Any) -> Any:
    """The value, with the derivatives of `like` on all tapes."""
    return like + (value - concrete(like)) if holds(like) else value


@contextlib.contextmanager
def inner(x: Any) -> Iterator[tuple[Array, Node]]:
    """x on a tape of its own."""
    level = max(current_level.get(), getattr(x, "level", 0)) + 1
    node = Node(np.shape(x), np.iscomplexobj(concrete(x)), level)
    given = Array(x, node, level)
    given._lent = True
    token = current_level.set(level)
    try:
        yield given, node
    finally:
        current_level.reset(token)


def _of_real(f: Callable, x: Any) -> tuple[Any, Node]:
    """f(x) on a tape of its own, and the node of x, where both are real."""
    with inner(x) as (given, node):
        y = f(given)
    if node.complex or np.iscomplexobj(concrete(y)):
        raise refused(
            "an equation",
            "its derivatives are of real numbers: write a complex one as its real and imaginary parts",
        )
    return y, node


def gradient(f: Callable, x: Any) -> Any:
    """The derivative of a number f(x), which may be recorded on outer tapes."""
    y, node = _of_real(f, x)
    found = None
    if isinstance(y, Array) and y.level == node.level and y.node:
        (found,) = backward([y.node], [np.ones(np.shape(y))[()]], [node])
    return np.zeros(np.shape(x)) if found is None else found


def slopes(f: Callable, x: Any) -> Any:
    """The derivatives of f at x, which may be recorded on outer tapes; their shape is that of f(x), then that of x."""
    y, node = _of_real(f, x)
    shape, at = np.shape(y), np.shape(x)
    if not (isinstance(y, Array) and y.level == node.level and y.node):
        return np.zeros(shape + at)
    units = np.reshape(np.eye(math.prod(at)), (-1, *at))
    columns = [forward([y.node], {node: unit[()]})[0] for unit in units]
    return np.reshape(np.stack([np.zeros(shape) if c is None else c for c in columns], -1), shape + at)


def jacobian(f: Callable, x: Any) -> np.ndarray:
    """The numbers of `slopes`."""
    return linearized(f, x)[1]


def linearized(f: Callable, x: Any) -> tuple[Any, np.ndarray]:
    """f(x) and its derivatives, in numbers."""
    y, node = _of_real(f, x)
    shape = np.shape(y)
    found = np.zeros((math.prod(shape), *np.shape(x)))
    if isinstance(y, Array) and y.level == node.level and y.node:
        for row, unit in enumerate(np.eye(len(found))):
            (part,) = backward([y.node], [np.reshape(unit, shape)[()]], [node])
            found[row] = 0.0 if part is None else concrete(part)
    return concrete(y), np.reshape(found, shape + np.shape(x))
