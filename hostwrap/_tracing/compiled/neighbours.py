"""Functions of the neighbours of each element (`scipy.ndimage`), and distances between the rows of two arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._recipes.continued import MODES, continued
from hostwrap._tracing.compiled.filters import CONSTANT, extended, linear_filter
from hostwrap._tracing.compiled.table import computes


def neighbours(x: Any, footprint: Any, mode: int, cval: Any, origins: Sequence[int]) -> list:
    """For each place of the footprint the array, moved so that this neighbour stands where the element does."""
    parts = []
    for place in np.argwhere(footprint):
        part, outside = x, np.zeros(np.shape(x), bool)
        for axis, (k, size, origin) in enumerate(zip(place, np.shape(footprint), origins, strict=True)):
            n = np.shape(x)[axis]
            i = np.arange(n) + (int(k) - size // 2 - int(origin))
            part = np.take(part, extended(i, n, mode), axis=axis)
            column: list = [None] * np.ndim(x)
            column[axis] = slice(None)
            outside = outside | np.logical_or(i < 0, i >= n)[tuple(column)]
        parts.append(np.where(outside, cval, part) if mode in CONSTANT else part)
    return parts


def _origins(origins: Any, footprint: Any) -> list:
    return [int(origins)] * np.ndim(footprint) if np.ndim(origins) == 0 else [int(k) for k in origins]


@computes("ndimage._nd_image.correlate")
def correlate(x: Any, weights: Any, output: Any, mode: int, cval: Any, origins: Any) -> None:
    parts = neighbours(x, np.ones(np.shape(weights), bool), mode, cval, _origins(origins, weights))
    flat = np.reshape(weights, -1)
    total: Any = 0.0
    for k, part in enumerate(parts):
        total = total + flat[k] * part
    output[...] = total


def _along(x: Any, size: int, axis: int, mode: int, cval: Any, origin: int) -> list:
    shape = [1] * np.ndim(x)
    shape[axis] = size
    origins = [0] * np.ndim(x)
    origins[axis] = origin
    return neighbours(x, np.ones(shape, bool), mode, cval, origins)


@computes("ndimage._nd_image.uniform_filter1d")
def uniform_filter1d(x: Any, size: int, axis: int, output: Any, mode: int, cval: Any, origin: int) -> None:
    output[...] = sum(_along(x, size, axis, mode, cval, origin)) / size


@computes("ndimage._nd_image.min_or_max_filter1d")
def min_or_max_filter1d(
    x: Any, size: int, axis: int, output: Any, mode: int, cval: Any, origin: int, minimum: int
) -> None:
    parts = np.stack(_along(x, size, axis, mode, cval, origin))
    output[...] = np.min(parts, axis=0) if minimum else np.max(parts, axis=0)


@computes("ndimage._nd_image.min_or_max_filter")
def min_or_max_filter(
    x: Any, footprint: Any, structure: Any, output: Any, mode: int, cval: Any, origins: Any, minimum: int
) -> None:
    parts = np.stack(neighbours(x, footprint, mode, cval, _origins(origins, footprint)))
    if structure is not None:
        height = np.reshape(structure[np.asarray(footprint, bool)], (-1, *[1] * np.ndim(x)))
        parts = parts - height if minimum else parts + height
    output[...] = np.min(parts, axis=0) if minimum else np.max(parts, axis=0)


@computes("ndimage._nd_image.rank_filter")
def rank_filter(x: Any, rank: int, footprint: Any, output: Any, mode: int, cval: Any, origins: Any) -> None:
    parts = np.stack(neighbours(x, footprint, mode, cval, _origins(origins, footprint)))
    output[...] = np.sort(parts, axis=0)[rank]


@computes("ndimage._nd_image.generic_filter1d")
def generic_filter1d(
    x: Any, function: Callable, size: int, axis: int, output: Any, mode: int, cval: Any, origin: int,
    args: Any, more: Any,
) -> None:  # fmt: skip
    """The function gets each line with the numbers beyond its ends, and writes to a second array."""
    n = np.shape(x)[axis]
    i = np.arange(n + size - 1) - size // 2 - int(origin)
    wide = np.moveaxis(np.take(x, extended(i, n, mode), axis=axis), axis, -1)
    if mode in CONSTANT:
        wide = np.where(np.logical_or(i < 0, i >= n), cval, wide)
    written = []
    for line in np.reshape(wide, (-1, n + size - 1)):
        out = np.zeros_like(line[:n])
        function(line, out, *args, **more)
        written.append(out)
    output[...] = np.moveaxis(np.reshape(np.stack(written), (*np.shape(wide)[:-1], n)), -1, axis)


@computes("ndimage._rank_filter_1d.rank_filter")
def rank_filter_1d(x: Any, rank: int, size: int, output: Any, mode: int, cval: Any, origin: int) -> None:
    output[...] = np.sort(np.stack(_along(x, size, 0, mode, cval, origin)), axis=0)[rank]


@computes("signal._sosfilt._sosfilt")
def sosfilt(sections: Any, x: Any, state: Any) -> None:
    """Apply one section after the other, in place."""
    y = x
    for s in range(len(sections)):
        y, last = linear_filter(sections[s, :3], sections[s, 3:], y, -1, state[:, s])
        state[:, s] = last
    x[...] = y


@computes("signal._upfirdn_apply._apply")
def upfirdn(
    x: Any, flipped: Any, out: Any, up: int, down: int, axis: int, mode: int = 0, cval: Any = 0
) -> None:
    """out[m] = sum_k h[m down - k up] x[k]; the coefficients come in `up` rows, each from its end."""
    h = np.reshape(np.transpose(np.flip(np.reshape(flipped, (up, -1)), 1)), -1)
    more = -(-len(h) // up) if mode or cval != 0 else 0
    x = np.moveaxis(continued(np, np.moveaxis(x, axis, -1), more, MODES[mode], cval), -1, axis)
    n, m = np.shape(x)[axis], np.shape(out)[axis]
    at = np.arange(m)[:, None] * down - (np.arange(n)[None, :] - more) * up
    inside = (at >= 0) & (at < len(h))
    matrix = np.where(inside, np.take(h, np.where(inside, at, 0)), 0.0)
    out[...] = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


# ---- distances


def _apart(metric: str) -> Callable:
    size = {
        "euclidean": lambda d, p: np.sqrt(np.sum(d * d, -1)),
        "sqeuclidean": lambda d, p: np.sum(d * d, -1),
        "cityblock": lambda d, p: np.sum(np.abs(d), -1),
        "chebyshev": lambda d, p: np.max(np.abs(d), -1),
        "minkowski": lambda d, p: (
            np.max(np.abs(d), -1) if np.isinf(p) else np.sum(np.abs(d) ** p, -1) ** (1 / p)
        ),
    }[metric]

    def between(a: Any, b: Any, out: Any = None, w: Any = None, p: Any = 2) -> Any:
        if w is not None or out is not None:
            raise NotImplementedError(f"{metric} with w= or out=")
        return size(a[:, None, :] - b[None, :, :], p)

    def within(a: Any, out: Any = None, w: Any = None, p: Any = 2) -> Any:
        if w is not None or out is not None:
            raise NotImplementedError(f"{metric} with w= or out=")
        i, j = np.triu_indices(len(a), 1)
        return size(a[i] - a[j], p)

    computes(f"spatial._distance_pybind.cdist_{metric}")(between)
    computes(f"spatial._distance_pybind.pdist_{metric}")(within)
    return between


METRICS = {name: _apart(name) for name in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski")}


@computes("spatial._distance_wrap.to_squareform_from_vector_wrap")
def to_squareform(matrix: Any, row: Any) -> None:
    i, j = np.triu_indices(len(matrix), 1)
    matrix[i, j] = row
    matrix[j, i] = row


@computes("spatial._distance_wrap.to_vector_from_squareform_wrap")
def to_vector(matrix: Any, row: Any) -> None:
    row[...] = matrix[np.triu_indices(len(matrix), 1)]
