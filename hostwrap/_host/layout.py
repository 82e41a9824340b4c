"""The shapes of a host call: batch axes, core axes, and what the results are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

Shape = tuple[int, ...]
Shapes = Sequence[Shape]
DTypes = Sequence[np.dtype]
Active = Sequence[int] | None  # the numbers of the results that the caller uses; None: all of them
Bound = Callable[[Sequence[np.ndarray]], list[np.ndarray]]  # a host function for arrays of known shapes
MAX_RANK = 32  # of numpy.broadcast_shapes and of a program of C loops; NumPy's arrays have up to 64 axes


@dataclasses.dataclass(frozen=True)
class Result:
    """Declared core shape and dtype of one output."""

    shape: Shape
    dtype: np.dtype


@dataclasses.dataclass(frozen=True)
class Layout:
    """The number of core axes of each operand, and the declared results."""

    in_core: tuple[int, ...]
    outs: tuple[Result, ...]

    def batch(self, shapes: Iterable[Shape]) -> Shape:
        parts = {s[: len(s) - n] for s, n in zip(shapes, self.in_core, strict=True)}
        return parts.pop() if len(parts) == 1 else broadcast_shapes(*parts)

    def wanted(self, active: Active = None) -> tuple[int, ...]:
        return tuple(range(len(self.outs)) if active is None else active)

    def results(self, batch: Shape, active: Active = None) -> list[Result]:
        """The used results, with their batch axes."""
        outs = [self.outs[i] for i in self.wanted(active)]
        return [Result(batch + out.shape, out.dtype) for out in outs]


def is_static(*shapes: Sequence[Any]) -> bool:
    """Whether all sizes are numbers, none of them symbolic."""
    return all(isinstance(size, int) for shape in shapes for size in shape)


def broadcast_shapes(*shapes: Shape) -> Shape:
    """`numpy.broadcast_shapes`, also for symbolic sizes (in a program exported for any size) and for more axes."""
    rank = max(map(len, shapes), default=0)
    if rank <= MAX_RANK and is_static(*shapes):
        return np.broadcast_shapes(*shapes)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(map(_common, zip(*padded, strict=True)))


def broadcast_arrays(*arrays: Any) -> Sequence[np.ndarray]:
    """`numpy.broadcast_arrays`, also for arrays with more axes than NumPy takes."""
    if max(map(np.ndim, arrays)) <= MAX_RANK:
        return np.broadcast_arrays(*arrays)
    shape = broadcast_shapes(*map(np.shape, arrays))
    return [np.broadcast_to(a, shape) for a in arrays]


def _common(sizes: Iterable[Any]) -> Any:
    others = {size for size in sizes if size != 1}
    if len(others) > 1:
        raise ValueError(f"sizes that do not broadcast together: {sorted(map(str, others))}")
    return others.pop() if others else 1


def elements(array: np.ndarray, core: int, batch: Shape) -> Callable[[tuple[int, ...]], Any]:
    """From an index of the batch to the core there; a copy if elements share it: a host function may write to it."""
    own = array.shape[: array.ndim - core]
    if own == batch:
        return array.__getitem__
    places = lambda index: zip(index[len(batch) - len(own) :], own, strict=True)
    return lambda index: array[tuple(i if n > 1 else 0 for i, n in places(index))].copy()
