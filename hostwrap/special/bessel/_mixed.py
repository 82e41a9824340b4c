"""d^n/dv^n d^m/dz^m of J, Y and I by the recurrences f' = (v/z) f -+ f_{v+1} and f' = (f_{v-1} -+ f_{v+1}) / 2."""

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
    if m == 0:
        return f(v, z, n)
    small = (np.abs(v) < 0.5) & (z != 0)
    below = of_minimal(f, sign, np.where(small, v, v - 1), z, n, m - 1)
    above = of_minimal(f, sign, v + 1, z, n, m - 1)
    ratio, nonzero = v * below, np.where(z == 0, 1, z)
    if n:
        ratio = ratio + n * of_minimal(f, sign, v, z, n - 1, m - 1)
    ratio = ratio / nonzero
    for j in range(1, m):  # those of 1/z
        lower = v * of_minimal(f, sign, v, z, n, m - 1 - j)
        lower = lower + (n * of_minimal(f, sign, v, z, n - 1, m - 1 - j) if n else 0)
        ratio = ratio + comb(m - 1, j) * factorial(j) * lower / (-nonzero) ** j / nonzero
    return np.where(small, ratio + sign * above, (below + sign * above) / 2)
