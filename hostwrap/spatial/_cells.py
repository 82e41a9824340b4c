"""Voronoi cells and intersections of half-spaces: SciPy finds which planes meet, JAX computes where they meet."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.spatial

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.spatial._hulls import Simplices, centers, facets, padded


def _shortened(found: jax.Array) -> jax.Array:
    """The array without the rows of -1 at its end, if it is not traced."""
    if isinstance(found, jax.core.Tracer):
        return found
    return found[: int(np.sum(np.asarray(found)[:, 0] >= 0))]


def _sites(points: Any) -> jax.ShapeDtypeStruct:
    n, d = points.shape
    return jax.ShapeDtypeStruct((facets(n + 1, d + 1), d + 1), jnp.result_type(int))


@wrap(out=_sites)
def _around(points: np.ndarray) -> np.ndarray:
    """For each vertex of the diagram d + 1 of its nearest points, which do not lie in one plane."""
    n, d = points.shape
    vertices = scipy.spatial.Voronoi(points).vertices
    simplices = scipy.spatial.Delaunay(points).simplices
    edges = points[simplices[:, 1:]] - points[simplices[:, :1]]
    size = np.abs(np.linalg.det(edges))
    good = size > 0
    right = np.sum(edges[good] ** 2, -1)[..., None]
    centers = points[simplices[good, 0]] + np.linalg.solve(2 * edges[good], right)[..., 0]
    # several simplices may have one circumcentre: the largest of them is the best conditioned
    at = scipy.spatial.KDTree(vertices).query(centers)[1]
    chosen = np.zeros((len(vertices), d + 1), int)
    order = np.argsort(size[good], kind="stable")
    chosen[at[order]] = simplices[good][order]
    return padded(chosen, facets(n + 1, d + 1))


class Voronoi(Simplices):
    """`scipy.spatial.Voronoi(points)`: the vertices of its diagram, differentiable in the points to any order.

    Derivatives keep the points around each vertex. If more than d + 1 points are equally near to a vertex, moving one
    of them splits the vertex; hostwrap then uses d + 1 of the points.

    Args:
        points: [n, d], d >= 2, not in one hyperplane. Use vmap for batches.

    Attributes:
        vertices: [v, d] in SciPy's order. In a compiled program v is the largest possible number, and NaN fills the
            rest.
        sites: integers [v, d + 1], the points around each vertex; -1 fills the rest.

    Raises:
        SignatureError: shapes that do not fit.
        HostCallError: SciPy finds no diagram (its own QhullError outside of jit).

    >>> import jax, numpy as np
    >>> corners = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> print(jax.jacfwd(lambda t: Voronoi(corners + t * np.array([[0, 0], [1, 0], [0, 0]])).vertices)(0.0))
    [[0.5 0. ]]
    """

    @functools.cached_property
    def sites(self) -> jax.Array:
        found = _around(jax.lax.stop_gradient(self.points))
        return _shortened(found)

    @property
    def vertices(self) -> jax.Array:
        return centers(*self._of(self.sites))


@wrap(
    out=lambda halfspaces, inside: jax.ShapeDtypeStruct(
        (facets(halfspaces.shape[0], halfspaces.shape[1] - 1), halfspaces.shape[1] - 1), jnp.result_type(int)
    )
)
def _meeting(halfspaces: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """The planes of each corner. Qhull represents planes by points, and corners by the facets of their hull."""
    found = scipy.spatial.HalfspaceIntersection(halfspaces, inside)
    n, d = halfspaces.shape[0], halfspaces.shape[1] - 1
    return padded(np.array([row[:d] for row in found.dual_facets], int), facets(n, d))


class HalfspaceIntersection:
    """`scipy.spatial.HalfspaceIntersection(halfspaces, interior_point)`: its corners, differentiable in the planes.

    Derivatives keep the planes that meet in each corner. The corners do not depend on the interior point; the dual
    points do.

    Args:
        halfspaces: [n, d + 1], rows (A, b) of `A x + b <= 0`.
        interior_point: [d], clearly inside.

    Attributes:
        intersections: the corners [k, d], in SciPy's order. In a compiled program k is the largest possible number,
            and NaN fills the rest.
        dual_points: [n, d], the points of which SciPy computes the hull.
        facets: integers [k, d], the planes of each corner; -1 fills the rest.

    Raises:
        SignatureError: shapes that do not fit.
        HostCallError: SciPy finds no intersection (its own QhullError outside of jit).

    >>> import jax, numpy as np
    >>> planes = np.array([[1.0, 0, -1], [0, 1, -1], [-1, -1, 0]])
    >>> corners = lambda t: HalfspaceIntersection(planes + t * np.eye(3), np.array([0.5, 0.5])).intersections
    >>> print(jax.numpy.sort(jax.jacfwd(corners)(0.0), 0))
    [[-1. -1.]
     [-1. -1.]
     [ 2.  2.]]
    """

    def __init__(self, halfspaces: ArrayLike, interior_point: ArrayLike, incremental: bool = False) -> None:
        name = "HalfspaceIntersection"
        planes, inside = arrays(name, halfspaces=halfspaces, interior_point=interior_point)
        if planes.ndim != 2 or planes.shape[1] < 3 or inside.shape != (planes.shape[1] - 1,):
            raise SignatureError(
                f"{name}: wants halfspaces of shape (n, d + 1), d >= 2, and a point of shape (d,), got {planes.shape} "
                f"and {inside.shape}. (Batches by jax.vmap.)"
            )
        if incremental or jnp.iscomplexobj(planes):
            raise SignatureError(f"{name}: wants real halfspaces, all at once (incremental=False).")
        real = inexact(planes, inside)
        self.halfspaces, self.interior_point = planes.astype(real), inside.astype(real)

    @functools.cached_property
    def facets(self) -> jax.Array:
        found = _meeting(*jax.lax.stop_gradient((self.halfspaces, self.interior_point)))
        return _shortened(found)

    @property
    def intersections(self) -> jax.Array:
        there = self.facets[:, 0] >= 0
        rows = self.halfspaces[jnp.where(self.facets < 0, 0, self.facets)]
        normals = jnp.where(there[:, None, None], rows[..., :-1], jnp.eye(rows.shape[1]))
        return jnp.where(there[:, None], jnp.linalg.solve(normals, -rows[..., -1:])[..., 0], jnp.nan)

    @property
    def dual_points(self) -> jax.Array:
        normals = self.halfspaces[:, :-1]
        return -normals / (normals @ self.interior_point + self.halfspaces[:, -1])[:, None]
