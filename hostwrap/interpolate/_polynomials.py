"""Polynomials in other bases than powers: Lagrange's through points, Bernstein's in pieces, products over boxes."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact, interval
from hostwrap._recipes.polynomials import PPoly, grown, placed
from hostwrap._types import ArrayLike

# ---- through points


def _lagrange(nodes: Any, x: Any) -> Any:
    """The polynomials [..., n] that are 1 at one node and 0 at the others.

    As products they are smooth at the nodes, too, where the barycentric formula divides 0 by 0.
    """
    # products in this unit neither grow nor vanish
    unit = 4 / jax.lax.stop_gradient(jnp.max(nodes) - jnp.min(nodes))
    apart = unit * (nodes[:, None] - nodes) + jnp.eye(len(nodes), dtype=nodes.dtype)
    away = unit * (x[..., None] - nodes)
    one = jnp.ones_like(away[..., :1])
    before = jnp.cumprod(jnp.concatenate([one, away[..., :-1]], -1), -1)
    after = jnp.cumprod(jnp.concatenate([one, away[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after / jnp.prod(apart, 1)


@dataclasses.dataclass(frozen=True, eq=False)  # hashed by identity, as functions are: for jax.jit
class BarycentricInterpolator:
    """`scipy.interpolate.BarycentricInterpolator(xi, yi)(x)`: the polynomial through points.

    It is a pytree, differentiable in the points and the places to any order, at the points too. Values are SciPy's to
    rounding: SciPy computes its weights in a random order.

    Args:
        xi: [n], all different. yi: [n, ...]; its axis of length n is `axis`.

    Raises:
        SignatureError: shapes that do not fit.

    >>> import jax, numpy as np
    >>> f = BarycentricInterpolator(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 8.0]))
    >>> print(jax.grad(f)(1.0), f.derivative(1.0, 2))
    4.0 6.0
    """

    xi: ArrayLike
    yi: ArrayLike
    axis: int = 0

    def __call__(self, x: ArrayLike) -> jax.Array:
        return self.derivative(x, 0)

    def derivative(self, x: ArrayLike, der: int = 1) -> jax.Array:
        """The derivative of order der at x."""
        name = "BarycentricInterpolator"
        nodes, values, x = arrays(name, xi=self.xi, yi=self.yi, x=x)
        shape = values.shape
        if nodes.ndim != 1 or not -len(shape) <= self.axis < len(shape) or shape[self.axis] != nodes.size:
            raise SignatureError(
                f"{name}: wants xi (n,) and yi with n values along axis {self.axis}, got {nodes.shape}, {shape}."
            )
        if not isinstance(der, int) or der < 0:
            raise SignatureError(f"{name}: der={der!r} must be an integer >= 0.")
        dtype = inexact(nodes, values.real, x)
        nodes, x = nodes.astype(dtype), x.astype(dtype)
        shares = functools.partial(_lagrange, nodes)
        for _ in range(der):
            shares = functools.partial(lambda f, x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1], shares)
        found = jnp.tensordot(shares(x), jnp.moveaxis(values, self.axis, 0).astype(inexact(values)), 1)
        return placed(found, x.ndim, self.axis)


jax.tree_util.register_dataclass(BarycentricInterpolator, data_fields=["xi", "yi"], meta_fields=["axis"])


def barycentric_interpolate(
    xi: ArrayLike,
    yi: ArrayLike,
    x: ArrayLike,
    axis: int = 0,
    *,
    der: int | Sequence[int] = 0,
    rng: Any = None,
) -> jax.Array:
    """`scipy.interpolate.barycentric_interpolate`: `BarycentricInterpolator(xi, yi)` at x; or derivatives there.

    Args:
        xi, yi, axis: see `BarycentricInterpolator`.
        der: the order of a derivative, or several, along the first axis of the result.
        rng: without effect.

    >>> import jax, numpy as np
    >>> nodes = np.array([0.0, 1.0, 2.0])
    >>> print(jax.grad(lambda y: barycentric_interpolate(nodes, y, 0.5))(nodes**2))
    [ 0.375  0.75  -0.125]
    """
    f = BarycentricInterpolator(xi, yi, axis)
    return f.derivative(x, der) if isinstance(der, int) else jnp.stack([f.derivative(x, d) for d in der])


# ---- Bernstein's


@dataclasses.dataclass(frozen=True, eq=False)
class BPoly(PPoly):
    """Polynomials by Bernstein's coefficients c [k + 1, n, ...] between breaks x [n + 1], `scipy.interpolate.BPoly`.

    Everything else is as of `PPoly`. They are evaluated by de Casteljau's algorithm.

    >>> import jax, numpy as np
    >>> f = BPoly(np.array([[0.0], [0.0], [1.0]]), np.array([0.0, 2.0]))
    >>> print(f(1.0), jax.grad(f)(1.0), f.integrate(0.0, 2.0).round(6))
    0.25 0.5 0.666667
    """

    @staticmethod
    def piece(c: Any, at: Any, t: Any, widths: Any) -> Any:
        """The polynomial at a distance t from its left break."""
        s = t / widths
        points = c[:, at] + 0 * s
        for _ in range(len(c) - 1):
            points = (1 - s) * points[:-1] + s * points[1:]
        return points[0]

    def derivative(self, nu: int = 1) -> BPoly:
        """The derivative of order nu; below 0 the integral."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = jnp.asarray(self.c)
        for _ in range(nu):
            k = len(c) - 1
            c = k * jnp.diff(c, axis=0) / self._widths(c) if k else jnp.zeros_like(c)
        return dataclasses.replace(self, c=c)

    def antiderivative(self, nu: int = 1) -> BPoly:
        """The integral from x[0] on, nu times. It is continuous."""
        if nu == 0:
            return self
        c = jnp.asarray(self.c)
        c = jnp.cumsum(jnp.concatenate([jnp.zeros_like(c[:1]), c]), 0) * self._widths(c) / len(c)
        starts = jnp.concatenate([jnp.zeros_like(c[-1, :1]), jnp.cumsum(c[-1], 0)[:-1]])
        return grown(self, c + starts).antiderivative(nu - 1)

    def _widths(self, c: Any) -> Any:
        return jnp.diff(jnp.asarray(self.x)).reshape(-1, *[1] * (c.ndim - 2))


