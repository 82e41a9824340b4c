"""Splines within s of their data, with knots that FITPACK chooses: `UnivariateSpline`, `splrep`, `splev`.

With the knots t the coefficients minimize `|w (y - A c)|^2 + p |B c|^2`, where A c are the values at the sites and B c
the jumps of the derivative of order k at the inner knots. p is the root of `F(p) = |w (y - A c)|^2 = s` (Dierckx, Curve
and Surface Fitting with Splines, 5.2). FITPACK stops within s / 1000 of it; this distance is held, and so is the choice
of knots among the sites. In a compiled program their number is not known, and infinite knots fill up the arrays.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.interpolate

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one
from hostwrap._recipes.factors import spsolve
from hostwrap._recipes.rows import by_rows
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.interpolate._bsplines import BSpline, Spline, basis
from hostwrap.interpolate._fitted import FittedSpline, InterpolatedUnivariateSpline, extension, given


def _jumps(xp: Any, t: Any, k: int) -> Any:
    """The jumps of the k-th derivative of the k + 2 basis functions around each inner knot, up to a common factor.

    That of basis function i at knot j is (t[i + k + 1] - t[i]) / prod (t[j] - t[l]) over the other l of its knots.
    """
    first = np.arange(t.shape[0] - 2 * k - 2)[:, None]
    at, function = first + k + 1, first + np.arange(k + 2)
    own = function[..., None] + np.arange(k + 2)
    apart = t[at[..., None]] - t[own]
    apart = xp.where(apart == 0, 1.0, apart)
    return (t[function + k + 1] - t[function]) / xp.prod(apart, axis=-1), function


def _of_class(x: np.ndarray, y: np.ndarray, w: np.ndarray, s: float, xb: float, xe: float, k: int) -> tuple:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # FITPACK stopped early: its spline is used as it is
        f = scipy.interpolate.UnivariateSpline(x, y, w, (xb, xe), k, s)
    t = f.get_knots()
    return np.concatenate([np.repeat(t[0], k), t, np.repeat(t[-1], k)]), f.get_coeffs()


def _of_splrep(x: np.ndarray, y: np.ndarray, w: np.ndarray, s: float, xb: float, xe: float, k: int) -> tuple:
    return scipy.interpolate.splrep(x, y, w, xb, xe, k, s=s)[:2]


def _of_make(x: np.ndarray, y: np.ndarray, w: np.ndarray, s: float, xb: float, xe: float, k: int) -> tuple:
    f = scipy.interpolate.make_splrep(x, y, w=w, xb=xb, xe=xe, k=k, s=s)
    return f.t, f.c


def _of_splprep(u: np.ndarray, y: np.ndarray, w: np.ndarray, s: float, ub: float, ue: float, k: int) -> tuple:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (t, c, _), _ = scipy.interpolate.splprep(list(y.T), w, u, ub, ue, k, s=s)
    return t, np.stack(c, 1)


def _of_make_splprep(
    u: np.ndarray, y: np.ndarray, w: np.ndarray, s: float, ub: float, ue: float, k: int
) -> tuple:
    f, _ = scipy.interpolate.make_splprep(list(y.T), w=w, u=u, ub=ub, ue=ue, k=k, s=s)
    return f.t, f.c


# these choose other knots: for UnivariateSpline FITPACK continues from its last ones
_FITS: dict[str, Callable[..., tuple]] = {
    "splprep": _of_splprep,
    "make_splprep": _of_make_splprep,
    "UnivariateSpline": _of_class,
    "splrep": _of_splrep,
    "make_splrep": _of_make,
}


def _knots_of(x: Any, *others: Any, k: int, how: str) -> tuple:
    inner, shape = x.shape[0] - k - 1, jax.ShapeDtypeStruct
    return shape((inner, 2), jnp.result_type(int)), shape((), jnp.result_type(int)), shape((), x.dtype)


@wrap(out=_knots_of, static=("k", "how"))
def _knots(
    x: np.ndarray, y: np.ndarray, w: np.ndarray, s: np.ndarray, ends: np.ndarray, *, k: int, how: str
) -> tuple:
    """The two sites around each inner knot (equal for a knot at a site), the number of inner knots, and p."""
    t, c = _FITS[how](x, y, w, s.item(), *ends, k)
    c = c[: len(t) - k - 1]
    inner = t[k + 1 : -k - 1]
    left = np.searchsorted(x, inner, "right") - 1
    places = np.zeros((len(x) - k - 1, 2), int)
    places[: len(inner)] = np.stack([left, left + (x[left] != inner)], 1)
    return places, np.array(len(inner)), np.array(_weight(x, y, w, t, c, k), x.dtype)


def _weight(x: np.ndarray, y: np.ndarray, w: np.ndarray, t: np.ndarray, c: np.ndarray, k: int) -> float:
    """p for these coefficients: A' w^2 (y - A c) = p B' B c. Without a penalty the left side is 0 up to rounding."""
    y, c, square = y.reshape(len(y), -1), c.reshape(len(c), -1), w[:, None] ** 2
    A = scipy.interpolate.BSpline.design_matrix(x, t, k, extrapolate=True)
    pull = A.T @ (square * (y - A @ c))
    rounding = 1e-11 * np.max(abs(A).T @ (square * (np.abs(y) + np.abs(A @ c))))
    if len(c) == k + 1 or np.max(np.abs(pull)) <= rounding:
        return 0.0
    rows, columns = _jumps(np, _scaled(np, t, t[k], t[-1]), k)
    bend, wide = np.zeros(c.shape), rows[..., None]
    np.add.at(bend, columns, wide * np.sum(wide * c[columns], 1, keepdims=True))
    return max(float(np.sum(pull * bend) / np.sum(bend**2)), 0.0)


def _scaled(xp: Any, t: Any, first: Any, last: Any) -> Any:
    """Knots in units of their mean distance, so that jumps are of the order of 1; infinite ones continue evenly."""
    there = xp.isfinite(t)
    unit = (last - first) / xp.sum(there)
    return xp.where(
        there, (xp.where(there, t, last) - first) / unit, 2.0 * t.shape[0] + np.arange(t.shape[0])
    )


def smoothed(x: Any, y: Any, w: Any, s: Any, ends: Sequence[Any], k: int, how: str) -> tuple[Any, Any, Any]:
    """Knots, coefficients, and the sum of squares, for y [m] or for several columns [m, d] with the same knots."""
    held = jax.lax.stop_gradient((x, y, w, s, jnp.stack(ends).astype(x.dtype)))
    places, inner, start = _knots(*held, k=k, how=how)
    t, c, fp = _fit(x, y.reshape(len(y), -1), w, s, ends, places, inner, start, k)
    c = c.reshape(-1, *y.shape[1:])
    if not isinstance(inner, jax.core.Tracer):
        count = int(inner) + k + 1
        t, c = t[: count + k + 1], c[:count]
    return t, c, fp


@as_one("k")
def _fit(
    x: Any, y: Any, w: Any, s: Any, ends: Sequence[Any], places: Any, inner: Any, start: Any, k: int
) -> tuple:  # fmt: skip
    at = jnp.arange(x.shape[0] + k + 1) - k - 1
    count = inner + k + 1
    middle = jnp.concatenate([jnp.zeros(k + 1), x[places].mean(1), jnp.zeros(k + 1)])
    t = jnp.where(at < 0, ends[0], jnp.where(at < inner, middle, ends[1]))
    t = jnp.where(at <= inner + k, t, jnp.inf)
    n = t.shape[0] - k - 1
    values, columns = basis(t, x, k, 0)
    values = values * w[:, None]
    first, last = jax.lax.stop_gradient(ends)
    rows, bent = _jumps(jnp, _scaled(jnp, t, first, last), k)
    rows = jnp.where(jnp.arange(len(rows))[:, None] < inner, rows, 0.0)
    there = jnp.arange(n) < count

    system = functools.partial(_system, values, columns, rows, bent, there)

    def solution(p: Any) -> Any:
        return system(p, w[:, None] * y)

    def squares(found: Any) -> Any:
        return jnp.sum(found[: len(x)] ** 2)

    left_over = jax.lax.stop_gradient(squares(solution(start)) - s)
    p = jax.lax.custom_root(
        lambda p: jnp.where(start > 0, squares(solution(p)) - s - left_over, p),
        start,
        lambda _, start: start,
        lambda slope, right: right / slope(jnp.ones_like(right)),
    )
    found = solution(p)
    return t, jnp.where(there[:, None], found[-n:], 0.0), squares(found)


def _system(values: Any, columns: Any, rows: Any, bent: Any, there: Any, p: Any, y: Any) -> Any:
    """The residuals r, then q, then the coefficients c: r + A c = y, q + p B c = 0 and A' r + B' q = 0.

    The normal equations would have the square of its condition number. What belongs to no coefficient is 0.
    """
    m, n = len(values) + len(rows), there.shape[0]
    at = jnp.concatenate(
        [jnp.repeat(jnp.arange(len(a)), a.shape[1]) + i for a, i in ((values, 0), (rows, len(values)))]
    )
    of = jnp.concatenate([columns.ravel(), jnp.asarray(bent).ravel()]) + m
    down = jnp.concatenate([values.ravel(), p * rows.ravel()])
    across = jnp.concatenate([values.ravel(), rows.ravel()])
    diagonal = jnp.concatenate([jnp.ones(m, y.dtype), jnp.where(there, 0.0, 1.0).astype(y.dtype)])
    every = jnp.arange(m + n)
    data, row, column = (
        jnp.concatenate(parts) for parts in ((diagonal, down, across), (every, at, of), (every, of, at))
    )
    order, column, starts = by_rows(row, column, m + n)
    return spsolve(data[order], column, starts, jnp.pad(y, ((0, m + n - y.shape[0]), (0, 0))))


def UnivariateSpline(
    x: ArrayLike, y: ArrayLike, w: ArrayLike | None = None, bbox: Sequence[ArrayLike | None] = (None, None),
    k: int = 3, s: ArrayLike | None = None, ext: int | str = 0, check_finite: bool = False,
) -> FittedSpline:  # fmt: skip
    """`scipy.interpolate.UnivariateSpline`: a spline of degree k with `sum((w (y - s(x)))^2)` about s.

    It has derivatives of any order in x, y, w, s and the places, of one choice of knots: FITPACK chooses sites, and
    where it chooses others, values and derivatives jump. The sum is differentiated as if it were s all the time,
    while FITPACK stops within s / 1000 of it. So differences of SciPy's own values show the noise of where it
    stopped: in experiments they were 2 to 12 % off. Where FITPACK's own coefficients are as large as 1e11 (k = 4,
    small s), these splines and SciPy's are not the same.

    Args:
        x: [n], increasing.
        y: [n], real.
        w: [n], positive; 1 by default.
        s: a number >= 0; by default n. With 0 the spline goes through the data.
        bbox, k, ext: as of `InterpolatedUnivariateSpline`.

    Returns:
        A `FittedSpline`. In a compiled program its arrays have the greatest length, and infinite knots fill them up.

    Raises:
        SignatureError: shapes that do not fit, sites that do not increase, another k or ext.

    >>> x = np.arange(6.0)
    >>> f = lambda s: UnivariateSpline(x, np.sin(x), k=1, s=s)(2.5)
    >>> print(jax.grad(f)(0.3).round(4))
    -0.4309
    """
    return _univariate("UnivariateSpline", x, y, w, bbox, k, s, ext)


def _univariate(name: str, x: Any, y: Any, w: Any, bbox: Any, k: int, s: Any, ext: Any = 0) -> FittedSpline:
    x, y, w, ends = given(name, x, y, w, bbox, k)
    s = float(x.shape[0]) if s is None else s
    if is_zero(s):
        return InterpolatedUnivariateSpline(x, y, w, ends, k, ext)
    (s,) = arrays(name, s=s)
    t, c, fp = smoothed(x, y, w, s.astype(x.dtype), ends, k, name)
    return FittedSpline(t, c, k, extension(name, ext), fp)


def is_zero(s: Any) -> bool:
    return not isinstance(s, jax.core.Tracer) and np.ndim(s) == 0 and s == 0


def splrep(
    x: ArrayLike, y: ArrayLike, w: ArrayLike | None = None,
    xb: ArrayLike | None = None, xe: ArrayLike | None = None, k: int = 3,
    task: int = 0, s: ArrayLike | None = None, t: ArrayLike | None = None,
    full_output: int = 0, per: int = 0, quiet: int = 1,
) -> tuple[jax.Array, jax.Array, int]:  # fmt: skip
    """`scipy.interpolate.splrep`: the knots, the coefficients and the degree of the spline of `UnivariateSpline`.

    Args:
        x, y, w, k, s: see `UnivariateSpline`; s is by default 0, or with weights `n - sqrt(2 n)`.
        xb, xe: the ends of the domain.
        task, t, full_output, per: as by default; `LSQUnivariateSpline` takes knots.

    Returns:
        `(t, c, k)`, for `splev`, `splint`, `splder` and `splantider`. k is a Python integer: a function under `jax.jit`
        does not return it as one.

    Raises:
        SignatureError: as `UnivariateSpline`; other options.

    >>> x = np.arange(6.0)
    >>> print(jax.grad(lambda y: splev(2.5, splrep(x, y, k=1)))(x))
    [0.  0.  0.5 0.5 0.  0. ]
    """
    if task != 0 or t is not None or full_output or per:
        raise SignatureError(
            "splrep: wants task=0, t=None, full_output=0 and per=0; make_lsq_spline takes knots, CubicSpline has "
            "bc_type='periodic', and UnivariateSpline has get_residual()."
        )
    if s is None:
        s = 0.0 if w is None else len(x) - math.sqrt(2 * len(x))  # type: ignore[arg-type]
    return triple(_univariate("splrep", x, y, w, (xb, xe), k, s))


def make_splrep(
    x: ArrayLike, y: ArrayLike, *, w: ArrayLike | None = None,
    xb: ArrayLike | None = None, xe: ArrayLike | None = None, k: int = 3,
    s: ArrayLike = 0, t: ArrayLike | None = None, nest: int | None = None, bc_type: Any = None,
) -> BSpline:  # fmt: skip
    """`scipy.interpolate.make_splrep`: as `splrep`, with s = 0 by default; a `BSpline`.

    Args:
        x, y, w, xb, xe, k, s: see `UnivariateSpline`.
        t, nest, bc_type: None.

    >>> x = np.arange(6.0)
    >>> print(jax.grad(lambda y: make_splrep(x, y, k=1)(2.5))(x))
    [0.  0.  0.5 0.5 0.  0. ]
    """
    if t is not None or nest is not None or bc_type is not None:
        raise SignatureError(
            "make_splrep: wants t=None, nest=None and bc_type=None; make_lsq_spline takes knots."
        )
    spline = _univariate("make_splrep", x, y, w, (xb, xe), k, s)
    return BSpline(spline.t, spline.c, k)


def triple(f: FittedSpline, behind: str = "constant") -> tuple[jax.Array, jax.Array, int]:
    """SciPy's triple pads the coefficients to the number of knots: with zeros, or with the last coefficient."""
    c = jnp.asarray(f.c)
    return jnp.asarray(f.t), jnp.pad(c, (0, jnp.shape(f.t)[0] - c.shape[0]), behind), f.k


