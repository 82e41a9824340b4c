"""Interpolation of scattered data, linear on triangles or tetrahedra: SciPy finds the corners, JAX does the rest."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.spatial

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, coordinates, inexact
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.interpolate._clough import CloughTocher2DInterpolator


def _corners_and_inside(points: Any, places: Any) -> tuple:
    (m, d), shape = places.shape, jax.ShapeDtypeStruct
    return shape((m, d + 1), jnp.result_type(int)), shape((m,), bool)


@wrap(out=_corners_and_inside)
def _corners(points: np.ndarray, places: np.ndarray) -> tuple:
    """The corners of the simplex around each place, and whether there is one; if not, those of the last simplex."""
    mesh = scipy.spatial.Delaunay(points)
    found = mesh.find_simplex(places)
    return mesh.simplices[found], found >= 0


@wrap(out=lambda points, places: jax.ShapeDtypeStruct(places.shape[:1], jnp.result_type(int)))
def _next(points: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.asarray(scipy.spatial.KDTree(points).query(places)[1])


METHODS = ("linear", "nearest", "cubic")


@as_scipys("scipy.interpolate")
def griddata(
    points: ArrayLike,
    values: ArrayLike,
    xi: ArrayLike | tuple[ArrayLike, ...],
    method: str = "linear",
    fill_value: float = math.nan,
) -> jax.Array:
    """The function through scattered data that is linear on each simplex between them, as `scipy.interpolate.griddata`.

    Differentiable in the points, the values and the places, to any order, with the triangulation (Delaunay's) as it
    is: where it changes, first derivatives in the points jump. Of `fill_value` they are 0.

    With method="cubic" it is that of `CloughTocher2DInterpolator`, in the plane; with "nearest" the value of the point
    that is next, whose derivative is in the values alone.

    Args:
        points: [n, d], d >= 2, not in one hyperplane; or a tuple of d arrays.
        values: [n, ...], real or complex.
        xi: [..., d], or a tuple of d arrays that broadcast.
        fill_value: the result outside of the convex hull.

    Returns:
        Values at xi, shaped `xi.shape[:-1] + values.shape[1:]`. The points are triangulated once for all of xi.

    Raises:
        SignatureError: shapes that do not fit, or another method.
        HostCallError: SciPy cannot triangulate the points (its own QhullError or ValueError outside of jit).

    >>> import jax, numpy as np
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> print(jax.grad(lambda v: griddata(points, v, np.array([0.25, 0.5])))(np.ones(3)))
    [0.25 0.25 0.5 ]
    """
    points, values, xi = arrays("griddata", points=coordinates(points), values=values, xi=coordinates(xi))
    _check(points, values, xi, method)
    real, d = inexact(points, xi), points.shape[1]
    points, places = points.astype(real), xi.astype(real).reshape(-1, d)
    if method == "cubic":
        return CloughTocher2DInterpolator(points, values, fill_value)(xi)
    if method == "nearest":
        return values[_next(*jax.lax.stop_gradient((points, places)))].reshape(
            xi.shape[:-1] + values.shape[1:]
        )
    simplices = _corners(*jax.lax.stop_gradient((points, places)))
    found = _linear(points, values, places, fill_value, *simplices)
    return found.reshape(xi.shape[:-1] + values.shape[1:])


@as_one()
def _linear(points: Any, values: Any, places: Any, fill_value: Any, at: Any, inside: Any) -> Any:
    weights = _barycentric(points[at], places, inside)
    found = jnp.einsum("mk,mk...->m...", weights, values.astype(inexact(values))[at])
    return jnp.where(inside.reshape(-1, *(1,) * (values.ndim - 1)), found, fill_value)


@dataclasses.dataclass(frozen=True, eq=False)
class LinearNDInterpolator:
    """`scipy.interpolate.LinearNDInterpolator(points, values)(xi)`: `griddata`, its points and values kept.

    It is a pytree; differentiable in points, values and places. Places are one array [..., d], or d arrays.

    >>> import jax, numpy as np
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> print(jax.grad(LinearNDInterpolator(corners, np.array([1.0, 3.0, 6.0])))(np.array([0.2, 0.3])).round(6))
    [2. 5.]
    """

    points: ArrayLike
    values: ArrayLike
    fill_value: float = math.nan

    def __call__(self, *xi: ArrayLike) -> jax.Array:
        places = xi[0] if len(xi) == 1 else xi
        return griddata(self.points, self.values, places, fill_value=self.fill_value)


jax.tree_util.register_dataclass(
    LinearNDInterpolator, data_fields=["points", "values"], meta_fields=["fill_value"]
)


def _barycentric(corners: jax.Array, places: jax.Array, inside: jax.Array) -> jax.Array:
    """The weights [m, d + 1] of corners [m, d + 1, d]. A place outside, which may be infinite, counts as a corner."""
    last = corners[:, -1]
    edges = jnp.swapaxes(corners[:, :-1] - last[:, None], 1, 2)
    beyond = jnp.where(inside[:, None], places - last, 0)
    weights = jnp.linalg.solve(edges, beyond[..., None])[..., 0]
    return jnp.append(weights, 1 - weights.sum(1, keepdims=True), axis=1)


def _check(points: jax.Array, values: jax.Array, xi: jax.Array, method: str) -> None:
    if method not in METHODS:
        raise SignatureError(f"griddata: method={method!r} must be one of {', '.join(METHODS)}.")
    fits = points.ndim == 2 and points.shape[1] > 1 and values.ndim and values.shape[0] == points.shape[0]
    if not fits or not xi.ndim or xi.shape[-1] != points.shape[1]:
        raise SignatureError(
            "griddata: wants points of shape (n, d) with d > 1, values of shape (n, ...) and xi of shape (..., d), "
            f"got {points.shape}, {values.shape}, {xi.shape}. In one dimension, use make_interp_spline with k=1."
        )
    for name, given in (("points", points), ("xi", xi)):
        if jnp.iscomplexobj(given):
            raise SignatureError(f"griddata: `{name}` must be real, got {given.dtype}.")
