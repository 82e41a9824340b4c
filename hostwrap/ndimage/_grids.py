"""Images on a regular grid: the coordinates are an affine function of the pixels of the result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage
import scipy.special

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import linear
from hostwrap.ndimage._places import line_back, map_coordinates
from hostwrap.ndimage._splines import EVERY, check_spline


def _grid(shape: tuple[int, ...]) -> np.ndarray:
    return np.indices(shape, dtype=float)


def _sampled(
    input: Any, places: Any, order: int, mode: str, cval: float, prefilter: bool, inside: Callable[[Any], Any]
) -> Any:
    """As `map_coordinates`; SciPy's rounding decides which coordinates at the edge are inside.

    SciPy itself says so: what it makes of an image of ones is not 0 there.
    """
    sample: Any = functools.partial(
        map_coordinates, input, order=order, mode=mode, cval=cval, prefilter=prefilter
    )
    if mode != "constant":
        return sample(places)
    ends = np.reshape(input.shape, (-1, *[1] * (places.ndim - 1))) - 1.0
    places += jax.lax.stop_gradient(jnp.clip(places, 0, ends) - places)
    return jnp.where(inside(jnp.ones_like(input.real)) != 0, sample(places), cval)


def _affine(
    input: Any,
    matrix: Any,
    offset: Any,
    output_shape: Any,
    order: int,
    mode: str,
    cval: float,
    prefilter: bool,
) -> Any:
    held = jax.lax.stop_gradient((matrix, offset))
    places = _affine_places(output_shape or input.shape, matrix, offset, input.ndim)
    inside = lambda ones: affine_transform(ones, *held, output_shape, order=0)
    return _sampled(input, places, order, mode, cval, prefilter, inside)


def _affine_places(shape: tuple[int, ...], matrix: Any, offset: Any, d: int) -> Any:
    grid = _grid(shape)
    if matrix.ndim == 2 and matrix.shape[1] == d + 1:  # homogeneous coordinates
        matrix, offset = matrix[:d, :d], matrix[:d, d]
    moved = matrix.reshape(d, *[1] * d) * grid if matrix.ndim == 1 else jnp.tensordot(matrix, grid, axes=1)
    return moved + jnp.broadcast_to(offset, (d,)).reshape(d, *[1] * d)


@as_scipys("scipy.ndimage")
@hosted(
    "input matrix offset",
    lambda input, matrix, offset, output_shape, **_: shaped(input, output_shape or input.shape),
    _affine,
)
def affine_transform(
    input: ArrayLike, matrix: ArrayLike, offset: ArrayLike = 0.0, output_shape: Sequence[int] | None = None,
    order: int = 3, mode: str = "constant", cval: float = 0.0, prefilter: bool = True,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.affine_transform`: the image at `matrix @ o + offset`, for each pixel o of the result.

    Args:
        input: an image with d axes, real or complex. More images by vmap.
        matrix: [d, d]; [d] for a diagonal matrix; [d, d + 1] or [d + 1, d + 1] if it contains the offset.
        offset: a number, or [d].
        output_shape, cval: as in SciPy. order, mode, prefilter: as in `map_coordinates`.

    Returns:
        an image. Derivatives in the image, the matrix and the offset are those of `map_coordinates`. With mode
        "constant" values jump where a pixel leaves the image; derivatives do not include this jump, across which finite
        differences grow without bound. With order 1 values have a kink where a coordinate is a pixel; the derivative
        there is that of one side.

    >>> import jax, numpy as np
    >>> ramp = np.arange(5.0)
    >>> print(f"{jax.grad(lambda m: affine_transform(ramp, m, order=1)[2])(np.array([1.2]))[0]:.6f}")
    2.000000
    """
    check_spline("affine_transform", order, mode, EVERY, least=0)
    given = offset if np.ndim(offset) else offset.item()  # type: ignore[arg-type]
    return scipy.ndimage.affine_transform(
        input, matrix, given, output_shape, None, order, mode, cval, prefilter
    )


