"""Solutions of Weber's equation w'' = (bend x^2 + level) w, DLMF 12.2.1: from the origin; their derivatives in x."""

from math import factorial

import numpy as np

from hostwrap.special._numerics.trigpi import cospi_n, sinpi_n
from hostwrap.special.hypergeometric._equations import Weber
from hostwrap.special.hypergeometric._forms import compose
from hostwrap.special.hypergeometric._march import march

NEXT = 1e-50  # to the origin, where x^4 counts for nothing


def from_origin(bend, level, x, w, slope):
    """The jets of w and w' at x from those at 0."""
    far = march(Weber(bend, level), np.zeros_like(x), x, w, slope)[:2]
    return np.where(np.abs(x) < NEXT, next_to_origin(level, x, w, slope), np.stack(far))


def next_to_origin(level, x, w, slope):
    """Two terms of each: Taylor steps would multiply a small slope by x, which underflows, and divide it again."""
    bent = lambda f, by: level.times(f) * by
    return np.stack([w + x * slope + bent(w, x * x / 2), slope + bent(w, x) + bent(slope, x * x / 2)])


def in_x(bend, level, x, w, slope, n):
    """The n-th derivative in x, by the equation differentiated."""
    tower = [w, slope]
    for k in range(n - 1):
        last = level.times(tower[k]) + bend * x * x * tower[k]
        for j, weight in ((1, 2 * k * bend * x), (2, k * (k - 1) * bend)):
            if k >= j:
                last = last + weight * tower[k - j]
        tower.append(last)
    return tower[n]


def sine(form, orders):
    """The jet of sin(pi form)."""
    return _wave(sinpi_n, form, orders)


def cosine(form, orders):
    """The jet of cos(pi form)."""
    return _wave(cospi_n, form, orders)


def _wave(wave, form, orders):
    return compose([wave(form.value, k) / factorial(k) for k in range(sum(orders) + 1)], form, orders)
