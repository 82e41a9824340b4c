"""Distances to the background: SciPy finds the nearest pixel, JAX computes the distance to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import derived_from, hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

CONSTANT = "a distance depends on which pixels are 0 alone, and jumps where another one becomes 0"


@wrap(
    out=lambda input, sampling: jax.ShapeDtypeStruct((len(input.shape), *input.shape), jnp.result_type(int))
)
def _nearest(input: np.ndarray, sampling: np.ndarray) -> np.ndarray:
    """The indices of the nearest pixel with value 0."""
    return scipy.ndimage.distance_transform_edt(
        input, sampling.tolist(), return_distances=False, return_indices=True
    )


def _distances(input: Any, sampling: Any) -> Any:
    """The distances; 0 at the background itself, where the norm has no derivative and the distance is constant."""
    nearest = _nearest(*jax.lax.stop_gradient((input, sampling)))
    apart = nearest - np.indices(input.shape)
    steps = jnp.broadcast_to(sampling, (input.ndim,)).reshape(-1, *[1] * input.ndim)
    there = jnp.any(apart != 0, 0)
    squares = jnp.sum((apart * steps) ** 2, 0)
    return jnp.where(there, jnp.sqrt(jnp.where(there, squares, 1.0)), 0.0)


@hosted("input sampling", lambda input, sampling: shaped(sampling, input.shape))
def _distance_transform_edt(input: Any, sampling: Any) -> Any:
    return scipy.ndimage.distance_transform_edt(input, sampling.tolist())


derived_from(_distance_transform_edt.hosted, _distances, {"input": CONSTANT})  # type: ignore[attr-defined]


@overload
def distance_transform_edt(
    input: ArrayLike, sampling: float | Sequence[float] | None = None,
    return_distances: Literal[True] = True, return_indices: Literal[False] = False,
) -> jax.Array: ...  # fmt: skip
@overload
def distance_transform_edt(
    input: ArrayLike, sampling: float | Sequence[float] | None = None,
    return_distances: Literal[True] = True, *, return_indices: Literal[True],
) -> tuple[jax.Array, jax.Array]: ...  # fmt: skip
@overload
def distance_transform_edt(
    input: ArrayLike, sampling: float | Sequence[float] | None = None,
    *, return_distances: Literal[False], return_indices: Literal[True],
) -> jax.Array: ...  # fmt: skip
@overload
def distance_transform_edt(
    input: ArrayLike, sampling: float | Sequence[float] | None = None,
    return_distances: bool = True, return_indices: bool = False,
) -> jax.Array | tuple[jax.Array, jax.Array]: ...  # fmt: skip
@as_scipys("scipy.ndimage")
def distance_transform_edt(
    input: ArrayLike,
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
) -> Any:
    """`scipy.ndimage.distance_transform_edt`: the distance of each pixel to the nearest pixel with value 0.

    Args:
        input: an array with d axes, in which at least one number is 0; all other values mean the same. Use vmap for
            more images.
        sampling: the distance between neighbouring pixels: a number, or [d]. The default is 1.
        return_distances, return_indices: whether to return the distances, the indices [d, ...], or both, as in SciPy.

    Returns:
        distances, with derivatives of any order in `sampling`. They have no derivative in `input`: as it changes, a
        distance is constant or jumps.

    Raises:
        SignatureError: the sampling does not fit the image.
        MissingDerivative: you asked for a derivative in `input`.

    >>> import jax, numpy as np
    >>> image = np.array([[0, 1, 1], [1, 1, 1]])
    >>> print(jax.grad(lambda s: distance_transform_edt(image, s)[1, 2])(np.array([1.0, 1.0])).round(6))
    [0.447214 1.788854]
    """
    d, given = np.ndim(input), 1.0 if sampling is None else sampling  # type: ignore[arg-type]
    if np.shape(given) not in ((), (d,)):
        raise SignatureError(
            f"distance_transform_edt: `sampling` must be a number, or have the shape ({d},), got {np.shape(given)}."
        )
    if not (return_distances or return_indices):
        raise SignatureError("distance_transform_edt: give return_distances=True or return_indices=True.")
    found = [_distance_transform_edt(_zeros_and_ones(input), given)] if return_distances else []
    if return_indices:
        found.append(_nearest(*jax.lax.stop_gradient((jnp.asarray(input), jnp.asarray(given)))))
    return found[0] if len(found) == 1 else tuple(found)


@overload
def distance_transform_bf(
    input: ArrayLike, metric: str = "euclidean", sampling: float | Sequence[float] | None = None,
    return_distances: Literal[True] = True, return_indices: Literal[False] = False,
) -> jax.Array: ...  # fmt: skip
@overload
def distance_transform_bf(
    input: ArrayLike, metric: str = "euclidean", sampling: float | Sequence[float] | None = None,
    return_distances: Literal[True] = True, *, return_indices: Literal[True],
) -> tuple[jax.Array, jax.Array]: ...  # fmt: skip
@overload
def distance_transform_bf(
    input: ArrayLike, metric: str = "euclidean", sampling: float | Sequence[float] | None = None,
    *, return_distances: Literal[False], return_indices: Literal[True],
) -> jax.Array: ...  # fmt: skip
@overload
def distance_transform_bf(
    input: ArrayLike, metric: str = "euclidean", sampling: float | Sequence[float] | None = None,
    return_distances: bool = True, return_indices: bool = False,
) -> jax.Array | tuple[jax.Array, jax.Array]: ...  # fmt: skip
@as_scipys("scipy.ndimage")
def distance_transform_bf(
    input: ArrayLike, metric: str = "euclidean", sampling: float | Sequence[float] | None = None,
    return_distances: bool = True, return_indices: bool = False,
) -> Any:  # fmt: skip
    """`scipy.ndimage.distance_transform_bf` with metric="euclidean", computed by `distance_transform_edt`.

    Raises:
        SignatureError: another metric. Its distances are integers, which have no derivative.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda s: distance_transform_bf(np.array([0, 1, 1]), sampling=s)[2])(1.5))
    2.0
    """
    if metric != "euclidean":
        raise SignatureError(
            f"distance_transform_bf: wants metric='euclidean', got {metric!r}: its distances are integers, and have no "
            "derivative; SciPy has them."
        )
    return distance_transform_edt(input, sampling, return_distances, return_indices)


def _zeros_and_ones(input: Any) -> Any:
    """Booleans and integers have no derivative, so nobody can ask for one."""
    input = jnp.asarray(input)
    return input if jnp.issubdtype(input.dtype, jnp.floating) else (input != 0).astype(float)
