"""Mixed derivatives of definitions."""

import itertools
import math


def mixed(mp, function, point, orders):
    """By one central difference in all arguments; mpmath's own nests, and multiplies its precision each time.

    Its error is the square of the step, so half the digits are enough for the step, and are lost in each order.
    """
    total = sum(orders)
    step = mp.mpf(10) ** (-(mp.dps // 2) - 5)
    with mp.workdps(int(mp.dps * (1 + total / 2)) + 5 * total + 10):
        nodes = [[(k, (-1) ** k * math.comb(order, k)) for k in range(order + 1)] for order in orders]
        terms = []
        for chosen in itertools.product(*nodes):
            shifts = [(mp.mpf(order) / 2 - k) * step for (k, _), order in zip(chosen, orders, strict=True)]
            weight = math.prod(w for _, w in chosen)
            terms.append(weight * function(*(x + s for x, s in zip(point, shifts, strict=True))))
        return mp.fsum(terms) / step**total


def mixed_of_each(mp, function, point, orders):
    """The same of each of several results."""
    count = len(function(*point))
    return tuple(mixed(mp, lambda *p, k=k: function(*p)[k], point, orders) for k in range(count))
