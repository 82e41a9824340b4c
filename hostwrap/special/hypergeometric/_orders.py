"""Which Taylor coefficients a jet has.

`orders` is a tuple, the highest order in each parameter, and the jet an array [i, j, .., point]; or it is
Total(parameters, degree), all coefficients up to a total degree, and the jet is flat: [coefficient, point].
With one parameter both are the same.
"""

import dataclasses
import functools
import itertools
import math


@dataclasses.dataclass(frozen=True)
class Total:
    """All derivatives in so many parameters up to a total degree, which cost little more than each alone."""

    parameters: int
    degree: int


def shape(orders):
    """Of a jet, without the points."""
    if isinstance(orders, Total):
        return (math.comb(orders.parameters + orders.degree, orders.degree),)
    return tuple(n + 1 for n in orders)


def degree(orders):
    """The highest of all coefficients."""
    return orders.degree if isinstance(orders, Total) else sum(orders)


def asked(orders, axis):
    """Whether there are derivatives in this parameter."""
    return bool(orders.degree if isinstance(orders, Total) else orders[axis])


@functools.cache
def indices(parameters, degree):
    """The multi-indices of one degree."""
    chosen = itertools.combinations_with_replacement(range(parameters), degree)
    return [tuple(c.count(p) for p in range(parameters)) for c in chosen]


@functools.cache
def places(parameters, sizes):
    """{multi-index: place} of a jet of this shape, each after those below it."""
    if len(sizes) == parameters:
        return {index: index for index in itertools.product(*map(range, sizes))}
    degrees = (indices(parameters, degree) for degree in itertools.count())
    return {
        index: i for i, index in enumerate(itertools.islice(itertools.chain.from_iterable(degrees), *sizes))
    }


@functools.cache
def below(parameters, sizes):
    """[(place, [(axis, place one lower on that axis)])]"""
    where = places(parameters, sizes)
    return [
        (where[index], [(axis, where[lowered(index, axis)]) for axis, n in enumerate(index) if n])
        for index in where
    ]


@functools.cache
def beside(parameters, sizes, axis):
    """(lower, upper): jet[lower] are the coefficients one below jet[upper] on an axis; None if there are none."""
    if len(sizes) == parameters:
        before = (slice(None),) * axis
        return ((*before, slice(None, -1)), (*before, slice(1, None))) if sizes[axis] > 1 else None
    upper = [i for index, i in places(parameters, sizes).items() if index[axis]]
    if len(upper) == 1:
        return slice(0, 1), slice(upper[0], upper[0] + 1)  # no copies
    return (slice(0, len(upper)), upper) if upper else None


def lowered(index, axis):
    return (*index[:axis], index[axis] - 1, *index[axis + 1 :])
