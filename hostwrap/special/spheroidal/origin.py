"""Angular functions by their power series at x = 0.

S(0) or S'(0) is the same for all c. So derivatives in c are small like x^2 or x^3, and a sum of Legendre functions
leaves no digits of them. Moreover an oblate function whose characteristic value is negative grows up to the turning
point x = sqrt(-value) / c, by a factor of the order e^c: there the Legendre functions cancel, and the power series has
terms of one sign.
"""

import numpy as np

from hostwrap.special._numerics.taylor import plus, scaled, times
from hostwrap.special._numerics.until import until
from hostwrap.special.spheroidal.jets import edge_n, leibniz

FARTHEST = 0.75
TERMS = 140  # 0.75^140 is below 1e-17


def meeting(value, c):
    """The end of the interval in which an oblate function grows; 0 where there is no such interval."""
    turning = np.sqrt(np.maximum(-value, 0.0)) / np.maximum(np.abs(c), 1e-300)
    return np.minimum(turning, FARTHEST)


def reach(value, m, c):
    """Where the series is short in any case."""
    return 1 / np.sqrt(1 + np.abs(value) + m * m + c * c)


def series(value, parity, sign, size, m, c, x, n):
    """Derivatives d = 0..n in x, jets in c, of the function with S(0) = size, or S'(0) = size where it is odd.

    S = (1 - x^2)^(m/2) u, (1 - x^2) u'' - 2 (m + 1) x u' + (value - m (m + 1) - sign c^2 x^2) u = 0.
    """
    many = len(value)

    def step(turn, *now):
        here, before = now[:many], now[many : 2 * many]
        rows = _split(now[2 * many : (3 + n) * many], many)
        k, m, c, x, *value = now[(3 + n) * many :]
        k = k + 2 * turn
        after = []
        for d, row in enumerate(rows):
            weight = _falling(k, d) * np.float_power(x, np.maximum(k - d, 0.0))
            after.append(plus(row, scaled(np.where(k >= d, weight, 0.0), here)))
        shifted = [(k + m) * (k + m + 1) - value[0], *(-f for f in value[1:])]
        squared = [sign * f for f in (c * c, 2 * c, 1.0)][:many]
        total = plus(times(shifted, here), times(squared, before))
        following = scaled(1 / ((k + 2) * (k + 1)), total)
        return [*following, *here, *(f for row in after for f in row), turn < TERMS // 2 - 1]

    start = [size, *[0.0] * ((3 + n) * many - 1)]
    found = until(step, start, [parity, m, c, x, *value], TERMS)
    return leibniz(edge_n(x, m, 1, n), _split(found[2 * many :], many))


def _falling(k, d):
    """k (k - 1) .. of d factors."""
    product = 1.0
    for e in range(d):
        product = product * (k - e)
    return product


def _split(numbers, size):
    return [list(numbers[i : i + size]) for i in range(0, len(numbers), size)]
