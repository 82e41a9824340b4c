"""Splines through the pixels, in JAX: differentiable in the image and in the coordinates, to any order.

The coefficients of the spline solve a sparse system on the host for each axis.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage
import scipy.sparse

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap.sparse.linalg import spsolve

MODES = ("constant", "nearest", "mirror", "reflect", "grid-wrap", "grid-mirror", "grid-constant")
EVERY = (*MODES, "wrap")
# pixels that SciPy adds at each side before it looks for coefficients, and how JAX pads with them
PAD = 12
PADDED = {"nearest": "edge", "grid-constant": "constant"}
SHORT = 45  # pixels; 0.43^45 is below the rounding
FARTHEST = 2.0**53  # a pixel that has a number, which infinity and NaN do not
SAME = {"grid-mirror": "reflect"}  # other names of a mode


@functools.partial(jax.jit, static_argnums=(2, 3, 5))
def sampled(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """`scipy.ndimage.map_coordinates` in JAX."""
    ends = np.reshape(image.shape, (-1, *[1] * (places.ndim - 1))) - 1
    mode = SAME.get(mode, mode)
    if mode == "wrap":
        places, mode = wrapped(places, ends), "mirror"
    if mode in PADDED and order > 1 and prefilter:
        fill = {"constant_values": cval} if mode == "grid-constant" else {}
        image, places = jnp.pad(image, PAD, PADDED[mode], **fill), places + PAD
    if mode == "nearest":  # farther away all coefficients are that of the edge
        places = jnp.clip(places, -order, np.reshape(image.shape, ends.shape) - 1 + order)
    for axis, size in enumerate(image.shape if prefilter else ()):
        image = jnp.moveaxis(_coefficients(jnp.moveaxis(image, axis, 0), size, order, mode), 0, axis)
    values = _evaluate(image, places, order, mode, cval)
    return values if mode != "constant" else jnp.where(inside(places, ends), values, cval)


def wrapped(places: Any, ends: np.ndarray, xp: Any = jnp) -> Any:
    """Move a coordinate into the image by whole periods; the last pixel is the same as the first one."""
    period = np.maximum(ends, 1)
    turns = xp.trunc(places / period)  # which has no derivative
    turns = xp.where(places < 0, turns - 1, xp.where(places > ends, turns, 0))
    return xp.where(ends > 0, places - turns * period, 0 * places)


def inside(places: Any, ends: np.ndarray, xp: Any = jnp) -> Any:
    return xp.all(((places >= 0) & (places <= ends)) | xp.isnan(places), 0)


def _evaluate(coefficients: Any, places: Any, order: int, mode: str, cval: Any) -> Any:
    """The sum over (order + 1)^d pixels around each place, one axis after the other."""
    d = places.shape[0]
    around, shares, there = [], [], jnp.ones((), bool)
    for axis, x in enumerate(places):
        first, weights, _ = basis(x, order)
        size, wide = coefficients.shape[axis], [order + 1 if k == axis else 1 for k in range(d)]
        pixels = (first[..., None] + jnp.arange(order + 1)).reshape(*x.shape, *wide)
        there &= (pixels >= 0) & (pixels < size)
        around.append(fold(pixels, size, mode))
        shares.append(jnp.stack(weights, -1))
    values = coefficients[tuple(around)]
    if mode == "grid-constant":
        values = jnp.where(there, values, cval)
    for axis in reversed(range(d)):
        values = jnp.sum(values * shares[axis].reshape(*places.shape[1:], *[1] * axis, order + 1), -1)
    return values


def basis(x: Any, order: int, xp: Any = jnp) -> tuple[Any, list, list]:
    """The first pixel that contributes at x, its weight and those of the next ones, and the weights' derivatives.

    From degree d - 1 to d B_j gets (1 - t + j) B_j / d + (t + d - j) B_(j-1) / d, and the slope B_(j-1) - B_j (de Boor,
    A Practical Guide to Splines, X, for knots at distance 1).
    """
    middle = x if order % 2 else x + 0.5
    whole = xp.floor(middle)  # which has no derivative
    t, below, weights = middle - whole, [], [xp.ones_like(x)]
    for d in range(1, order + 1):
        below, rising = weights, [(t + d - 1 - j) * w for j, w in enumerate(weights)]
        falling = [(1 - t + j) * w for j, w in enumerate(weights)]
        inner = [r + f for r, f in zip(rising[:-1], falling[1:], strict=True)]
        weights = [w / d for w in (falling[0], *inner, rising[-1])]
    ends = [0.0, *below, 0.0]
    slopes = [a - b for a, b in itertools.pairwise(ends)] if below else [xp.zeros_like(x)]
    first = xp.where(abs(whole) < FARTHEST, whole, 0).astype(int) - order // 2
    return first, weights, slopes


def fold(i: Any, n: int, mode: str, xp: Any = jnp) -> Any:
    """The pixel that continues the image at position i outside of it."""
    if mode == "nearest":
        return xp.clip(i, 0, n - 1)
    period = {"grid-wrap": n, "reflect": 2 * n}.get(mode, max(2 * n - 2, 1))
    i = i % period
    mirrored = period - 1 - i if mode == "reflect" else period - i
    return xp.where(i < n, i, mirrored)


def _coefficients(image: Any, n: int, order: int, mode: str) -> Any:
    """The coefficients, along the first axis, of the spline through the pixels. Up to order 1 they are the pixels."""
    if order <= 1 or n == 1:
        return image
    values, columns, rows = _through_pixels(n, order, mode)
    return spsolve(values.astype(image.real.dtype), columns, rows, image.reshape(n, -1)).reshape(image.shape)


@functools.lru_cache(maxsize=64)
def _through_pixels(n: int, order: int, mode: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The spline at each pixel, as a sparse matrix that acts on coefficients; with "nearest" SciPy reflects these."""
    mode = "reflect" if mode == "nearest" else mode
    first, weights, _ = basis(np.arange(n, dtype=float), order, np)
    pixels = fold(first[:, None] + np.arange(order + 1), n, mode, np)
    rows = np.repeat(np.arange(n), order + 1)
    matrix = scipy.sparse.coo_array(
        (np.stack(weights, -1).ravel(), (rows, pixels.ravel())), shape=(n, n)
    ).tocsr()
    return matrix.data, matrix.indices, matrix.indptr


