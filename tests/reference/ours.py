"""What hostwrap gives: the value and derivatives of an entry, jitted, at a table of points."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap import MissingDerivative
from hostwrap.special._function import Special
from tests.reference.entries import Index, columns, slots

KINDS = {
    "float64": (False, np.float64),
    "complex128": (True, np.float64),
    "float32": (False, np.float32),
    "complex64": (True, np.float32),
}


def derivatives(
    function: Special, statics: dict, kind: str, indices: Sequence[Index], points: np.ndarray
) -> list[np.ndarray | None]:
    """For each index an array (output, point); None where the derivative is missing."""
    return compiled(function, statics, kind, indices, points)(points)


def compiled(
    function: Special, statics: dict, kind: str, indices: Sequence[Index], example: np.ndarray
) -> Callable[[np.ndarray], list[np.ndarray | None]]:
    """The same for many tables of one size, compiled once."""
    is_complex, real = KINDS[kind]
    computed = [differentiated(function, statics, index, is_complex) for index in indices]
    there = [i for i, f in enumerate(computed) if traces(f, columns(function, example, real))]
    together = jax.jit(lambda *args: [computed[i](*args) for i in there])

    def at(points: np.ndarray) -> list[np.ndarray | None]:
        values = together(*columns(function, points, real))
        found: list[np.ndarray | None] = [None] * len(indices)
        for i, outputs in zip(there, values, strict=True):
            found[i] = np.stack([np.broadcast_to(np.asarray(y), (len(points),)) for y in outputs])
        return found

    return at


def differentiated(function: Special, statics: dict, index: Index, is_complex: bool) -> Callable[..., tuple]:
    """The derivative with this multi-index as a function of arrays, by nested jvp with unit tangents."""

    def value(*args: Any) -> tuple:
        y = function(*args, **statics)
        return tuple(y) if function.outs else (y,)

    for slot, order in zip(slots(function, is_complex), index, strict=True):
        for _ in range(order):
            value = _along(value, *slot)
    return value


def _along(f: Callable, i: int, imaginary: bool) -> Callable:
    def along(*args: Any) -> tuple:
        tangent = jnp.full_like(args[i], 1j if imaginary else 1)
        return jax.jvp(lambda x: f(*args[:i], x, *args[i + 1 :]), (args[i],), (tangent,))[1]

    return along


def exists(
    function: Special, statics: dict, index: Index, arrays: Sequence[np.ndarray], is_complex: bool
) -> bool:
    """Is this derivative there?"""
    return traces(differentiated(function, statics, index, is_complex), arrays)


def traces(f: Callable, arrays: Sequence[np.ndarray]) -> bool:
    """Is everything there that this function differentiates?"""
    try:
        jax.eval_shape(f, *arrays)
    except MissingDerivative:
        return False
    return True


def placed(args: Sequence[Any], moving: Sequence[int], values: Sequence[Any]) -> list:
    """The arguments, those with these numbers replaced."""
    return [values[moving.index(i)] if i in moving else x for i, x in enumerate(args)]


def is_missing(function: Special, argument: str) -> bool:
    """No derivative at all in an argument, as its entry says."""
    return not callable(function.rules[argument])


def orders(f: Callable, at: Sequence[Any], count: int) -> list[Callable]:
    """Value and derivatives up to each order, along all arguments together."""

    def raised(g: Callable) -> Callable:
        return lambda *xs: jax.jvp(g, xs, tuple(jnp.ones_like(x) for x in xs))

    found = [f]
    for _ in range(count):
        found.append(raised(found[-1]))
    return found[1:]


def host_calls(f: Callable, at: Sequence[Any]) -> int:
    """How often the compiled function calls the host."""
    text = jax.jit(f).lower(*at).compile().as_text()
    return len(re.findall(r"custom_call_target=\"\w*(?:python\w*callback|hostwrap_(?:loops|host))", text))
