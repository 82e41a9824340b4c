"""d^n/dv^n d^m/dz^m of J, Y and I by the recurrences f' = (v/z) f -+ f_{v+1} and f' = (f_{v-1} -+ f_{v+1}) / 2."""

import functools
from math import comb, factorial

import numpy as np


def by_recurrence(f, sign, v, z, n, m):
    """f' = (f_{v-1} + sign f_{v+1}) / 2 (DLMF 10.6.1, 10.29.1), differentiated; f(v, z, n) is (d/dv)^n of f."""
    if m == 0:
        return f(v, z, n)
    below, above = by_recurrence(f, sign, v - 1, z, n, m - 1), by_recurrence(f, sign, v + 1, z, n, m - 1)
    return (below + sign * above) / 2


def of_minimal(f, sign, v, z, n, m):
    """The same for J and I, at z = 0 too.

    Next to v = 0 and for small z, the double v - 1 has lost the digits of v on which f_{v-1} depends. There
    f' = (v/z) f + sign f_{v+1}, except at z = 0.
    """
    nonzero = np.where(z == 0, 1, z)

    @functools.cache
    def order(path):
        """v after steps up, "+", and down, "-", which stay at a small order; and whether it is small."""
        if not path:
            found = v
        else:
            before, is_small = order(path[:-1])
            found = before + 1 if path[-1] == "+" else np.where(is_small, before, before - 1)
        return found, (np.abs(found) < 0.5) & (z != 0)

    @functools.cache
    def derivative(path, n, m):
        here, is_small = order(path)
        if m == 0:
            return f(here, z, n)
        below, above = derivative(path + "-", n, m - 1), derivative(path + "+", n, m - 1)
        ratio = here * below
        if n:
            ratio = ratio + n * derivative(path, n - 1, m - 1)
        ratio = ratio / nonzero
        for j in range(1, m):  # those of 1/z
            lower = here * derivative(path, n, m - 1 - j)
            lower = lower + (n * derivative(path, n - 1, m - 1 - j) if n else 0)
            ratio = ratio + comb(m - 1, j) * factorial(j) * lower / (-nonzero) ** j / nonzero
        return np.where(is_small, ratio + sign * above, (below + sign * above) / 2)

    return derivative("", n, m)
