"""The Gauss function outside its power series, along its differential equation (DLMF 15.10.1) in Taylor steps.

Beyond Re z = 1/2 they are steps in u = 1 - z, which keeps its digits next to z = 1.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import elsewhere, stack_of
from hostwrap.special.hypergeometric._checks import LARGE_PARAMETER, NEGATIVE, ORDINARY, confirmed_where
from hostwrap.special.hypergeometric._equations import GROWTH, Gauss
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.hypergeometric._orders import shape
from hostwrap.special.hypergeometric._series import hypergeometric

LIMIT = 120  # terms of the power series
BESIDE = 0.1  # how far from z = 1 the way to the cut leads past it
CORNER = 0.5 + 1j * np.sqrt(0.75)  # where the other way turns, as far from z = 0 as from z = 1
CANCELLING = 100.0
DOUBTFUL = 1e5  # where errors may be so much larger than the last place, a second way confirms
LARGE = 5.0  # parameters from here on may lose all digits for complex z


def continued(a, b, c, z, u, orders):
    """Along the differential equation, twice, where that is risky; NaN where it takes long or loses digits."""
    size = np.maximum(np.maximum(np.abs(a.value), np.abs(b.value)), np.abs(c.value))
    nothing = stack_of(np.nan, shape(orders), z)
    large = np.maximum(np.maximum(np.abs(a.value), np.abs(b.value)), np.abs(c.value) / 3) > LARGE
    risky = (c.value < NEGATIVE) | (size > ORDINARY) | np.iscomplexobj(z) & large

    def confirmed(nothing, risky, *args):
        return confirmed_where(risky, lambda *x: _best_way(*x, orders), nothing, args, len(a.slopes))

    return elsewhere(nothing, size < LARGE_PARAMETER, confirmed, nothing, risky, z, u, a, b, c)


def _best_way(shorter, z, u, a, b, c, orders):
    """The jet, for complex z on another way where digits are lost on the first; and where they may be lost still."""
    jet, error = _on_the_way(a, b, c, z, u, _beside(z, u), shorter, orders)
    in_any = lambda lost: lost.any(tuple(range(jet.ndim - 1)))
    doubtful = in_any(error > DOUBTFUL * np.abs(jet))
    if np.isrealobj(z):
        return jet, doubtful

    def other_way(a, b, c, z, u, jet, error):
        by = np.where(np.signbit(z.imag), CORNER, np.conj(CORNER))
        other, error_there = _on_the_way(a, b, c, z, u, by, shorter, orders)
        return np.where(error_there < error, other, jet)

    bad = in_any(error > CANCELLING * np.abs(jet)) & (u.real < 0.5)
    return elsewhere(jet, bad, other_way, a, b, c, z, u, jet, error), doubtful


def _on_the_way(a, b, c, z, u, by, shorter, orders):
    """In z up to Re z = 1/2, then in u = 1 - z, by way of u = `by`; and its error in units of the last place."""
    beyond = u.real < 0.5
    turn = np.where(beyond, (1 - by) / (2 * (1 - by.real)), z)
    ends = np.stack(_from_origin(a, b, c, turn, shorter, orders))

    def beyond_it(ends, turn, by, u, equation):
        w, slope, peak = ends
        w, slope, first = march(equation, 1 - turn, by, w, -slope)
        if np.isrealobj(u):  # by way of u
            return np.stack([w, slope, np.maximum(peak, first)])
        w, slope, second = march(equation, by, u, w, slope)
        return np.stack([w, slope, np.maximum(peak, np.maximum(first, second))])

    w, _, peak = elsewhere(ends, beyond, beyond_it, ends, turn, by, u, Gauss(a, b, a + b + 1 - c))
    return w, np.where(np.isnan(peak), np.inf, peak.real) * _fading(a, b, c, z, u, by)


def _fading(a, b, c, z, u, by):
    """How much smaller the solution (1 - z)^(c - a - b) was next to z = 1, where what it adds gets lost.

    For 0 < z < 1 how much it has grown since z = 0: as much as errors have.
    """
    if np.isrealobj(z):
        return np.float_power(u, np.minimum((c - a - b).value, 0))
    passed = (z.real < np.abs(z) ** 2) & (u.real < 0.5) & (by == u)
    near = np.where(passed, np.minimum(np.abs(z.imag) / np.abs(z), np.abs(u)), np.abs(by))
    return np.float_power(np.maximum(np.abs(u) / near, 1), np.maximum((c - a - b).value, 0))


def _from_origin(a, b, c, z, shorter, orders):
    start = np.minimum(shorter * _clean_radius(a, b, c), np.abs(z)) / np.abs(z) * z
    w, _ = hypergeometric((a, b), (c,), start, orders, LIMIT)
    slope, _ = hypergeometric((a + 1, b + 1), (c + 1,), start, orders, LIMIT)
    return march(Gauss(a, b, c), start, z, w, c.over(a.times(b.times(slope))))


def _beside(z, u):
    """u, or where the ray to z comes close to z = 1, the u of a point beside that, on the side of z.

    For large a = -n, 2F1 is as large as x + sqrt(x^2 - 1), x = 1 - 2z, to the power n. The rays never lead inwards
    through these ellipses, where digits would be lost. The cut belongs to the upper side if its zero is positive.
    """
    if np.isrealobj(z):
        return u
    passed, distance = z.real < np.abs(z) ** 2, np.abs(z.imag) / np.abs(z)
    beside = np.minimum(np.abs(u) / 2, BESIDE)
    return np.where(passed & (distance < beside / 5), -1j * np.copysign(beside, z.imag), u)


def _clean_radius(a, b, c):
    """Up to here the terms of the power series stay small."""
    product = np.abs(a.value * b.value) + 1e-300
    return np.minimum(0.35, GROWTH * np.minimum(np.abs(c.value) / product, 1 / np.sqrt(product)))
