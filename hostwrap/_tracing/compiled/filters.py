"""Filters along one axis, as `scipy.ndimage` and `scipy.signal` compute them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._tracing.compiled.lapack import solve_banded
from hostwrap._tracing.compiled.table import computes

_NEAREST, _WRAP, _REFLECT, _MIRROR, _CONSTANT, _GRID_WRAP, _GRID_CONSTANT = range(7)  # SciPy's codes
CONSTANT = (_CONSTANT, _GRID_CONSTANT)  # a number stands beyond the ends


def extended(i: Any, n: int, mode: int) -> Any:
    """The indices by which an array of length n is continued beyond its ends."""
    if mode in (_WRAP, _GRID_WRAP):
        return i % n
    if mode == _REFLECT:  # d c b a | a b c d | d c b a
        i = i % (2 * n)
        return np.minimum(i, 2 * n - 1 - i)
    if mode == _MIRROR:  # d c b | a b c d | c b a
        i = i % max(1, 2 * n - 2)
        return np.minimum(i, 2 * n - 2 - i)
    return np.clip(i, 0, n - 1)


@computes("ndimage._nd_image.correlate1d")
def correlate1d(x: Any, weights: Any, axis: int, output: Any, mode: int, cval: float, origin: int) -> None:
    n, size = np.shape(x)[axis], len(weights)
    column: list = [None] * np.ndim(x)
    column[axis] = slice(None)
    total: Any = 0.0
    for j in range(size):
        i = np.arange(n) + (j - size // 2 - origin)
        part = np.take(x, extended(i, n, mode), axis=axis)
        if mode in CONSTANT:
            part = np.where(np.logical_or(i < 0, i >= n)[tuple(column)], cval, part)
        total = total + weights[j] * part
    output[...] = total


@computes("signal._sigtools._linear_filter")
def linear_filter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """sum_j a[j] y[n - j] = sum_j b[j] x[n - j] + zi[n]: equations for y whose matrix has the bands a."""
    order = max(len(a), len(b)) - 1
    more = lambda c: np.concatenate([c, np.zeros(order + 1 - len(c))]) / a[0]
    a, b, x = more(a), more(b), np.moveaxis(x, axis, 0)
    n = len(x)
    flat = np.reshape(x, (n, -1))
    right: Any = 0.0
    for j in range(min(order + 1, n)):
        right = right + b[j] * np.concatenate([np.zeros((j, flat.shape[1])), flat[: n - j]])
    if zi is not None:
        start = np.reshape(np.moveaxis(zi, axis, 0), (order, -1)) + np.zeros((order, flat.shape[1]))
        room = max(n, order)
        start = np.concatenate([start, np.zeros((room - order, flat.shape[1]))])
        right = right + start[:n]
    bands = a[:, None] + np.zeros((order + 1, n))
    y = solve_banded((order, 0), bands, right)
    out = np.moveaxis(np.reshape(y, x.shape), 0, axis)
    if zi is None:
        return out
    last = []
    for k in range(order):
        value = start[n + k] if n + k < order else np.zeros(flat.shape[1])
        for j in range(k + 1, min(order, n + k) + 1):
            value = value + b[j] * flat[n + k - j] - a[j] * y[n + k - j]
        last.append(value)
    final = np.stack(last) if last else np.zeros((0, flat.shape[1]))
    return out, np.moveaxis(np.reshape(final, (order, *x.shape[1:])), 0, axis)


@computes("signal._sigtools._convolve2d")
def convolve2d(x: Any, kernel: Any, flip: int, size: int, boundary: int, fill: Any = 0) -> Any:
    """Sums over windows; `size` is SciPy's number for "valid", "same" or "full"."""
    shape, m = np.shape(x), np.array(np.shape(kernel)) - 1
    kind: Any = {0: "constant", 1 << 2: "symmetric", 2 << 2: "wrap"}[boundary]
    options: dict[str, Any] = {"constant_values": fill} if kind == "constant" else {}
    padded = np.pad(x, [(k, k) for k in m.tolist()], mode=kind, **options)
    down, right = (
        np.arange(n + k)[:, None] + np.arange(k + 1) for n, k in zip(shape, m.tolist(), strict=True)
    )
    windows = np.take(np.take(padded, down, axis=0), right, axis=2)
    whole = np.einsum("ikjl,kl->ij", windows, kernel[::-1, ::-1] if flip else kernel)
    if size == 2:
        return whole
    first = m if size == 0 else m // 2 if flip else m - m // 2
    i, j = first.tolist()
    rows, columns = shape if size == 1 else (np.array(shape) - m).tolist()
    return whole[i : i + rows, j : j + columns]
