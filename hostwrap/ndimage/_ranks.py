"""Filters that choose one of the pixels around each pixel: by rank, and grey-scale morphology."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import scipy.ndimage

from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap.ndimage._selections import selecting

SAID = """differentiable in the image, in both modes.

    Each result is one of the pixels, and has the derivative of this pixel; second derivatives are 0. If several pixels
    have the chosen value, the derivative is that of one of them.

    Args:
        input: an image with any number of axes, real. Use vmap for more images.
        {others}as in SciPy, without derivatives.

    Raises:
        SignatureError: the image is complex, or SciPy's function has no such argument.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: {name}(x, {given})[1])(np.array([3.0, 1.0, 2.0, 5.0])))
    {result}
    """


def _filter(name: str, what: str, others: str, given: str, result: str, without: tuple[str, ...] = ()) -> Any:
    said = SAID.format(name=name, others=f"{others}: ", given=given, result=result)
    return as_scipys("scipy.ndimage")(selecting(getattr(scipy.ndimage, name), f"{what}, {said}", without))


AROUND = "size, footprint, mode, cval, origin, axes"
ALONG = "size, axis, mode, cval, origin"
FLAT = "size, footprint, mode, cval, origin, axes"

rank_filter = _filter(
    "rank_filter", "the pixel of this rank around each", f"rank, {AROUND}", "0, 3", "[0. 1. 0. 0.]"
)
percentile_filter = _filter(
    "percentile_filter",
    "a percentile of the pixels around each",
    f"percentile, {AROUND}",
    "50, 3",
    "[0. 0. 1. 0.]",
)
median_filter = _filter("median_filter", "the median of the pixels around each", AROUND, "3", "[0. 0. 1. 0.]")
minimum_filter = _filter("minimum_filter", "the smallest pixel around each", AROUND, "3", "[0. 1. 0. 0.]")
maximum_filter = _filter("maximum_filter", "the largest pixel around each", AROUND, "3", "[1. 0. 0. 0.]")
minimum_filter1d = _filter(
    "minimum_filter1d", "the smallest pixel along an axis", ALONG, "3", "[0. 1. 0. 0.]"
)
maximum_filter1d = _filter("maximum_filter1d", "the largest pixel along an axis", ALONG, "3", "[1. 0. 0. 0.]")

# A structure that is not flat adds to the pixels before they are compared: no increasing map.
WITHOUT = ("structure",)
grey_erosion = _filter("grey_erosion", "erosion by a flat structure", FLAT, "3", "[0. 1. 0. 0.]", WITHOUT)
grey_dilation = _filter("grey_dilation", "dilation by a flat structure", FLAT, "3", "[1. 0. 0. 0.]", WITHOUT)
grey_opening = _filter(
    "grey_opening", "erosion, then dilation, by a flat structure", FLAT, "3", "[0. 1. 0. 0.]", WITHOUT
)
grey_closing = _filter(
    "grey_closing", "dilation, then erosion, by a flat structure", FLAT, "3", "[1. 0. 0. 0.]", WITHOUT
)


@as_scipys("scipy.ndimage")
def morphological_gradient(
    input: ArrayLike, size: Any = None, footprint: ArrayLike | None = None, **options: Any
) -> jax.Array:
    """`scipy.ndimage.morphological_gradient`: dilation minus erosion, with the same options. See `grey_dilation`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: morphological_gradient(x, 3)[1])(np.array([3.0, 1.0, 2.0, 5.0])))
    [ 1. -1.  0.  0.]
    """
    return grey_dilation(input, size, footprint, **options) - grey_erosion(input, size, footprint, **options)


@as_scipys("scipy.ndimage")
def morphological_laplace(
    input: ArrayLike, size: Any = None, footprint: ArrayLike | None = None, **options: Any
) -> jax.Array:
    """`scipy.ndimage.morphological_laplace`: dilation plus erosion, minus twice the image. See `grey_dilation`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: morphological_laplace(x, 3)[1])(np.array([3.0, 1.0, 2.0, 5.0])))
    [ 1. -1.  0.  0.]
    """
    large, small = (f(input, size, footprint, **options) for f in (grey_dilation, grey_erosion))
    return large + small - jnp.asarray(input) - jnp.asarray(input)


@as_scipys("scipy.ndimage")
def white_tophat(
    input: ArrayLike, size: Any = None, footprint: ArrayLike | None = None, **options: Any
) -> jax.Array:
    """`scipy.ndimage.white_tophat`: the image minus its opening, with the options of `grey_opening`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: white_tophat(x, 3)[0])(np.array([3.0, 1.0, 2.0, 5.0])))
    [ 1. -1.  0.  0.]
    """
    return jnp.asarray(input) - grey_opening(input, size, footprint, **options)


@as_scipys("scipy.ndimage")
def black_tophat(
    input: ArrayLike, size: Any = None, footprint: ArrayLike | None = None, **options: Any
) -> jax.Array:
    """`scipy.ndimage.black_tophat`: the closing of the image minus the image, with the options of `grey_closing`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: black_tophat(x, 3)[1])(np.array([3.0, 1.0, 2.0, 5.0])))
    [ 1. -1.  0.  0.]
    """
    return grey_closing(input, size, footprint, **options) - jnp.asarray(input)
