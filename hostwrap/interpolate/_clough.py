"""Smooth interpolation of scattered data in the plane by Clough and Tocher: cubic pieces on triangles.

SciPy finds the triangles. The gradients at the points minimize the sum over all edges of the bending energy of a cubic,
so they solve a sparse symmetric system (Nielson 1983; Renka and Cline 1984). SciPy iterates to `tol` of its solution.
"""

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
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.rows import by_rows
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _shapes(points: Any, places: Any) -> tuple:
    m, shape, integer = places.shape[0], jax.ShapeDtypeStruct, jnp.result_type(int)
    return (
        shape((m, 3), integer), shape((m,), bool), shape((m, 3, 3), integer), shape((m, 3), bool),
        shape((3 * points.shape[0], 2), integer),
    )  # fmt: skip


def _triangles(points: np.ndarray, places: np.ndarray) -> tuple:
    """For each place: its corners, whether it has any, the corners of the triangles beyond each edge, whether there are
    any.

    Then all edges. Edges from a point to itself, which count as none, fill up the array.
    """
    mesh = scipy.spatial.Delaunay(points)
    found = mesh.find_simplex(places)
    beyond = mesh.neighbors[found]
    n = len(points)
    ends = np.sort(mesh.simplices[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges = np.full((3 * n, 2), n - 1)
    unique = np.unique(ends @ [n, 1])
    edges[: len(unique)] = np.stack(np.divmod(unique, n), 1)
    return mesh.simplices[found], found >= 0, mesh.simplices[beyond], beyond >= 0, edges


_mesh = wrap(_triangles, out=_shapes)


@dataclasses.dataclass(frozen=True, eq=False)
class CloughTocher2DInterpolator:
    """`scipy.interpolate.CloughTocher2DInterpolator(points, values)(xi)`: smooth, and cubic on parts of triangles.

    It is a pytree; differentiable in points, values and places, to any order, with a fixed triangulation; second
    derivatives in the places jump at edges. Places are one array [..., 2], or two arrays.

    Args:
        points: [n, 2], not on one line; or a tuple of two arrays.
        values: [n, ...], real or complex.
        fill_value: the result outside of the convex hull.
        tol, maxiter: without effect; the gradients are exact, where SciPy's are to `tol`.
        rescale: False.

    Raises:
        SignatureError: shapes that do not fit, rescale=True.
        HostCallError: SciPy cannot triangulate the points (its own QhullError or ValueError outside of jit).

    >>> import jax, numpy as np
    >>> sites = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.5], [1.0, 0.7]])
    >>> f = CloughTocher2DInterpolator(sites, sites @ np.array([2.0, 3.0]))
    >>> print(jax.grad(f)(np.array([0.6, 0.9])).round(6))
    [2. 3.]
    """

    points: ArrayLike
    values: ArrayLike
    fill_value: float = math.nan
    tol: float = 1e-6
    maxiter: int = 400
    rescale: bool = False

    def __call__(self, *xi: ArrayLike) -> jax.Array:
        name = "CloughTocher2DInterpolator"
        points, values, at = arrays(
            name,
            points=coordinates(self.points),
            values=self.values,
            xi=coordinates(xi[0] if len(xi) == 1 else xi),
        )
        _check(name, points, values, at, self.rescale)
        real = inexact(points, at, values.real)
        points, places = points.astype(real), at.astype(real).reshape(-1, 2)
        columns = values.reshape(len(values), -1).astype(jnp.result_type(values, real))
        # for known points the compiled program has nothing to do
        known = not any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves((self.points, xi)))
        held = (
            (self.points, xi[0] if len(xi) == 1 else xi) if known else jax.lax.stop_gradient((points, places))
        )
        mesh = _triangles(*map(_plain, held)) if known else _mesh(*held)
        found = _smooth(points, columns, places, self.fill_value, *mesh)
        return found.reshape(at.shape[:-1] + values.shape[1:])


def _plain(x: Any) -> np.ndarray:
    """Points [m, 2] for the host; see `coordinates`."""
    x = np.stack(np.broadcast_arrays(*map(np.asarray, x)), -1) if isinstance(x, tuple) else np.asarray(x)
    return x.reshape(-1, 2).astype(np.float64)


jax.tree_util.register_dataclass(
    CloughTocher2DInterpolator,
    data_fields=["points", "values"],
    meta_fields=["fill_value", "tol", "maxiter", "rescale"],
)


def _check(name: str, points: Any, values: Any, xi: Any, rescale: bool) -> None:
    fits = points.ndim == 2 and points.shape[1] == 2 and values.ndim and values.shape[0] == points.shape[0]
    if not fits or not xi.ndim or xi.shape[-1] != 2 or rescale:
        raise SignatureError(
            f"{name}: wants points of shape (n, 2), values of shape (n, ...), xi of shape (..., 2) and rescale=False, "
            f"got {points.shape}, {values.shape}, {xi.shape}, {rescale}."
        )
    for word, given in (("points", points), ("xi", xi)):
        if jnp.iscomplexobj(given):
            raise SignatureError(f"{name}: `{word}` must be real, got {given.dtype}.")


@as_one()
def gradients(points: Any, values: Any, edges: Any) -> Any:
    """The gradients [n, 2, k] of values [n, k].

    At each point i the sum over its edges e to points j is 0 of `(4 e e' g_i + 2 e e' g_j - 6 (f_j - f_i) e) / |e|^3`.
    """
    n = points.shape[0]
    i, j = jnp.concatenate([edges, edges[:, ::-1]]).T
    e = points[j] - points[i]
    square = jnp.sum(e**2, 1)
    there = square > 0
    weight = jnp.where(there, 1 / jnp.where(there, square, 1.0) ** 1.5, 0.0)
    block = weight[:, None, None] * e[:, :, None] * e[:, None, :]
    data = jnp.concatenate([4 * jnp.zeros((n, 2, 2), block.dtype).at[i].add(block), 2 * block]).ravel()
    two, every = jnp.arange(2), jnp.arange(n)
    at = lambda i, j: jnp.broadcast_arrays(2 * i[:, None, None] + two[:, None], 2 * j[:, None, None] + two)
    row, column = (jnp.concatenate(parts).ravel() for parts in zip(at(every, every), at(i, j), strict=True))
    right = jnp.zeros((n, 2, values.shape[1]), values.dtype)
    right = right.at[i].add(6 * (weight[:, None] * e)[:, :, None] * (values[j] - values[i])[:, None, :])
    order, column, starts = by_rows(row, column, 2 * n)
    found = spsolve(data[order].astype(values.dtype), column, starts, right.reshape(2 * n, -1))
    return found.reshape(right.shape)


@as_one()
def _smooth(
    points: Any, values: Any, places: Any, fill: Any, at: Any, inside: Any, beyond: Any, there: Any, edges: Any
) -> Any:  # fmt: skip
    slopes = gradients(points, values, edges)
    one = jax.vmap(_cubic)
    found = one(points[at], values[at], slopes[at], points[beyond].mean(2), there, places)
    return jnp.where(inside[:, None], found, fill)


def _cubic(corners: Any, f: Any, slopes: Any, middles: Any, there: Any, place: Any) -> Any:
    """The value at a place in a triangle [3, 2]: each of its three parts is a cubic, in Bezier's form.

    c with three indices for the corners and one for the centroid (Alfeld 1984). Across each edge the derivative towards
    the centroid of the neighbour is linear along the edge, so the pieces of both meet smoothly.
    """
    share = lambda p: _barycentric(corners, p)
    b = share(place)
    e = jnp.roll(corners, -1, 0) - corners  # from each corner to the next one
    ahead = jnp.einsum("kx,kxm->km", e, slopes)
    back = -jnp.einsum("kx,kxm->km", jnp.roll(e, 1, 0), slopes)
    near = f + ahead / 3  # on the edge to the next corner, next to this one: c2100, c0210, c1020
    far = f + back / 3  # on the edge from the corner before, next to this one: c2010, c1200, c0120
    inner = (near + far + f) / 3  # c2001, c0201, c0021
    c = jax.vmap(share)(middles)
    # g of the edge: towards the neighbour's centroid, on the hull towards the own one
    after, second = jnp.diagonal(jnp.roll(c, -1, 1)), jnp.diagonal(jnp.roll(c, -2, 1))
    below = jnp.where(there, 2 - 3 * after - 3 * second, 1.0)
    g = jnp.where(there, (2 * second + after - 1) / below, -0.5)[:, None]
    # the edge opposite to each corner goes from the next corner p to the one after it, q
    p, q = jnp.roll(f, -1, 0), jnp.roll(f, -2, 0)
    pq, qp = jnp.roll(near, -1, 0), jnp.roll(far, -2, 0)
    ip, iq = jnp.roll(inner, -1, 0), jnp.roll(inner, -2, 0)
    across = (g * (-p + 3 * pq - 3 * qp + q) + (-p + 2 * pq - qp + ip + iq)) / 2  # c0111, c1011, c1101
    deep = (jnp.sum(across, 0) - across + inner) / 3  # c1002, c0102, c0012
    centre = jnp.sum(deep, 0) / 3
    low = jnp.min(b)
    s, m = (b - low)[:, None], 3 * low
    n = jnp.roll(s, -1, 0)
    total = s**3 * f + 3 * s**2 * n * near + 3 * s * n**2 * jnp.roll(far, -1, 0)
    total += 3 * m * s**2 * inner + 3 * m**2 * s * deep
    total += 6 * m * n * jnp.roll(s, -2, 0) * across
    return jnp.sum(total, 0) + m**3 * centre


def _barycentric(corners: Any, place: Any) -> Any:
    edges = (corners[:2] - corners[2]).T
    det = edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0]
    d = place - corners[2]
    first = (edges[1, 1] * d[0] - edges[0, 1] * d[1]) / det
    second = (edges[0, 0] * d[1] - edges[1, 0] * d[0]) / det
    return jnp.stack([first, second, 1 - first - second])
