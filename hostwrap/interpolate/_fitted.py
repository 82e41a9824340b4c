"""Splines through data, or fitted to data by least squares, with knots that are given or follow from the sites."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.pieces import sites
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.structured import solveh_banded
from hostwrap._types import ArrayLike
from hostwrap.interpolate._bsplines import BSpline, basis, coefficients, not_a_knot, pieces_end

EXTENSIONS = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


@as_scipys("scipy.interpolate")
def make_lsq_spline(
    x: ArrayLike, y: ArrayLike, t: ArrayLike, k: int = 3, w: ArrayLike | None = None, axis: int = 0
) -> BSpline:
    """`scipy.interpolate.make_lsq_spline`: the spline of degree k with knots t and the least `sum((w (y - s(x)))^2)`.

    Its coefficients have derivatives of any order in x, y, t and w, as wide as the band of the normal equations.

    Args:
        x: [m], increasing.
        y: m values along axis 0, real.
        t: [n + k + 1], with k + 1 knots at each end, and sites between the others (Schoenberg and Whitney).
        w: [m], positive; 1 by default. It enters squared.
        axis: 0; others are not there.

    Raises:
        SignatureError: shapes that do not fit, a degree that is no integer >= 1, another axis.
        LinAlgError: knots without sites between them; HostCallError inside a compiled program.

    >>> x, t = np.arange(6.0), np.array([0.0, 0.0, 2.5, 5.0, 5.0])
    >>> print(jax.grad(lambda y: make_lsq_spline(x, y, t, 1)(2.5))(x).sum().round(6))
    1.0
    """
    name = "make_lsq_spline"
    if axis != 0 or not isinstance(k, int) or k < 1:
        raise SignatureError(f"{name}: wants axis=0 and an integer k >= 1, got {axis!r} and {k!r}.")
    weights = jnp.ones(np.shape(x)) if w is None else w  # type: ignore[arg-type]
    x, y, weights = sites(name, 0, k + 1, x=x, y=y, w=weights)
    (t,) = arrays(name, t=t)
    n = t.shape[0] - k - 1 if t.ndim == 1 else -1
    if n <= k or n > x.shape[0]:
        raise SignatureError(f"{name}: wants {2 * k + 2} to {x.shape[0] + k + 1} knots, got {t.shape}.")
    c = solveh_banded(*_normal(t, x, y, weights, k), lower=True)
    return BSpline(t, c.reshape(n, *y.shape[1:]), k)


@as_one("k")
def _normal(t: Any, x: Any, y: Any, weights: Any, k: int) -> tuple[Any, Any]:
    n = t.shape[0] - k - 1
    values, columns = basis(t.astype(x.dtype), x, k, 0)
    values = values * weights[:, None]
    band = jnp.stack([
        jnp.zeros(n, x.dtype).at[columns[:, : k + 1 - d]].add(values[:, : k + 1 - d] * values[:, d:])
        for d in range(k + 1)
    ])  # fmt: skip
    data = (y * weights.reshape(-1, *[1] * (y.ndim - 1))).reshape(len(x), 1, -1)
    right = jnp.zeros((n, data.shape[-1]), data.dtype).at[columns].add(values[..., None] * data)
    return band, right


@dataclasses.dataclass(frozen=True, eq=False)  # hashed by identity, as functions are: for jax.jit
class FittedSpline:
    """What `UnivariateSpline` and its kind return: a spline of one variable; a pytree.

    Outside of its domain it goes on (ext=0), is 0 (1), an error or, of traced places, NaN (2), or constant (3). There
    SciPy's derivatives of order nu > 0 with ext=3 are those of the spline that goes on, and so are these.

    >>> f = InterpolatedUnivariateSpline(np.arange(5.0), np.arange(5.0) ** 2)
    >>> print(f.derivative()(1.5).round(6), f.integral(0.0, 3.0).round(6))
    3.0 9.0
    """

    t: Any
    c: Any
    k: int
    ext: int = 0
    residual: Any = 0.0

    def __call__(self, x: ArrayLike, nu: int = 0, ext: int | str | None = None) -> jax.Array:
        """The derivative of order nu at x, of any shape; differentiable in x, and in what the spline is made of."""
        (x,) = arrays("UnivariateSpline", x=x)
        how = self.ext if ext is None else extension("UnivariateSpline", ext)
        t = jnp.asarray(self.t)
        first, last = t[self.k], t[pieces_end(t, self.k)]
        inside = (x >= first) & (x <= last)
        if how == 2 and not isinstance(inside, jax.core.Tracer) and not np.all(inside):
            raise ValueError("UnivariateSpline: x is outside of the domain, and ext is 2 or 'raise'.")
        held = how == 3 and nu == 0  # FITPACK's derivatives go on
        value = BSpline(t, self.c, self.k)(jnp.clip(x, first, last) if held else x, nu)
        return jnp.where(inside, value, 0.0 if how == 1 else jnp.nan) if how in (1, 2) else value

    def derivative(self, n: int = 1) -> FittedSpline:
        """The derivative of order n <= k, as a spline."""
        if not isinstance(n, int) or not 0 <= n <= self.k:
            raise SignatureError(f"UnivariateSpline: n={n!r} must be an integer from 0 to k = {self.k}.")
        if n == 0:
            return self
        t, k = jnp.asarray(self.t), self.k
        count = t.shape[0] - k - 1
        c = k * jnp.diff(jnp.asarray(self.c)) / _apart(t[k + 1 : k + count], t[1:count])
        t = t[1:-1].at[pieces_end(t, k) + k - 1].set(jnp.inf, mode="drop")
        return dataclasses.replace(self, t=t, c=c, k=k - 1).derivative(n - 1)

    def antiderivative(self, n: int = 1) -> FittedSpline:
        """The integral from the beginning of the domain on, n times, as a spline (de Boor, X)."""
        if not isinstance(n, int) or n < 0:
            raise SignatureError(f"UnivariateSpline: n={n!r} must be an integer >= 0.")
        if n == 0:
            return self
        t, k = jnp.asarray(self.t), self.k
        parts = jnp.asarray(self.c) * _apart(t[k + 1 :], t[: -k - 1]) / (k + 1)
        c = jnp.concatenate([jnp.zeros(1, parts.dtype), jnp.cumsum(parts)])
        last = pieces_end(t, k)
        t = jnp.concatenate([t[:1], t, t[-1:]]).at[last + k + 2].set(t[last])
        return dataclasses.replace(self, t=t, c=c, k=k + 1).antiderivative(n - 1)

    def integral(self, a: ArrayLike, b: ArrayLike) -> jax.Array:
        """The integral from a to b; outside of the domain the spline counts as 0."""
        whole = dataclasses.replace(self.antiderivative(), ext=3)
        return whole(b) - whole(a)

    def get_knots(self) -> jax.Array:
        """The knots, those at the ends once."""
        t, k = jnp.asarray(self.t), self.k
        return jnp.where(jnp.arange(t.shape[0]) <= pieces_end(t, k), t, jnp.inf)[k : t.shape[0] - k]

    def get_coeffs(self) -> jax.Array:
        """The coefficients."""
        return jnp.asarray(self.c)

    def get_residual(self) -> jax.Array:
        """`sum((w (y - s(x)))^2)`."""
        return jnp.asarray(self.residual)


jax.tree_util.register_dataclass(FittedSpline, data_fields=["t", "c", "residual"], meta_fields=["k", "ext"])


def _apart(right: Any, left: Any) -> Any:
    """The lengths of the intervals between knots; 1 beyond the last one, where nothing is read."""
    return jnp.where((right > left) & (right < jnp.inf), right - left, 1.0)


def extension(name: str, ext: Any) -> int:
    code = EXTENSIONS.get(ext, ext) if isinstance(ext, str) else ext
    if code not in (0, 1, 2, 3):
        raise SignatureError(f"{name}: ext={ext!r} must be 0 to 3, or one of {', '.join(EXTENSIONS)}.")
    return int(code)


def given(name: str, x: Any, y: Any, w: Any, bbox: Any, k: Any) -> tuple:
    if not isinstance(k, int) or not 1 <= k <= 5:
        raise SignatureError(f"{name}: k={k!r} must be an integer from 1 to 5.")
    x, y, w = sites(name, 0, k + 1, x=x, y=y, w=jnp.ones(np.shape(x)) if w is None else w)
    if y.ndim != 1 or jnp.iscomplexobj(y) or len(bbox) != 2:
        raise SignatureError(
            f"{name}: wants real y of shape (n,) and bbox of length 2, got {y.dtype}{y.shape}, {bbox!r:.40}."
        )
    ends = [x[i] if end is None else jnp.asarray(end, x.dtype) for i, end in zip((0, -1), bbox, strict=True)]
    return x, y, w, ends


def InterpolatedUnivariateSpline(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None = None,
    bbox: Sequence[ArrayLike | None] = (None, None),
    k: int = 3,
    ext: int | str = 0,
    check_finite: bool = False,
) -> FittedSpline:
    """`scipy.interpolate.InterpolatedUnivariateSpline`: the spline of degree k through `(x[i], y[i])`.

    It has derivatives of any order in x, y and the places.

    Args:
        x: [n], increasing, n > k.
        y: [n], real.
        w: without effect on a spline through the data.
        bbox: the ends of the domain; None is that of x.
        k: 1 to 5.
        ext: see `FittedSpline`.

    Raises:
        SignatureError: shapes that do not fit, sites that do not increase, another k or ext.

    >>> x = np.arange(5.0)
    >>> print(jax.grad(lambda y: InterpolatedUnivariateSpline(x, y)(1.5))(x**2).sum().round(6))
    1.0
    """
    name = "InterpolatedUnivariateSpline"
    x, y, _, ends = given(name, x, y, w, bbox, k)
    return FittedSpline(*_through(x, y, ends, k), k, extension(name, ext), jnp.zeros((), inexact(y)))  # type: ignore[arg-type]


@as_one("k")
def _through(x: Any, y: Any, ends: list, k: int) -> tuple[Any, Any]:
    t = not_a_knot(x, k, *ends)
    return t, coefficients(t, x, y, k)


def LSQUnivariateSpline(
    x: ArrayLike, y: ArrayLike, t: ArrayLike, w: ArrayLike | None = None,
    bbox: Sequence[ArrayLike | None] = (None, None), k: int = 3, ext: int | str = 0, check_finite: bool = False,
) -> FittedSpline:  # fmt: skip
    """`scipy.interpolate.LSQUnivariateSpline`: the spline with these inner knots and the least `sum((w (y - s(x)))^2)`.

    It has derivatives of any order in x, y, t, w and the places.

    Args:
        x: [n], increasing.
        y: [n], real.
        t: the inner knots, increasing, inside of the domain, with sites between them.
        w: [n], positive; 1 by default.
        bbox, k, ext: as of `InterpolatedUnivariateSpline`.

    Raises:
        SignatureError: shapes that do not fit, sites that do not increase, another k or ext.
        LinAlgError: knots without sites between them; HostCallError inside a compiled program.

    >>> x = np.arange(6.0)
    >>> print(jax.grad(lambda t: LSQUnivariateSpline(x, x**2, t, k=1)(1.0))(np.array([2.5])).round(4))
    [0.6857]
    """
    name = "LSQUnivariateSpline"
    x, y, w, ends = given(name, x, y, w, bbox, k)
    (t,) = arrays(name, t=jnp.asarray(t) if isinstance(t, list | tuple) else t)
    knots = jnp.concatenate([jnp.repeat(ends[0], k + 1), t.astype(x.dtype), jnp.repeat(ends[1], k + 1)])
    found = make_lsq_spline(x, y, knots, k, w)
    return FittedSpline(knots, found.c, k, extension(name, ext), jnp.sum((w * (y - found(x))) ** 2))
