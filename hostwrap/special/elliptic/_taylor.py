"""Taylor series of several variables at many points, as far as one derivative needs them. Made of loops alone.

A series lists the coefficients of the powers of its variables, from 0 to the order of that derivative in each of them;
those are derivatives divided by factorials. What is not listed is 0, and nothing is computed for it.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

Index = tuple[int, ...]


class Taylor:
    """terms[index] is an array for the points, the coefficient of these powers. The first one is always there."""

    def __init__(self, terms: dict[Index, Any], orders: Index) -> None:
        self.terms, self.orders = terms, orders

    @property
    def first(self) -> Any:
        return self.terms[(0,) * len(self.orders)]

    def __add__(self, other: Taylor) -> Taylor:
        """Or what is the same number everywhere."""
        terms = dict(self.terms)
        others = other.terms if isinstance(other, Taylor) else {(0,) * len(self.orders): other}
        for index, x in others.items():
            terms[index] = terms[index] + x if index in terms else x
        return Taylor(terms, self.orders)

    def __neg__(self) -> Taylor:
        return Taylor({index: -x for index, x in self.terms.items()}, self.orders)

    def __sub__(self, other: Taylor) -> Taylor:
        return self + -other

    def __mul__(self, other: Any) -> Taylor:
        """By a series, or by numbers that do not depend on the variables."""
        if not isinstance(other, Taylor):
            return Taylor({index: x * other for index, x in self.terms.items()}, self.orders)
        f, g = self.terms, other.terms
        pairs = {k: [(i, less(k, i)) for i in indices(k)] for k in indices(self.orders)}
        listed = {k: [f[i] * g[j] for i, j in both if i in f and j in g] for k, both in pairs.items()}
        return Taylor({k: added(terms) for k, terms in listed.items() if terms}, self.orders)

    def power(self, a: float) -> Taylor:
        """f^-1, or |f|^a for a = 1/2 or -1/2, by the binomial series of f over its first coefficient."""
        once = 1 / self.first
        root = self.first if a == -1 else np.sqrt(np.abs(self.first))
        total = Taylor({(0,) * len(self.orders): root if a > 0 else 1 / root}, self.orders)
        rest = Taylor({index: x * once for index, x in self.terms.items() if any(index)}, self.orders)
        term = total
        for k in range(1, sum(self.orders) + 1):
            term = term * rest * ((a - k + 1) / k)
            total = total + term if term.terms else total
        return total

    def where(self, mask: Any, other: float) -> Taylor:
        """The series where the mask holds, and one number elsewhere."""
        terms = {i: np.where(mask, x, 0.0 if any(i) else other) for i, x in self.terms.items()}
        return Taylor(terms, self.orders)

    def integrated(self, axis: int) -> Taylor:
        """In one variable, from 0."""
        terms = {}
        for index, x in self.terms.items():
            if index[axis] < self.orders[axis]:
                terms[*index[:axis], index[axis] + 1, *index[axis + 1 :]] = x / (index[axis] + 1)
        return Taylor(terms, self.orders)

    def of(self, orders: Index) -> Taylor:
        """As a series in more variables, on which it does not depend."""
        more = (0,) * (len(orders) - len(self.orders))
        return Taylor({(*index, *more): x for index, x in self.terms.items()}, orders)

    def partial(self) -> Any:
        """The derivative that the series was made for."""
        return math.prod(map(math.factorial, self.orders)) * self.terms.get(self.orders, 0.0 * self.first)


def constant(x: Any, orders: Index) -> Taylor:
    return Taylor({(0,) * len(orders): x}, orders)


def variable(x: Any, axis: int, orders: Index) -> Taylor:
    terms = {(0,) * len(orders): x}
    if orders[axis]:
        terms[tuple(int(i == axis) for i in range(len(orders)))] = 1.0
    return Taylor(terms, orders)


def indices(orders: Index) -> list[Index]:
    """Of the coefficients, each after those that it is made of."""
    return list(itertools.product(*(range(order + 1) for order in orders)))


def less(index: Index, other: Index) -> Index:
    return tuple(i - j for i, j in zip(index, other, strict=True))


def added(terms: Any) -> Any:
    return functools.reduce(np.add, terms)
