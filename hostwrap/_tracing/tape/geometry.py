"""Neighbours, hulls, triangles, and interpolation between scattered points, in recorded code.

SciPy finds which points belong together, from concrete numbers; results are expressions in these points. The choice of
points is constant; where it changes, derivatives jump. Each class replaces one of `scipy.spatial` or
`scipy.interpolate`. Attributes that are not defined here come from SciPy's object, as constants.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.grids import coordinates
from hostwrap._tracing.tape.array import FUNCTIONS, Array, concrete, moves
from hostwrap._tracing.tape.dispatch import apply, below
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined, linear


def stand_in(x: Any) -> Any:
    """The replacement of such a class or of its object, or None."""
    cls = x if isinstance(x, type) else type(x)
    module = getattr(cls, "__module__", None) or ""
    known = CLASSES.get(cls.__name__) if module.startswith(("scipy.spatial.", "scipy.interpolate.")) else None
    if known is None or module.endswith((".distance", "._rotation")):
        return None
    return _Class(cls, known) if x is cls else known.of(x)


class _Class:
    """Replaces a class: makes stand-ins for its objects."""

    def __init__(self, cls: type, known: type[_Points]) -> None:
        self.cls, self.known, self.__name__ = cls, known, cls.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.known(self.cls, *args, **kwargs)


class _Points:
    """An object made of points: SciPy's object of the concrete numbers, and the recorded points."""

    def __init__(self, cls: type, points: Any, *args: Any, **kwargs: Any) -> None:
        self._points = points if isinstance(points, Array) else np.asarray(joined(points), float)
        self._found = cls(np.array(concrete(self._points)), *concrete(args), **concrete(kwargs))

    @classmethod
    def of(cls, found: Any) -> _Points:
        new = object.__new__(cls)
        new._found, new._points = found, np.asarray(found.data if hasattr(found, "data") else found.points)
        return new

    points = property(lambda self: self._points)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._found, name)
        if not callable(found):
            if np.asarray(found).dtype.kind == "f" and moves(self._points):
                raise refused(f"{type(self._found).__name__}.{name}", "the tape has no derivative for it")
            return found

        def on_numbers(*args: Any, **kwargs: Any) -> Any:
            result = found(*map(_numbers, args), **{k: _numbers(x) for k, x in kwargs.items()})
            if moves(self._points) and getattr(result, "dtype", np.dtype(int)).kind == "f":
                raise refused(f"{type(self._found).__name__}.{name}", "the tape has no derivative for it")
            return result

        return on_numbers


def _numbers(x: Any) -> Any:
    return x._found if isinstance(x, _Points) else concrete(x)


class _Tree(_Points):
    data = property(lambda self: self._points)

    def query(
        self, x: Any, k: Any = 1, eps: Any = 0, p: Any = 2, distance_upper_bound: Any = math.inf, workers: int = 1
    ) -> tuple:  # fmt: skip
        x = joined(x)
        k, p = concrete(k), concrete(p)
        distances, indices = self._found.query(
            concrete(x), k, eps, p, concrete(distance_upper_bound), workers
        )
        there = np.isfinite(distances)
        near = self._points[np.where(there, indices, 0)]
        x = np.expand_dims(x, -2) if np.ndim(indices) == np.ndim(x) else x
        apart = near - x
        if p == 2:
            found = np.sqrt(np.sum(apart * apart, axis=-1))
        else:
            size = np.abs(apart)
            found = np.max(size, -1) if p == np.inf else np.sum(size**p, -1) ** (1 / p)
        return np.where(there, found, np.inf), indices


class _Hull(_Points):
    def _sides(self) -> tuple[Any, int]:
        """The edges of each facet from its last corner."""
        corners = self._points[self._found.simplices]
        return corners[:, :-1] - corners[:, -1:], self._points.shape[1]

    @property
    def volume(self) -> Any:
        """The sum of the volumes of the simplices between the facets and a point inside."""
        inside = np.mean(concrete(self._points)[self._found.vertices], axis=0)
        corners = self._points[self._found.simplices] - inside
        return np.sum(np.abs(np.linalg.det(corners))) / math.factorial(self._points.shape[1])

    @property
    def area(self) -> Any:
        edges, d = self._sides()
        squares = np.linalg.det(np.matmul(edges, np.swapaxes(edges, -1, -2)))
        return np.sum(np.sqrt(squares)) / math.factorial(d - 1)

    @property
    def equations(self) -> Any:
        """Normals, outward and of length 1, and offsets."""
        edges, d = self._sides()
        if d > 3:
            raise refused("ConvexHull.equations", "the tape has it in two and three dimensions")
        a = edges[:, 0]
        normal = np.stack([a[:, 1], -a[:, 0]], -1) if d == 2 else np.cross(a, edges[:, 1])
        along = np.sign(np.sum(concrete(normal) * self._found.equations[:, :-1], -1))
        normal = normal * (along[:, None] / np.sqrt(np.sum(normal * normal, -1, keepdims=True)))
        offset = -np.sum(normal * self._points[self._found.simplices[:, 0]], -1, keepdims=True)
        return np.concatenate([normal, offset], -1)


