"""Radial functions of the second kind at small x: from where their series converges, inwards, by the equation.

u = |x^2 - sign|^(m/2) R satisfies (x^2 - sign) u'' + 2 (1 - m) x u' + (m^2 - m - value + c^2 x^2) u = 0. Inwards R^(2)
grows, or it oscillates like the other solution: errors grow no faster than the function. The Taylor series of u and of
its derivatives in c reach half the way to the singularity, and about half a period.
"""

from math import factorial
from typing import Any, NamedTuple

import numpy as np

from hostwrap.special._numerics.taylor import minus, plus, scaled, times
from hostwrap.special._numerics.until import until
from hostwrap.special.spheroidal.coefficients import PROLATE
from hostwrap.special.spheroidal.jets import edge_n, leibniz

TERMS = 56
PHASE = 3.0
NEGLIGIBLE = 1e-18
STEPS = 4000  # inwards


class _Equation(NamedTuple):
    """Of each point; the characteristic value by its Taylor coefficients in c."""

    sign: int
    m: Any
    c: Any
    value: Any

    def flat(self):
        return [self.m, self.c, *self.value]

    def of(self, numbers):
        m, c, *value = numbers
        return self._replace(m=m, c=c, value=value)

    @property
    def squared(self):
        return [self.c * self.c, 2 * self.c, 1.0][: len(self.value)]

    def reach(self, x):
        distance = x - 1 if self.sign == PROLATE else np.hypot(x, 1.0)
        size = np.abs(self.c * self.c * x * x - self.value[0]) + self.m**2
        return np.minimum(distance / 2, PHASE / np.sqrt(size / (x * x - self.sign)))

    def following(self, x, h, k, last, middle, low, lowest):
        """u^(k + 2) h^(k + 2) / (k + 2)!, from those of the three terms before; each as Taylor coefficients in c."""
        m = self.m
        total = scaled(2 * x * h * (k + 1) * (k + 1 - m), last[-1])
        total = plus(total, scaled(h * h * k * (k + 1 - 2 * m), last[-2]))
        total = plus(total, times(middle, last[-2]), times(low, last[-3]), times(lowest, last[-4]))
        return scaled(-1 / ((x * x - self.sign) * (k + 2) * (k + 1)), total)

    def coefficients(self, x, h):
        """What multiplies u, expanded around x."""
        constant = self.m * self.m - self.m
        middle = minus(scaled(x * x, _padded(self.squared, self.value)), self.value)
        middle = scaled(h * h, [middle[0] + constant, *middle[1:]])
        return middle, scaled(2 * x * h**3, self.squared), scaled(h**4, self.squared)


def _padded(f, like):
    return [*f, *[0.0] * (len(like) - len(f))]


def continued(sign, value, m, c, start, first, x, depth):
    """Derivatives d = 0..depth in x, jets in c, at x < start; `first` holds the function and its slope at the start."""
    equation, n = _Equation(sign, m, c, value), len(value)
    u, slope = leibniz(edge_n(start, m, sign, 1), first)

    def step(turn, at, *now):
        u, slope, (x, *rest) = now[:n], now[n : 2 * n], now[2 * n :]
        here = equation.of(rest)
        h = np.maximum(x - at, -here.reach(at))
        u, slope = _moved(here, at, h, u, slope)
        at = np.maximum(at + h, x)
        return [at, *u, *slope, at > x]

    _, *found = until(step, [start, *u, *slope], [x, *equation.flat()], STEPS)
    a = [[0.0] * n, [0.0] * n, found[:n], found[n:]]
    around = equation.coefficients(x, 1.0)
    for k in range(depth - 1):
        a.append(equation.following(x, 1.0, float(k), a, *around))
    rows = [scaled(float(factorial(d)), a[d + 2]) if d > 1 else a[d + 2] for d in range(depth + 1)]
    return leibniz(edge_n(x, -m, sign, depth), rows)


def _moved(equation, x, h, u, slope):
    """u and u' at x + h, by Taylor's series."""
    n = len(u)
    first = scaled(h, slope)

    def step(k, *now):
        last, sums = [now[i * n : (i + 1) * n] for i in range(4)], [now[i * n : (i + 1) * n] for i in (4, 5)]
        x, h, *rest = now[6 * n :]
        here = equation.of(rest)
        term = here.following(x, h, k, last, *here.coefficients(x, h))
        sums = [plus(sums[0], term), plus(sums[1], scaled(k + 2, term))]
        counts = [
            (k + 2) * (np.abs(f) + np.abs(g)) > NEGLIGIBLE * np.abs(total)
            for f, g, total in zip(term, last[-1], sums[0], strict=True)
        ]
        going = counts[0]
        for other in counts[1:]:
            going = going | other
        return [*last[1], *last[2], *last[3], *term, *sums[0], *sums[1], going & (k < TERMS - 3)]

    nothing = [0.0] * n
    start = [*nothing, *nothing, *u, *first, *plus(u, first), *first]
    found = until(step, start, [x, h, *equation.flat()], TERMS)
    return found[4 * n : 5 * n], scaled(1 / h, found[5 * n :])
