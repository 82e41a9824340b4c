"""The gamma quantile next to 0, where P(a, x) is x^a / Gamma(a + 1), DLMF 8.7.1, and powers of x leave the doubles.

So is the noncentral one, of which P is e^-l times as large. Hence log x = (log p + l + log Gamma(a + 1)) / a.
"""

import itertools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special.gamma_beta.gamma import psi_n

LEAST = 1e-290  # a smaller root has lost digits


def quantile(a, p, l, orders):
    """The derivative of x so many times in a, p and l."""
    log = (np.log(p) + l + sc.gammaln(a + 1)) / a

    def logs(i, j, k):
        """The derivative of log x; in p that of p^j times it."""
        if k > 1 or (j and k):
            return 0.0
        if j or k:
            rate = 1.0 if k else -((-1.0) ** j) * math.factorial(j - 1)
            return rate * _of_inverse(a, i)
        parts = [a * log, *(psi_n(a + 1, m) for m in range(i))]
        return sum(math.comb(i, m) * part * _of_inverse(a, i - m) for m, part in enumerate(parts))

    return _of_exponential(logs, orders) * np.exp(log - orders[1] * np.log(p))


def _of_inverse(a, n):
    """The n-th derivative of 1 / a."""
    return (-1.0) ** n * math.factorial(n) / a ** (n + 1)


def _of_exponential(logs, orders):
    """A derivative of e^f divided by e^f, from those of f: one of them is applied to e^f f'."""
    if not any(orders):
        return 1.0
    place = next(t for t, order in enumerate(orders) if order)
    one = tuple(int(t == place) for t in range(len(orders)))
    rest = tuple(order - e for order, e in zip(orders, one, strict=True))
    total = 0.0
    for taken in itertools.product(*(range(order + 1) for order in rest)):
        left = tuple(order - t for order, t in zip(rest, taken, strict=True))
        weight = math.prod(map(math.comb, rest, taken))
        total = total + weight * logs(*map(sum, zip(taken, one, strict=True))) * _of_exponential(logs, left)
    return total
