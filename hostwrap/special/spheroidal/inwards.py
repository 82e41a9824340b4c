"""Radial functions of the second kind at small x: from where their series converges, inwards, by the equation.

u = |x^2 - sign|^(m/2) R satisfies (x^2 - sign) u'' + 2 (1 - m) x u' + (m^2 - m - value + c^2 x^2) u = 0. Inwards R^(2)
grows, or it oscillates like the other solution: errors grow no faster than the function. The Taylor series of u and of
its derivatives in c reach half the way to the singularity, and about half a period.
"""

from math import comb, factorial

import numpy as np

from hostwrap.special._numerics.jets import times
from hostwrap.special.spheroidal.coefficients import PROLATE
from hostwrap.special.spheroidal.jets import edge_n, square

TERMS = 56
PHASE = 3.0


class _Equation:
    """The equation at some points: jets in c of its coefficients."""

    def __init__(self, expansion, m, c):
        self.sign, self.m = expansion.sign, m
        self.value, self.squared = expansion.value, square(c, len(expansion.value) - 1)

    def at(self, here):
        part = object.__new__(_Equation)
        part.sign, part.m = self.sign, self.m[here]
        part.value, part.squared = self.value[:, here], self.squared[:, here]
        return part

    def reach(self, x):
        distance = x - 1 if self.sign == PROLATE else np.hypot(x, 1.0)
        frequency = np.sqrt(
            (np.abs(self.squared[0] * x * x - self.value[0]) + self.m**2) / (x * x - self.sign)
        )
        return np.minimum(distance / 2, PHASE / frequency)

    def taylor(self, x, h, u, slope, count):
        """u^(k) h^k / k!, k = 0..count - 1, jets in c."""
        rest, m, h2 = x * x - self.sign, self.m, h * h
        middle, low = self.squared * x * x - self.value, self.squared * 2 * x * h * h2
        middle[0] += m * m - m
        middle, lowest = middle * h2, self.squared * h2 * h2
        a = [np.zeros_like(u), np.zeros_like(u), u, slope * h]
        for k in range(count - 2):
            total = 2 * x * h * (k + 1) * (k + 1 - m) * a[-1] + h2 * k * (k + 1 - 2 * m) * a[-2]
            total += times(middle, a[-2]) + times(low, a[-3]) + times(lowest, a[-4])
            a.append(-total / (rest * (k + 2) * (k + 1)))
        return a[2:]


def continued(expansion, m, c, start, first, x, depth):
    """Derivatives d = 0..depth in x, jets in c, at x < start; `first` holds the function and its slope at the start."""
    equation = _Equation(expansion, m, c)
    u, slope = _leibniz(edge_n(start, m, expansion.sign, 1), first)
    at = start.copy()
    while (left := at > x).any():
        part, h = equation.at(left), None
        h = np.maximum(x[left] - at[left], -part.reach(at[left]))
        a = part.taylor(at[left], h, u[:, left], slope[:, left], TERMS)
        u[:, left], slope[:, left] = sum(a), sum(k * t for k, t in enumerate(a)) / h
        at[left] = np.maximum(at[left] + h, x[left])
    a = equation.taylor(x, np.ones_like(x), u, slope, depth + 2)
    jets = np.stack([factorial(d) * a[d] for d in range(depth + 1)])
    return _leibniz(edge_n(x, -m, expansion.sign, depth), jets)


def _leibniz(edge, jets):
    """Derivatives in x of a product, the second factor with jets in c."""
    return np.stack([sum(comb(d, e) * edge[d - e] * jets[e] for e in range(d + 1)) for d in range(len(jets))])