class _Delaunay(_Points):
    @property
    def transform(self) -> Any:
        """The map to barycentric coordinates of each simplex: the inverse matrix, and the last corner."""
        corners = self._points[self._found.simplices]
        edges = np.swapaxes(corners[:, :-1] - corners[:, -1:], -1, -2)
        return np.concatenate([np.linalg.inv(edges), corners[:, -1:]], 1)


class _Voronoi(_Points):
    @property
    def vertices(self) -> Any:
        """Vertices: each has the same distance from the d + 1 nearest points."""
        d = self._points.shape[1]
        tree = importlib.import_module("scipy.spatial").cKDTree(concrete(self._points))
        near = self._points[tree.query(self._found.vertices, d + 1)[1]]
        edges = near[:, 1:] - near[:, :1]
        right = np.sum(edges * edges, -1, keepdims=True) / 2
        return near[:, 0] + np.linalg.solve(edges, right)[..., 0]


class _Interpolator:
    """An interpolator of scattered data."""

    _made: Any = None
    _tolerance = 1.0

    def __init__(
        self, cls: type, points: Any, values: Any, fill_value: Any = math.nan, rescale: bool = False, **options: Any
    ) -> None:  # fmt: skip
        mesh = points if isinstance(points, _Points) else None
        points = joined(mesh.points if mesh else points)
        self._points = points if np.ndim(points) > 1 else points[:, None]
        self._values, self._fill, self._options = joined(values), fill_value, options
        self._offset: Any = 0.0
        self._scale: Any = 1.0
        if rescale:
            self._offset = np.mean(self._points, axis=0)
            size = np.max(self._points - self._offset, axis=0) - np.min(self._points - self._offset, axis=0)
            self._scale = np.where(concrete(size) > 0, size, 1.0)
            self._points = (self._points - self._offset) / self._scale
        self._mesh(mesh)

    @classmethod
    def of(cls, found: Any) -> _Interpolator:
        new = object.__new__(cls)
        shape = (len(found.points), *found.values_shape) if hasattr(found, "values_shape") else None
        values = np.asarray(found.values)
        new._points, new._values = (
            np.asarray(found.points),
            values if shape is None else values.reshape(shape),
        )
        new._offset = getattr(found, "offset", 0.0) if getattr(found, "scale", None) is not None else 0.0
        new._scale = found.scale if getattr(found, "scale", None) is not None else 1.0
        new._fill, new._made = getattr(found, "fill_value", math.nan), found
        new._mesh(None)
        return new

    def _mesh(self, mesh: Any) -> None:
        spatial = importlib.import_module("scipy.spatial")
        self._found = mesh._found if mesh is not None else spatial.Delaunay(np.array(concrete(self._points)))

    def __call__(self, *places: Any, simplex_tolerance: float = 1.0) -> Any:
        self._tolerance = concrete(simplex_tolerance)
        xi = places[0] if len(places) == 1 else tuple(joined(x) for x in places)
        xi = coordinates(
            joined(xi) if len(places) == 1 and not isinstance(xi, tuple) else xi, self._points.shape[1]
        )
        shape = np.shape(xi)[:-1]
        flat = (np.reshape(xi, (-1, np.shape(xi)[-1])) - self._offset) / self._scale
        found = self._at(flat)
        return np.reshape(found, shape + np.shape(self._values)[1:])

    def _simplex_of(self, places: np.ndarray) -> np.ndarray:
        """The simplex of each place; a place may lie outside by SciPy's own tolerance."""
        if self._tolerance <= 0:
            raise ValueError("simplex_tolerance must be positive")
        return self._found.find_simplex(places, tol=100 * np.finfo(float).eps * self._tolerance)

    def _at(self, places: Any) -> Any:
        raise NotImplementedError


