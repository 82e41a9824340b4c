"""Loops that end for each point by itself: series, continued fractions, recurrences, iterations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._host.layout import broadcast_arrays
from hostwrap.special._numerics.pointwise import places, tape_of

FEW = 4  # turns that a program repeats by steps of their own: nothing is carried from one to the next


def until(
    step: Callable[..., Sequence[Any]], start: Sequence[Any], fixed: Sequence[Any], bound: int
) -> tuple:
    """Each point by itself: `*carried, going = step(turn, *carried, *fixed)`, from `start` until it is not `going`.

    `turn` is 0.0, 1.0, ...; a step sees the points that go on, as flat arrays, and gets all that it needs of them by
    its arguments. A point that still goes on after `bound` turns is NaN. Returns the last carried arrays.
    """
    recorder = tape_of(*start, *fixed)
    if recorder is not None:
        return tuple(recorder.repeat(step, start, fixed, bound))
    arrays = broadcast_arrays(*start, *fixed)
    flat = [np.ravel(a) for a in arrays]
    results = _turns(step, flat[: len(start)], flat[len(start) :], bound)
    return tuple(result.reshape(arrays[0].shape)[()] for result in results)


def until_stacked(
    step: Callable[..., Sequence[Any]], start: Sequence[Any], fixed: Sequence[Any], bound: int
) -> Sequence[Any]:
    """The same for arrays with the points as last axis, the first of `fixed` flat; see `elsewhere` for the others."""
    recorder = tape_of(*start, *fixed)
    return (
        _turns(step, start, fixed, bound) if recorder is None else recorder.repeat(step, start, fixed, bound)
    )


def _turns(step, carried, fixed, bound):
    size = carried[0].shape[-1]
    here = np.arange(size)
    results = [np.full(c.shape, np.nan, np.result_type(np.float64, c)) for c in carried]
    for turn in range(bound if size else 0):
        *carried, going = step(np.float64(turn), *carried, *fixed)
        carried = [np.broadcast_to(c, (*np.shape(c)[:-1], here.size)) for c in carried]
        through = ~np.broadcast_to(going, here.shape)
        if not through.any():
            continue
        left = places(~through)
        for result, c in zip(results, carried, strict=True):
            result[..., here[through]] = c[..., through]
        if not left.size:
            break
        here, carried, fixed = here[left], [c[..., left] for c in carried], [f[..., left] for f in fixed]
    return results


def repeated(
    step: Callable[..., Sequence[Any]], start: Sequence[Any], count: Any, most: int | None = None
) -> Sequence[Any]:
    """`*carried = step(turn, *carried)` as often as that, from `start`; other arrays are the step's own matter.

    Each point may have a `count` of its own, of at least 1 and at most `most`.
    """
    recorder = tape_of(*start, count)
    if recorder is not None and not (most is None and count <= FEW):
        turns = count if most is None else most
        return recorder.repeat(lambda k, *now: [*step(k, *now), k < count - 1], start, (), turns)
    for turn in range(int(np.max(count, initial=0))):
        after = step(np.float64(turn), *start)
        start = (
            [np.where(turn < count, x, y) for x, y in zip(after, start, strict=True)]
            if np.ndim(count)
            else after
        )
    return start


def added(term: Callable[..., Any], args: Sequence[Any], count: int) -> Any:
    """The sum of `term(k, *args)` over k = 0.0, 1.0, .. below the count, one after the other."""
    turns, recorder = np.arange(float(count)), tape_of(*args)
    if recorder is None:
        return functools.reduce(np.add, (term(k, *args) for k in turns))
    return recorder.added(lambda k: [term(k, *args)], [turns])[0]
