"""Splines through points, and of least squares between given knots, as FITPACK's Fortran functions find them.

Their coefficients solve linear equations, whose matrix has the B-splines at the places of the points. FITPACK chooses
the knots of a smoothing spline by the numbers; its functions are here only for splines through the points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.compiled.splines import de_boor, fitpack, splder
from hostwrap._tracing.compiled.table import computes

_MODULES = ("_dfitpack", "dfitpack")


def _basis(knots: Any, k: int, x: Any) -> Any:
    """A row for each place, a column for each B-spline."""
    ones = np.eye(len(knots) - k - 1)
    return de_boor(knots, k, x, 0, lambda i: np.take(ones, i, axis=0))


def _knots(x: Any, k: int, first: Any, last: Any) -> Any:
    """Those of a spline through the points (Dierckx 1993, section 4.2): at points, or between them for even k."""
    half, inside = (k + 1) // 2, x[k // 2 + 1 : len(x) - k // 2 - 1]
    if k % 2 == 0:
        inside = (x[half : len(x) - half - 1] + x[half + 1 : len(x) - half]) / 2
    ends = [np.reshape(end, (1,)) for end in (first, last)]
    return np.concatenate([*ends[:1] * (k + 1), inside, *ends[1:] * (k + 1)])


def _solved(knots: Any, k: int, x: Any, y: Any, w: Any) -> tuple[Any, Any]:
    """The coefficients, and behind them zeros as in FITPACK's arrays; and the sum of squares that is left."""
    basis, zeros = _basis(knots, k, x), np.zeros(k + 1)
    if np.shape(basis)[0] == np.shape(basis)[1]:  # as many points as coefficients
        return np.concatenate([np.linalg.solve(basis, y), zeros]), 0.0
    w = np.ones(len(x)) if w is None else w
    c = np.matmul(np.linalg.pinv(w[:, None] * basis), w * y)
    return np.concatenate([c, zeros]), np.sum((w * (y - np.matmul(basis, c))) ** 2)


def _through(s: Any) -> None:
    """Refuse a smoothing spline."""
    if s is None or s > 0:
        raise Untraceable(
            "FITPACK chooses the knots of a smoothing spline by the numbers",
            "Use s=0, or hostwrap.interpolate.UnivariateSpline",
        )


def _fitted(x: Any, y: Any, k: int, knots: Any, w: Any, s: Any, flag: int) -> tuple:
    """The data of an object, as SciPy's classes keep them."""
    c, left = _solved(knots, k, x, y, w)
    return x, y, w, knots[0], knots[-1], k, s, len(knots), knots, c, left, None, None, flag


@fitpack("fpcurf0", *_MODULES)
def fpcurf0(x: Any, y: Any, k: int, w: Any = None, xb: Any = None, xe: Any = None, s: Any = None) -> tuple:
    _through(s)
    knots = _knots(x, k, x[0] if xb is None else xb, x[-1] if xe is None else xe)
    return _fitted(x, y, k, knots, w, s, -1)


@fitpack("fpcurfm1", *_MODULES)
def fpcurfm1(x: Any, y: Any, k: int, t: Any, w: Any = None, xb: Any = None, xe: Any = None) -> tuple:
    return _fitted(x, y, k, t, w, None, 0)


@fitpack("fpchec", "_fitpack", *_MODULES)
def fpchec(x: Any, t: Any, k: int) -> int:
    """The host has checked the knots."""
    return 0


@fitpack("curfit", *_MODULES)
def curfit(
    task: int, x: Any, y: Any, w: Any, t: Any, wrk: Any, iwrk: Any, xb: Any, xe: Any, k: int, s: Any
) -> tuple:
    n = len(t)
    if task == 0:
        _through(s)
        knots = _knots(x, k, xb, xe)
        n = len(knots)
        t[:n] = knots
    else:
        t[: k + 1], t[n - k - 1 :] = xb, xe
    c, left = _solved(t[:n], k, x, y, w)
    return n, c, left, -1 if task == 0 else 0


@computes("interpolate._fitpack.curfit")
def curfit_in_c(
    task: int, x: Any, y: Any, w: Any, xb: Any, xe: Any, k: int, s: Any, t: Any, wrk: Any, iwrk: Any
) -> tuple:
    """FITPACK in C (SciPy 1.18) takes the knots behind the ends, and returns them."""
    n, c, left, flag = curfit(task, x, y, w, t, wrk, iwrk, xb, xe, k, s)
    return n, t[:n], c, left, flag


@fitpack("spalde", "_fitpack", *_MODULES)
def spalde(t: Any, c: Any, order: int, x: Any) -> tuple[Any, int]:
    """All derivatives at one place."""
    place = np.reshape(x, (1,))
    return np.concatenate([splder(t, c, order - 1, place, nu)[0] for nu in range(order)]), 0


@computes("interpolate._dierckx._coloc", "interpolate._bspl._coloc")
def coloc(x: Any, t: Any, k: int, bands: Any, offset: int = 0) -> None:
    """Write the matrix of the B-splines, by bands as LAPACK wants them: a[i, j] in row 2 k + i - j, transposed."""
    basis = _basis(t, k, x)
    rows, columns = np.indices(np.shape(basis))
    inside = abs(rows + offset - columns) <= k
    rows, columns = rows[inside], columns[inside]
    bands[columns, 2 * k + rows + offset - columns] = basis[rows, columns]