class _Linear(_Interpolator):
    def _at(self, places: Any) -> Any:
        """Linear interpolation by barycentric coordinates in the simplex of each place."""
        which = self._simplex_of(concrete(places))
        at = self._found.simplices[which]
        corners = self._points[at]
        weights = _barycentric(corners, places)
        values = np.reshape(self._values[at], (*at.shape, -1))
        inside = (which >= 0)[:, None]
        return np.where(inside, np.sum(weights[..., None] * values, axis=1), self._fill)


class _Nearest(_Interpolator):
    def _mesh(self, mesh: Any) -> None:
        self._found = importlib.import_module("scipy.spatial").cKDTree(np.array(concrete(self._points)))

    def _at(self, places: Any) -> Any:
        return self._values[self._found.query(concrete(places))[1]]


class _CloughTocher(_Interpolator):
    """The interpolant is cubic on each of three parts of a triangle, between two corners and the centroid.

    So ten values on a part determine it, and they are linear in the data.
    """

    def _at(self, places: Any) -> Any:
        if moves(self._points):
            raise refused("CloughTocher2DInterpolator", "the tape has its derivative in places and values")
        numbers = concrete(places)
        which = self._simplex_of(numbers)
        corners = concrete(self._points)[self._found.simplices[which]]
        far = np.argmin(_barycentric(corners, numbers), -1)
        corners = np.array(corners)
        corners[np.arange(len(far)), far] = np.mean(corners, axis=1)
        # well inside: no value is a neighbour's
        corners = (corners + np.mean(corners, axis=1, keepdims=True)) / 2
        around = np.einsum("lk,mkd->mld", _LATTICE / 3, corners)
        if self._made is not None:  # with the tolerance that it was made with
            found = self._made(around * self._scale + self._offset)
        else:
            found = apply(_clough_tocher, (self._values, self._found, around, self._options), {})
        weights = _cubic(_barycentric(corners, places))
        values = np.reshape(found, (*np.shape(weights), -1))
        inside = (which >= 0)[:, None]
        return np.where(inside, np.sum(weights[..., None] * values, axis=1), self._fill)


def _barycentric(corners: Any, places: Any) -> Any:
    edges = np.swapaxes(corners[:, :-1] - corners[:, -1:], -1, -2)
    first = np.linalg.solve(edges, (places - corners[:, -1])[..., None])[..., 0]
    return np.concatenate([first, 1 - np.sum(first, -1, keepdims=True)], -1)


_LATTICE = np.array([(i, j, 3 - i - j) for i in range(4) for j in range(4 - i)])


def _cubic(b: Any) -> Any:
    """Lagrange polynomials on the lattice of ten points: products of the first factors of b (3 b - 1) (3 b - 2) / 6."""
    powers = [1.0 + 0 * b, 3 * b, 3 * b * (3 * b - 1) / 2, 3 * b * (3 * b - 1) * (3 * b - 2) / 6]
    rows = [powers[i][:, 0] * powers[j][:, 1] * powers[k][:, 2] for i, j, k in _LATTICE]
    return np.stack(rows, -1)


def _clough_tocher(values: Any, mesh: Any, places: Any, options: dict) -> Any:
    made = importlib.import_module("scipy.interpolate").CloughTocher2DInterpolator(mesh, values, **options)
    return np.reshape(made(places), (*np.shape(places)[:2], *np.shape(values)[1:]))


def _by_values(function: Any, args: tuple, kwargs: dict) -> Any:
    values, *rest, _ = args
    value = below(function, args)
    exact = {"tol": 1e-15, "maxiter": 10_000}  # SciPy estimates slopes by iteration
    matrix = function(np.eye(len(values)), *rest, exact)
    return linear(
        values,
        value,
        lambda t: np.tensordot(matrix, t, 1),
        lambda c: np.tensordot(matrix, c, ((0, 1), (0, 1))),
    )


FUNCTIONS[_clough_tocher] = _by_values

CLASSES: dict[str, Any] = {
    "KDTree": _Tree, "cKDTree": _Tree, "ConvexHull": _Hull, "Delaunay": _Delaunay, "Voronoi": _Voronoi,
    "LinearNDInterpolator": _Linear, "NearestNDInterpolator": _Nearest,
    "CloughTocher2DInterpolator": _CloughTocher,
}  # fmt: skip
