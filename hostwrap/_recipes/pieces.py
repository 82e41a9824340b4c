"""Piecewise cubic polynomials through given points, by the slopes of each method at the sites."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.polynomials import PPoly
from hostwrap._recipes.structured import solve_banded
from hostwrap._types import ArrayLike


def sites(name: str, axis: int, least: int, **given: Any) -> list[jax.Array]:
    """x [n] and arrays of data, their axis of length n moved to the front."""
    x, *data = arrays(name, **given)
    shapes = [d.shape for d in data]
    fits = x.ndim == 1 and x.shape[0] >= least
    if not fits or any(not -d.ndim <= axis < d.ndim or d.shape[axis] != x.shape[0] for d in data):
        raise SignatureError(
            f"{name}: wants x of shape (n,) with n >= {least}, and data with n values along axis {axis}; "
            f"got {x.shape}, {', '.join(map(str, shapes))}."
        )
    real = inexact(x, *(d.real for d in data))
    return [
        rising(name, "x", x.astype(real)),
        *(jnp.moveaxis(d, axis, 0).astype(jnp.result_type(d, real)) for d in data),
    ]


def rising(name: str, argument: str, x: Any) -> Any:
    """x if it increases strictly; a traced x that does not becomes NaN."""
    rises = jnp.all(jnp.diff(x) > 0)
    if isinstance(rises, jax.core.Tracer):
        return jnp.where(rises, x, jnp.nan)
    if not rises:
        raise SignatureError(f"{name}: `{argument}` must increase strictly.")
    return x


def hermite(x: Any, y: Any, slopes: Any, h: Any = None, **options: Any) -> PPoly:
    """The pieces with these values and slopes at the sites; h are their distances, or substitutes for a 0."""
    return PPoly(_cubics(x, y, slopes, h), x, **options)


@as_one()
def _cubics(x: Any, y: Any, slopes: Any, h: Any) -> Any:
    h = _wide(jnp.diff(x) if h is None else h, y)
    secant = jnp.diff(y, axis=0) / h
    t = (slopes[:-1] + slopes[1:] - 2 * secant) / h
    return jnp.stack([t / h, (secant - slopes[:-1]) / h - t, slopes[:-1], y[:-1]])


def _wide(h: Any, y: Any) -> Any:
    return h.reshape(-1, *[1] * (y.ndim - 1))


def CubicHermiteSpline(
    x: ArrayLike, y: ArrayLike, dydx: ArrayLike, axis: int = 0, extrapolate: bool | str | None = None
) -> PPoly:
    """`scipy.interpolate.CubicHermiteSpline`: cubic pieces with these values and slopes.

    Args:
        x: [n], increasing, n >= 2.
        y, dydx: n values along axis, real or complex.
        extrapolate: as of `PPoly`.

    >>> import jax, numpy as np
    >>> at = lambda s: CubicHermiteSpline(np.array([0.0, 1.0]), np.zeros(2), s)(0.5)
    >>> print(jax.grad(at)(np.zeros(2)))
    [ 0.125 -0.125]
    """
    x, y, slopes = sites("CubicHermiteSpline", axis, 2, x=x, y=y, dydx=dydx)
    return hermite(x, y, slopes, extrapolate=_or(extrapolate, True), axis=axis)


def _or(given: Any, default: Any) -> Any:
    return default if given is None else given


# ---- smooth twice: the slopes solve a tridiagonal system

NAMED = {"clamped": (1, 0.0), "natural": (2, 0.0)}


def CubicSpline(
    x: ArrayLike,
    y: ArrayLike,
    axis: int = 0,
    bc_type: Any = "not-a-knot",
    extrapolate: bool | str | None = None,
) -> PPoly:
    """`scipy.interpolate.CubicSpline`: the cubic spline through `(x[i], y[i])`.

    Args:
        x: [n], increasing, n >= 2.
        y: n values along axis, real or complex.
        bc_type: "not-a-knot", "periodic", "clamped", "natural", or for each end one of these (without "periodic") or
            (order, value) of a derivative; the value is differentiable.
        extrapolate: as of `PPoly`; by default "periodic" for such a spline, else True.

    Returns:
        A `PPoly`, with derivatives of any order in x, y and the values at the ends.

    Raises:
        SignatureError: shapes that do not fit, sites that do not increase, an unknown boundary condition.

    >>> import jax, numpy as np
    >>> x = np.array([0.0, 1.0, 2.0, 4.0])
    >>> print(jax.grad(lambda y: CubicSpline(x, y)(1.5))(x**2).round(6))
    [-0.078125  0.625     0.46875  -0.015625]
    """
    x, y = sites("CubicSpline", axis, 2, x=x, y=y)
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    if periodic:
        _check_periodic(y)
        slopes = _periodic(x, y)
    else:
        ends = _ends(bc_type)
        kinds = tuple(end if isinstance(end, str) else end[0] for end in ends)
        slopes = _between(x, y, kinds, [None if isinstance(end, str) else end[1] for end in ends])
    return hermite(x, y, slopes, extrapolate=_or(extrapolate, "periodic" if periodic else True), axis=axis)


def _ends(bc_type: Any) -> list:
    pair = [bc_type, bc_type] if isinstance(bc_type, str) else bc_type
    if len(pair) != 2:
        pair = [None, None]
    ends = [NAMED.get(end, end) if isinstance(end, str) else end for end in pair]
    for end in ends:
        if end != "not-a-knot" and not (isinstance(end, tuple | list) and len(end) == 2 and end[0] in (1, 2)):
            raise SignatureError(
                f"CubicSpline: bc_type={bc_type!r} must be not-a-knot, periodic, clamped or natural, or two of "
                "these or (order, value) with order 1 or 2."
            )
    return ends


@as_one("kinds")
def _between(x: Any, y: Any, kinds: tuple, values: list) -> Any:
    n, h = x.shape[0], jnp.diff(x)
    ends = [kind if isinstance(kind, str) else (kind, at) for kind, at in zip(kinds, values, strict=True)]
    secant = jnp.diff(y, axis=0) / _wide(h, y)
    if n == 2:
        ends = [(1, secant[0]) if isinstance(end, str) else end for end in ends]
    if n == 3 and all(isinstance(end, str) for end in ends):  # a parabola
        middle = (h[0] * secant[1] + h[1] * secant[0]) / (h[0] + h[1])
        return jnp.stack([2 * secant[0] - middle, middle, 2 * secant[1] - middle])
    first, last = _end(h, secant, y, ends[0], 1.0), _end(h[::-1], secant[::-1], y[::-1], ends[1], -1.0)
    main = jnp.concatenate([first[0][None], 2 * (h[:-1] + h[1:]), last[0][None]])
    above = jnp.concatenate([jnp.zeros(1, h.dtype), first[1][None], h[:-1]])
    below = jnp.concatenate([h[1:], last[1][None], jnp.zeros(1, h.dtype)])
    inner = 3 * (_wide(h[1:], y) * secant[:-1] + _wide(h[:-1], y) * secant[1:])
    right = jnp.concatenate([first[2][None], inner, last[2][None]])
    solution = solve_banded((1, 1), jnp.stack([above, main, below]), right.reshape(n, -1))
    return solution.reshape(y.shape)


def _end(h: Any, secant: Any, y: Any, end: Any, sign: float) -> tuple:
    """The equation at the first site: the coefficients of its slope and of the next one, and the right-hand side.

    The equation at the last site is that of the mirrored data, whose slopes are the same.
    """
    one = jnp.ones((), h.dtype)
    if isinstance(end, str):
        d = h[0] + h[1]
        right = ((h[0] + 2 * d) * h[1] * secant[0] + h[0] ** 2 * secant[1]) / d
        return h[1], d, right
    order, value = end
    value = jnp.broadcast_to(jnp.asarray(value, y.dtype), y.shape[1:])
    if order == 1:
        return one, 0 * one, value
    return 2 * h[0], h[0], 3 * h[0] * secant[0] - sign * value * h[0] ** 2 / 2


def _check_periodic(y: Any) -> None:
    if not isinstance(y, jax.core.Tracer) and not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise SignatureError(
            "CubicSpline: with bc_type='periodic' the first and the last value must be equal."
        )


@as_one()
def _periodic(x: Any, y: Any) -> Any:
    n, h = x.shape[0] - 1, jnp.diff(x)
    secant = jnp.diff(y, axis=0) / _wide(h, y)
    if n == 1:
        return jnp.zeros_like(y)
    before, back = jnp.roll(h, 1), jnp.roll(secant, 1, 0)
    data = jnp.stack([h, 2 * (before + h), before], 1)
    columns = (np.arange(n)[:, None] + np.array([-1, 0, 1])) % n
    right = 3 * (_wide(h, y) * back + _wide(before, y) * secant)
    slopes = spsolve(data.ravel(), columns.ravel(), 3 * np.arange(n + 1), right.reshape(n, -1))
    slopes = slopes.reshape(right.shape)
    return jnp.concatenate([slopes, slopes[:1]])


# ---- local slopes


def PchipInterpolator(
    x: ArrayLike, y: ArrayLike, axis: int = 0, extrapolate: bool | str | None = None
) -> PPoly:
    """`scipy.interpolate.PchipInterpolator`: the cubic pieces that keep data monotone; see `CubicSpline`.

    Where the data turn, the slope is 0 and has derivative 0; where they begin to turn, first derivatives jump.

    >>> import jax, numpy as np
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> print(jax.grad(lambda y: PchipInterpolator(x, y)(0.5))(np.array([0.0, 1.0, 3.0])).round(6))
    [ 0.423611  0.666667 -0.090278]
    """
    x, y = sites("PchipInterpolator", axis, 2, x=x, y=y)
    return hermite(x, y, _monotone(x, y), extrapolate=_or(extrapolate, True), axis=axis)


@as_one()
def _monotone(x: Any, y: Any) -> Any:
    h = _wide(jnp.diff(x), y)
    m = jnp.diff(y, axis=0) / h
    if x.shape[0] == 2:
        return jnp.concatenate([m, m])
    alike = (jnp.sign(m[1:]) == jnp.sign(m[:-1])) & (m[1:] != 0) & (m[:-1] != 0)
    left, right = (jnp.where(alike, part, 1.0) for part in (m[:-1], m[1:]))
    weights = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    mean = (weights[0] + weights[1]) / (weights[0] / left + weights[1] / right)
    first, last = _shaped_end(h[0], h[1], m[0], m[1]), _shaped_end(h[-1], h[-2], m[-1], m[-2])
    return jnp.concatenate([first[None], jnp.where(alike, mean, 0.0), last[None]])


def _shaped_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope of a parabola through three points, but with the sign of the first secant, and at most three times as
    steep."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (jnp.sign(m0) != jnp.sign(m1)) & (jnp.abs(d) > 3 * jnp.abs(m0))
    return jnp.where(jnp.sign(d) != jnp.sign(m0), 0.0, jnp.where(steep, 3 * m0, d))


def Akima1DInterpolator(
    x: ArrayLike, y: ArrayLike, axis: int = 0, *, method: str = "akima", extrapolate: bool | str | None = None
) -> PPoly:
    """`scipy.interpolate.Akima1DInterpolator`, with method="akima" or "makima"; see `CubicSpline`.

    Outside values are NaN, if not extrapolate=True. First derivatives in the data jump where two neighbouring secants
    are equal.

    >>> import jax, numpy as np
    >>> x = np.arange(5.0)
    >>> print(jax.grad(lambda y: Akima1DInterpolator(x, y)(1.5))(np.array([0.0, 1.0, 3.0, 4.0, 8.0])).sum().round(6))
    1.0
    """
    if method not in ("akima", "makima"):
        raise SignatureError(f"Akima1DInterpolator: method={method!r} must be 'akima' or 'makima'.")
    x, y = sites("Akima1DInterpolator", axis, 2, x=x, y=y)
    return hermite(x, y, _akima(x, y, method), extrapolate=_or(extrapolate, False), axis=axis)


@as_one("method")
def _akima(x: Any, y: Any, method: str) -> Any:
    m = jnp.diff(y, axis=0) / _wide(jnp.diff(x), y)
    if x.shape[0] == 2:
        return jnp.concatenate([m, m])
    before, after = 2 * m[0] - m[1], 2 * m[-1] - m[-2]
    m = jnp.concatenate([(2 * before - m[0])[None], before[None], m, after[None], (2 * after - m[-1])[None]])
    changes = jnp.abs(jnp.diff(m, axis=0))
    if method == "makima":
        changes = changes + jnp.abs(m[1:] + m[:-1]) / 2
    right, left = changes[2:], changes[:-2]
    total = right + left
    uneven = total > 1e-9 * jnp.max(total, initial=-jnp.inf)
    weighted = (right * m[1:-2] + left * m[2:-1]) / jnp.where(uneven, total, 1.0)
    return jnp.where(uneven, weighted, (m[3:] + m[:-3]) / 2)
