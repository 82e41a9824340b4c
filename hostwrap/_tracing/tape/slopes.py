"""Slopes by differences of values, with their errors: along one random direction, or along each axis on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._rules.differences import slope

_FIRST = 1e-4  # the larger step, relative to the arguments
_FACTOR = 4.0  # the other step, relative to the larger one
_ROUNDING = 1e-12  # the relative error of a value
_AXES = 1000  # more numbers would take too long


def differences(
    f: Callable, arrays: Sequence[Any], moves: Sequence[bool]
) -> tuple[list, np.ndarray, np.ndarray] | None:
    """A tangent for each array (None for a constant), the slope of each number of the results, and its error.

    None if the function has no value on one side. Two steps suffice to show a missing term; where the function jumps,
    the error is as large as the slope.
    """
    random = np.random.default_rng(0)
    tangents = [_tangent(np.asarray(x), random) if m else None for x, m in zip(arrays, moves, strict=True)]
    found = _along(f, arrays, tangents)
    return found and (tangents, *found)


def one_sided(
    f: Callable, arrays: Sequence[Any], moves: Sequence[bool]
) -> Iterator[tuple[list, np.ndarray, np.ndarray, np.ndarray]]:
    """For each number that moves: a tangent, the mean of the slopes on its left and right, half their difference, and
    the error.

    The two slopes differ at a kink. Where the function has no value, they are NaN. If there are too many numbers, there
    is nothing.
    """
    random = np.random.default_rng(0)
    steps = {i: _tangent(np.asarray(x), random) for i, x in enumerate(arrays) if moves[i]}
    if sum(step.size for step in steps.values()) > _AXES:
        return
    for i, step in steps.items():
        for place in np.ndindex(step.shape):
            axis = np.zeros_like(step)
            axis[place] = step[place]
            tangents: list = [axis if k == i else None for k in range(len(arrays))]
            (left, off), (right, by) = (
                _along(f, arrays, tangents, side) or (np.array(np.nan),) * 2 for side in (-1.0, 1.0)
            )
            yield tangents, (left + right) / 2, np.abs(left - right) / 2, np.maximum(off, by)


def _along(
    f: Callable, arrays: Sequence[Any], tangents: Sequence[Any], side: float = 0.0
) -> tuple[np.ndarray, np.ndarray] | None:
    """The slope of each number of the results along a direction, and its error."""
    size: Any = 0.0

    def at(t: float) -> np.ndarray:
        nonlocal size
        moved = [_as(x, x if d is None else x + t * d) for x, d in zip(arrays, tangents, strict=True)]
        values = flat(jax.tree.leaves(f(*moved)))
        size = np.abs(values)
        return values

    try:
        found, error = slope(at, _FIRST, _FACTOR, steps=2, direction=side)
    except Exception:  # outside of the domain the function has no slope
        return None
    return found, error + np.nan_to_num(_ROUNDING * _FACTOR / _FIRST * size, nan=np.inf)


def _as(x: Any, moved: Any) -> Any:
    """Copy an array, also one without axes; a number stays a number."""
    return np.array(moved) if isinstance(x, np.ndarray) else moved


def flat(leaves: Sequence[Any]) -> np.ndarray:
    """All numbers as one vector."""
    return np.concatenate([np.ravel(x) + 0.0 for x in leaves])


def _tangent(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A random tangent.

    Up to its own size for each element; a thousandth of the largest element, or of 1, for zeros.
    """
    size = np.abs(x)
    least = 1e-3 * (np.max(size, initial=0.0) or 1.0)
    return np.asarray(
        random.uniform(0.5, 1, x.shape) * random.choice([-1, 1], x.shape) * np.maximum(size, least)
    )
