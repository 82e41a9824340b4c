"""Splines of two variables fitted to scattered data, with given knots.

The least squares problem is one sparse system of the residuals and the coefficients. If FITPACK chooses the knots
itself (`SmoothBivariateSpline`), there is no such derivative: they are means of the sites, weighted by the residuals,
and depend on the data through all steps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.pieces import rising
from hostwrap._recipes.rows import by_rows
from hostwrap._types import ArrayLike
from hostwrap.interpolate._bsplines import basis
from hostwrap.interpolate._tensors import weighted_sum


@as_one("kx", "ky")
def _coefficients(x: Any, y: Any, z: Any, w: Any, tx: Any, ty: Any, kx: int, ky: int) -> tuple[Any, Any]:
    """c with the least |w (z - A c)|, and the sum of squares: r + A c = w z, A' r = 0."""
    (bx, at_x), (by, at_y) = basis(tx, x, kx, 0), basis(ty, y, ky, 0)
    m, count = x.shape[0], (tx.shape[0] - kx - 1, ty.shape[0] - ky - 1)
    values = (w[:, None, None] * bx[:, :, None] * by[:, None, :]).reshape(m, -1)
    columns = (at_x[:, :, None] * count[1] + at_y[:, None, :]).reshape(m, -1)
    rest, c = least_squares(values, columns, count[0] * count[1], w * z)
    return c.reshape(count), jnp.sum(rest**2)


def least_squares(values: Any, columns: Any, n: int, right: Any) -> tuple[Any, Any]:
    """What is left over, and the n unknowns: row i of the matrix has these numbers in these columns, all of them
    different. The matrix is not squared: r + A c = right, A' r = 0."""
    m, wide = len(values), right.reshape(len(values), -1)
    down, across = jnp.repeat(jnp.arange(m), values.shape[1]), columns.ravel() + m
    # the zeros of the second diagonal block are stored, too: the factorisation needs them as pivots
    data = jnp.concatenate(
        [jnp.ones(m, values.dtype), values.ravel(), values.ravel(), jnp.zeros(n, values.dtype)]
    )
    row = jnp.concatenate([jnp.arange(m), down, across, m + jnp.arange(n)])
    column = jnp.concatenate([jnp.arange(m), across, down, m + jnp.arange(n)])
    order, column, starts = by_rows(row, column, m + n)
    found = spsolve(data[order], column, starts, jnp.pad(wide, ((0, n), (0, 0))))
    return found[:m].reshape(right.shape), found[m:].reshape(n, *right.shape[1:])


@as_one("degrees", "orders")
def surface_at(
    tx: Any, ty: Any, c: Any, x: Any, y: Any, degrees: tuple[int, int], orders: tuple[int, int]
) -> Any:
    parts = [basis(t, p, k, nu) for t, p, k, nu in zip((tx, ty), (x, y), degrees, orders, strict=True)]
    return weighted_sum(c, [columns for _, columns in parts], [share for share, _ in parts])


def _begin(sites: Any, inner: Any, k: int) -> Any:
    """Where SciPy's box begins: at the first site, if no knot is before it and it is not positive; else some way before
    the knots and 0, which stands where the outer knots will be."""
    known = jnp.concatenate([jnp.zeros(1, inner.dtype), inner])
    low, high = jnp.min(known), jnp.max(known)
    return jnp.where(low > jnp.min(sites), jnp.min(sites), low - (high - low) / (inner.shape[0] + 2 * k + 2))


class Fit:
    """A spline in two variables: `_fitted` gives the knots along both axes, the coefficients and the residual."""

    def _fitted(self) -> tuple[Any, Any, Any, Any]:
        raise NotImplementedError

    def get_knots(self) -> tuple[jax.Array, jax.Array]:
        """The knots along both axes, with those at the ends."""
        return self._fitted()[:2]

    def get_coeffs(self) -> jax.Array:
        """The coefficients, one after the other, those of the first one along the first axis first."""
        return self._fitted()[2].ravel()

    def get_residual(self) -> jax.Array:
        """The sum of the squares, with the weights, of what is left over."""
        return self._fitted()[3]


def places(name: str, dtype: Any, grid: bool, **given: ArrayLike) -> list[jax.Array]:
    """The two coordinates as arrays of one shape: of all pairs on a grid, or of pairs that are given."""
    first, second = arrays(name, **given)
    if grid:
        first, second = jnp.atleast_1d(first)[..., :, None], jnp.atleast_1d(second)[..., None, :]
    return [p.astype(dtype) for p in jnp.broadcast_arrays(first, second)]


