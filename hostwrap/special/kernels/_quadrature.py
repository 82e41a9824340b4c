"""Quadrature for integrals of exp(E) where E falls off to both sides: how far to go, and the nodes."""

import functools
import itertools

import numpy as np

NEGLIGIBLE = -44.0  # e^-44 is 8e-20
BISECTIONS = 12
NEWTON_STEPS = 5
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
    """Nodes and weights on (0, 1), to a few units in the last place: relative ones, also next to the ends.

    Those of NumPy and SciPy have weights with errors of 1e-11 for 128 nodes. Newton's iteration for s = (1 - x) / 2
    below 1/2 loses nothing, because the recurrence runs in the differences of Legendre polynomials (DLMF 18.9.1).
    """
    k = np.arange((count + 1) // 2)
    s = np.sin(np.pi * (4 * k + 3) / (8 * count + 4)) ** 2
    for _ in range(NEWTON_STEPS):
        value, slope = _legendre(count, s)
        s = s - value / slope
    s[count // 2 :] = 0.5  # the middle one, of an odd number
    weights = 1 / (s * (1 - s) * _legendre(count, s)[1] ** 2)  # DLMF 3.5.25
    return np.concatenate([s, 1 - s[: count // 2][::-1]]), np.concatenate(
        [weights, weights[: count // 2][::-1]]
    )


def _legendre(count, s):
    """P_n(1 - 2 s) and its derivative in s (DLMF 18.9.17)."""
    value, difference = np.ones_like(s), np.zeros_like(s)
    for k in range(count):
        difference = (k * difference - (4 * k + 2) * s * value) / (k + 1)
        value = value + difference
    return value, count * (difference - 2 * s * value) / (2 * s * (1 - s))


def panels(left, right):
    """[point, node] nodes and weights on (-left, right) for an integrand with its maximum at 0."""
    x, w = gauss_legendre(NODES_PER_PANEL)
    parts = spans(left, right)
    nodes = [(start + width * x[:, None]).T for start, width in parts]
    weights = [(width * w[:, None]).T for _, width in parts]
    return np.concatenate(nodes, axis=1), np.concatenate(weights, axis=1)


def spans(left, right):
    """(start, width) of the panels on (-left, right) for an integrand with its maximum at 0.

    It decays doubly exponentially on the right, where the panels are short; left they may be hundreds long.
    """
    width = left + right
    ends = [*(right - np.minimum(step, width * part) for step, part in STEPS), -left]
    return [(b, a - b) for a, b in itertools.pairwise(ends)]


def integrals(terms, parts, count):
    """The integrals of the functions that `terms(t)` lists, over panels (start, width) with so many nodes each.

    Made of loops alone: stand-ins for arrays (see _host/recording) see one node after the other, arrays all nodes of a
    panel at once, and the sums have one order, so the same bits.
    """
    nodes, weights = gauss_legendre(count)
    return functools.reduce(_added, (_panel(terms, start, width, nodes, weights) for start, width in parts))


def _panel(terms, start, width, nodes, weights):
    if isinstance(width, np.ndarray):
        rows = [weights[:, None] * f for f in terms(start + width * nodes[:, None])]
        return [width * functools.reduce(np.add, row) for row in rows]
    each = [
        [w * f for f in terms(start + width * x)]
        for x, w in zip(nodes.tolist(), weights.tolist(), strict=True)
    ]
    return [width * total for total in functools.reduce(_added, each)]


def _added(these, those):
    return [a + b for a, b in zip(these, those, strict=True)]


def trapezoid(low, high, count):
    """[point, node] equidistant nodes on [low, high], and their distance; the integrand vanishes at both."""
    step = (high - low) / count
    return low[:, None] + step[:, None] * np.arange(count + 1), step[:, None]