def unpacked(name: str, tck: Any, ext: Any = 0) -> FittedSpline:
    t, c, k = (tck.t, tck.c, tck.k) if hasattr(tck, "t") else tck
    if isinstance(k, jax.core.Tracer) or np.ndim(t) != 1 or np.ndim(c) != 1:
        raise SignatureError(
            f"{name}: wants tck = (t, c, k) with knots and coefficients of one axis and k a Python integer, "
            f"got {np.shape(t)}, {np.shape(c)} and {type(k).__name__}."
        )
    k = int(k)
    t, c = arrays(name, t=t, c=c)
    return FittedSpline(t, c[: t.shape[0] - k - 1], k, extension(name, ext))


def splev(x: ArrayLike, tck: Spline, der: int = 0, ext: int | str = 0) -> jax.Array:
    """`scipy.interpolate.splev`: the derivative of order der of the spline `tck = (t, c, k)` at x.

    Differentiable in x, t and c. ext is as of `FittedSpline`.

    >>> x = np.arange(6.0)
    >>> print(jax.grad(splev)(2.5, splrep(x, x**2)).round(6))
    5.0
    """
    return unpacked("splev", tck, ext)(x, der)


@as_scipys("scipy.interpolate")
def splint(a: ArrayLike, b: ArrayLike, tck: Spline) -> jax.Array:
    """`scipy.interpolate.splint`: the integral of the spline from a to b; outside of its domain it counts as 0.

    >>> x = np.arange(6.0)
    >>> print(jax.grad(splint, 1)(0.0, 3.0, splrep(x, x**2)).round(6))
    9.0
    """
    return unpacked("splint", tck).integral(a, b)


