"""Slopes of a function by differences of its values, along one random direction, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

_STEPS = (1e-4, 2.5e-5)  # of the size of the arguments
_ROUNDING = 1e-12  # relative, of a value


def differences(
    f: Callable, arrays: Sequence[Any], moves: Sequence[bool]
) -> tuple[list, list[np.ndarray], list[np.ndarray]] | None:
    """A tangent for each array (None for one that does not move), the slope of each result, and what it may be off by.

    None where the function has no value on one side. Central differences with two steps: their distance is the error of
    the larger one, many times that of the smaller one; where the function jumps it is as large as the slope.
    """
    random = np.random.default_rng(0)
    tangents = [_tangent(np.asarray(x), random) if m else None for x, m in zip(arrays, moves, strict=True)]
    quotients, size = [], None
    for step in _STEPS:
        sides = []
        for sign in (1, -1):
            moved = [
                x if t is None else np.asarray(x + sign * step * t)
                for x, t in zip(arrays, tangents, strict=True)
            ]
            try:
                with np.errstate(all="ignore"):
                    sides.append([np.asarray(y) for y in jax.tree.leaves(f(*moved))])
            except Exception:  # out of its domain: nothing is known
                return None
        quotients.append(
            [np.subtract(a, b, dtype=_kind(a)) / (2 * step) for a, b in zip(*sides, strict=True)]
        )
        size = [np.abs(y) for y in sides[0]]
    rough, fine = quotients
    errors = [
        np.nan_to_num(np.abs(a - b) + _ROUNDING * s / _STEPS[-1], nan=np.inf, posinf=np.inf)
        for a, b, s in zip(rough, fine, size or [], strict=True)
    ]
    return tangents, fine, errors


def _tangent(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Each element by up to its own size; zeros by a thousandth of the largest one, or of 1."""
    size = np.abs(x)
    least = 1e-3 * (np.max(size, initial=0.0) or 1.0)
    return np.asarray(
        random.uniform(0.5, 1, x.shape) * random.choice([-1, 1], x.shape) * np.maximum(size, least)
    )


def _kind(y: np.ndarray) -> type:
    return complex if np.iscomplexobj(y) else float
