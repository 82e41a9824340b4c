"""A tail of the beta density in the logit u = log(x / y), y = 1 - x, relative to the density at its end.

With phi(u) = x^a y^b / B(a, b), the lower tail is phi times the integral of exp(h(s)) over s > 0, where
h(s) = log phi(u - s) - log phi(u) = a log(x_s / x) + b log(y_s / y), and x_s is the x at u - s: Mills' ratio of the
density. Nothing in it underflows.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.quadrature import panels, reach
from hostwrap.special.beta_incomplete._score import log_share

SMALL = 0.3


@dataclasses.dataclass
class Tail:
    """Nodes [point, node] of a tail: log(x_s / x), log(y_s / y), x - x_s, and the weights that include exp(h)."""

    log_x: np.ndarray
    log_y: np.ndarray
    step: np.ndarray
    weight: np.ndarray

    def integral(self, values=1.0):
        """Of values exp(h)."""
        return np.sum(self.weight * values, axis=1)

    def mirrored(self):
        """The lower tail of (b, a, y, x) is the upper tail of (a, b, x, y)."""
        return Tail(self.log_y, self.log_x, -self.step, self.weight)


def lower_tail(a, b, x, y):
    """For points with x <= 1/2, or for points with x > 1/2, where the density bends on the way, at u - s = 0."""
    right = x[0] > 0.5
    path = _from_the_right if right else _from_the_left
    end = reach(lambda s: _exponent(a, b, *path(x, y, s)), (44 - (a + b) * log_share(y, x)) / a)
    s, weight = _bent(end, np.log(x / y)) if right else _straight(end)
    x, y = x[:, None], y[:, None]
    log_x, log_y, step = path(x, y, s)
    return Tail(log_x, log_y, step, weight * np.exp(_exponent(a[:, None], b[:, None], log_x, log_y)))


def mills(a, b, x, y):
    """I_x(a, b) divided by dI/du. For small a, for which the tail is long, by DLMF 8.17.20."""
    raised = lambda a, b, x, y: (1 + x * (a + b) * mills(a + 1, b, x, y)) / a
    straight = lambda a, b, x, y: lower_tail(a, b, x, y).integral()
    return piecewise([a, b, x, y], [(a < SMALL, raised), (x <= 0.5, straight), (None, straight)])


def _exponent(a, b, log_x, log_y, *_):
    return a * log_x + b * log_y


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


def _straight(end):
    """Short panels at s = 0."""
    nodes, weights = panels(end, 0.0)
    return -nodes, weights


def _bent(end, bend):
    """Short panels on both sides of the bend, or at the end if that comes first."""
    bend = np.minimum(bend, end)
    before, weights_before = panels(bend, 0.0)
    after, weights_after = _straight(end - bend)
    nodes = bend[:, None] + np.concatenate([before, after], axis=1)
    return nodes, np.concatenate([weights_before, weights_after], axis=1)
