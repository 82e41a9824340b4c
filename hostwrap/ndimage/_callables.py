"""`scipy.ndimage`, functions that call a function of yours: with neighbours of a pixel, or with a pixel's indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.stencils import checked, extended
from hostwrap._types import ArrayLike
from hostwrap.ndimage._places import map_coordinates


def _each(name: str, what: str, value: Any, count: int) -> tuple[int, ...]:
    values = (value,) * count if np.ndim(value) == 0 else tuple(value)
    if len(values) != count:
        raise SignatureError(
            f"{name}: `{what}` must be an integer, or one for each of {count} axes, got {value}."
        )
    return values


@as_scipys("scipy.ndimage")
def generic_filter(
    input: ArrayLike, function: Callable, size: Any = None, footprint: ArrayLike | None = None, mode: str = "reflect",
    cval: float = 0.0, origin: int | Sequence[int] = 0, extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None, *, axes: int | Sequence[int] | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.generic_filter`: a function of the neighbours of each pixel.

    Differentiable in the image, and in all values that your function closes over, to every order that your function
    has.

    Args:
        input: an image with any number of axes, real. Use vmap for more images.
        function: `function(neighbours, *extra_arguments, **extra_keywords)`, which gets an array [k]. It is JAX code,
            and is called once, for all pixels together. If it is NumPy code, wrap it first with `hostwrap.wrap`.
        size, footprint: which pixels are neighbours, as in SciPy. Give one of the two.
        mode, cval, origin, axes: as in SciPy.

    Returns:
        an image of the shape of the input. It has floating-point numbers, also if the input has integers.

    Raises:
        SignatureError: neither size nor footprint is given, the origin lies outside of it, or the function does not
            return a number.

    >>> import jax, jax.numpy as jnp, numpy as np
    >>> print(jax.grad(lambda x: generic_filter(x, lambda w: jnp.sum(w**2), 3)[1])(np.array([1.0, 2.0, 5.0])))
    [ 2.  4. 10.]
    """
    name = "generic_filter"
    (image,) = arrays(name, input=input)
    d = image.ndim
    places = range(d) if axes is None else [a % d for a in np.atleast_1d(axes)]
    if size is None and footprint is None:
        raise SignatureError(f"{name}: give size= or footprint=.")
    shape = _each(name, "size", size, len(places)) if footprint is None else np.shape(footprint)  # type: ignore[arg-type]
    own = np.ones(shape, bool) if footprint is None else np.asarray(footprint, bool)
    origins = _each(name, "origin", origin, len(places))
    before = [n // 2 + o for n, o in zip(shape, origins, strict=False)]
    if own.ndim != len(places) or not all(0 <= b < n for b, n in zip(before, shape, strict=True)):
        raise SignatureError(
            f"{name}: wants a footprint with {len(places)} axes, and an origin inside, got {shape}."
        )
    ends, offsets = [(0, 0)] * d, np.zeros((int(own.sum()), d), int)
    for k, axis in enumerate(places):
        ends[axis] = (before[k], shape[k] - 1 - before[k])
        offsets[:, axis] = np.argwhere(own)[:, k]
    wide = extended(image.astype(inexact(image)), ends, checked(name, mode, 1)[0], cval)
    windows = jnp.stack(
        [
            wide[tuple(slice(o, o + n) for o, n in zip(offset, image.shape, strict=True))]
            for offset in offsets
        ],
        -1,
    )
    found = jax.vmap(lambda w: function(w, *extra_arguments, **(extra_keywords or {})))(
        windows.reshape(-1, len(offsets))
    )
    if np.shape(found) != (image.size,):
        raise SignatureError(f"{name}: the function must return a number, got {np.shape(found)[1:]}.")
    return found.reshape(image.shape)


@as_scipys("scipy.ndimage")
def geometric_transform(
    input: ArrayLike, mapping: Callable, output_shape: Sequence[int] | None = None, order: int = 3,
    mode: str = "constant", cval: float = 0.0, prefilter: bool = True, extra_arguments: Sequence[Any] = (),
    extra_keywords: Mapping[str, Any] | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.geometric_transform`: the image at coordinates that a function computes for each pixel.

    Differentiable in the image, and in all values that your function closes over, to any order; see `map_coordinates`.

    Args:
        input: the image, with d axes. Use vmap for more images.
        mapping: `mapping(indices, *extra_arguments, **extra_keywords)`, which gets a tuple of integers and returns a
            tuple of d numbers, or an array [d]. It is JAX code, and is called once, for all pixels together.
        output_shape: the shape of the result; by default that of the input.
        order, mode, cval: as in `map_coordinates`.
        prefilter: must be True.

    Raises:
        SignatureError: the mapping does not return d numbers, or prefilter is False.

    >>> import jax, numpy as np
    >>> ramp = np.arange(6.0)
    >>> print(jax.grad(lambda s: geometric_transform(ramp, lambda i: (s * i[0],), order=1)[2])(1.2))
    2.0
    """
    name = "geometric_transform"
    (image,) = arrays(name, input=input)
    if not prefilter:
        raise SignatureError(f"{name}: wants prefilter=True.")
    shape = image.shape if output_shape is None else tuple(output_shape)
    pixels = np.indices(shape).reshape(len(shape), -1)

    def places(*pixel: Any) -> Any:
        found = list(mapping(pixel, *extra_arguments, **(extra_keywords or {})))
        if len(found) != image.ndim:
            raise SignatureError(f"{name}: the mapping must return {image.ndim} numbers, got {len(found)}.")
        return jnp.stack([jnp.asarray(x, float) for x in found])

    coordinates = jax.vmap(places, out_axes=1)(*pixels)
    return map_coordinates(image, coordinates.reshape(image.ndim, *shape), order=order, mode=mode, cval=cval)