jax.tree_util.register_dataclass(BPoly, data_fields=["c", "x"], meta_fields=["extrapolate", "axis"])


# ---- products


@dataclasses.dataclass(frozen=True, eq=False)
class NdPPoly:
    """Polynomials in d variables on boxes, as `scipy.interpolate.NdPPoly(c, x)(places)`.

    It is a pytree, differentiable in c, x and the places, to any order.

    Args:
        c: [k1 + 1, ..., kd + 1, n1, ..., nd, ...], highest powers first.
        x: d arrays of breaks, [n1 + 1], ..., [nd + 1].
        extrapolate: with True the outer pieces go on, with False values outside are NaN.

    Raises:
        SignatureError: shapes that do not fit.

    >>> import jax, numpy as np
    >>> f = NdPPoly(np.array([[2.0, 0.0], [0.0, 1.0]]).reshape(2, 2, 1, 1), (np.arange(2.0), np.arange(2.0)))
    >>> print(f(np.array([0.5, 0.25])), jax.grad(f)(np.array([0.5, 0.25])))
    1.25 [0.5 1. ]
    """

    c: ArrayLike
    x: Sequence[ArrayLike]
    extrapolate: bool = True

    def __call__(
        self, x: ArrayLike, nu: Sequence[int] | None = None, extrapolate: bool | None = None
    ) -> jax.Array:
        """The derivative of orders nu, one for each variable, at x [..., d]: shaped [..., ...]."""
        c, x, *breaks = arrays("NdPPoly", c=self.c, x=x, **{f"x{i}": b for i, b in enumerate(self.x)})
        d, orders = len(breaks), (0,) * len(breaks) if nu is None else tuple(nu)
        fits = c.ndim >= 2 * d and x.ndim and x.shape[-1] == d == len(orders) and min(orders) >= 0
        if not fits or [b.shape for b in breaks] != [(n + 1,) for n in c.shape[d : 2 * d]]:
            raise SignatureError(
                "NdPPoly: wants c of shape (k1, ..., kd, n1, ..., nd, ...), breaks (n1 + 1,), ..., places (..., d) and "
                f"d orders >= 0, got {c.shape}; {', '.join(str(b.shape) for b in breaks)}; {x.shape}; {orders}."
            )
        dtype = inexact(x, *breaks)
        pieces, steps, inside = [], [], jnp.ones((), bool)
        for b, at in zip(breaks, jnp.moveaxis(x.astype(dtype), -1, 0), strict=True):
            k = interval(b, at)
            inside &= (at >= b[0]) & (at <= b[-1])
            pieces.append(k)
            steps.append((at - b[k]).reshape(*at.shape, *[1] * (c.ndim - 2 * d)))
        y = c.astype(inexact(c, x))[(slice(None),) * d + tuple(pieces)]
        for t, order in zip(steps, orders, strict=True):
            powers = range(len(y) - 1, order - 1, -1)
            rows, y = y, 0 * t * y[0]
            for row, power in zip(rows, powers, strict=False):
                y = y * t + math.perm(power, order) * row
        if not (self.extrapolate if extrapolate is None else extrapolate):
            y = jnp.where(inside.reshape(*inside.shape, *[1] * (c.ndim - 2 * d)), y, np.nan)
        return y


jax.tree_util.register_dataclass(NdPPoly, data_fields=["c", "x"], meta_fields=["extrapolate"])
