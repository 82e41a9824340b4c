"""`scipy.ndimage`, splines through the pixels: differentiable in the image and in the places.

The coefficients of the spline solve a sparse system on the host for each axis; the spline is evaluated in JAX.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage
import scipy.sparse
import scipy.sparse.linalg

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap.sparse.linalg import spsolve

MODES = ("constant", "nearest", "mirror", "reflect", "grid-wrap", "grid-mirror", "grid-constant")
EVERY = (*MODES, "wrap")
# pixels that SciPy adds at each side before it looks for coefficients, and how JAX pads with them
PAD = 12
PADDED = {"nearest": "edge", "grid-constant": "constant"}
SAME = {"grid-mirror": "reflect"}  # other names of a mode


@as_scipys("scipy.ndimage")
def map_coordinates(
    input: ArrayLike,
    coordinates: ArrayLike,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> jax.Array:
    """The image at places between its pixels, as `scipy.ndimage.map_coordinates`: by splines of order 0 to 5.

    Args:
        input: the image, with d >= 1 axes, real or complex. More images by vmap.
        coordinates: [d, ...], in pixels.
        order: 0 is the nearest pixel: the derivative in the coordinates is then 0, as that of a step is.
        mode: what is outside, as in SciPy: "constant" and "grid-constant" (cval), "nearest", "mirror", "reflect" or
            "grid-mirror", "grid-wrap", "wrap". Splines of small images keep these symmetries exactly, which SciPy's
            coefficients do to about 0.43^n, for n pixels, in "reflect" and "grid-mirror", and more than 12 pixels
            outside in "nearest".
        prefilter: False where the input is `spline_filter` of the image already.

    Returns:
        values, shaped as one of the coordinates. Derivatives in both, forward and reverse, of any order: a spline has
        order - 1 of them that are continuous, and then jumps, in places only. With "constant" they are 0 outside.

    Raises:
        SignatureError: shapes that do not fit, another order or mode.

    >>> import jax, numpy as np
    >>> image = np.arange(16.0).reshape(4, 4)
    >>> print(jax.grad(lambda at: map_coordinates(image, at, order=1))(np.array([1.25, 1.5])))
    [4. 1.]
    """
    image, places = arrays("map_coordinates", input=input, coordinates=coordinates)
    check_spline("map_coordinates", order, mode, EVERY, least=0)
    if not image.ndim or 0 in image.shape or places.shape[:1] != (image.ndim,):
        raise SignatureError(
            f"map_coordinates: wants an image with d axes and coordinates of shape (d, ...), got "
            f"{image.shape}, {places.shape}."
        )
    real = inexact(image.real, places)
    image, places = image.astype(jnp.result_type(image, real)), places.astype(real)
    return _map(image, places, order, mode, cval, bool(prefilter))


@functools.partial(jax.jit, static_argnums=(2, 3, 5))
def _map(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    ends = np.reshape(image.shape, (-1, *[1] * (places.ndim - 1))) - 1
    mode = SAME.get(mode, mode)
    if mode == "wrap":
        places, mode = _wrapped(places, ends), "mirror"
    if mode in PADDED and order > 1 and prefilter:
        fill = {"constant_values": cval} if mode == "grid-constant" else {}
        image, places = jnp.pad(image, PAD, PADDED[mode], **fill), places + PAD
    if mode == "nearest":  # farther away all coefficients are that of the edge
        places = jnp.clip(places, -order, np.reshape(image.shape, ends.shape) - 1 + order)
    for axis, size in enumerate(image.shape if prefilter else ()):
        image = jnp.moveaxis(_coefficients(jnp.moveaxis(image, axis, 0), size, order, mode), 0, axis)
    values = _evaluate(image, places, order, mode, cval)
    return values if mode != "constant" else jnp.where(_inside(places, ends), values, cval)


def _wrapped(places: Any, ends: np.ndarray, xp: Any = jnp) -> Any:
    """By whole periods into the image: the last pixel stands for the first one."""
    period = np.maximum(ends, 1)
    turns = xp.trunc(places / period)  # which has no derivative
    turns = xp.where(places < 0, turns - 1, xp.where(places > ends, turns, 0))
    return xp.where(ends > 0, places - turns * period, 0 * places)


def _inside(places: Any, ends: np.ndarray) -> Any:
    return jnp.all(((places >= 0) & (places <= ends)) | jnp.isnan(places), 0)


def _evaluate(coefficients: Any, places: Any, order: int, mode: str, cval: Any) -> Any:
    """The sum over (order + 1)^d pixels around each place, one axis after the other."""
    d = places.shape[0]
    around, shares, there = [], [], jnp.ones((), bool)
    for axis, x in enumerate(places):
        first, weights = _basis(x, order)
        size, wide = coefficients.shape[axis], [order + 1 if k == axis else 1 for k in range(d)]
        pixels = (first[..., None] + jnp.arange(order + 1)).reshape(*x.shape, *wide)
        there &= (pixels >= 0) & (pixels < size)
        around.append(_fold(pixels, size, mode))
        shares.append(weights)
    values = coefficients[tuple(around)]
    if mode == "grid-constant":
        values = jnp.where(there, values, cval)
    for axis in reversed(range(d)):
        values = jnp.sum(values * shares[axis].reshape(*places.shape[1:], *[1] * axis, order + 1), -1)
    return values


def _basis(x: Any, order: int, xp: Any = jnp) -> tuple[Any, Any]:
    """The first pixel that counts at x, and how much it and the next ones do (de Boor, A Practical Guide to Splines,
    X, for knots at distance 1): from degree d - 1 to d B_j gets (1 - t + j) B_j / d + (t + d - j) B_(j-1) / d."""
    middle = x if order % 2 else x + 0.5
    whole = xp.floor(middle)  # which has no derivative
    t, weights = (middle - whole)[..., None], xp.ones_like(x)[..., None]
    for d in range(1, order + 1):
        j, zero = np.arange(d), xp.zeros_like(t)
        left = xp.concatenate([(1 - t + j) * weights, zero], -1)
        weights = (left + xp.concatenate([zero, (t + d - 1 - j) * weights], -1)) / d
    return xp.nan_to_num(whole).astype(int) - order // 2, weights


def _fold(i: Any, n: int, mode: str, xp: Any = jnp) -> Any:
    """The pixel that stands at i outside of the image."""
    if mode == "nearest":
        return xp.clip(i, 0, n - 1)
    period = {"grid-wrap": n, "reflect": 2 * n}.get(mode, max(2 * n - 2, 1))
    i = i % period
    mirrored = period - 1 - i if mode == "reflect" else period - i
    return xp.where(i < n, i, mirrored)


def _coefficients(image: Any, n: int, order: int, mode: str) -> Any:
    """Along the first axis: the spline with them goes through the pixels. Up to order 1 they are the pixels."""
    if order <= 1 or n == 1:
        return image
    values, columns, rows = _through_pixels(n, order, mode)
    return spsolve(values.astype(image.real.dtype), columns, rows, image.reshape(n, -1)).reshape(image.shape)


@functools.lru_cache(maxsize=64)
def _through_pixels(n: int, order: int, mode: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The spline at each pixel, as a sparse matrix of its coefficients, which SciPy reflects with "nearest"."""
    mode = "reflect" if mode == "nearest" else mode
    first, weights = _basis(np.arange(n, dtype=float), order, np)
    pixels = _fold(first[:, None] + np.arange(order + 1), n, mode, np)
    rows = np.repeat(np.arange(n), order + 1)
    matrix = scipy.sparse.coo_array((weights.ravel(), (rows, pixels.ravel())), shape=(n, n)).tocsr()
    return matrix.data, matrix.indices, matrix.indptr


