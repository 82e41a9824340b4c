"""B-splines: evaluated in JAX, by the recursion of Cox and de Boor; their coefficients solve a banded system."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact, interval
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.scipys import as_scipys


@dataclasses.dataclass(frozen=True, eq=False)  # hashed by identity, as functions are: for jax.jit
class BSpline:
    """A spline of degree k with knots t [n + k + 1] and coefficients c [n, ...], as `scipy.interpolate.BSpline`.

    It is a pytree: it can be an argument and a result of a transformed function. Between `t[k]` and `t[n]` it is the
    spline, outside of them its first and last piece go on.

    >>> import jax, numpy as np
    >>> hat = lambda c: BSpline(np.array([0.0, 0.0, 1.0, 2.0, 2.0]), c, 1)(0.25)
    >>> print(jax.grad(hat)(np.array([1.0, 2.0, 0.0])))
    [0.75 0.25 0.  ]
    """

    t: Any
    c: Any
    k: int = 3

    def __call__(self, x: Any, nu: int = 0) -> jax.Array:
        """The derivative of order nu at x, shaped `x.shape + c.shape[1:]`. Differentiable in x, t and c."""
        x, t, c = arrays("BSpline", x=x, t=self.t, c=self.c)
        _check(t, c, self.k, nu)
        return _value(t, c, x, self.k, nu)


jax.tree_util.register_dataclass(BSpline, data_fields=["t", "c"], meta_fields=["k"])


@as_one("k", "nu")
def _value(t: jax.Array, c: jax.Array, x: jax.Array, k: int, nu: int) -> jax.Array:
    dtype = inexact(x, t)
    values, first = basis(t.astype(dtype), x.astype(dtype), k, nu)
    return jnp.einsum("...j,...j->...", values, c[first]) if c.ndim == 1 else _contract(values, c, first)


@as_scipys("scipy.interpolate")
def make_interp_spline(x: Any, y: Any, k: int = 3) -> BSpline:
    """The spline of degree k through `(x[i], y[i])`, as `scipy.interpolate.make_interp_spline` ("not-a-knot").

    Args:
        x: [n], increasing, with n > k.
        y: [n] or [n, m].

    Returns:
        A `BSpline`; its values have derivatives of any order in x and y, of pieces that are smooth (in x: where k > 1).

    Raises:
        SignatureError: shapes that do not fit, a degree that is no integer >= 1.

    >>> import jax, numpy as np
    >>> x = np.arange(4.0)
    >>> print(jax.grad(lambda y: make_interp_spline(x, y)(1.5))(x**2).round(6))
    [-0.0625  0.5625  0.5625 -0.0625]
    """
    x, y = arrays("make_interp_spline", x=x, y=y)
    if not isinstance(k, int) or k < 1:
        raise SignatureError(f"make_interp_spline: k={k!r} must be an integer >= 1.")
    if x.ndim != 1 or y.ndim not in (1, 2) or y.shape[0] != x.shape[0] or x.shape[0] <= k:
        raise SignatureError(
            f"make_interp_spline: wants x of shape (n,) with n > k = {k}, and y of shape (n,) or (n, m), "
            f"got {x.shape}, {y.shape}."
        )
    return BSpline(*_through(x.astype(inexact(x)), y, k), k)


@as_one("k")
def _through(x: jax.Array, y: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    t = not_a_knot(x, k)
    return t, coefficients(t, x, y, k)


def coefficients(t: jax.Array, x: jax.Array, y: jax.Array, k: int) -> jax.Array:
    """Of the spline with knots t that goes through the data."""
    values, columns = basis(t, x, k, 0)
    return spsolve(values.ravel(), columns.ravel(), jnp.arange(x.shape[0] + 1) * (k + 1), y)


def not_a_knot(x: jax.Array, k: int) -> jax.Array:
    """Knots at the sites (between them, if k is even) but for those next to the ends."""
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2
    skipped = (k + 1) // 2 if k % 2 else k // 2
    ends = jnp.repeat(x[0], k + 1), jnp.repeat(x[-1], k + 1)
    return jnp.concatenate([ends[0], inner[skipped : inner.shape[0] - skipped], ends[1]])


@as_one("k", "nu")
def basis(t: jax.Array, x: jax.Array, k: int, nu: int) -> tuple[jax.Array, jax.Array]:
    """The k + 1 basis functions that are not 0 at x (or their derivatives), and their numbers: [..., k + 1] both.

    From degree d - 1 to d each function goes to two, w = B / (t[m + d] - t[m]): B_m gets (x - t[m]) w, and B_(m-1)
    gets (t[m + d] - x) w; their derivatives get d w and -d w (de Boor, A Practical Guide to Splines, IX and X).
    """
    last = pieces_end(t, k) - 1
    span = interval(t, x, k, last)[..., None]
    values, x = jnp.ones_like(x)[..., None], x[..., None]
    for d in range(1, k + 1):
        m = span - d + 1 + jnp.arange(d)
        w = values / (t[m + d] - t[m])
        rising, falling = (d, -d) if d > k - nu else (x - t[m], t[m + d] - x)
        zero = jnp.zeros_like(w[..., :1])
        values = jnp.concatenate([falling * w, zero], -1) + jnp.concatenate([zero, rising * w], -1)
    return values * (nu <= k), span - k + jnp.arange(k + 1)


def pieces_end(t: jax.Array, k: int) -> jax.Array:
    """The number of basis functions, and of the knot where the domain ends. Infinite knots fill up an array."""
    return jnp.sum(t != jnp.inf) - k - 1


def _contract(values: jax.Array, c: jax.Array, first: jax.Array) -> jax.Array:
    return jnp.einsum("...j,...jm->...m", values, c.reshape(c.shape[0], -1)[first]).reshape(
        values.shape[:-1] + c.shape[1:]
    )


def _check(t: jax.Array, c: jax.Array, k: int, nu: int) -> None:
    if t.ndim != 1 or c.ndim < 1 or t.shape[0] != c.shape[0] + k + 1 or c.shape[0] <= k:
        raise SignatureError(
            f"BSpline: wants knots of shape (n + {k + 1},) and coefficients of shape (n, ...) with n > k = {k}, "
            f"got {t.shape}, {c.shape}."
        )
    if not isinstance(nu, int) or nu < 0:
        raise SignatureError(f"BSpline: nu={nu!r} must be an integer >= 0.")
