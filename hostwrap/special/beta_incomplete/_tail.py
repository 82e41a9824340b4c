"""A tail of the beta density in the logit u = log(x / y), y = 1 - x, relative to the density at its end.

With phi(u) = x^a y^b / B(a, b), the lower tail is phi times the integral of exp(h(s)) over s > 0, where
h(s) = log phi(u - s) - log phi(u) = a log(x_s / x) + b log(y_s / y), and x_s is the x at u - s: Mills' ratio of the
density. Nothing in it underflows.
"""

from __future__ import annotations

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets
from hostwrap.special._numerics.quadrature import NODES_PER_PANEL, integrals, reach, spans
from hostwrap.special.beta_incomplete._score import log_share

SMALL = 0.3
SHORT, NODES = 6.0, 32  # no longer tails are one panel: the integrand is smooth there


def lower_tail(a, b, x, y, terms, count, bent):
    """The integrals over s of the `count` functions that `terms(a, b, x, y)` makes of nodes.

    It returns a function that lists them, of exp(h(s)), log(x_s / x), log(y_s / y) and x - x_s. The upper tail of
    (a, b, x, y) is the lower one of (b, a, y, x). `bent` is said of points with x > 1/2: there the density bends on
    the way, at u - s = 0.
    """
    path = _from_the_right if bent else _from_the_left
    exponent = lambda a, b, log_x, log_y, _: a * log_x + b * log_y
    end = reach(lambda s: exponent(a, b, *path(x, y, s)), (44 - (a + b) * log_share(y, x)) / a)

    def along(panels, nodes, a, b, x, y, end):
        at = terms(a, b, x, y)

        def listed(t):
            logs = path(x, y, -t)
            return at(np.exp(exponent(a, b, *logs)), *logs)

        return np.stack(integrals(listed, panels(x, y, end), nodes))

    several = (lambda x, y, end: _bent(end, np.log(x / y))) if bent else (lambda x, y, end: spans(end, 0.0))
    short = functools.partial(along, lambda x, y, end: [(-end, end)], NODES)
    long = functools.partial(along, several, NODES_PER_PANEL)
    return piecewise_jets([a, b, x, y, end], count - 1, [(end <= SHORT, short), (None, long)])


def mills(a, b, x, y):
    """I_x(a, b) divided by dI/du. For small a, for which the tail is long, by DLMF 8.17.20."""
    small = a < SMALL
    above = _mills(np.where(small, a + 1, a), b, x, y)
    return np.where(small, (1 + x * (a + b) * above) / a, above)


def _mills(a, b, x, y):
    itself = lambda *_: lambda e, *_: [e]
    part = lambda bent: lambda a, b, x, y: lower_tail(a, b, x, y, itself, 1, bent)[0]
    return piecewise([a, b, x, y], [(x <= 0.5, part(False)), (None, part(True))])


def _from_the_left(x, y, s):
    """log(x_s / x), log(y_s / y) and x - x_s for x <= 1/2: x_s and y_s are to each other as x e^-s and y."""
    change = x * np.expm1(-s)  # their sum, less 1
    scale = np.log1p(change)
    return -s - scale, -scale, -y * change / (1 + change)


def _from_the_right(x, y, s):
    """The same for x > 1/2, in terms of the small y: as x and y e^s."""
    change = y * np.expm1(np.minimum(s, 700.0))  # their sum, less 1
    scale = np.log1p(change)
    return -scale, s - scale, x * change / (1 + change)


def _bent(end, bend):
    """Panels in -s that are short on both sides of the bend, or at the end if that comes first."""
    bend = np.minimum(bend, end)
    before = [(-bend - start - width, width) for start, width in spans(bend, 0.0)]
    return before + [(start - bend, width) for start, width in spans(end - bend, 0.0)]
