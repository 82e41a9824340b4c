"""Quadrature of an integrand that falls off from one end, on whatever scale."""

import functools

import numpy as np

from hostwrap.special.kernels._quadrature import gauss_legendre

NODES, LEVELS, RATIO = 20, 9, 2.5  # e^-44s is integrated to double precision, and so is e^-40000s


@functools.cache
def graded():
    """Nodes and weights on (0, 1), in panels that shrink geometrically towards 0."""
    x, w = gauss_legendre(NODES)
    ends = np.concatenate([[0.0], RATIO ** np.arange(1.0 - LEVELS, 1)])
    widths = np.diff(ends)[:, None]
    return (ends[:-1, None] + widths * x).ravel(), (widths * w).ravel()


def falling(reach):
    """[node, point] nodes and weights on (0, reach) for an integrand with its maximum at 0."""
    x, w = graded()
    return x[:, None] * reach, w[:, None] * reach
