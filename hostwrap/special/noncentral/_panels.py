"""Quadrature of an integrand that falls off from one end, on whatever scale."""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, tape_of
from hostwrap.special._numerics.quadrature import gauss_legendre, sums

NODES, LEVELS, RATIO = 20, 9, 2.5  # e^-44s is integrated to double precision, and so is e^-40000s
FINE, FINE_LEVELS = 6, 30  # times as many panels, and down to 3e-12


@functools.cache
def graded(fine):
    """Nodes and weights on (0, 1), in panels that shrink geometrically towards 0."""
    x, w = gauss_legendre(NODES)
    powers = np.arange(1.0 - LEVELS, 1)
    if fine:
        powers = np.concatenate(
            [np.arange(1.0 - FINE_LEVELS, 1.0 - LEVELS), np.arange(FINE * (1 - LEVELS), 1) / FINE]
        )
    ends = np.concatenate([[0.0], RATIO**powers])
    widths = np.diff(ends)[:, None]
    return (ends[:-1, None] + widths * x).ravel(), (widths * w).ravel()


def falling(weighted, reach, fine=False):
    """The sum of `weighted(node, weight)` on (0, reach), for an integrand with its maximum at 0.

    `fine` panels are more, and resolve 1e-11 of the reach, where parts of an integrand differ in scale.
    """
    if tape_of(fine) is not None:
        cases = [
            (fine, lambda reach: falling(weighted, reach, True)),
            (None, lambda reach: falling(weighted, reach)),
        ]
        return piecewise([reach], cases)
    return sums(lambda x, w, reach: [weighted(x * reach, w * reach)], graded(fine), [reach])[0]


def falling_twice(weighted, right, left):
    """The same on (-left, right), for an integrand with its maximum at 0 inside: right of it first."""
    x, w = (np.concatenate([part, part]) for part in graded(False))
    sign = np.repeat([1.0, -1.0], x.size // 2)

    def term(x, w, sign, right, left):
        reach = np.where(sign > 0, right, left)
        return [weighted(sign * (x * reach), w * reach)]

    return sums(term, (x, w, sign), [right, left])[0]
