"""Piecewise polynomials, and splines of one and two variables, as SciPy's classes evaluate them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._copies.retarget import Around
from hostwrap._tracing.compiled.table import computes


def fitpack(name: str, *homes: str) -> Callable[[Callable], Callable]:
    """A function of FITPACK: in C since SciPy 1.18, before in Fortran, in modules of two names."""
    return computes(
        *(f"interpolate.{home}.{name}" for home in homes or ("_fitpack", "_dfitpack", "dfitpack"))
    )


def _interval(knots: Any, x: Any, first: int, last: int) -> Any:
    """The number i of first..last with knots[i] <= x < knots[i + 1]; outside, that of the nearest interval."""
    return np.clip(np.searchsorted(knots, x, side="right") - 1, first, last)


# ---- piecewise polynomials: c[k] are the coefficients of (x - breaks[i])**(order - k) in interval i


def _ascending(breaks: Any, *places: Any) -> tuple:
    """The breaks in ascending order, and the places on the same axis."""
    descending = len(breaks) > 1 and bool(np.all(np.asarray(breaks[-1] < breaks[0])))
    return (-breaks, *(-x for x in places)) if descending else (breaks, *places)


def _local(breaks: Any, x: Any) -> tuple[Any, Any]:
    """The interval of each place, and the distance from its break."""
    up, at = _ascending(breaks, x)
    i = _interval(up, at, 0, len(breaks) - 2)
    return i, x - np.take(breaks, i)


def _nowhere(breaks: Any, x: Any, extrapolate: bool) -> Any:
    """Where there is no value."""
    up, at = _ascending(breaks, x)
    return np.isnan(x) if extrapolate else np.logical_not(np.logical_and(at >= up[0], at <= up[-1]))


def pieces(c: Any, breaks: Any, x: Any, dx: int, extrapolate: bool) -> Any:
    """The derivative of order dx: a row for each place, a column for each polynomial."""
    i, s = _local(breaks, x)
    s = s[:, None]
    order = len(c) - 1
    value = np.zeros((len(x), 1))
    for k in range(order - dx + 1):  # Horner
        value = value * s + math.perm(order - k, dx) * np.take(c[k], i, axis=0)
    return np.where(_nowhere(breaks, x, extrapolate)[:, None], np.nan, value)


@computes("interpolate._ppoly.evaluate")
def evaluate_pieces(c: Any, breaks: Any, x: Any, dx: int, extrapolate: bool, out: Any) -> None:
    out[...] = pieces(c, breaks, x, dx, extrapolate)


@computes("interpolate._ppoly.integrate")
def integrate_pieces(c: Any, breaks: Any, a: Any, b: Any, extrapolate: bool, out: Any) -> None:
    order = len(c)
    lengths = (breaks[1:] - breaks[:-1])[:, None]
    whole = sum(c[k] * lengths ** (order - k) / (order - k) for k in range(order))

    def below(x: Any) -> Any:
        """The integral from the first break."""
        (i,), s = _local(breaks, np.reshape(x, (1,)))
        part = sum(c[k][i] * s ** (order - k) / (order - k) for k in range(order))
        return np.sum(whole[:i], axis=0) + part

    ends = np.stack([np.reshape(a, ()), np.reshape(b, ())])
    value = below(b) - below(a)
    out[...] = np.where(np.any(_nowhere(breaks, ends, extrapolate)), np.nan, value)


@computes("interpolate._ppoly.fix_continuity")
def fix_continuity(c: Any, breaks: Any, order: int) -> None:
    """Set the last coefficients of each piece so that it continues the one before it, up to this derivative."""
    last = len(c) - 1
    for i in range(1, len(breaks) - 1):
        s = breaks[i] - breaks[i - 1]
        for dx in range(order, -1, -1):
            powers = [math.comb(last - k, dx) * s ** (last - k - dx) for k in range(last - dx + 1)]
            c[last - dx, i] = sum(w * c[k, i - 1] for k, w in enumerate(powers))


# ---- splines of degree k in the basis of B-splines: de Boor's algorithm on the k + 1 coefficients of an interval


def de_boor(knots: Any, k: int, x: Any, nu: int, coefficient: Callable[[Any], Any]) -> Any:
    """The derivative of order nu at x; `coefficient(i)` are those with the numbers i, along the first axis."""
    i = _interval(knots, x, k, len(knots) - k - 2)
    d = [coefficient(i - k + j) for j in range(k + 1)]
    if nu > k:
        return 0 * d[0]
    column = (slice(None), *[None] * (np.ndim(d[0]) - 1))
    for r in range(1, k + 1):
        for j in range(k, r - 1, -1):
            left, right = np.take(knots, i - k + j), np.take(knots, i + j - r + 1)
            if r <= nu:
                d[j] = ((k - r + 1) / (right - left))[column] * (d[j] - d[j - 1])
            else:
                weight = ((x - left) / (right - left))[column]
                d[j] = (1 - weight) * d[j - 1] + weight * d[j]
    return d[k]


def _in_domain(knots: Any, k: int, x: Any) -> Any:
    return np.clip(x, knots[k], knots[len(knots) - k - 1])


def _beyond(knots: Any, k: int, x: Any) -> Any:
    return np.logical_or(x < knots[k], x > knots[len(knots) - k - 1])


def _found(value: Any, out: Any) -> Any:
    """The result. SciPy before 1.16 passes an array for it."""
    if out is not None:
        out[...] = value
    return value


@computes("interpolate._dierckx.evaluate_spline", "interpolate._bspl.evaluate_spline")
def evaluate_spline(knots: Any, c: Any, k: int, x: Any, nu: int, extrapolate: bool, out: Any = None) -> Any:
    value = de_boor(knots, k, x, nu, lambda i: np.take(c, i, axis=0))
    lost = np.logical_or(np.isnan(x), np.logical_and(_beyond(knots, k, x), not extrapolate))
    return _found(np.where(lost[:, None], np.nan, value), out)


@fitpack("splev")
def splev(knots: Any, c: Any, k: int, x: Any, ext: int = 0) -> tuple[Any, int]:
    """Outside of the knots `ext` says what to do: extrapolate (0), 0 (1), an error (2), or the value at the end (3)."""
    return splder(knots, c, k, _in_domain(knots, k, x) if ext == 3 else x, 0, ext)


@fitpack("splder", "_dfitpack", "dfitpack")
def splder(knots: Any, c: Any, k: int, x: Any, nu: int = 1, ext: int = 0) -> tuple[Any, int]:
    beyond = _beyond(knots, k, x)
    if ext == 2 and np.any(beyond):
        return x, 1
    value = de_boor(knots, k, x, nu, lambda i: np.take(c, i))
    return (np.where(beyond, 0.0, value) if ext == 1 else value), 0


@fitpack("splint", "_dfitpack", "dfitpack")
def splint(knots: Any, c: Any, k: int, a: Any, b: Any) -> tuple[Any, Any]:
    """The spline is 0 outside; the coefficients of its antiderivative are sums of its own (DeBoor 1978, X.27)."""
    n = len(knots) - k - 1
    weights = c[:n] * (knots[k + 1 :] - knots[:n]) / (k + 1)
    more = np.concatenate([knots[:1], knots, knots[-1:]])
    sums = np.concatenate([np.zeros(1), np.cumsum(weights)])
    ends = np.stack([np.reshape(a, ()), np.reshape(b, ())])
    at = de_boor(more, k + 1, _in_domain(knots, k, ends), 0, lambda i: np.take(sums, i))
    return at[1] - at[0], sums


@computes("interpolate._dierckx.evaluate_ndbspline", "interpolate._bspl.evaluate_ndbspline")
def evaluate_ndbspline(
    x: Any, t: Any, lengths: Any, k: Any, nu: Any, extrapolate: bool, c: Any, trailing: int, strides: Any,
    numbers: Any, out: Any = None,
) -> Any:  # fmt: skip
    """A spline of several variables: sums over the basis of one variable after the other."""
    axes = [(t[d, : int(lengths[d])], int(k[d]), x[:, d], int(nu[d])) for d in range(len(k))]
    value = np.reshape(c, (*(len(knots) - k - 1 for knots, k, *_ in axes), trailing))
    lost = np.zeros(len(x), bool)
    for d, (knots, k, places, nu) in enumerate(axes):
        column = (slice(None), None, *[None] * (len(axes) - d))
        of_all = lambda i, value=value: np.take(value, i, axis=0)
        own = lambda i, value=value, column=column: np.take_along_axis(value, i[column], 1)[:, 0]
        value = de_boor(knots, k, places, nu, own if d else of_all)
        beyond = np.logical_and(_beyond(knots, k, places), not extrapolate)
        lost = np.logical_or(lost, np.logical_or(np.isnan(places), beyond))
    return _found(np.where(lost[:, None], np.nan, value), out)


@computes("interpolate._fitpack.splder")
def splder_in_c(knots: Any, c: Any, k: int, nu: int, x: Any, ext: int = 0) -> tuple[Any, int]:
    """FITPACK in C (SciPy 1.18) takes the order before the places."""
    return splder(knots, c, k, x, nu, ext)


@computes("interpolate._fitpack.splint")
def splint_in_c(knots: Any, c: Any, k: int, a: Any, b: Any) -> Any:
    return splint(knots, c, k, a, b)[0]


# ---- splines of two variables


def _first(tx: Any, c: Any, kx: int, x: Any, nux: int, count: int) -> Any:
    """The sums over the first basis: coefficients of splines in y, a row for each x."""
    rows = np.reshape(c, (len(tx) - kx - 1, count))
    return de_boor(tx, kx, _in_domain(tx, kx, x), nux, lambda i: np.take(rows, i, axis=0))


@fitpack("pardeu")
def pardeu(tx: Any, ty: Any, c: Any, kx: int, ky: int, nux: int, nuy: int, x: Any, y: Any) -> tuple[Any, int]:
    rows = _first(tx, c, kx, x, nux, len(ty) - ky - 1)
    own = lambda i: np.take_along_axis(rows, i[:, None], 1)[:, 0]
    return de_boor(ty, ky, _in_domain(ty, ky, y), nuy, own), 0


@fitpack("parder")
def parder(tx: Any, ty: Any, c: Any, kx: int, ky: int, nux: int, nuy: int, x: Any, y: Any) -> tuple[Any, int]:
    """The partial derivative on the grid of x and y."""
    x, y = np.reshape(x, -1), np.reshape(y, -1)
    columns = np.transpose(_first(tx, c, kx, x, nux, len(ty) - ky - 1))
    along = de_boor(ty, ky, _in_domain(ty, ky, y), nuy, lambda i: np.take(columns, i, axis=0))
    return np.transpose(along), 0


@fitpack("bispeu")
def bispeu(tx: Any, ty: Any, c: Any, kx: int, ky: int, x: Any, y: Any) -> tuple[Any, int]:
    return pardeu(tx, ty, c, kx, ky, 0, 0, x, y)


@fitpack("bispev")
def bispev(tx: Any, ty: Any, c: Any, kx: int, ky: int, x: Any, y: Any) -> tuple[Any, int]:
    return parder(tx, ty, c, kx, ky, 0, 0, x, y)


# ---- polynomials through points


def _barycentric(
    own: Callable, self: Any, xi: Any, yi: Any = None, axis: int = 0, *, wi: Any = None, **_: Any
) -> None:
    """SciPy multiplies in a random order, on which only rounding depends.

    Here the order is that of the points (Berrut and Trefethen, SIAM Review 46, 2004, page 510).
    """
    x = np.asarray(xi) if isinstance(xi, list | tuple | range) else xi
    capacity = 4.0 / (np.max(x) - np.min(x))
    apart = np.reshape(capacity * x, (-1, 1)) - capacity * x
    own(self, xi, yi, axis, wi=1.0 / np.prod(apart + np.eye(len(x)), axis=1) if wi is None else wi)
    self._inv_capacity = capacity


AROUND = {"scipy.interpolate._polyint": {"BarycentricInterpolator.__init__": Around(_barycentric)}}
"""Methods in Python, see `Around`."""
