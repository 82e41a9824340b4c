"""Where outcomes change between places in order, in numbers: the search that integrals and trajectories share.

A switch is a comparison, a sign or a rounding, the outcome of which may change from place to place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

_EPS = np.finfo(float).eps
NO_JUMP = 1e-9  # of the size of a function: two sides so close are equal up to rounding
# at this multiple of the distance a jump is as large, a kink 1000 times as large, and an infinite slope shows
_FAR = 1e3
_AT_LIMIT = 16  # roundings


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=True)


def crossed(
    read: Callable, places: Sequence[float], value: Callable, at_first: np.ndarray | None = None
) -> list[tuple]:
    """Where outcomes change between places in order, for `read(x)` = [outcomes [m], gaps [m]] in one row [2 m].

    [(x, distance to the side before it, and after it, one mask for each switch that changes)]. A switch without a gap
    may change anywhere, as where a loop stops: it has the places where `value(x)` [k] jumps. `at_first` are outcomes
    that are known at the first place.
    """
    unknown = np.isnan(_halves(read(places[0]))[1])
    outcomes = lambda x: at_first if at_first is not None and x == places[0] else outcomes_in(read(x))
    way = lambda x: np.where(unknown, 0.0, outcomes(x))
    widest, found = 1e-8 * abs(places[-1] - places[0]), []
    for left, right, at_left, at_right in changes(way, places, list(map(way, places))):
        apart = margin(way, left, right, at_left, at_right, widest)
        unequal = ~((at_left == at_right) | ((at_left != at_left) & (at_right != at_right)))
        found.append((left, -apart, right - left + apart, np.eye(len(unequal))[unequal]))
    if not np.any(unknown):
        return found
    sign = 1 if places[-1] >= places[0] else -1
    sides = [(x + before, x + after) for x, before, after, _ in found]
    every = sorted({*places, *itertools.chain(*sides)}, key=lambda x: sign * x)
    marks = lambda x: np.where(unknown, outcomes(x), 0.0)
    for a, b in itertools.pairwise(every):
        if (a, b) not in sides and not _same(marks(a), marks(b)):
            found += [(x, 0.0, y - x, np.eye(len(unknown))[unknown]) for x, y in _jump(value, a, b)]
    return sorted(found, key=lambda one: sign * one[0])


def margin(
    way: Callable,
    left: float,
    right: float,
    at_left: Any,
    at_right: Any,
    widest: float,
    same: Callable = _same,
) -> float:
    """How far from a change between left and right its outcomes hold: the rounding of a gap may decide next to it."""
    found = width = right - left + np.copysign(4 * _EPS * max(abs(left), abs(right)), right - left)
    while not (same(way(left - found), at_left) and same(way(right + found), at_right)):
        if abs(found) > widest:
            return width
        found *= 4
    return found


def inward(xp: Any, limit: Any, other: Any, eps: float) -> Any:
    """The step from a limit of an integral to the inside, over what rounding makes of the limit.

    `xp` is NumPy or jax.numpy. Next to a limit of 0 it is short: there, a place has digits of its own.
    """
    width = xp.abs(other - limit)
    step = _AT_LIMIT * eps * xp.abs(limit) + 2.0**-100 * xp.where(xp.isinf(width), 1.0, width)
    return xp.where(other >= limit, 1.0, -1.0) * xp.minimum(step, width / 2)


def even(left: np.ndarray, right: np.ndarray, size: Any) -> np.ndarray:
    """Which numbers on both sides of a place are equal up to rounding, given the size of the function."""
    return np.abs(left - right) <= NO_JUMP * size


def apart(value: Callable, x: float, before: float, after: float) -> tuple[np.ndarray, np.ndarray]:
    """The difference of `value` between the two sides of a place, and between sides that are farther away."""
    return value(x + before) - value(x + after), value(x + _FAR * before) - value(x + _FAR * after)


def jumps(near: np.ndarray, far: np.ndarray, size: Any) -> np.ndarray:
    """Which of the numbers jump, by what is `apart`: a difference at a kink, or a root, grows with the distance."""
    return ~((np.abs(near) <= NO_JUMP * size) | (np.abs(near) <= np.abs(far) / 8))


def outcomes_in(row: Any) -> np.ndarray:
    return _halves(row)[0]


def _halves(row: Any) -> np.ndarray:
    return np.asarray(row, float).reshape(2, -1)


def _jump(value: Callable, a: float, b: float) -> Iterator[tuple[float, float]]:
    """Where a function jumps between a and b, if it does: into the half in which it changes more."""
    at_a, at_b = value(a), value(b)
    tiny, size = abs(b - a) * 2.0**-60, np.maximum(np.abs(at_a), np.abs(at_b))
    apart = lambda u, v: np.max(np.abs(u - v)[size > 0] / size[size > 0], initial=0.0)
    while not apart(at_a, at_b) <= NO_JUMP / 4:
        middle = (a + b) / 2
        if abs(b - a) <= 2 * _EPS * (abs(a) + abs(b)) + tiny or middle in (a, b):
            yield a, b
            return
        at = value(middle)
        a, at_a, b, at_b = (
            (a, at_a, middle, at) if apart(at_a, at) > apart(at, at_b) else (middle, at, b, at_b)
        )


def changes(
    way: Callable, places: Sequence[float], ways: Sequence[Any], same: Callable = _same
) -> Iterator[tuple]:
    """Where outcomes change between places in order: (before, after, outcomes there) of each, by bisection.

    `ways` are the outcomes `way(x)` at these places. Changes that differ by rounding alone are one: a comparison may
    have an outcome of its own at the place itself.
    """
    last: tuple | None = None
    for (a, b), ends in zip(itertools.pairwise(places), itertools.pairwise(ways), strict=True):
        for one in _between(way, a, b, *ends, abs(b - a) * 2.0**-60, same):
            if last is not None and abs(one[0] - last[1]) <= 16 * _EPS * (abs(a) + abs(b)):
                last = (last[0], one[1], last[2], one[3])
                continue
            if last is not None and not same(*last[2:]):
                yield last
            last = one
    if last is not None and not same(*last[2:]):
        yield last


def _between(
    way: Callable, a: float, b: float, at_a: Any, at_b: Any, tiny: float, same: Callable
) -> Iterator[tuple]:
    if same(at_a, at_b):
        return
    middle = (a + b) / 2
    if abs(b - a) <= 2 * _EPS * (abs(a) + abs(b)) + tiny or middle in (a, b):
        yield a, b, at_a, at_b
        return
    at = way(middle)
    yield from _between(way, a, middle, at_a, at, tiny, same)
    yield from _between(way, middle, b, at, at_b, tiny, same)
