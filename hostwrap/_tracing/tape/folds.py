"""Methods of ufuncs (`reduce`, `accumulate`, `reduceat`, `at`) as calls of the ufunc, which record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array, frozen
from hostwrap._tracing.tape.index import places_in
from hostwrap._tracing.tape.refusals import refused


def _first(x: Any, axis: Any) -> Any:
    """Move the reduced axes to the front, as one axis."""
    x = x if isinstance(x, Array) else np.asarray(x)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    x = np.moveaxis(x, axes, tuple(range(len(axes))))
    return np.reshape(x, (-1, *np.shape(x)[len(axes) :]))


def _back(y: Any, shape: tuple, axis: Any) -> Any:
    """Put the reduced axes back, with length 1."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {k % len(shape) for k in axes}
    return np.reshape(y, [1 if k in gone else n for k, n in enumerate(shape)])


def reduce(
    ufunc: np.ufunc, x: Any, axis: Any = 0, dtype: Any = None, keepdims: bool = False,
    initial: Any = np._NoValue, where: Any = True,  # type: ignore[attr-defined]
) -> Any:  # fmt: skip
    rows = _first(x, axis)
    counts = _first(np.broadcast_to(where, np.shape(x)), axis)
    start = ufunc.identity if initial is np._NoValue else initial  # type: ignore[attr-defined]
    whole = where is True and initial is np._NoValue  # type: ignore[attr-defined]
    y, rest = (rows[0], range(1, len(rows))) if whole and len(rows) else (start, range(len(rows)))
    for i in rest:
        step = ufunc(y, rows[i])
        y = step if where is True else np.where(counts[i], step, y)
    y = np.broadcast_to(y, np.shape(rows)[1:])
    return _back(y, np.shape(x), axis) if keepdims else y


def accumulate(ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None) -> Any:
    rows = _first(x, axis)
    steps = [rows[:1]]
    for i in range(1, len(rows)):
        steps.append(ufunc(steps[-1], rows[i : i + 1]))
    return np.moveaxis(np.concatenate(steps), 0, axis)


def reduceat(ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    """Reduce each part up to the next index; one number if the next index is not larger."""
    rows = _first(x, axis)
    ends = [*list(indices)[1:], len(rows)]
    parts = [
        ufunc.reduce(rows[i:end], axis=0) if i < end else rows[i]
        for i, end in zip(indices, ends, strict=True)
    ]
    return np.moveaxis(np.stack(parts), 0, axis)


def outer(ufunc: np.ufunc, a: Any, b: Any, **options: Any) -> Any:
    a, b = (x if isinstance(x, Array) else np.asarray(x) for x in (a, b))
    return ufunc(a[(..., *[None] * b.ndim)] if a.ndim else a, b, **options)


def at(ufunc: np.ufunc, x: Any, key: Any, *more: Any) -> None:
    """`ufunc.at` in rounds, so that a repeated place gets as many updates."""
    if not isinstance(x, Array):
        raise refused(
            f"numpy.{ufunc.__name__}.at", "it would write into an array that the tape did not see being made"
        )
    found = places_in(x.shape)[frozen(key)]
    places = np.ravel(found)
    more = tuple(np.ravel(np.broadcast_to(v, np.shape(found))) for v in more)
    order = np.argsort(places, kind="stable")
    turns = np.empty(len(places), int)
    turns[order] = np.arange(len(places)) - np.searchsorted(places[order], places[order])
    for turn in range(np.max(turns, initial=-1) + 1):
        now = np.flatnonzero(turns == turn)
        here = np.unravel_index(places[now], x.shape)
        x[here] = ufunc(x[here], *(v[now] for v in more))


FOLDS: dict[str, Callable] = {"reduce": reduce, "accumulate": accumulate, "reduceat": reduceat}
