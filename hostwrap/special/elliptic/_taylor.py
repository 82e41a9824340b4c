"""Taylor series of several variables at many points, as far as one derivative needs them.

A series is an array: the powers of each variable along the first axes, from 0 to the order of that derivative in it,
and then the points. The coefficients are those of the powers, derivatives divided by factorials.
"""

import itertools
import math

import numpy as np


def constant(x, orders):
    """x has the points as axes."""
    series = np.zeros((*(order + 1 for order in orders), *np.shape(x)))
    series[(0,) * len(orders)] = x
    return series


def variable(x, axis, orders):
    series = constant(x, orders)
    if orders[axis]:
        series[tuple(int(i == axis) for i in range(len(orders)))] = 1
    return series


def indices(orders):
    """Of the coefficients, each after those that it is made of."""
    return list(itertools.product(*(range(order + 1) for order in orders)))


def below(index):
    """The indices that are nowhere larger."""
    return indices(index)


def less(index, other):
    return tuple(i - j for i, j in zip(index, other, strict=True))


def product(f, g, count):
    """Of series in so many variables; the points broadcast."""
    orders = tuple(n - 1 for n in f.shape[:count])
    shape = np.broadcast_shapes(f.shape[count:], g.shape[count:])
    result = np.empty((*f.shape[:count], *shape))
    for index in indices(orders):
        result[index] = sum(f[part] * g[less(index, part)] for part in below(index))
    return result


def power(f, a, count):
    """|f|^a, times the sign of f for a = 1."""
    orders = tuple(n - 1 for n in f.shape[:count])
    first = (0,) * count
    if a == 0:
        return constant(np.ones_like(f[first]), orders)
    if a == 1:
        return f
    rest = f / f[first]
    rest[first] = 0
    binomial, total = 1.0, constant(np.ones_like(f[first]), orders)
    term = total
    for k in range(1, sum(orders) + 1):
        binomial *= (a - k + 1) / k
        term = product(term, rest, count)
        total = total + binomial * term
    return np.abs(f[first]) ** a * total


def partial(f, orders):
    """The derivative that the series was made for."""
    return math.prod(map(math.factorial, orders)) * f[tuple(orders)]
