"""Boundary value problems in recorded code: SciPy's own code is recorded, if no branch of `fun` jumps on the way.

The collocation equations have the derivatives of both sides of a place where another branch begins, and lack the part
of a jump, which is its size times the speed of the place. Where the slope of `fun` jumps, second derivatives lack it,
and first derivatives are as exact as the sum of the equations over the two sides, see `lost`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate
from scipy.interpolate import CubicHermiteSpline

from hostwrap._copies.retarget import Around
from hostwrap._tracing.tape.array import concrete, moves
from hostwrap._tracing.tape.flow import moving
from hostwrap._tracing.tape.implicit import jacobian
from hostwrap._tracing.tape.log import only_here, watching
from hostwrap._tracing.tape.minima import bound
from hostwrap._tracing.tape.nodes import current_level
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches
from hostwrap.integrate._boundary_jumps import KINK, LOST, WAY_OUT, bends, looked_at, lost
from hostwrap.integrate._places import apart, changes, jumps, margin


def instead(x: Any) -> Any:
    """The replacement of such a function, or None."""
    named = getattr(x, "__name__", None) == "solve_bvp"
    own = named and str(getattr(x, "__module__", None)).startswith("scipy.integrate.") and callable(x)
    return Around(_solve_bvp) if own else None


def _solve_bvp(followed: Callable, *args: Any, **kwargs: Any) -> Any:
    found = followed(*args, **kwargs)
    if reaches([args, kwargs], moves):
        only_here()
        given = bound(scipy.integrate.solve_bvp, args, kwargs)
        _refuse_places(given["fun"], found, moves(joined(given["x"])))
    return found


def _refuse_places(fun: Callable, found: Any, ends_move: bool) -> None:
    """Compare both sides of each place of the solution at which another branch of `fun(x, y)` begins."""
    mesh, unknown = concrete(found.x), () if found.p is None else (found.p,)
    path = CubicHermiteSpline(mesh, concrete(found.y).T, concrete(found.yp).T)

    def rate(s: float) -> Any:
        s = min(max(s, mesh[0]), mesh[-1])
        return rate_at(np.array([s]), path(s)[:, None])

    def rate_at(x: Any, y: Any) -> Any:  # recorded, so that what is decided is noted if it may change
        return fun(moving(x) if ends_move else x, moving(y), *unknown)

    def slope(s: float) -> np.ndarray:
        s = min(max(s, mesh[0]), mesh[-1])
        along = lambda z: np.ravel(joined(rate_at(z[:1], z[1:, None])))
        return np.ravel(jacobian(along, np.append(s, path(s))))

    def way(s: float) -> Any:
        with watching() as met:
            rate(s)
        return met

    side = lambda s: np.ravel(concrete(joined(rate(s))))
    size, places = None, looked_at(mesh)
    for left, right, before, after in changes(way, places, list(map(way, places)), operator.eq):
        distance = margin(way, left, right, before, after, 1e-8 * (mesh[-1] - mesh[0]), operator.eq)
        size = np.max(np.abs([side(s) for s in places]), axis=0) if size is None else size
        near_and_far = apart(side, left, -distance, right - left + distance)
        what = "fun jumps" if np.any(jumps(*near_and_far, size)) else None
        if what is None and current_level.get() > 1:
            what = "fun has another branch, and a second derivative is wanted,"
        if what is not None:
            raise refused(
                "scipy.integrate.solve_bvp",
                f"{what} at x = {left:.6g}, a place that may move. {WAY_OUT}",
            )
        if lost(left, mesh) > LOST and bends(slope, left, -distance, right - left + distance):
            raise refused("scipy.integrate.solve_bvp", KINK.format(left))
