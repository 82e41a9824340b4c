"""Slopes of a function by differences of its values, along one random direction, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._rules.differences import slope

_FIRST = 1e-4  # the larger step, of the size of the arguments
_FACTOR = 4.0  # how much smaller the other one is
_ROUNDING = 1e-12  # relative, of a value


def differences(
    f: Callable, arrays: Sequence[Any], moves: Sequence[bool]
) -> tuple[list, np.ndarray, np.ndarray] | None:
    """A tangent for each array (None for one that does not move), the slope of each number of the results, and what it
    may be off by; None where the function has no value on one side.

    Two steps are enough for what is missing to show; where the function jumps, the error is as large as the slope.
    """
    random = np.random.default_rng(0)
    tangents = [_tangent(np.asarray(x), random) if m else None for x, m in zip(arrays, moves, strict=True)]
    size: Any = 0.0

    def at(t: float) -> np.ndarray:
        nonlocal size
        moved = [x if d is None else np.asarray(x + t * d) for x, d in zip(arrays, tangents, strict=True)]
        values = flat(jax.tree.leaves(f(*moved)))
        size = np.abs(values)
        return values

    try:
        found, error = slope(at, _FIRST, _FACTOR, steps=2)
    except Exception:  # out of its domain: nothing is known
        return None
    return tangents, found, error + np.nan_to_num(_ROUNDING * _FACTOR / _FIRST * size, nan=np.inf)


def flat(leaves: Sequence[Any]) -> np.ndarray:
    """All numbers in a row."""
    return np.concatenate([np.ravel(x) + 0.0 for x in leaves])


def _tangent(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Each element by up to its own size; zeros by a thousandth of the largest one, or of 1."""
    size = np.abs(x)
    least = 1e-3 * (np.max(size, initial=0.0) or 1.0)
    return np.asarray(
        random.uniform(0.5, 1, x.shape) * random.choice([-1, 1], x.shape) * np.maximum(size, least)
    )
