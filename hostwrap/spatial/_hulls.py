"""Convex hulls and triangulations: SciPy finds the corners, which are integers, and JAX computes the measures."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.spatial

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def facets(n: int, d: int) -> int:
    """The largest number of facets of a hull of n points in d dimensions (McMullen's upper bound theorem)."""
    low, high = d // 2, (d + 1) // 2
    return math.comb(n - high, low) + math.comb(n - low - 1, high - 1)


def padded(rows: np.ndarray, count: int) -> np.ndarray:
    return np.pad(rows, ((0, count - len(rows)), (0, 0)), constant_values=-1)


@wrap(out=lambda points: jax.ShapeDtypeStruct((facets(*points.shape), points.shape[1]), jnp.result_type(int)))
def _hull(points: np.ndarray) -> np.ndarray:
    """The corners of each facet, ordered so that the determinant seen from inside is positive; then rows of -1."""
    hull = scipy.spatial.ConvexHull(points)
    corners = hull.simplices.copy()
    turned = np.linalg.det(points[corners] - points[hull.vertices].mean(0)) < 0
    corners[turned, :2] = corners[turned, 1::-1]
    return padded(corners, facets(*points.shape))


@wrap(
    out=lambda points: jax.ShapeDtypeStruct(
        (facets(points.shape[0] + 1, points.shape[1] + 1), points.shape[1] + 1), jnp.result_type(int)
    )
)
def _mesh(points: np.ndarray) -> np.ndarray:
    n, d = points.shape
    return padded(scipy.spatial.Delaunay(points).simplices, facets(n + 1, d + 1))


class Simplices:
    """What hulls and triangulations have in common: points, and the corners of simplices between them."""

    def __init__(self, points: ArrayLike) -> None:
        name = type(self).__name__
        (points,) = arrays(name, points=points)
        if points.ndim != 2 or points.shape[1] < 2 or points.shape[0] <= points.shape[1]:
            raise SignatureError(
                f"{name}: wants points of shape (n, d), n > d >= 2, got {points.shape}. (Batches by jax.vmap.)"
            )
        if jnp.iscomplexobj(points):
            raise SignatureError(f"{name}: `points` must be real, got {points.dtype}.")
        self.points = points.astype(inexact(points))

    def _of(self, corners: Any) -> tuple[Any, Any]:
        """The points of each simplex, and which rows are simplices."""
        return self.points[jnp.where(corners < 0, 0, corners)], corners[:, 0] >= 0


class ConvexHull(Simplices):
    """`scipy.spatial.ConvexHull(points)`: volume and area, differentiable in the points to any order.

    Derivatives keep the corners. Second derivatives jump where a point joins the hull or leaves it.

    Args:
        points: [n, d], d >= 2, not in one hyperplane. Use vmap for batches.

    Attributes:
        simplices: integers [f, d], the corners of the facets; f is the largest number that n points can have, and rows
            of -1 fill the rest.
        volume, area: as in SciPy: in two dimensions these are the area and the perimeter.

    Raises:
        SignatureError: shapes that do not fit.
        HostCallError: SciPy finds no hull (its own QhullError outside of jit).

    >>> import jax, numpy as np
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.3, 0.4]])
    >>> print(jax.grad(lambda p: ConvexHull(p).volume)(square))
    [[-0.5 -0.5]
     [ 0.5 -0.5]
     [-0.5  0.5]
     [ 0.5  0.5]
     [ 0.   0. ]]
    """

    @functools.cached_property
    def simplices(self) -> jax.Array:
        return _hull(jax.lax.stop_gradient(self.points))

    @property
    def volume(self) -> jax.Array:
        corners, there = self._of(self.simplices)
        # of the cones from any place; one that moves along with the points keeps numbers small
        volumes = jnp.linalg.det(corners - self.points.mean(0))
        return jnp.sum(jnp.where(there, volumes, 0.0)) / math.factorial(self.points.shape[1])

    @property
    def area(self) -> jax.Array:
        corners, there = self._of(self.simplices)
        return jnp.sum(_size(corners, there))


def _size(corners: Any, there: Any) -> Any:
    """The k-dimensional volume of each simplex, by Gram's determinant; 0 for rows of -1."""
    k = corners.shape[1] - 1
    edges = corners[:, 1:] - corners[:, :1]
    gram = jnp.linalg.det(jnp.where(there[:, None, None], edges @ jnp.swapaxes(edges, 1, 2), jnp.eye(k)))
    good = there & (gram > 0)
    return jnp.where(good, jnp.sqrt(jnp.where(good, gram, 1.0)), 0.0) / math.factorial(k)


def centers(corners: Any, there: Any) -> Any:
    """The circumcentre c of each simplex, by `2 (p_k - p_0) (c - p_0) = (p_k - p_0)^2`; NaN for rows of -1."""
    first, edges = corners[:, 0], corners[:, 1:] - corners[:, :1]
    edges = jnp.where(there[:, None, None], edges, jnp.eye(edges.shape[1]))
    apart = jnp.linalg.solve(2 * edges, jnp.sum(edges**2, -1)[..., None])[..., 0]
    return jnp.where(there[:, None], first + apart, jnp.nan)


class Delaunay(Simplices):
    """`scipy.spatial.Delaunay(points)`: sizes and circumcentres of its simplices, differentiable in the points.

    Derivatives keep the triangulation. Where it changes, sizes jump; circumcentres (the vertices of Voronoi's diagram)
    do not.

    Args:
        points: [n, d], d >= 2, not in one hyperplane. Use vmap for batches.

    Attributes:
        simplices: integers [s, d + 1]; s is the largest possible number, and rows of -1 fill the rest.
        volumes: [s], 0 where there is no simplex.
        circumcenters, circumradii: [s, d] and [s]; NaN where there is no simplex.

    >>> import jax, numpy as np
    >>> corners = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> print(jax.grad(lambda p: Delaunay(p).circumradii[0] ** 2)(corners).round(6) + 0)
    [[ 0.  0.]
     [ 1. -1.]
     [-1.  1.]]
    """

    @functools.cached_property
    def simplices(self) -> jax.Array:
        return _mesh(jax.lax.stop_gradient(self.points))

    @property
    def volumes(self) -> jax.Array:
        return _size(*self._of(self.simplices))

    @property
    def circumcenters(self) -> jax.Array:
        return centers(*self._of(self.simplices))

    @property
    def circumradii(self) -> jax.Array:
        corners, there = self._of(self.simplices)
        apart = jnp.where(there[:, None], self.circumcenters - corners[:, 0], 1.0)
        return jnp.where(there, jnp.linalg.norm(apart, axis=1), jnp.nan)
