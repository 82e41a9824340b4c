"""B-splines: evaluated in JAX, by the recursion of Cox and de Boor; their coefficients solve a banded system."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact, interval
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.pieces import sites
from hostwrap._recipes.polynomials import integral, placed
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike


@dataclasses.dataclass(frozen=True, eq=False)  # hashed by identity, as functions are: for jax.jit
class BSpline:
    """A spline of degree k with knots t [n + k + 1] and coefficients c [n, ...], as `scipy.interpolate.BSpline`.

    It is a pytree: it can be an argument and a result of a transformed function. Between `t[k]` and `t[n]` it is the
    spline. Outside of them its first and last piece go on; with extrapolate=False it is NaN, and with "periodic" it
    repeats.

    >>> import jax, numpy as np
    >>> hat = lambda c: BSpline(np.array([0.0, 0.0, 1.0, 2.0, 2.0]), c, 1)(0.25)
    >>> print(jax.grad(hat)(np.array([1.0, 2.0, 0.0])))
    [0.75 0.25 0.  ]
    """

    t: ArrayLike
    c: ArrayLike
    k: int = 3
    extrapolate: bool | str = True

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: bool | str | None = None) -> jax.Array:
        """The derivative of order nu at x, shaped `x.shape + c.shape[1:]`. Differentiable in x, t and c."""
        x, t, c = arrays("BSpline", x=x, t=self.t, c=self.c)
        _check(t, c, self.k, nu)
        return _value(t, c, x, self.k, nu, self.extrapolate if extrapolate is None else extrapolate)

    def derivative(self, nu: int = 1) -> Self:
        """The derivative of order nu; below 0 the integral."""
        if nu < 0:
            return self.antiderivative(-nu)
        t, c = arrays("BSpline", t=self.t, c=self.c)
        for k in range(self.k, self.k - nu, -1):
            c = k * jnp.diff(c, axis=0) / _wide(t[k + 1 : -1] - t[1 : -k - 1], c) if k > 0 else 0 * c
            t = t[1:-1] if k > 0 else t
        return dataclasses.replace(self, t=t, c=c, k=max(0, self.k - nu))

    def antiderivative(self, nu: int = 1) -> Self:
        """The integral from t[0] on, nu times. That of a spline that repeats ends, as in SciPy."""
        t, c = arrays("BSpline", t=self.t, c=self.c)
        for k in range(self.k, self.k + nu):
            widths = t[k + 1 :] - t[: -k - 1]
            widths = jnp.where(jnp.isfinite(widths), widths, 0.0)  # where infinite knots fill up an array
            c = jnp.concatenate([0 * c[:1], jnp.cumsum(c * _wide(widths, c), 0) / (k + 1)])
            t = jnp.concatenate([t[:1], t, t[-1:]])
        ends = nu > 0 and self.extrapolate == "periodic"
        outside = False if ends else self.extrapolate
        return dataclasses.replace(self, t=t, c=c, k=self.k + nu, extrapolate=outside)

    def integrate(self, a: ArrayLike, b: ArrayLike, extrapolate: bool | str | None = None) -> jax.Array:
        """The integral from a to b, differentiable in both; without extrapolation that of the part inside."""
        outside = self.extrapolate if extrapolate is None else extrapolate
        (t,) = arrays("BSpline", t=self.t)
        first, last = t[self.k], t[pieces_end(t, self.k)]
        whole = self.antiderivative()
        if outside is False:
            a, b = (jnp.clip(jnp.asarray(x), first, last) for x in (a, b))
        return integral(lambda x: whole(x, 0, True), a, b, outside, first, last, getattr(self, "axis", 0))


def _wide(widths: jax.Array, c: jax.Array) -> jax.Array:
    return widths.reshape(-1, *[1] * (c.ndim - 1))


jax.tree_util.register_dataclass(BSpline, data_fields=["t", "c"], meta_fields=["k", "extrapolate"])


@dataclasses.dataclass(frozen=True, eq=False)
class AlongAxis(BSpline):
    """A spline whose values have the places at `axis`. As in SciPy, coefficients have the axis of the sites first."""

    axis: int = 0

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: bool | str | None = None) -> jax.Array:
        return placed(super().__call__(x, nu, extrapolate), jnp.asarray(x).ndim, self.axis)


jax.tree_util.register_dataclass(AlongAxis, data_fields=["t", "c"], meta_fields=["k", "extrapolate", "axis"])


@as_one("k", "nu", "outside")
def _value(t: jax.Array, c: jax.Array, x: jax.Array, k: int, nu: int, outside: bool | str) -> jax.Array:
    dtype = inexact(x, t)
    t, x = t.astype(dtype), x.astype(dtype)
    first, last = t[k], t[pieces_end(t, k)]
    if outside == "periodic":
        x = first + (x - first) % (last - first)
    values, at = basis(t, x, k, nu)
    y = jnp.einsum("...j,...j->...", values, c[at]) if c.ndim == 1 else _contract(values, c, at)
    if outside:
        return y
    return jnp.where(((x >= first) & (x <= last)).reshape(*x.shape, *[1] * (c.ndim - 1)), y, jnp.nan)


Spline: TypeAlias = BSpline | tuple[ArrayLike, ArrayLike, int]
"""A spline as SciPy's older functions take it: `(t, c, k)`, or a `BSpline`."""
Conditions = Sequence[tuple[int, Any]]


