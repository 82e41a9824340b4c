"""Interpolation of data on a grid, along one axis after the other."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, coordinates, inexact, interval
from hostwrap._recipes.pieces import PchipInterpolator, rising
from hostwrap._types import ArrayLike
from hostwrap.interpolate._bsplines import basis, coefficients, not_a_knot

DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
METHODS = ("linear", "nearest", *DEGREES, "pchip")


@dataclasses.dataclass(frozen=True, eq=False)
class RegularGridInterpolator:
    """`scipy.interpolate.RegularGridInterpolator(points, values)(xi)`, differentiable in grid, values and places.

    Args:
        points: the sites along each axis, [n], [m], ..., rising or falling. values: [n, m, ..., ...], real or complex.
        method: linear, nearest, slinear, cubic, quintic or pchip.
        bounds_error: with True a place outside of the grid is a ValueError where the places are known; in a compiled
            program its value is NaN. fill_value: what values outside are with bounds_error=False; None to go on.
        xi: places [..., d], or a tuple of d arrays that broadcast.

    It is a pytree. Derivatives are of any order of the pieces: of cubic splines the third jumps at the sites, of linear
    ones the first. Splines solve a banded system for each axis, where SciPy iterates to about 1e-6 of it.

    Raises:
        SignatureError: shapes that do not fit, too few sites, an unknown method.
        ValueError: as said above.

    >>> import jax, numpy as np
    >>> x, y = np.arange(4.0), np.arange(5.0)
    >>> f = RegularGridInterpolator((x, y), x[:, None] ** 2 * y, method="cubic")
    >>> print(jax.grad(f)(np.array([1.5, 2.0])).round(6))
    [6.   2.25]
    """

    points: Sequence[ArrayLike]
    values: ArrayLike
    method: str = "linear"
    bounds_error: bool = True
    fill_value: float | None = math.nan

    def __call__(
        self,
        xi: ArrayLike | tuple[ArrayLike, ...],
        method: str | None = None,
        *,
        nu: tuple[int, ...] | None = None,
    ) -> jax.Array:
        """The values at xi; with nu derivatives of splines, of these orders in each variable."""
        method = method or self.method
        name = "RegularGridInterpolator"
        values, xi, *grid = arrays(
            name,
            values=self.values,
            xi=coordinates(xi),
            **{f"points[{i}]": p for i, p in enumerate(self.points)},
        )
        if len(grid) == 1 and xi.ndim < 2:
            xi = xi[..., None]  # numbers are places on a line, even a single one
        _check(grid, values, xi, method)
        if nu is not None and (method not in DEGREES or len(nu) != len(grid)):
            raise SignatureError(
                f"{name}: nu={nu!r} wants a method of {', '.join(DEGREES)}, and an order for each of {len(grid)} axes."
            )
        real = inexact(xi, values.real, *grid)
        grid, places = [g.astype(real) for g in grid], xi.astype(real).reshape(-1, len(grid)).T
        grid, values = _upwards(grid, values.astype(jnp.result_type(values, real)))
        inside = functools.reduce(
            jnp.logical_and,
            [(x >= g[0]) & (x <= g[-1]) for x, g in zip(places, grid, strict=True)],
        )
        if self.bounds_error and not isinstance(inside, jax.core.Tracer) and not inside.all():
            where = np.asarray(places.T)[~np.asarray(inside)][0]
            raise ValueError(
                f"{name}: a place is outside of the grid: {where}. Give bounds_error=False to allow it."
            )
        found = _found(grid, values, places, method, nu and tuple(nu))
        fill = math.nan if self.bounds_error else self.fill_value
        if fill is not None:
            found = jnp.where(inside.reshape(-1, *[1] * (found.ndim - 1)), found, fill)
        return found.reshape(*xi.shape[:-1], *values.shape[len(grid) :])


jax.tree_util.register_dataclass(
    RegularGridInterpolator,
    data_fields=["points", "values"],
    meta_fields=["method", "bounds_error", "fill_value"],
)


def interpn(
    points: Sequence[ArrayLike], values: ArrayLike, xi: ArrayLike, method: str = "linear", bounds_error: bool = True,
    fill_value: float | None = math.nan,
) -> jax.Array:  # fmt: skip
    """`scipy.interpolate.interpn`: `RegularGridInterpolator`, called at once.

    >>> import jax, numpy as np
    >>> x = np.arange(4.0)
    >>> print(jax.grad(lambda v: interpn((x,), v, np.array([[1.25]]))[0])(x))
    [0.   0.75 0.25 0.  ]
    """
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


def _upwards(grid: Sequence[Any], values: Any) -> tuple[list, Any]:
    """The same data on ascending axes."""
    found = []
    for axis, g in enumerate(grid):
        falls = g[0] > g[-1]
        g = jnp.where(falls, g[::-1], g)
        values = jnp.where(falls, jnp.flip(values, axis), values)
        found.append(rising("RegularGridInterpolator", f"points[{axis}]", g))
    return found, values


@as_one("method", "nu")
def _found(grid: Sequence[Any], values: Any, places: Any, method: str, nu: tuple[int, ...] | None) -> Any:
    if method in DEGREES:
        return splines(grid, values, places, (DEGREES[method],) * len(grid), nu or ())
    return _PARTS[method](grid, values, places)


def _piece(g: Any, x: Any) -> tuple[Any, Any]:
    at = interval(g, x)
    return at, (x - g[at]) / (g[at + 1] - g[at])


def _linear(grid: Sequence[Any], values: Any, places: Any) -> Any:
    around, shares = [], []
    for g, x in zip(grid, places, strict=True):
        at, t = _piece(g, x)
        around.append(jnp.stack([at, at + 1], -1))
        shares.append(jnp.stack([1 - t, t], -1))
    return weighted_sum(values, around, shares)


def _nearest(grid: Sequence[Any], values: Any, places: Any) -> Any:
    pieces = [_piece(g, x) for g, x in zip(grid, places, strict=True)]
    return values[tuple(jnp.where(t <= 0.5, at, at + 1) for at, t in pieces)]


@as_one("degrees", "orders")
def splines(
    grid: Sequence[Any],
    values: Any,
    places: Sequence[Any],
    degrees: tuple[int, ...],
    orders: tuple[int, ...] = (),
    ends: Sequence[Any] = (),
) -> Any:
    """The tensor product of splines of these degrees; derivatives of these orders; domains between these ends."""
    around, shares = [], []
    for axis, (g, x, k) in enumerate(zip(grid, places, degrees, strict=True)):
        flat = jnp.moveaxis(values, axis, 0)
        t = not_a_knot(g, k, *(ends[axis] if ends else ()))
        c = coefficients(t, g, flat.reshape(flat.shape[0], -1), k)
        values = jnp.moveaxis(c.reshape(flat.shape), 0, axis)
        share, columns = basis(t, x, k, orders[axis] if orders else 0)
        around.append(columns)
        shares.append(share)
    return weighted_sum(values, around, shares)


def weighted_sum(values: Any, around: Sequence[Any], shares: Sequence[Any]) -> Any:
    """The weighted sum of the values around each place, along one axis after the other."""
    d, m = len(around), around[0].shape[0]
    wide = [a.reshape(m, *[-1 if k == axis else 1 for k in range(d)]) for axis, a in enumerate(around)]
    found = values[tuple(wide)]
    for share in shares:
        found = jnp.einsum("mk,mk...->m...", share, found)
    return found


def _pchip(grid: Sequence[Any], values: Any, places: Any) -> Any:
    """Along the last axis first, like SciPy."""
    d, m = len(grid), places.shape[1]
    found = PchipInterpolator(grid[-1], values, axis=d - 1)(places[-1])
    found = jnp.moveaxis(found, d - 1, 0)

    def at(folded: Any, place: Any) -> Any:
        for i in reversed(range(d - 1)):
            folded = PchipInterpolator(grid[i], folded, axis=i)(place[i])
        return folded

    return jax.vmap(at)(found, places[:-1].T) if d > 1 else found.reshape(m, *values.shape[d:])


_PARTS: dict[str, Callable] = {"linear": _linear, "nearest": _nearest, "pchip": _pchip}


def _check(grid: Sequence[Any], values: Any, xi: Any, method: str) -> None:
    name = "RegularGridInterpolator"
    if method not in METHODS:
        raise SignatureError(f"{name}: method={method!r} must be one of {', '.join(METHODS)}.")
    shapes = [g.shape for g in grid]
    fits = values.ndim >= len(grid) > 0 and shapes == [(n,) for n in values.shape[: len(grid)]]
    if not fits or not xi.ndim or xi.shape[-1] != len(grid):
        raise SignatureError(
            f"{name}: wants sites of shapes (n,), (m,), ..., values of shape (n, m, ..., ...) and places of shape "
            f"(..., d), got {', '.join(map(str, shapes))}; {values.shape}; {xi.shape}."
        )
    least = DEGREES.get(method, 1) + 1
    if any(n < least for (n,) in shapes):
        raise SignatureError(f"{name}: method={method!r} wants {least} sites along each axis, got {shapes}.")


@dataclasses.dataclass(frozen=True, eq=False)
class RectBivariateSpline:
    """`scipy.interpolate.RectBivariateSpline(x, y, z)(x, y)` with s=0: through the data, on their own box.

    Args:
        x, y: [n], [m], increasing. z: [n, m], real. kx, ky: the degrees, 1 to 5.
        bbox: where the box begins and ends, [xb, xe, yb, ye]; None is where the sites do.
        s: 0; with another, `SmoothBivariateSpline` and its kind are not there. maxit: without effect then.

    Called with `grid=True` (the default) it takes places [k], [l] and returns values [k, l]; with False, or as `ev`,
    arrays of one shape. dx, dy: orders of derivatives. Places outside are moved to the edge of the box, as in SciPy.

    >>> import jax, numpy as np
    >>> x = np.arange(4.0)
    >>> f = RectBivariateSpline(x, x, x[:, None] ** 2 * x)
    >>> print(jax.grad(f.ev)(1.5, 2.0).round(6))
    6.0
    """

    x: ArrayLike
    y: ArrayLike
    z: ArrayLike
    bbox: Sequence[ArrayLike | None] = (None, None, None, None)
    kx: int = 3
    ky: int = 3
    s: float = 0
    maxit: int = 20

    def __call__(self, x: ArrayLike, y: ArrayLike, dx: int = 0, dy: int = 0, grid: bool = True) -> jax.Array:
        gx, gy, z, x, y = arrays("RectBivariateSpline", x_=self.x, y_=self.y, z=self.z, x=x, y=y)
        if np.ndim(self.s) or self.s != 0 or len(self.bbox) != 4:
            raise SignatureError(
                f"RectBivariateSpline: wants s=0 and bbox of length 4, got s={self.s!r:.40}, bbox={self.bbox!r:.40}."
            )
        if z.shape != (*gx.shape, *gy.shape) or gx.ndim != 1 or gx.size <= self.kx or gy.size <= self.ky:
            raise SignatureError(
                f"RectBivariateSpline: wants x (n,), y (m,), z (n, m), n > kx = {self.kx} and m > ky = {self.ky}; "
                f"got {gx.shape}, {gy.shape}, {z.shape}."
            )
        real = inexact(gx, gy, z, x, y)
        if grid:
            x, y = jnp.atleast_1d(x)[..., :, None], jnp.atleast_1d(y)[..., None, :]
        x, y = (p.astype(real) for p in jnp.broadcast_arrays(x, y))
        sites = [rising("RectBivariateSpline", n, g.astype(real)) for n, g in (("x", gx), ("y", gy))]
        given = (self.bbox[:2], self.bbox[2:])
        ends = [
            tuple(g[i] if b is None else jnp.asarray(b, real) for i, b in zip((0, -1), box, strict=True))
            for g, box in zip(sites, given, strict=True)
        ]
        places = [jnp.clip(p.ravel(), *e) for p, e in zip((x, y), ends, strict=True)]
        found = splines(sites, z.astype(real), places, (self.kx, self.ky), (dx, dy), ends)
        return found.reshape(x.shape)

    def ev(self, xi: ArrayLike, yi: ArrayLike, dx: int = 0, dy: int = 0) -> jax.Array:
        """The values at `(xi[i], yi[i])`."""
        return self(xi, yi, dx, dy, grid=False)


jax.tree_util.register_dataclass(
    RectBivariateSpline, data_fields=["x", "y", "z", "bbox"], meta_fields=["kx", "ky", "s", "maxit"]
)
