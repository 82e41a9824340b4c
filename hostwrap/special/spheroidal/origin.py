"""Angular functions by their power series at x = 0.

S(0) or S'(0) is the same for all c. So derivatives in c are small like x^2 or x^3, and a sum of Legendre functions
leaves no digits of them. Moreover an oblate function whose characteristic value is negative grows up to the turning
point x = sqrt(-value) / c, by a factor of the order e^c: there the Legendre functions cancel, and the power series has
terms of one sign.
"""

from math import comb

import numpy as np

from hostwrap.special._numerics.jets import times
from hostwrap.special.spheroidal.jets import constant, edge_n, square

FARTHEST = 0.75
TERMS = 140  # 0.75^140 is below 1e-17


def meeting(value, c):
    """The end of the interval in which an oblate function grows; 0 where there is no such interval."""
    turning = np.sqrt(np.maximum(-value, 0.0)) / np.maximum(np.abs(c), 1e-300)
    return np.minimum(turning, FARTHEST)


def reach(value, m, c):
    """Where the series is short in any case."""
    return 1 / np.sqrt(1 + np.abs(value) + m * m + c * c)


def series(expansion, size, m, c, x, n):
    """Derivatives d = 0..n in x, jets in c, of the function with S(0) = size, or S'(0) = size where it is odd.

    S = (1 - x^2)^(m/2) u, (1 - x^2) u'' - 2 (m + 1) x u' + (value - m (m + 1) - sign c^2 x^2) u = 0.
    """
    value, degree = expansion.value, expansion.parity + 0.0
    squared = -expansion.sign * square(c, len(value) - 1)
    here, before = constant(size, value), np.zeros_like(value)
    u = np.zeros((n + 1, *value.shape))
    for _ in range(TERMS // 2):
        for d in range(n + 1):
            u[d] += here * _power(x, degree, d)
        k = degree
        shifted = value - constant((k + m) * (k + m + 1), value)
        following = -(times(shifted, here) + times(squared, before)) / ((k + 2) * (k + 1))
        here, before, degree = following, here, degree + 2
    edge = edge_n(x, m, 1, n)
    return np.stack([sum(comb(d, e) * edge[d - e] * u[e] for e in range(d + 1)) for d in range(n + 1)])


def _power(x, degree, d):
    """The derivative number d of x^degree."""
    weight = np.prod([degree - e for e in range(d)], axis=0) if d else 1.0
    return np.where(degree >= d, weight * x ** np.maximum(degree - d, 0), 0.0)