@overload
def splder(tck: BSpline, n: int = 1) -> BSpline: ...
@overload
def splder(tck: tuple[ArrayLike, ArrayLike, int], n: int = 1) -> tuple[jax.Array, jax.Array, int]: ...
def splder(tck: Spline, n: int = 1) -> Any:
    """`scipy.interpolate.splder`: the derivative of order n of a spline, `(t, c, k)` or a `BSpline`, of its kind.

    >>> x = np.arange(6.0)
    >>> print(splev(1.5, splder(splrep(x, x**2))).round(6))
    3.0
    """
    return _of_kind(tck, unpacked("splder", tck).derivative(n))


@overload
def splantider(tck: BSpline, n: int = 1) -> BSpline: ...
@overload
def splantider(tck: tuple[ArrayLike, ArrayLike, int], n: int = 1) -> tuple[jax.Array, jax.Array, int]: ...
def splantider(tck: Spline, n: int = 1) -> Any:
    """`scipy.interpolate.splantider`: the integral of a spline from its left end on, n times; of its kind.

    >>> x = np.arange(6.0)
    >>> print(splev(3.0, splantider(splrep(x, x**2))).round(6))
    9.0
    """
    return _of_kind(tck, unpacked("splantider", tck).antiderivative(n), "edge")


def _of_kind(tck: Any, f: FittedSpline, behind: str = "constant") -> Any:
    """A `BSpline` for a `BSpline`, a triple for a triple."""
    return BSpline(f.t, f.c, f.k) if hasattr(tck, "t") else triple(f, behind)