# ---- along one axis, at known places: a sparse matrix between two others, on the host


@functools.lru_cache(maxsize=64)
def _inverse(n: int, order: int, mode: str) -> Any:
    values, columns, rows = _through_pixels(n, order, mode)
    return scipy.sparse.linalg.splu(scipy.sparse.csr_array((values, columns, rows), shape=(n, n)).tocsc())


def line_back(
    c: np.ndarray, axis: int, n: int, places: np.ndarray, order: int, mode: str, prefilter: bool
) -> np.ndarray:
    """The transpose of `_map` along one axis of n pixels, with cval = 0: x gets P' S'^-1 E' c.

    P are the pixels that are added at the sides, S has the spline at each pixel, E at each place. What is outside of
    the image with mode "constant" is 0 in c.
    """
    mode, size, padded = SAME.get(mode, mode), n, mode in PADDED and order > 1 and prefilter
    if mode == "wrap":
        places, mode = _wrapped(places, np.array(n - 1), np), "mirror"
    if padded:
        size, places = n + 2 * PAD, places + PAD
    places = np.clip(places, -order, size - 1 + order) if mode == "nearest" else places
    first, weights = _basis(places, order, np)
    pixels = first[:, None] + np.arange(order + 1)
    if mode == "grid-constant":
        weights = np.where((pixels >= 0) & (pixels < size), weights, 0.0)
    pixels = _fold(pixels, size, mode, np)
    rows = np.broadcast_to(np.arange(len(places))[:, None], pixels.shape)
    spread = scipy.sparse.coo_array(
        (weights.ravel(), (pixels.ravel(), rows.ravel())), shape=(size, len(places))
    )
    flat = np.moveaxis(c, axis, 0)
    found = spread.tocsr() @ flat.reshape(len(places), -1)
    if order > 1 and prefilter and size > 1:
        parts = [found.real, found.imag] if np.iscomplexobj(found) else [found]
        solved = [_inverse(size, order, mode).solve(np.ascontiguousarray(part), "T") for part in parts]
        found = solved[0] + 1j * solved[1] if len(solved) == 2 else solved[0]
    if padded:
        inner = found[PAD : PAD + n].copy()
        if mode == "nearest":
            inner[0] += found[:PAD].sum(0)
            inner[-1] += found[PAD + n :].sum(0)
        found = inner
    return np.moveaxis(found.reshape(n, *flat.shape[1:]), 0, axis)


