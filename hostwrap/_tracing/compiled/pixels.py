"""Images between their pixels, as `scipy.ndimage` computes them from the coefficients of a spline."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import computes, stacked

# by SciPy's numbers; the last two are those of grids
_MODES = ("nearest", "wrap", "reflect", "mirror", "constant", "grid-wrap", "grid-constant")


@computes("ndimage._nd_image.spline_filter1d")
def spline_filter1d(x: Any, order: int, axis: int, output: Any, mode: int) -> None:
    """A linear map along one axis: its matrix has the coefficients of single pixels."""
    n = np.shape(x)[axis]
    matrix = np.empty((n, n))
    importlib.import_module("scipy.ndimage._nd_image").spline_filter1d(np.eye(n), order, 0, matrix, mode)
    output[...] = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def _sampled(c: Any, places: Any, order: int, mode: int, cval: Any, pad: int) -> Any:
    """The sums over (order + 1)^d coefficients around the places, one axis after the other."""
    splines: Any = importlib.import_module("hostwrap.ndimage._splines")
    name, sizes, d = _MODES[mode], np.shape(c), np.ndim(c)
    ends = np.reshape(np.array(sizes) - 2 * pad - 1, (-1, *[1] * (np.ndim(places) - 1)))
    if name == "wrap":
        places, name = splines.wrapped(places, ends, np), "mirror"
    outside = np.logical_not(splines.inside(places, ends, np)) if name == "constant" else False
    places = places + pad
    if name == "nearest":  # farther away all coefficients are that of the edge
        places = np.clip(places, -order, ends + 2 * pad + order)
    around, shares, beyond = [], [], np.zeros((), bool)
    for axis, size in enumerate(sizes):
        first, weights, _ = splines.basis(places[axis], order, np)
        wide = [order + 1 if k == axis else 1 for k in range(d)]
        pixels = np.reshape(first[..., None] + np.arange(order + 1), (*np.shape(first), *wide))
        beyond = np.logical_or(beyond, np.logical_or(pixels < 0, pixels >= size))
        around.append(splines.fold(pixels, size, name, np))
        shares.append(np.stack(weights, -1))
    values = c[tuple(around)]
    if name == "grid-constant":
        values = np.where(beyond, cval, values)
    for axis in reversed(range(d)):
        share = np.reshape(shares[axis], (*np.shape(places)[1:], *[1] * axis, order + 1))
        values = np.sum(values * share, axis=-1)
    return np.where(outside, cval, values)


@computes("ndimage._nd_image.zoom_shift")
def zoom_shift(
    c: Any, zoom: Any, shift: Any, output: Any, order: int, mode: int, cval: Any, pad: int, grid: bool
) -> None:
    axes = []
    for axis, size in enumerate(np.shape(output)):
        x = np.arange(float(size)) if shift is None else np.arange(float(size)) + shift[axis]
        if zoom is not None:
            x = (x + 0.5) * zoom[axis] - 0.5 if grid else x * zoom[axis]
        column = [1] * np.ndim(output)
        column[axis] = size
        axes.append(np.reshape(x, column) + np.zeros(np.shape(output)))
    output[...] = _sampled(c, np.stack(axes), order, mode, cval, pad)


@computes("ndimage._nd_image.geometric_transform")
def geometric_transform(
    c: Any, mapping: Any, places: Any, matrix: Any, offset: Any, output: Any, order: int, mode: int, cval: Any,
    pad: int, args: Any = None, kwargs: Any = None,
) -> None:  # fmt: skip
    shape = np.shape(output)
    if mapping is not None:
        rows = [list(mapping(i, *(args or ()), **(kwargs or {}))) for i in np.ndindex(shape)]
        places = np.reshape(np.transpose(stacked(rows)), (-1, *shape))
    elif places is None:
        places = np.tensordot(matrix, np.indices(shape).astype(float), (1, 0))
        places = places + np.reshape(offset, (-1, *[1] * len(shape)))
    output[...] = _sampled(c, places, order, mode, cval, pad)