def _shift(input: Any, by: Any, order: int, mode: str, cval: float, prefilter: bool) -> Any:
    d, held = input.ndim, jax.lax.stop_gradient(by)
    places = _grid(input.shape) - jnp.broadcast_to(by, (d,)).reshape(d, *[1] * d)
    return _sampled(input, places, order, mode, cval, prefilter, lambda ones: shift(ones, held, order=0))


@as_scipys("scipy.ndimage")
@hosted("input shift", lambda input, shift, **_: shaped(input), _shift)
def shift(
    input: ArrayLike, shift: ArrayLike, order: int = 3, mode: str = "constant", cval: float = 0.0,
    prefilter: bool = True,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.shift`, differentiable in the image and in the shift, a number or [d]; see `affine_transform`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda s: shift(np.arange(5.0), s, order=1)[2])(0.3))
    -1.0
    """
    check_spline("shift", order, mode, EVERY, least=0)
    return scipy.ndimage.shift(input, shift, None, order, mode, cval, prefilter)


def _zoomed(input: Any, zoom: Any) -> tuple[int, ...]:
    """The shape of SciPy's result."""
    factors = zoom if isinstance(zoom, tuple) else (zoom,) * len(input.shape)
    return tuple(round(n * z) for n, z in zip(input.shape, factors, strict=True))


def _zoom_places(sizes: tuple[int, int], grid_mode: bool) -> np.ndarray:
    """The coordinates of the result's pixels along one axis."""
    n, m = sizes
    if grid_mode:
        return (np.arange(m) + 0.5) * (n / m if m else 1.0) - 0.5
    return np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 1.0)


def _zoom_back(
    c: np.ndarray, input: np.ndarray, *, zoom: Any, order: int, mode: str, prefilter: bool, grid_mode: bool
) -> np.ndarray:
    """The transpose, one axis after the other; SciPy's rounding decides which coordinates at the edge are inside."""
    if not input.size:
        return np.zeros(input.shape, c.dtype)
    for axis, (n, m) in enumerate(zip(input.shape, c.shape, strict=True)):
        places = _zoom_places((n, m), grid_mode)
        if mode == "constant":
            factor = zoom[axis] if isinstance(zoom, tuple) else zoom
            inside = scipy.ndimage.zoom(np.ones(n), factor, order=1, grid_mode=grid_mode) != 0
            c = c * inside.reshape(-1, *[1] * (c.ndim - 1 - axis))
            places = np.clip(places, 0, n - 1)
        c = line_back(c, axis, n, places, order, mode, prefilter)
    return c


@linear(
    out=lambda input, *, zoom, **_: shaped(input, _zoomed(input, zoom)),
    static=("zoom", "order", "mode", "prefilter", "grid_mode"),
    copy=False,
    transpose={"input": _zoom_back},
)
def _zoom_linear(
    input: np.ndarray, *, zoom: Any, order: int, mode: str, prefilter: bool, grid_mode: bool
) -> np.ndarray:
    return scipy.ndimage.zoom(input, zoom, None, order, mode, 0.0, prefilter, grid_mode=grid_mode)


@as_scipys("scipy.ndimage")
@hosted("input", lambda input, zoom, **_: shaped(input, _zoomed(input, zoom)))
def zoom(
    input: ArrayLike,
    zoom: ArrayLike,
    order: int = 3,
    mode: str = "constant",
    cval: float = 0.0,
    prefilter: bool = True,
    *,
    grid_mode: bool = False,
) -> jax.Array:
    """`scipy.ndimage.zoom`, linear in the image. The factors are Python numbers, which set the shape of the result.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: zoom(x, 2, order=1)[1])(np.zeros(4)).round(6))
    [0.571429 0.428571 0.       0.      ]
    """
    check_spline("zoom", order, mode, EVERY, least=0)
    return scipy.ndimage.zoom(input, zoom, None, order, mode, cval, prefilter, grid_mode=grid_mode)


@zoom.hosted.defjvp  # type: ignore[attr-defined]
def _zoom_jvp(primals: tuple, tangents: tuple, *, cval: float, **how: Any) -> tuple:
    return zoom.hosted(*primals, cval=cval, **how), _zoom_linear(*tangents, **how)  # type: ignore[attr-defined]


def _turned(angle: Any, plane: tuple[int, int], out: tuple[int, int]) -> tuple[Any, Any]:
    """Matrix and offset of a rotation about the centre, by an angle in degrees; in NumPy or in JAX."""
    xp: Any = jnp if isinstance(angle, jax.Array) else np
    cosine, sine = (
        (xp.cos(xp.deg2rad(angle)), xp.sin(xp.deg2rad(angle)))
        if xp is jnp
        else (scipy.special.cosdg(angle), scipy.special.sindg(angle))
    )
    matrix = xp.array([[cosine, sine], [-sine, cosine]])
    middle = lambda shape: (np.array(shape) - 1) / 2
    return matrix, middle(plane) - matrix @ middle(out)


def _rotate(
    input: Any,
    angle: Any,
    axes: Any,
    shape: tuple[int, int],
    order: int,
    mode: str,
    cval: float,
    prefilter: bool,
) -> Any:
    first, second = sorted(a % input.ndim for a in axes)
    planes: Any = jnp.moveaxis(input, (first, second), (-2, -1))
    flat, held = planes.reshape(-1, *planes.shape[-2:]), jax.lax.stop_gradient(angle)
    places = _affine_places(shape, *_turned(angle, planes.shape[-2:], shape), 2)
    own = lambda ones: _rotate_on_host(ones, held, (0, 1), shape, 0, mode, 0.0, True)
    turned = jax.vmap(lambda plane: _sampled(plane, places, order, mode, cval, prefilter, own))(flat)
    return jnp.moveaxis(turned.reshape(*planes.shape[:-2], *shape), (-2, -1), (first, second))


def _rotated(input: Any, angle: Any, axes: Any, shape: tuple[int, int], **_: Any) -> Any:
    sizes = list(input.shape)
    for axis, size in zip(sorted(a % len(sizes) for a in axes), shape, strict=True):
        sizes[axis] = size
    return shaped(input, sizes)


@hosted("input angle", _rotated, _rotate)
def _rotate_on_host(
    input: Any,
    angle: Any,
    axes: Any,
    shape: tuple[int, int],
    order: int,
    mode: str,
    cval: float,
    prefilter: bool,
) -> Any:
    plane = tuple(input.shape[a] for a in sorted(a % input.ndim for a in axes))
    return scipy.ndimage.rotate(input, angle.item(), axes, shape != plane, None, order, mode, cval, prefilter)


@as_scipys("scipy.ndimage")
def rotate(
    input: ArrayLike, angle: ArrayLike, axes: Sequence[int] = (1, 0), reshape: bool = True,
    order: int = 3, mode: str = "constant", cval: float = 0.0, prefilter: bool = True,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.rotate`, differentiable in the image and in the angle, in degrees; see `affine_transform`.

    With `reshape=True` the angle determines the shape of the result, so it must not be traced.

    >>> import jax, numpy as np
    >>> image = np.add.outer(np.zeros(5), np.arange(5.0))
    >>> print(f"{jax.grad(lambda a: rotate(image, a, reshape=False, order=1)[3, 2])(5.0):.6f}")
    -0.017387
    """
    check_spline("rotate", order, mode, EVERY, least=0)
    sizes = np.shape(input)  # type: ignore[arg-type]
    axes = tuple(axes)
    if len(sizes) < 2 or len(axes) != 2 or len({a % len(sizes) for a in axes}) != 2:
        raise SignatureError(
            f"rotate: wants an image with two axes or more and two different axes, got {sizes}, axes={axes}."
        )
    shape = tuple(sizes[a] for a in sorted(a % len(sizes) for a in axes))
    if reshape:
        if isinstance(angle, jax.core.Tracer):
            raise SignatureError(
                "rotate: `angle` is traced, and says the shape of the result; give reshape=False."
            )
        matrix, _ = _turned(float(angle), shape, shape)  # type: ignore[arg-type]
        bounds = matrix @ [[0, 0, shape[0], shape[0]], [0, shape[1], 0, shape[1]]]
        shape = tuple((np.ptp(bounds, axis=1) + 0.5).astype(int).tolist())
    return _rotate_on_host(input, angle, axes, shape, order, mode, cval, bool(prefilter))