# ---- the coefficients as SciPy has them


def _spline_filter(input: Any, order: int, mode: str) -> Any:
    for axis in range(input.ndim):
        input = _spline_filter1d(input, order, axis, mode)
    return input


def _spline_filter1d(input: Any, order: int, axis: int, mode: str) -> Any:
    check_spline("spline_filter", order, mode, ("mirror", "reflect", "grid-wrap"))
    along = jnp.moveaxis(input, axis, 0)
    return jnp.moveaxis(_coefficients(along, along.shape[0], order, mode), 0, axis)


@as_scipys("scipy.ndimage")
@hosted("input", lambda input, **_: shaped(input), _spline_filter)
def spline_filter(input: ArrayLike, order: int = 3, mode: str = "mirror") -> jax.Array:
    """`scipy.ndimage.spline_filter`: the coefficients of the spline through the pixels, linear in them.

    Args:
        input: an image with any number of axes, real or complex.
        order, mode: as in SciPy; the derivative is that of the exact coefficients, in the modes mirror, reflect and
            grid-wrap.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: spline_filter(x)[1])(np.zeros(3)))
    [-0.5  2.  -0.5]
    """
    return scipy.ndimage.spline_filter(input, order, np.result_type(input, float), mode)  # type: ignore[arg-type]


@as_scipys("scipy.ndimage")
@hosted("input", lambda input, **_: shaped(input), _spline_filter1d)
def spline_filter1d(input: ArrayLike, order: int = 3, axis: int = -1, mode: str = "mirror") -> jax.Array:
    """`scipy.ndimage.spline_filter1d`: the same along one axis; see `spline_filter`.

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
