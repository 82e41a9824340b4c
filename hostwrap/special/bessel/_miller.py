"""J_v(x), its derivatives in v and in x, by one recurrence over the orders v, v + 1, ..., for moderate v and x.

    dJ_v/dv = (log(x/2) - psi(v + 1)) J_v - sum_{k>=1} (-1)^k (v+2k) / (k (v+k)) J_{v+2k}

This is DLMF 10.38.1 for J, rearranged by orders. Miller's backward recurrence (DLMF 3.6(iii)) gives all orders up to a
factor, and sum_k (v+2k) Gamma(v+k) / k! J_{v+2k} = (x/2)^v (DLMF 10.23.15) gives the factor. No term is larger than J
is between its zeros. For v < 0 the recurrence goes on downwards, where dJ/dv grows; J does not grow if v is an integer.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.until import until

HIGHEST = 25.0  # orders; beyond them the sum that gives the factor cancels
LONGEST = 50.0  # x; beyond it integrals cost less
SHORTEST = 1e-10
MOST_TURNS = 100  # 54 serve at x = LONGEST


def is_near(v, x):
    return (np.abs(v) <= HIGHEST) & (x >= SHORTEST) & (x <= LONGEST)


def slopes(v, x):
    """[dJ/dv, dJ/dx] for v >= 0."""
    j, above, by_order, _ = _of_j(v, x, False)
    return by_order, v / x * j - above


def in_order(v, x):
    """dJ/dv."""
    return piecewise([v, x], [(v >= 0, lambda v, x: slopes(v, x)[0]), (None, _below)])


def steps_above(v, x):
    """How many orders above v the recurrence starts, an even number: up there J has decayed by e^-40 or more."""
    turning = np.maximum(x - v, 0) + 12.5 * np.cbrt(x) + 12
    geometric = np.where(v > 1.2 * x, 42 / np.log(2 * (v + 1) / x) + 6, np.inf)
    return 2 * np.ceil(np.minimum(turning, geometric) / 2)


def ratios(v, x, both=False):
    """J_v, J_{v+1} and the sum above, divided by (x/2)^v / Gamma(v + 1), v > -1. If `both`, the sum for J_{v+1} too."""

    def down(_, k, here, above, units, total, *rest):
        v, x = rest[-2:]
        units = (v + 2 * k) * here + (v + k) / (k + 1) * units
        total = (1 / k + 1 / (v + k)) * here - total
        second = [(1 / k + 1 / (v + k + 1)) * above - rest[0]] if both else []
        above, here = 2 * (v + 2 * k) / x * here - above, here
        here, above = 2 * (v + 2 * k - 1) / x * above - here, above
        return k - 1, here, above, units, total, *second, k > 1

    start = [steps_above(v, x) / 2, 1.0, *[0.0] * (3 + both)]
    _, here, above, units, *totals = until(down, start, [v, x], MOST_TURNS)
    return [f / (here + units) for f in (here, above, *totals)]


def _of_j(v, x, both):
    """J_v, J_{v+1} and their derivatives in the order, v >= 0; the last one if `both`."""
    size, log = np.float_power(x / 2, v) * sc.rgamma(v + 1), np.log(x / 2)
    j, next_j, *totals = (size * f for f in ratios(v, x, both))
    by_order = (log - sc.psi(v + 1)) * j + totals[0]
    return j, next_j, by_order, (log - sc.psi(v + 2)) * next_j + totals[1] if both else 0.0


def _below(v, x):
    """dJ/dv for v < 0."""
    steps = np.ceil(-v)

    def down(turn, j, above, by_order, next_by_order, base, steps, x):
        ratio = 2 * (base - turn) / x
        below = ratio * by_order + 2 / x * j - next_by_order
        return ratio * j - above, j, below, by_order, turn < steps - 1

    base = v + steps
    return until(down, _of_j(base, x, True), [base, steps, x], int(HIGHEST))[2]
