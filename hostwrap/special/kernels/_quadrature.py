"""Quadrature for integrals of exp(E) where E falls off to both sides: how far to go, and the nodes."""

import functools
import itertools

import numpy as np

NEGLIGIBLE = -44.0  # e^-44 is 8e-20
BISECTIONS = 12
NODES_PER_PANEL = 16
STEPS = ((0, 0), (2, 0.2), (5, 0.4), (12, 0.6), (30, 0.8))  # at most this long, and this part of the whole


def reach(exponent, longest):
    """How far from its maximum 0 a falling `exponent` is of any account; at most `longest`.

    Bisection on a logarithmic scale, to within one per cent.
    """
    low, high = 1e-9 * longest, longest
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        deep = exponent(middle) < NEGLIGIBLE
        low, high = np.where(deep, low, middle), np.where(deep, middle, high)
    return high


@functools.cache
def gauss_legendre(count):
    """Nodes and weights on (0, 1)."""
    x, w = np.polynomial.legendre.leggauss(count)
    return (x + 1) / 2, w / 2


def panels(left, right):
    """[point, node] nodes and weights on (-left, right) for an integrand with its maximum at 0.

    It decays doubly exponentially on the right, where the panels are short; left they may be hundreds long.
    """
    x, w = gauss_legendre(NODES_PER_PANEL)
    width = left + right
    ends = [*(right - np.minimum(step, width * part) for step, part in STEPS), -left]
    nodes = [(b + (a - b) * x[:, None]).T for a, b in itertools.pairwise(ends)]
    weights = [((a - b) * w[:, None]).T for a, b in itertools.pairwise(ends)]
    return np.concatenate(nodes, axis=1), np.concatenate(weights, axis=1)


def trapezoid(low, high, count):
    """[point, node] equidistant nodes on [low, high], and their distance; the integrand vanishes at both."""
    step = (high - low) / count
    return low[:, None] + step[:, None] * np.arange(count + 1), step[:, None]
