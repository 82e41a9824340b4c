"""`scipy.ndimage.map_coordinates`: values by SciPy, first derivatives in NumPy, higher ones in JAX.

The value at a point is a sum of (order + 1)^d coefficients around it, each times a product of d weights. The transpose
in the image adds these products to the coefficients. A slope contains the derivatives of the weights along one axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage
import scipy.sparse

from hostwrap._errors import SignatureError
from hostwrap._recipes import sums
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.hosted import hosted, mapped, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap.ndimage._splines import (
    EVERY,
    PAD,
    PADDED,
    SAME,
    basis,
    check_spline,
    filtered_back,
    fold,
    inside,
    sampled,
    wrapped,
)

BLOCK = 2**16  # products at a time, which stay in the cache


# ---- on the host


class Sum(NamedTuple):
    """The sum that gives the values at points: the sizes of the array of coefficients, and the points in it.

    `there` is None, or says which places are inside of an image with mode "constant".
    """

    sizes: tuple[int, ...]
    mode: str
    places: np.ndarray
    there: Any

    @classmethod
    def of(cls, shape: Sequence[int], places: np.ndarray, order: int, mode: str, prefilter: bool) -> Sum:
        """Of places [d, n]."""
        mode, sizes, there = SAME.get(mode, mode), tuple(shape), None
        ends = np.reshape(sizes, (-1, 1)) - 1
        if mode == "wrap":
            places, mode = wrapped(places, ends, np), "mirror"
        if mode == "constant":
            there = inside(places, ends, np)
            there, places = (None, places) if there.all() else (there, np.where(there, places, 0.0))
        if _padded(order, mode, prefilter):
            sizes, places = tuple(n + 2 * PAD for n in sizes), places + PAD
        if mode == "nearest":  # farther away all coefficients are that of the edge
            places = np.clip(places, -order, np.reshape(sizes, ends.shape) - 1 + order)
        return cls(sizes, mode, places, there)

    def blocks(self, order: int) -> Iterator[tuple[slice, Any, list, Any]]:
        """Block by block: which points, the numbers of their coefficients [order + 1, ..., n], weights and slopes
        [order + 1, n] for each axis, and which coefficients are there (None: all)."""
        step = max(1, BLOCK // (order + 1) ** len(self.sizes))
        for start in range(0, self.places.shape[1], step):
            at, flat, lines, held = slice(start, start + step), None, [], None
            for size, x in zip(self.sizes, self.places[:, at], strict=True):
                first, *both = basis(x, order, np)
                pixels = first + np.arange(order + 1)[:, None]
                if self.mode == "grid-constant":
                    own = (pixels >= 0) & (pixels < size)
                    held = own if held is None else held[..., None, :] & own
                if first.min() < 0 or first.max() >= size - order:
                    pixels = fold(pixels, size, self.mode, np)
                flat = pixels if flat is None else (flat * size)[..., None, :] + pixels
                lines.append(tuple(map(np.array, both)))
            yield at, flat, lines, held

    def spread(self, c: np.ndarray, order: int) -> np.ndarray:
        """The transpose: the factor of each coefficient in `sum(c * values)`."""
        if sums.here() and len(self.sizes) <= sums.MOST_AXES:
            return sums.Spline(self.sizes, self.places, order, self.mode).spread(c)
        found = np.zeros(np.prod(self.sizes), c.dtype)
        for at, flat, lines, held in self.blocks(order):
            terms = c[at]
            for weights, _ in lines:
                terms = terms[..., None, :] * weights
            terms = terms if held is None else np.where(held, terms, 0.0)
            np.add.at(found, flat.reshape(-1), terms.reshape(-1))
        return found.reshape(self.sizes)

    def slopes(self, coefficients: np.ndarray, order: int, cval: Any) -> np.ndarray:
        """How fast the value at each place grows with it, along each axis."""
        if sums.here() and len(self.sizes) <= sums.MOST_AXES:
            return sums.Spline(self.sizes, self.places, order, self.mode).slopes(coefficients, cval)
        image, found = coefficients.reshape(-1), np.empty(self.places.shape, coefficients.dtype)
        for at, flat, lines, held in self.blocks(order):
            values = image.take(flat)
            values = values if held is None else np.where(held, values, cval)
            found[:, at] = _along_each(values, lines)
        return found


def _padded(order: int, mode: str, prefilter: bool) -> bool:
    return mode in PADDED and order > 1 and prefilter


def _pixels_back(c: np.ndarray, axes: Sequence[int], order: int, mode: str, prefilter: bool) -> np.ndarray:
    """From coefficients along these axes back to the pixels; c is written to."""
    if order > 1 and prefilter:
        filtered_back(c, axes, order, mode)
    for axis in axes if _padded(order, mode, prefilter) else ():
        c = np.moveaxis(c, axis, 0)
        inner = c[PAD:-PAD].copy()
        if mode == "nearest":
            inner[0] += c[:PAD].sum(0)
            inner[-1] += c[-PAD:].sum(0)
        c = np.moveaxis(inner, 0, axis)
    return c


def line_back(
    c: np.ndarray, axis: int, n: int, places: np.ndarray, order: int, mode: str, prefilter: bool
) -> np.ndarray:
    """The transpose in an image with n pixels along one axis, for these points: a sparse matrix."""
    own = Sum.of((n,), places[None], order, mode, prefilter)
    parts = [
        (pixels, np.where(True if held is None else held, lines[0][0], 0.0))
        for _, pixels, lines, held in own.blocks(order)
    ]
    pixels, weights = (np.concatenate(x, -1) for x in zip(*parts, strict=True))
    columns = np.broadcast_to(np.arange(len(places)), pixels.shape)
    spread = scipy.sparse.coo_array(
        (weights.ravel(), (pixels.ravel(), columns.ravel())), shape=(*own.sizes, len(places))
    )
    flat = np.moveaxis(c, axis, 0)
    found = spread.tocsr() @ flat.reshape(len(places), -1)
    found = np.moveaxis(found.reshape(*own.sizes, *flat.shape[1:]), 0, axis)
    return _pixels_back(found, [axis], order, own.mode, prefilter)


@hosted("c places", lambda c, places, shape, **_: shaped(c, shape, places))
def _spread(c: Any, places: Any, shape: tuple[int, ...], order: int, mode: str, prefilter: bool) -> Any:
    """The transpose in an image of this shape."""
    own = Sum.of(shape, places.reshape(len(shape), -1), order, mode, prefilter)
    found = own.spread(c.reshape(-1) if own.there is None else np.where(own.there, c.reshape(-1), 0.0), order)
    return _pixels_back(found, range(len(shape)), order, own.mode, prefilter)


def _slopes_in_jax(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    values = lambda places: sampled(image, places, order, mode, cval, prefilter)
    along = lambda axis: jax.jvp(values, (places,), (jnp.zeros_like(places).at[axis].set(1),))[1]
    return jnp.stack([along(axis) for axis in range(len(places))])


def _values(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    values = scipy.ndimage.map_coordinates(image, places, None, order, mode, cval, prefilter)
    return np.where(np.isnan(places).any(0), np.nan, values)  # SciPy's is that of a place outside


def _slopes(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """How fast the value at each place grows with it, along each axis."""
    own = Sum.of(image.shape, places.reshape(image.ndim, -1), order, mode, prefilter)
    if _padded(order, own.mode, prefilter):
        fill: Any = {"constant_values": cval} if own.mode == "grid-constant" else {}
        image = np.pad(image, PAD, cast(Any, PADDED[own.mode]), **fill)
    if order > 1 and prefilter:
        image = scipy.ndimage.spline_filter(image, order, image.dtype, own.mode)
    found = own.slopes(image, order, cval)
    return (found if own.there is None else np.where(own.there, found, 0.0)).reshape(places.shape)


def _along_each(values: np.ndarray, lines: list) -> list:
    """For each axis, the sums with its slopes and the weights of the others; the last axes first."""
    *rest, (weights, slopes) = lines
    moved = (values * slopes).sum(-2)
    for others, _ in reversed(rest):
        moved = (moved * others).sum(-2)
    return [*(_along_each((values * weights).sum(-2), rest) if rest else []), moved]


# ---- in JAX


@hosted("input coordinates", lambda input, coordinates, **_: shaped(input, coordinates.shape[1:]))
def _map_coordinates(input: Any, coordinates: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    return _values(input, coordinates, order, mode, cval, prefilter)


def _in_jax(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> tuple:
    return (
        sampled(image, places, order, mode, cval, prefilter),
        _slopes_in_jax(image, places, order, mode, cval, prefilter),
    )


@hosted(
    "image places",
    lambda image, places, **_: (shaped(image, places.shape[1:]), shaped(image, places.shape)),
    _in_jax,
)
def _with_slopes(image: Any, places: Any, order: int, mode: str, cval: Any, prefilter: bool) -> tuple:
    """Values and slopes from the same coefficients; SciPy's values are sums of these."""
    if order > 1 and prefilter and mode not in PADDED:  # SciPy pads by itself
        image, prefilter = scipy.ndimage.spline_filter(image, order, image.dtype, mode), False
    how = {"order": order, "mode": mode, "cval": cval, "prefilter": prefilter}
    return _values(image, places, **how), _slopes(image, places, **how)