@dataclasses.dataclass(frozen=True, eq=False)
class LSQBivariateSpline(Fit):
    """`scipy.interpolate.LSQBivariateSpline`: the spline with these knots and the least `sum((w (z - s(x, y)))^2)`.

    Differentiable in x, y, z, the knots, w and the places, to any order.

    Args:
        x, y, z: the data, [m] each, real.
        tx, ty: the inner knots, increasing, inside of the box.
        w: [m], positive; 1 by default.
        bbox: where the box begins and ends, [xb, xe, yb, ye]; None leaves it to SciPy: around the sites, and around 0.
        kx, ky: the degrees, 1 to 5.
        eps: without effect. If the data do not determine all coefficients, SciPy takes the smallest ones; here that is
            an error, or NaN.

    Called with `grid=True` (the default) it takes places [k], [l] and returns values [k, l]; with False, or as `ev`,
    arrays of one shape. dx, dy: orders of derivatives. Places outside are moved to the edge of the box, as in SciPy.

    Raises:
        SignatureError: shapes that do not fit. RuntimeError: data that do not determine all coefficients; inside a
            compiled program HostCallError.

    >>> import jax, numpy as np
    >>> x, y = np.meshgrid(np.arange(4.0), np.arange(4.0))
    >>> f = lambda z: LSQBivariateSpline(x.ravel(), y.ravel(), z, [1.4], [1.6], kx=1, ky=1).ev(2.0, 2.0)
    >>> print(jax.grad(f)((x * y).ravel()).sum().round(6))
    1.0
    """

    x: ArrayLike
    y: ArrayLike
    z: ArrayLike
    tx: ArrayLike
    ty: ArrayLike
    w: ArrayLike | None = None
    bbox: Sequence[ArrayLike | None] = (None, None, None, None)
    kx: int = 3
    ky: int = 3
    eps: float | None = None

    def _fitted(self) -> tuple[Any, Any, Any, Any]:
        """The knots, the coefficients, and the sum of squares."""
        name = "LSQBivariateSpline"
        x, y, z, tx, ty = arrays(name, x=self.x, y=self.y, z=self.z, tx=self.tx, ty=self.ty)
        (w,) = arrays(name, w=jnp.ones(x.shape) if self.w is None else self.w)
        shapes = [a.shape for a in (x, y, z, w)]
        if x.ndim != 1 or set(shapes) != {x.shape} or tx.ndim != 1 or ty.ndim != 1 or len(self.bbox) != 4:
            raise SignatureError(
                f"{name}: wants x, y, z, w of shape (m,), tx (k,), ty (l,) and bbox of length 4, got "
                f"{', '.join(map(str, shapes))}, {tx.shape}, {ty.shape}, {self.bbox!r:.40}."
            )
        if any(not isinstance(k, int) or not 1 <= k <= 5 for k in (self.kx, self.ky)):
            raise SignatureError(f"{name}: kx={self.kx!r} and ky={self.ky!r} must be integers from 1 to 5.")
        if x.size < (tx.size + self.kx + 1) * (ty.size + self.ky + 1):
            raise SignatureError(
                f"{name}: {x.size} data cannot say as many coefficients as these knots have."
            )
        real = inexact(x, y, z, tx, ty, w)
        x, y, z, w = (a.astype(real) for a in (x, y, z, w))
        knots = []
        for axis, (sites, inner, k) in enumerate(((x, tx, self.kx), (y, ty, self.ky))):
            first, last = self.bbox[2 * axis : 2 * axis + 2]
            inner = rising(name, "tx" if axis == 0 else "ty", inner.astype(real))
            low = _begin(sites, inner, k) if first is None else jnp.asarray(first, real)
            high = -_begin(-sites, -inner, k) if last is None else jnp.asarray(last, real)
            knots.append(jnp.concatenate([jnp.repeat(low, k + 1), inner, jnp.repeat(high, k + 1)]))
        tx, ty = knots
        return tx, ty, *_coefficients(x, y, z, w, tx, ty, self.kx, self.ky)

    def __call__(self, x: ArrayLike, y: ArrayLike, dx: int = 0, dy: int = 0, grid: bool = True) -> jax.Array:
        tx, ty, c, _ = self._fitted()
        x, y = places("LSQBivariateSpline", c.dtype, grid, x=x, y=y)
        at_x, at_y = (jnp.clip(p.ravel(), t[0], t[-1]) for p, t in ((x, tx), (y, ty)))
        return surface_at(tx, ty, c, at_x, at_y, (self.kx, self.ky), (dx, dy)).reshape(x.shape)

    def ev(self, xi: ArrayLike, yi: ArrayLike, dx: int = 0, dy: int = 0) -> jax.Array:
        """The values at `(xi[i], yi[i])`."""
        return self(xi, yi, dx, dy, grid=False)


jax.tree_util.register_dataclass(
    LSQBivariateSpline,
    data_fields=["x", "y", "z", "tx", "ty", "w", "bbox"],
    meta_fields=["kx", "ky", "eps"],
)