@as_scipys("scipy.interpolate")
def make_interp_spline(
    x: ArrayLike, y: ArrayLike, k: int = 3, t: ArrayLike | None = None, bc_type: Any = None, axis: int = 0
) -> BSpline:
    """`scipy.interpolate.make_interp_spline`: the spline of degree k through `(x[i], y[i])`.

    Args:
        x: [n], increasing.
        y: n values along axis, real or complex.
        k: the degree, 0 or more.
        t: knots [n + k + 1 + conditions]; by default they follow from the sites.
        bc_type: None or "not-a-knot", "clamped", "natural", "periodic", or for each end one of these or
            `[(order, value), ...]`, whose values are differentiable. There are as many conditions as additional knots.

    Returns:
        A `BSpline`; its values have derivatives of any order in x, y, t and the values at the ends, of pieces that are
        smooth (in x: where k > 1).

    Raises:
        SignatureError: shapes or conditions that do not fit, sites that do not increase (in a compiled program values
            are NaN, or the solver's error), a degree that is no integer >= 0.

    >>> import jax, numpy as np
    >>> x = np.arange(4.0)
    >>> print(jax.grad(lambda y: make_interp_spline(x, y)(1.5))(x**2).round(6))
    [-0.0625  0.5625  0.5625 -0.0625]
    """
    name = "make_interp_spline"
    if not isinstance(k, int) or k < 0:
        raise SignatureError(f"{name}: k={k!r} must be an integer >= 0.")
    x, y = sites(name, axis, 1, x=x, y=y)
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    left, right = ([], []) if periodic else (_conditions(bc_type, i) for i in (0, 1))
    taken = t is not None and (periodic or k == 0)
    if taken or (t is None and k < 2 and (left or right)):
        raise SignatureError(
            f"{name}: with k={k} and bc_type={bc_type!r:.40} knots and conditions are not free."
        )
    if t is None:
        t = knots_of_data(x, k, periodic and k > 1, bool(left or right))
    (t,) = arrays(name, t=t)
    count = x.shape[0] + ((k - 1) if periodic and k > 1 else len(left) + len(right))
    if t.shape != (count + k + 1,) or count <= k:
        raise SignatureError(
            f"{name}: {x.shape[0]} sites and {count - x.shape[0]} conditions at the ends want n > k and "
            f"{count + k + 1} knots, got k = {k} and knots of shape {t.shape}."
        )
    if k == 0:
        c = y
    elif periodic and k > 1:
        c = periodic_fit(t, x, y, k)
    else:
        orders = [tuple(order for order, _ in side) for side in (left, right)]
        values = [[value for _, value in side] for side in (left, right)]
        c = _between(t.astype(x.dtype), x, y, values, k, *orders)
    outside: bool | str = "periodic" if periodic and k > 1 else True
    return AlongAxis(t, c, k, outside, axis) if axis else BSpline(t, c, k, outside)


NAMED = {"not-a-knot": [], "clamped": [(1, 0.0)], "natural": [(2, 0.0)]}


def _conditions(bc_type: Any, end: int) -> Conditions:
    """The conditions at one end, as pairs of an order and a value."""
    one = bc_type if bc_type is None or isinstance(bc_type, str) else bc_type[end]
    found = [] if one is None else NAMED.get(one) if isinstance(one, str) else list(one)
    if found is None or any(len(pair) != 2 or not isinstance(pair[0], int) or pair[0] < 0 for pair in found):
        raise SignatureError(
            f"make_interp_spline: bc_type={bc_type!r:.60} must be one of {', '.join(NAMED)}, periodic, or for each end "
            "one of these or pairs (order, value)."
        )
    return found


