"""Quadrature of an integrand that falls off from one end, on whatever scale."""

import functools

import numpy as np

from hostwrap.special._numerics.quadrature import gauss_legendre

NODES, LEVELS, RATIO = 20, 9, 2.5  # e^-44s is integrated to double precision, and so is e^-40000s
FINE_LEVELS = 30  # down to 3e-12


@functools.cache
def graded(fine):
    """Nodes and weights on (0, 1), in panels that shrink geometrically towards 0."""
    x, w = gauss_legendre(NODES)
    powers = np.arange(1.0 - LEVELS, 1)
    if fine:
        powers = np.concatenate(
            [np.arange(1.0 - FINE_LEVELS, 1.0 - LEVELS), np.arange(3 - 3 * LEVELS, 1) / 3]
        )
    ends = np.concatenate([[0.0], RATIO**powers])
    widths = np.diff(ends)[:, None]
    return (ends[:-1, None] + widths * x).ravel(), (widths * w).ravel()


def falling(reach, fine=False):
    """[node, point] nodes and weights on (0, reach) for an integrand with its maximum at 0.

    `fine` panels are three times as many, and resolve 1e-11 of the reach, where parts of an integrand differ in scale.
    """
    x, w = graded(fine)
    return x[:, None] * reach, w[:, None] * reach
