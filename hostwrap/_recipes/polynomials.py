"""Piecewise polynomials: their values, derivatives and integrals."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact, interval
from hostwrap._types import ArrayLike


@dataclasses.dataclass(frozen=True, eq=False)  # hashed by identity, as functions are: for jax.jit
class PPoly:
    """Polynomials c [k + 1, n, ...], highest power first, between breaks x [n + 1], as `scipy.interpolate.PPoly`.

    It is a pytree, differentiable in c, x and the places. With extrapolate=True the first and the last piece go on,
    with False values outside are NaN, with "periodic" the function repeats. `axis` is where the places stand in values.

    >>> import jax, numpy as np
    >>> f = PPoly(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([0.0, 1.0, 2.0]))
    >>> print(jax.grad(f)(1.5))
    2.0
    """

    c: ArrayLike
    x: ArrayLike
    extrapolate: bool | str = True
    axis: int = 0

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: bool | str | None = None) -> jax.Array:
        """The derivative of order nu (below 0: the integral from x[0] on) at x."""
        c, breaks, x = arrays("PPoly", c=self.c, x_=self.x, x=x)
        if not isinstance(nu, int):
            raise SignatureError(f"PPoly: nu={nu!r} must be an integer.")
        if nu:
            return self.derivative(nu)(x, 0, self.extrapolate if extrapolate is None else extrapolate)
        outside = self.extrapolate if extrapolate is None else extrapolate
        return _value(type(self).piece, c, breaks, x, outside, self.axis)

    @staticmethod
    def piece(c: Any, at: Any, t: Any, widths: Any) -> Any:
        """The polynomial at a distance t from its left break."""
        return functools.reduce(lambda y, row: y * t + row[at], c[1:], c[0][at] + 0 * t)

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative of order nu; below 0 the integral."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = jnp.asarray(self.c)
        k = c.shape[0] - 1
        if nu > k:
            return dataclasses.replace(self, c=jnp.zeros_like(c[:1]))
        factors = np.array([math.perm(k - i, nu) for i in range(k + 1 - nu)], float)
        return dataclasses.replace(
            self, c=c[: k + 1 - nu] * factors.reshape(-1, *[1] * (c.ndim - 1)).astype(c.dtype)
        )

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The integral from x[0] on, nu times. It is continuous."""
        if nu == 0:
            return self
        c, x = jnp.asarray(self.c), jnp.asarray(self.x)
        powers = np.arange(len(c), 0, -1).reshape(-1, *[1] * (c.ndim - 1))
        c = jnp.concatenate([c / powers, jnp.zeros_like(c[:1])])
        ends = jax.vmap(lambda c, t: jnp.polyval(c, t), (1, 0))(c, jnp.diff(x))
        starts = jnp.concatenate([jnp.zeros_like(ends[:1]), jnp.cumsum(ends, 0)[:-1]])
        return grown(self, c.at[-1].add(starts)).antiderivative(nu - 1)

    def integrate(self, a: ArrayLike, b: ArrayLike, extrapolate: bool | str | None = None) -> jax.Array:
        """The integral from a to b; differentiable in both."""
        outside = self.extrapolate if extrapolate is None else extrapolate
        whole, x = self.antiderivative(), jnp.asarray(self.x)
        return integral(lambda t: whole(t, 0, outside is not False), a, b, outside, x[0], x[-1], self.axis)


def integral(
    whole: Callable, a: Any, b: Any, outside: bool | str, first: Any, last: Any, axis: int = 0
) -> jax.Array:
    """The integral from a to b by an antiderivative; with "periodic" that of a function that repeats."""

    def up_to(x: Any) -> Any:
        x = jnp.asarray(x)
        if outside != "periodic":
            return whole(x)
        turns = jnp.floor((x - first) / (last - first))
        each = whole(last) - whole(first)
        return placed(jnp.multiply.outer(turns, each), x.ndim, axis) + whole(x - turns * (last - first))

    return up_to(b) - up_to(a)


def grown(pieces: Any, c: Any) -> Any:
    """An antiderivative. That of a function that repeats does not repeat; as in SciPy, it ends."""
    return dataclasses.replace(
        pieces, c=c, extrapolate=pieces.extrapolate is not False and pieces.extrapolate != "periodic"
    )


@as_one("piece", "outside", "axis")
def _value(piece: Callable, c: Any, breaks: Any, x: Any, outside: Any, axis: int) -> jax.Array:
    dtype = inexact(x, breaks)
    x, breaks = x.astype(dtype), breaks.astype(dtype)
    if outside == "periodic":
        x = breaks[0] + (x - breaks[0]) % (breaks[-1] - breaks[0])
    at = interval(breaks, x)
    t = (x - breaks[at]).reshape(*x.shape, *[1] * (c.ndim - 2))
    y = piece(c, at, t, (breaks[at + 1] - breaks[at]).reshape(t.shape))
    if outside is False:
        inside = ((x >= breaks[0]) & (x <= breaks[-1])).reshape(t.shape)
        y = jnp.where(inside, y, jnp.nan)
    return placed(y, x.ndim, axis)


jax.tree_util.register_dataclass(PPoly, data_fields=["c", "x"], meta_fields=["extrapolate", "axis"])


def placed(y: jax.Array, ndim: int, axis: int) -> jax.Array:
    """Move the axes of the places from the front to this position."""
    axis = axis % (y.ndim - ndim + 1)
    return jnp.moveaxis(y, range(ndim), range(axis, axis + ndim))