# ---- the coefficients as SciPy has them


def filtered_back(c: np.ndarray, axes: Sequence[int], order: int, mode: str) -> None:
    """The transpose of the filter that finds coefficients along these axes, in place.

    It inverts S, the spline at each pixel. A coefficient stands for all its mirror images; with those of pixels that
    are their own image counted twice, S is symmetric. So S = W D, W' = W, and the transpose of S^-1 is D S^-1 D^-1: D
    halves the two ends with "mirror", and is 1 in the other modes. SciPy's filter has this symmetry up to 0.43^n for n
    pixels: along short axes it is a matrix.
    """
    mode = SAME.get(mode, "reflect" if mode == "nearest" else mode)
    mode = mode if mode in ("reflect", "grid-wrap") else "mirror"
    for axis in axes:
        line = np.moveaxis(c, axis, 0)
        if 1 < len(line) < SHORT:
            inverse = scipy.ndimage.spline_filter1d(np.eye(len(line)), order, 1, line.real.dtype, mode)
            line[...] = np.tensordot(inverse, line, 1)
        elif len(line) > 1:
            ends = [line[:1], line[-1:]] if mode == "mirror" else []
            for end in ends:
                end *= 2
            scipy.ndimage.spline_filter1d(c, order, axis, c, mode)  # type: ignore[arg-type]
            for end in ends:
                end /= 2


def _filter_back(
    c: np.ndarray, input: np.ndarray, order: int, mode: str, axis: int | None = None
) -> np.ndarray:
    """The transpose of the filter along one axis, or along all."""
    own = np.array(c, np.result_type(c, float))
    if order > 1:
        filtered_back(own, range(c.ndim) if axis is None else [axis], order, mode)
    return own


@as_scipys("scipy.ndimage")
@hosted("input", lambda input, **_: shaped(input), transpose={"input": _filter_back})
def spline_filter(input: ArrayLike, order: int = 3, mode: str = "mirror") -> jax.Array:
    """`scipy.ndimage.spline_filter`: the coefficients of the spline through the pixels, linear in the image.

    Args:
        input: an image with any number of axes, real or complex.
        order, mode: as in SciPy.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: spline_filter(x)[1])(np.zeros(3)))
    [-0.5  2.  -0.5]
    """
    return scipy.ndimage.spline_filter(input, order, np.result_type(input, float), mode)  # type: ignore[arg-type]


@as_scipys("scipy.ndimage")
@hosted("input", lambda input, **_: shaped(input), transpose={"input": _filter_back})
def spline_filter1d(input: ArrayLike, order: int = 3, axis: int = -1, mode: str = "mirror") -> jax.Array:
    """`scipy.ndimage.spline_filter1d`: spline coefficients along one axis; see `spline_filter`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: spline_filter1d(x)[1])(np.zeros(3)))
    [-0.5  2.  -0.5]
    """
    return scipy.ndimage.spline_filter1d(input, order, axis, np.result_type(input, float), mode)  # type: ignore[arg-type]


def check_spline(name: str, order: Any, mode: str, modes: tuple[str, ...] = MODES, least: int = 1) -> None:
    if not isinstance(order, int) or not least <= order <= 5:
        raise SignatureError(f"{name}: order={order!r} must be an integer from {least} to 5.")
    if mode not in modes:
        raise SignatureError(f"{name}: mode={mode!r} must be one of {', '.join(modes)}.")
