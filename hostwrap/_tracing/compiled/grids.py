"""Interpolation on grids and between scattered points, as SciPy's classes evaluate it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.table import computes, stacked


@computes("interpolate._interpnd._ndim_coords_from_arrays")
def coordinates(points: Any, ndim: int | None = None) -> Any:
    """Points as rows, from a tuple of arrays (one for each axis) or from one array."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        return np.stack(np.broadcast_arrays(*map(stacked, points)), axis=-1)
    points = stacked(points)
    return points if np.ndim(points) != 1 else np.reshape(points, (-1, ndim or 1))


@computes("interpolate._rgi_cython.find_indices")
def find_indices(grid: tuple, x: Any) -> tuple[Any, Any]:
    """For each axis: the interval of each place, and the position in the interval, from 0 to 1."""
    numbers, distances = [], []
    for axis, places in zip(grid, x, strict=True):
        last = len(axis) - 1
        i = np.clip(np.searchsorted(axis, places, side="right") - 1, 0, max(0, last - 1))
        left, right = np.take(axis, i), np.take(axis, np.minimum(i + 1, last))
        width = np.where(right > left, right - left, 1.0)
        numbers.append(i)
        distances.append((places - left) / width)
    return np.stack(numbers), np.stack(distances)


@computes("interpolate._rgi_cython.evaluate_linear_2d")
def evaluate_linear_2d(values: Any, indices: Any, distances: Any, grid: tuple, out: Any) -> Any:
    rows, columns = values.shape
    flat, (i, j), (s, t) = np.reshape(values, -1), indices, distances
    below, beside = np.minimum(i + 1, rows - 1), np.minimum(j + 1, columns - 1)
    at = lambda i, j: np.take(flat, i * columns + j)
    first = at(i, j) * (1 - t) + at(i, beside) * t
    second = at(below, j) * (1 - t) + at(below, beside) * t
    out[...] = first * (1 - s) + second * s
    return out


# ---- radial functions of the squared distance, which has a derivative where the distance is 0


def _where_positive(q: Any, function: Callable) -> Any:
    """0 at 0: the root and the logarithm have no derivative there, but the radial function has the derivative 0."""
    positive = q > 0
    return np.where(positive, function(np.where(positive, q, 1.0)), 0.0)


_RADIAL: dict[str, Callable] = {
    "linear": lambda q: _where_positive(q, lambda q: -np.sqrt(q)),
    "thin_plate_spline": lambda q: _where_positive(q, lambda q: q * np.log(q) / 2),
    "cubic": lambda q: _where_positive(q, lambda q: q * np.sqrt(q)),
    "quintic": lambda q: _where_positive(q, lambda q: -(q**2) * np.sqrt(q)),
    "multiquadric": lambda q: -np.sqrt(q + 1),
    "inverse_multiquadric": lambda q: 1 / np.sqrt(q + 1),
    "inverse_quadratic": lambda q: 1 / (q + 1),
    "gaussian": lambda q: np.exp(-q),
}


def _matrix(x: Any, y: Any, kernel: str, epsilon: Any) -> Any:
    """The radial function of the distances between all rows of x and all rows of y."""
    apart = (x[:, None, :] - y[None, :, :]) * epsilon
    return _RADIAL[kernel](np.sum(apart * apart, axis=-1))


def _monomials(x: Any, powers: Any) -> Any:
    """One column for each row of powers."""
    columns = []
    for row in powers:
        column = np.ones(len(x))
        for d, power in enumerate(row):
            column = column * x[:, d] ** int(power) if power else column
        columns.append(column)
    return np.stack(columns, axis=-1) if columns else np.zeros((len(x), 0))


@computes("interpolate._rbfinterp_pythran._build_evaluation_coefficients")
def evaluation_coefficients(
    x: Any, y: Any, kernel: str, epsilon: Any, powers: Any, shift: Any, scale: Any
) -> Any:
    radial = _matrix(x, y, kernel, epsilon)
    return np.concatenate([radial, _monomials((x - shift) / scale, powers)], axis=-1)


@computes("interpolate._rbfinterp_pythran._build_system")
def system(y: Any, d: Any, smoothing: Any, kernel: str, epsilon: Any, powers: Any) -> tuple:
    """The matrix and the right side for the coefficients of the radial functions and the monomials."""
    low, high = np.min(y, axis=0), np.max(y, axis=0)
    shift, half = (high + low) / 2, (high - low) / 2
    scale = np.where(half == 0, 1.0, half)
    p, r = len(y), len(powers)
    block = _matrix(y, y, kernel, epsilon) + np.eye(p) * smoothing
    rest = _monomials((y - shift) / scale, powers)
    upper = np.concatenate([block, rest], axis=1)
    lower = np.concatenate([np.transpose(rest), np.zeros((r, r))], axis=1)
    right = np.concatenate([d, np.zeros((r, np.shape(d)[1]))], axis=0)
    return np.concatenate([upper, lower], axis=0), right, shift, scale
