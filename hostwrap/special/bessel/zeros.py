"""The first zeros of Bessel functions of real order v >= 0 and of their derivatives, ascending, none left out.

The phase of both functions is nearly psi(x) = sqrt(x^2 - v^2) - v arccos(v/x) (DLMF 10.19.6): at the zeros it misses a
multiple of pi, less pi/4 or 3 pi/4, by 0.7 at most, for all orders. So exactly one
zero lies between the places where psi is pi/2 less and pi/2 more. A bracket without a change of sign gives NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.until import until

FIRST_OF_J, FIRST_OF_Y = (
    np.pi / 4,
    3 * np.pi / 4,
)  # what psi is less than whole turns: also of J' and Y', in turn
STEPS = PHASE_STEPS = 100
CLOSE = 1e-11  # a Newton step shorter than this, relative to the zero, is the last


def jn_zeros(n, nt):
    return _zeros(n, nt, sc.jn_zeros, sc.jv, _slope(sc.jv), FIRST_OF_J, 1.0)


def yn_zeros(n, nt):
    return _zeros(n, nt, sc.yn_zeros, sc.yv, _slope(sc.yv), FIRST_OF_Y, -1.0)


def jnp_zeros(n, nt):
    return _zeros(n, nt, sc.jnp_zeros, _slope(sc.jv), _curvature(sc.jv), FIRST_OF_Y, 1.0)


def ynp_zeros(n, nt):
    return _zeros(n, nt, sc.ynp_zeros, _slope(sc.yv), _curvature(sc.yv), FIRST_OF_J, 1.0)


def _slope(f):
    """f' = (v/x) f - f_{v+1} (DLMF 10.6.2), where v - 1 would lose digits of a small v."""
    return lambda v, x: v / x * f(v, x) - f(v + 1, x)


def _curvature(f):
    """f'' by Bessel's equation, where f' is nearly 0."""
    return lambda v, x: -f(v, x) * (1 - v / x) * (1 + v / x)


def _zeros(
    orders: Any, count: int, scipys: Callable, f: Callable, slope: Callable, less: float, sign: float
) -> Any:
    """[..., k] is the k-th zero, SciPy's for integer orders. `sign` is the sign of f before its first zero."""
    orders = np.asarray(orders, float)
    result = np.full((*orders.shape, count), np.nan)
    whole = (orders == np.round(orders)) & np.isfinite(orders)
    for n in np.unique(orders[whole]):
        result[orders == n] = scipys(int(n), count)
    rest = ~whole & (orders > 0)
    if rest.any():
        v, k = np.broadcast_arrays(orders[rest][:, None], np.arange(1.0, count + 1))
        with np.errstate(all="ignore"):
            result[rest] = _between(v, k * np.pi - less, f, slope, sign * (-1) ** (k - 1))
    return result


def _between(v, phase, f, slope, sign):
    """The zero where psi is about `phase`. f has the sign `sign` before it."""
    low, high, start = (_at_phase(v, phase + d) for d in (-np.pi / 2, np.pi / 2, 0.0))
    changes = (sign * f(v, low) > 0) & (sign * f(v, high) < 0)

    def step(turn, x, low, high, v, sign):
        value = f(v, x)
        before = sign * value > 0
        low, high = np.where(before, x, low), np.where(before, high, x)
        newton = x - value / slope(v, x)
        inside = (newton >= low) & (newton <= high)
        following = np.where(inside, newton, (low + high) / 2)
        return following, low, high, np.abs(following - x) > CLOSE * x

    found = until(step, [start, low, high], [v, sign], STEPS)[0]
    return np.where(changes, found, np.nan)


def _at_phase(v, phase):
    """The x > v at which psi(x) is `phase`; v if psi is larger everywhere. Newton's steps descend from above."""

    def step(turn, x, v, phase):
        root = np.sqrt((x - v) * (x + v))
        following = x - (root - v * np.arctan2(root, v) - phase) * x / root
        return following, (following < x * (1 - 1e-9)) & (following > v)

    inside = lambda v, phase: until(step, [phase + v * np.pi / 2], [v, phase], PHASE_STEPS)[0]
    return piecewise([v, phase], [(phase > 0, inside), (None, lambda v, phase: v)])