@_map_coordinates.hosted.defjvp  # type: ignore[attr-defined]
def _jvp(primals: tuple, tangents: tuple, **how: Any) -> tuple:
    (image, places), (moves, steps) = primals, tangents
    if steps is None:
        return _map_coordinates(*primals, **how), _moved(image, places, moves, **how)
    values, slopes = _with_slopes(*primals, **how)
    along = jnp.sum(slopes * steps, 0)
    return values, along if moves is None else along + _moved(image, places, moves, **how)


@as_one("cval", "order", "mode", "prefilter")
def _moved(image: Any, places: Any, moves: Any, cval: Any, **how: Any) -> Any:
    """The tangent for a change of the image, in which the value is linear."""
    if how["order"] == 0:  # the value is constant between the pixels
        places = jax.lax.stop_gradient(places)
    return mapped(
        lambda x: _map_coordinates(x, places, cval=0.0, **how),
        lambda x: sampled(x, places, cval=0.0, **how),
        lambda c: _spread(c, places, shape=image.shape, **how),
        moves,
    )


@as_scipys("scipy.ndimage")
def map_coordinates(
    input: ArrayLike,
    coordinates: ArrayLike,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
) -> jax.Array:
    """`scipy.ndimage.map_coordinates`: the image between its pixels, interpolated by splines of order 0 to 5.

    Args:
        input: the image, with d >= 1 axes, real or complex. Use vmap for more images.
        coordinates: [d, ...], in pixels.
        order: 0 takes the nearest pixel; the derivative in the coordinates is then 0, as that of a step.
        mode: how the image continues outside, as in SciPy: "constant" and "grid-constant" (cval), "nearest", "mirror",
            "reflect" or "grid-mirror", "grid-wrap", "wrap". Splines of small images have these symmetries exactly.
            Those of SciPy have them up to about 0.43^n, for n pixels, in "reflect" and "grid-mirror", and more than 12
            pixels outside in "nearest".
        prefilter: False if the input is already the result of `spline_filter`.

    Returns:
        values, of the shape of one of the coordinates. They have derivatives of any order in both arguments, forward
        and reverse. A spline has `order - 1` continuous derivatives; the next one jumps at isolated coordinates. With
        mode "constant" derivatives are 0 outside.

    Raises:
        SignatureError: shapes do not fit, or the order or the mode does not exist.

    >>> import jax, numpy as np
    >>> image = np.arange(16.0).reshape(4, 4)
    >>> slopes = jax.grad(lambda at: map_coordinates(image, at, order=1)[0])(np.array([[1.25], [1.5]]))
    >>> print(slopes[:, 0])
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
    if isinstance(cval, jax.core.Tracer):
        return sampled(image, places, order, mode, cval, bool(prefilter))
    cval = cval.item() if isinstance(cval, jax.Array) else cval
    return _map_coordinates(image, places, order, mode, cval, bool(prefilter))
