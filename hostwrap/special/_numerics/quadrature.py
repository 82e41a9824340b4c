"""Quadrature for integrals of exp(E), where E decreases on both sides of a maximum: the range, and the nodes."""

import functools
import itertools

import numpy as np

from hostwrap.special._numerics.pointwise import places, tape_of

NEGLIGIBLE = -44.0  # e^-44 is 8e-20
BISECTIONS = 12
NEWTON_STEPS = 5
NODES_PER_PANEL = 16
AT_ONCE = 2**15  # nodes in one temporary, so that it stays in the cache
STEPS = (
    (0, 0),
    (2, 0.2),
    (5, 0.4),
    (12, 0.6),
    (30, 0.8),
)  # the longest panel: absolute, and relative to the whole range


def reach(exponent, longest):
    """The distance from the maximum, where a decreasing `exponent` is 0, to where its exponential is negligible.

    By bisection on a logarithmic scale, to within one per cent; at most `longest`.
    """

    def halved(turn, low, high):
        middle = np.sqrt(low) * np.sqrt(high)  # the product may underflow
        deep = exponent(middle) < NEGLIGIBLE
        return np.where(deep, low, middle), np.where(deep, middle, high), turn < BISECTIONS - 1

    *ends, _ = halved(0, 1e-9 * longest, longest)
    recorder = tape_of(*ends)
    if recorder is not None:
        return recorder.repeat(lambda turn, *ends: halved(turn + 1, *ends), ends, (), BISECTIONS)[1]
    for turn in range(1, BISECTIONS):
        *ends, _ = halved(turn, *ends)
    return ends[1]


@functools.cache
def gauss_legendre(count):
    """Nodes and weights on (0, 1) with relative errors of a few units in the last place, also next to the ends.

    (The weights of NumPy and SciPy have errors of 1e-11 for 128 nodes.) Newton's iteration for s = (1 - x) / 2 below
    1/2 does not cancel, because the recurrence runs in differences of Legendre polynomials (DLMF 18.9.1).
    """
    k = np.arange((count + 1) // 2)
    s = np.sin(np.pi * (4 * k + 3) / (8 * count + 4)) ** 2
    for _ in range(NEWTON_STEPS):
        value, slope = _legendre(count, s)
        s = s - value / slope
    s[count // 2 :] = 0.5  # the middle node of an odd number of nodes
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

    On the right it decays doubly exponentially, so panels are short; on the left they may have a length of hundreds.
    """
    width = left + right
    ends = [*(right - np.minimum(step, width * part) for step, part in STEPS), -left]
    return [(b, a - b) for a, b in itertools.pairwise(ends)]


def integrals(terms, parts, count):
    """The integrals of the functions that `terms(t)` lists, over panels (start, width) with `count` nodes each.

    Arrays take all nodes of a panel at once, recorded stand-ins (see `Host.record`) one node after the other. Both
    sum in the same order, so the bits agree.
    """
    nodes, weights = gauss_legendre(count)
    recorder = tape_of(*itertools.chain(*parts))
    if recorder is None:
        return functools.reduce(_added, (_panel(terms, *part, nodes, weights) for part in parts))

    def panel(start, width):
        each = lambda x, w: [w * f for f in terms(start + width * x)]
        return [width * total for total in recorder.added(each, [nodes, weights])]

    def numbered(k):
        start, width = parts[-1]
        for i, part in enumerate(parts[:-1]):
            start, width = np.where(k == i, part[0], start), np.where(k == i, part[1], width)
        return panel(start, width)

    return recorder.added(numbered, [np.arange(float(len(parts)))]) if len(parts) > 1 else panel(*parts[0])


def sums(terms, columns, args):
    """The sums over rows of the terms that `terms(*row, *args)` lists.

    Arrays take all rows at once, recorded stand-ins one after the other, as in `integrals`.
    """
    recorder = tape_of(*args)
    if recorder is None:
        rows = terms(*(column[:, None] for column in columns), *args)
        return [functools.reduce(np.add, row) for row in rows]
    return list(recorder.added(lambda *row: terms(*row, *args), columns))


def counted(term, count, most, args):
    """The sum of term(k, *args) over k = 0, 1, ..., count - 1, with a `count` for each point.

    NaN if it exceeds `most`.
    """
    return counted_sums(lambda *args: [term(*args)], 1, count, most, args)[0]


def counted_sums(terms, sums, count, most, args):
    """The same for functions that `terms(k, *args)` lists, so many of them."""
    recorder = tape_of(count, *args)
    if recorder is not None:

        def add(turn, *now):
            count, *args = now[sums:]
            added = [total + f for total, f in zip(now[:sums], terms(turn, *args), strict=True)]
            return *added, turn < count - 1

        return recorder.repeat(add, [-0.0] * sums, [count, *args], most)
    count = np.where(count <= most, count, 0.0)
    totals = np.full((sums, *count.shape), np.nan, np.result_type(float, *args))
    for size in np.unique(count[count > 0]):
        here = places(count == size)
        k = np.arange(size)[:, None]
        for part in np.array_split(here, 1 + here.size * int(size) // AT_ONCE):
            part = np.repeat(part, 2) if part.size == 1 else part
            rows = terms(k, *(a[part] for a in args))
            totals[:, part] = [functools.reduce(np.add, row) for row in rows]
    return totals


def _panel(terms, start, width, nodes, weights):
    rows = [weights[:, None] * f for f in terms(start + width * nodes[:, None])]
    return [width * functools.reduce(np.add, row) for row in rows]


def _added(these, those):
    return [a + b for a, b in zip(these, those, strict=True)]


def moments(e, t, n):
    """The list of e t^k, k = 0..n."""
    return list(itertools.accumulate([e, *[t] * n], np.multiply))


def trapezoids(terms, low, high, count):
    """The integrals of the functions that `terms(t)` lists, by the trapezoidal rule; it can be recorded."""
    step, nodes, recorder = (high - low) / count, np.arange(count + 1.0), tape_of(low, high)
    if recorder is None:
        totals = [functools.reduce(np.add, f) for f in terms(low + step * nodes[:, None])]
    else:
        totals = recorder.added(lambda k: terms(low + step * k), [nodes])
    return [step * total for total in totals]


def trapezoid(low, high, count):
    """[point, node] equidistant nodes on [low, high], and their distance; the integrand vanishes at both ends."""
    step = (high - low) / count
    return low[:, None] + step[:, None] * np.arange(count + 1), step[:, None]