def knots_of_data(x: jax.Array, k: int, periodic: bool, conditions: bool) -> jax.Array:
    """SciPy's knots: at all sites for a periodic spline or with conditions, else those of "not-a-knot"."""
    if periodic:
        middle = x.at[1:-1].add(-jnp.diff(x)[:-1] / 2) if k % 2 == 0 else x
        steps = jnp.diff(middle)
        each = np.arange(k) % steps.shape[0]
        before, after = jnp.cumsum(steps[::-1][each])[::-1], jnp.cumsum(steps[each])
        return jnp.concatenate([middle[0] - before, middle, middle[-1] + after])
    if k == 0:
        return jnp.concatenate([x, x[-1:]])
    if conditions or k == 1:
        return jnp.concatenate([jnp.repeat(x[0], k), x, jnp.repeat(x[-1], k)])
    return not_a_knot(x, k)


@as_one("k", "left", "right")
def _between(
    t: jax.Array, x: jax.Array, y: jax.Array, values: Sequence[Any], k: int, left: tuple, right: tuple
) -> jax.Array:
    """The coefficients of the spline through the data with these derivatives at the ends."""
    rows = [basis(t, x, k, 0)]
    at_end = lambda end, orders: [basis(t, end[None], k, nu) for nu in orders]
    rows = [*at_end(x[0], left), *rows, *at_end(x[-1], right)]
    share, columns = (jnp.concatenate(parts) for parts in zip(*rows, strict=True))
    given = lambda v: jnp.broadcast_to(jnp.asarray(v, y.dtype), y.shape[1:])[None]
    data = jnp.concatenate([*map(given, values[0]), y, *map(given, values[1])])
    return banded_solution(share, columns, data)


@as_one("k")
def periodic_fit(t: jax.Array, x: jax.Array, y: jax.Array, k: int) -> jax.Array:
    """The coefficients of the spline through the data whose derivatives up to order k - 1 agree at both ends."""
    through, where = basis(t, x, k, 0)
    ends = [basis(t, x[jnp.array([0, -1])], k, nu) for nu in range(1, k)]
    share = jnp.concatenate([b * jnp.array([[1.0], [-1.0]], x.dtype) for b, _ in ends]).reshape(k - 1, -1)
    both = jnp.concatenate([columns for _, columns in ends]).reshape(k - 1, -1)
    wide = ((0, 0), (0, k + 1))  # all rows have the same length
    data = jnp.concatenate([jnp.zeros((k - 1, *y.shape[1:]), y.dtype), y])
    share = jnp.concatenate([share, jnp.pad(through, wide)])
    return banded_solution(share, jnp.concatenate([both, jnp.pad(where, wide, mode="edge")]), data)


def banded_solution(share: jax.Array, columns: jax.Array, y: jax.Array) -> jax.Array:
    """Row i of the matrix has these numbers in these columns."""
    starts = jnp.arange(share.shape[0] + 1) * share.shape[1]
    flat = spsolve(share.ravel(), columns.ravel(), starts, y.reshape(len(y), -1))
    return flat.reshape(y.shape)


def coefficients(t: jax.Array, x: jax.Array, y: jax.Array, k: int) -> jax.Array:
    """The coefficients of the spline through the data, with knots t."""
    return banded_solution(*basis(t, x, k, 0), y)


def not_a_knot(x: jax.Array, k: int, first: Any = None, last: Any = None) -> jax.Array:
    """Knots at the sites (between them for an even k), without those next to the ends, where the domain ends."""
    inner = x if k % 2 else (x[1:] + x[:-1]) / 2
    skipped = (k + 1) // 2 if k % 2 else k // 2
    ends = x[0] if first is None else first, x[-1] if last is None else last
    left, right = (jnp.repeat(jnp.asarray(end, x.dtype), k + 1) for end in ends)
    return jnp.concatenate([left, inner[skipped : inner.shape[0] - skipped], right])


@as_one("k", "nu")
def basis(t: jax.Array, x: jax.Array, k: int, nu: int) -> tuple[jax.Array, jax.Array]:
    """The k + 1 basis functions (or their derivatives) that are not 0 at x, and their numbers: both [..., k + 1].

    From degree d - 1 to d each function contributes to two. With w = B / (t[m + d] - t[m]), B_m gets (x - t[m]) w, and
    B_(m-1) gets (t[m + d] - x) w; their derivatives get d w and -d w (de Boor, A Practical Guide to Splines, IX and X).
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
    """The number of basis functions, and that of the knot where the domain ends. Infinite knots fill up an array."""
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
