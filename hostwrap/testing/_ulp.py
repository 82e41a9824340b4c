"""Errors in units in the last place, of a function and its first derivatives, along a line."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np

from hostwrap._errors import MissingDerivative
from hostwrap.testing._reference import Orders, about, exact


@dataclasses.dataclass(frozen=True)
class Errors:
    """Of the value, or of the derivative in an argument: `error` is inf where the number is none and should be one.

    `envelope` is what half a unit in the last place of each argument does to the result, and its own rounding: the
    error that nobody can avoid who gets rounded numbers. `missing` says why there is no derivative.
    """

    what: str
    x: np.ndarray
    error: np.ndarray
    envelope: np.ndarray
    missing: str = ""


@dataclasses.dataclass(frozen=True)
class Line:
    """Points of an argument (`place`), the others held; `live` are those with floating-point numbers."""

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]
    place: int
    live: tuple[int, ...]

    @property
    def x(self) -> np.ndarray:
        return self.columns[self.place]

    def points(self) -> list[tuple]:
        return list(zip(*(c.tolist() for c in self.columns), strict=True))


def errors(f: Callable[..., Any], reference: Callable[..., Any], line: Line) -> list[Errors]:
    """One for the value, then one for each live argument."""
    rough = functools.cache(functools.partial(about, reference))  # mixed derivatives serve two envelopes
    nothing = (0,) * len(line.names)
    found = [_errors("value", _value, f, reference, rough, line, nothing)]
    for i in line.live:

        def slope(f: Callable[..., Any], columns: Sequence[Any], i: int = i) -> Any:
            return _slope(f, columns, i)

        found.append(_errors(f"d/d{line.names[i]}", slope, f, reference, rough, line, _raised(nothing, i)))
    return found


def _errors(what: str, ours: Any, f: Any, reference: Any, rough: Any, line: Line, orders: Orders) -> Errors:
    try:
        numbers = np.asarray(ours(f, line.columns))
    except MissingDerivative as error:
        return Errors(what, line.x[:0], line.x[:0], line.x[:0], str(error).partition(" If ")[0])
    rows = []
    for x, got, point in zip(line.x, numbers, line.points(), strict=True):
        true = exact(reference, point, orders)
        if true is not None:
            unit = _spacing(float(true), numbers.dtype)
            moves = [_move(rough, point, orders, i, line.columns[i].dtype) for i in line.live]
            rows.append((float(x), _distance(got, true) / unit, 0.5 + sum(moves) / unit))
    return Errors(what, *np.array(rows, float).reshape(-1, 3).T)


def _value(f: Callable[..., Any], columns: Sequence[Any]) -> Any:
    return jax.jit(jax.vmap(f))(*map(jnp.asarray, columns))


def _slope(f: Callable[..., Any], columns: Sequence[Any], i: int) -> Any:
    """In reverse mode, or forward where there is only that."""
    try:
        return _value(jax.grad(f, i), columns)
    except MissingDerivative as error:
        try:
            return _value(jax.jacfwd(f, i), columns)
        except (MissingDerivative, TypeError):  # JAX's own of a function with a reverse rule
            raise error from None


def _move(rough: Any, point: tuple, orders: Orders, i: int, dtype: np.dtype) -> float:
    """By how much the exact result moves when argument i does, by half a unit."""
    return abs(rough(point, _raised(orders, i))) * _spacing(point[i], dtype) / 2


def _raised(orders: Orders, i: int) -> Orders:
    return tuple(order + (k == i) for k, order in enumerate(orders))


def _spacing(number: float, dtype: np.dtype) -> float:
    """A unit in the last place; that of the smallest normal number below it, and of the largest above it."""
    info = np.finfo(dtype)
    return float(np.spacing(dtype.type(min(max(abs(number), float(info.tiny)), float(info.max) / 2))))


def _distance(got: Any, true: Any) -> float:
    return float(abs(mpmath.mpf(float(got)) - true)) if np.isfinite(got) else float("inf")
