"""The core axes of generalised ufuncs: the options `axis`, `axes` and `keepdims`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def at_the_end(ufunc: np.ufunc, inputs: Sequence[Any], options: dict[str, Any]) -> tuple[tuple, Callable]:
    """Move the core axes of the inputs to the end, and remove `axis`, `axes` and `keepdims` from the options.

    Also returns a function that moves the core axes of the result back.
    """
    axis, axes, keep = options.pop("axis", None), options.pop("axes", None), options.pop("keepdims", False)
    if axis is None and axes is None and not keep:
        return tuple(inputs), lambda y: y
    if axes is None:
        axes = [-1 if axis is None else axis] * len(inputs)
    rows = [(k,) if isinstance(k, int | np.integer) else tuple(k) for k in axes]
    end = lambda row: tuple(range(-len(row), 0))
    moved = [np.moveaxis(x, row, end(row)) for x, row in zip(inputs, rows, strict=False)]

    def placed(y: Any) -> Any:
        if keep:
            return np.expand_dims(y, rows[len(inputs)] if len(rows) > len(inputs) else rows[0])
        wanted = rows[len(inputs)] if len(rows) > len(inputs) else ()
        return np.moveaxis(y, end(wanted), wanted) if wanted else y

    return tuple(moved), placed


def put_at(a: Any, index: Any, values: Any, mode: str = "raise") -> None:
    """`numpy.put(a, index, values, mode)` as an assignment: values repeat if there are too few."""
    size = int(np.prod(a.shape))
    index = np.ravel(np.asarray(index))
    if mode != "raise":
        index = index % size if mode == "wrap" else np.clip(index, 0, size - 1)
    places = np.unravel_index(np.where(index < 0, index + size, index), a.shape)
    values = np.ravel(values)
    if np.size(values) and index.size:
        a[places] = values[np.arange(index.size) % np.size(values)]
