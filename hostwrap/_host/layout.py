"""The shapes of one host call: which axes are batch, which belong to the function, what comes back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

Shape = tuple[int, ...]
Shapes = Sequence[Shape]
DTypes = Sequence[np.dtype]
Active = Sequence[int] | None  # the numbers of the results that are wanted; None: all of them
Bound = Callable[[Sequence[np.ndarray]], list[np.ndarray]]  # a host function for arrays of known shapes
MAX_RANK = 32  # of numpy.broadcast_shapes, and of a program of C loops; NumPy's arrays go to 64


@dataclasses.dataclass(frozen=True)
class Result:
    """Declared core shape and dtype of one output."""

    shape: Shape
    dtype: np.dtype


@dataclasses.dataclass(frozen=True)
class Layout:
    """How operands split into batch and core axes, and what is declared of the results."""

    in_core: tuple[int, ...]
    outs: tuple[Result, ...]

    def batch(self, shapes: Iterable[Shape]) -> Shape:
        parts = {s[: len(s) - n] for s, n in zip(shapes, self.in_core, strict=True)}
        return parts.pop() if len(parts) == 1 else broadcast_shapes(*parts)

    def wanted(self, active: Active = None) -> tuple[int, ...]:
        return tuple(range(len(self.outs)) if active is None else active)

    def results(self, batch: Shape, active: Active = None) -> list[Result]:
        """Those that are wanted, with their batch axes."""
        outs = [self.outs[i] for i in self.wanted(active)]
        return [Result(batch + out.shape, out.dtype) for out in outs]


def is_static(*shapes: Sequence[Any]) -> bool:
    """Whether all sizes are numbers, and none is a symbol."""
    return all(isinstance(size, int) for shape in shapes for size in shape)


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Like NumPy's, also for sizes that are symbols (in a program that is exported for any size) and for more axes."""
    rank = max(map(len, shapes), default=0)
    if rank <= MAX_RANK and is_static(*shapes):
        return np.broadcast_shapes(*shapes)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(map(_common, zip(*padded, strict=True)))


def broadcast_arrays(*arrays: Any) -> Sequence[np.ndarray]:
    """NumPy's, also for arrays of more axes than it takes."""
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
    """The core at an index of the batch; a copy where elements share it, for a host function may write to it."""
    own = array.shape[: array.ndim - core]
    if own == batch:
        return array.__getitem__
    missing = len(batch) - len(own)
    return lambda index: array[
        tuple(i if n > 1 else 0 for i, n in zip(index[missing:], own, strict=True))
    ].copy()
