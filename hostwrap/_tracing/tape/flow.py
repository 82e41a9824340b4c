"""Solutions of initial value problems in recorded code: SciPy solves them for concrete numbers; our steps are recorded.

Each is a step of a collocation method, which solves an equation (see `implicit`): Radau IIA with five stages, of order
nine (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.5). Where a comparison has another
outcome, the right-hand side may jump: the step ends there, at a time that moves, too.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.integrate

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape.array import Array, concrete, moves
from hostwrap._tracing.tape.implicit import corrected, jacobian, linearized
from hostwrap._tracing.tape.log import Way, watching
from hostwrap._tracing.tape.nodes import Node, current_level
from hostwrap._tracing.tape.outcomes import DIRECTION
from hostwrap._tracing.tape.refusals import refused
from hostwrap.integrate._complex import joined, parts
from hostwrap.integrate._places import changes, even, margin
from hostwrap.integrate._walk import walk

_OF_NEWTON = ("jac", "jac_sparsity", "lband", "uband")
_MOST = 100  # jumps, and ten times as many kinks
_TRIES = 16  # of places near one: the last is 4**15 as far away as the first


def _radau(stages: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes, and the matrix of the integrals of the Lagrange polynomials up to each of them."""
    legendre = np.polynomial.Legendre.basis
    ends = (legendre(stages) - legendre(stages - 1)).roots()  # with 1
    c = (np.append(np.sort(ends.real)[:-1], 1.0) + 1) / 2
    powers = np.arange(stages)
    return c, (c[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(c[:, None] ** powers)


_C, _A = _radau(5)


class Flow:
    """The solution of `dy/dt = rate(t, y)`; `found(t)` is SciPy's, in numbers, by a method with its options."""

    def __init__(
        self, name: str, rate: Callable, method: str, options: dict, ends: Sequence[float], y0: np.ndarray
    ) -> None:
        self.name, (first, last) = name, map(float, ends)
        self._times_move, self._kinks = False, True
        # so that what they decide is noted; kinks only at places that may move
        self.rate = lambda t, y: rate(moving(t) if self._times_move else recorded(t), moving(y))
        numbers = lambda t, y: concrete(self.rate(t, y))
        begin = lambda t, y: getattr(scipy.integrate, method)(numbers, t, y, last, **options)
        self._jumps = self._bends = 0
        pieces = lambda: list(walk(begin, self._first_change, self._behind, first, y0, last))
        self._pieces = self._without_kinks(pieces)
        self._last: Way | None = None  # at the end of the step before
        at_change = [a.end != b.start for a, b in itertools.pairwise(self._pieces)]
        self.steps = [
            p.end for p, change in zip(self._pieces, [*at_change, False], strict=True) if not change
        ]
        self._sign = 1 if last >= first else -1

    def _without_kinks(self, f: Callable) -> Any:
        """f(), or else f() where kinks do not end steps: a first derivative needs no more than small steps there."""
        try:
            return f()
        except Untraceable:
            if current_level.get() > 1 or not self._kinks:
                raise
        self._kinks, self._jumps = False, 0
        return f()

    def found(self, t: float) -> np.ndarray:
        ends, sign = self._pieces[:-1], self._sign
        return self._pieces[bisect.bisect_left(ends, sign * t, key=lambda piece: sign * piece.end)].at(t)

    def _first_change(
        self, at: Callable, places: Sequence[float], known: Way | None
    ) -> tuple[tuple | None, Way]:
        """The first change of a branch, (before, after, outcomes there), if there is one, and the last outcomes."""
        way = lambda t: self._way(t, at(t))
        ways = [known or way(places[0]), *map(way, places[1:])]
        for left, right, first, other in changes(way, places, ways, operator.eq):
            widest = 1e-8 * abs(places[-1] - places[0])
            apart = margin(way, left, right, first, other, widest, operator.eq)
            return (left - apart, right + apart, first, other), other
        return None, ways[-1]

    def _behind(self, at: Callable, found: tuple) -> tuple[float, np.ndarray]:
        """The time and the state behind a change, if the solution goes on there."""
        before, after = found[:2]
        if self._continuous(before, at(before), after, at(after)):
            self._bends += 1
            if self._bends > 10 * _MOST:
                raise self._too_often(after)
            return after, at(after)
        self._jumps += 1
        sides = (before, at(before)), (after, at(after))
        speeds = self._speed(sides[1], *sides[0]), self._speed(sides[0], *sides[1])
        if speeds[0] * speeds[1] <= 0:
            raise refused(
                self.name,
                f"the right-hand side keeps the solution at a place where it jumps, at t = {after:.6g}: no derivative "
                "is known there",
            )
        if self._jumps > _MOST:
            raise self._too_often(after)
        return after, at(after)

    def _continuous(self, before: float, y: Any, after: float, z: Any) -> bool:
        one, other = concrete(self.rate(before, y)), concrete(self.rate(after, z))
        return bool(np.all(even(one, other, np.max(np.abs([one, other])))))

    def _speed(self, there: tuple, t: float, y: Any) -> float:
        """How fast the solution moves, from here, in the number that is 0 where another branch begins."""
        rate = concrete(self.rate(t, y))
        return float(jacobian(lambda s: self._apart(there, t + s, y + s * rate), np.float64(0.0)))

    def _too_often(self, t: float) -> Untraceable:
        return refused(self.name, f"a branch of the right-hand side changes too often near t = {t:.6g}")

    def advance(self, t0: Any, y0: Any, t1: float) -> tuple[Any, Any]:
        """t1 and y(t1), of y(t0) = y0, which may move; or, if a branch changes before, the place behind the change."""
        start, h = float(concrete(t0)), t1 - float(concrete(t0))
        near = lambda t: self.found(t) + (concrete(y0) - self.found(start))
        stages = [start + c * h for c in _C]
        first = self._last or self._way(stages[0], near(stages[0]))
        change, _ = self._first_change(near, [start, *stages], first)
        if change is None:
            y, met = self._step(t0, y0, t1)
            if _all_equal([first, *met]):
                self._last = met[-1]
                return t1, y
        before, after, *ways = change or (t1, t1)
        turns = bool(ways) and ways[0].change(ways[1]) == DIRECTION  # of which next to 0 rounding decides
        back = (1e-9 if turns else 1e-13) * (abs(before) + abs(h))
        for _ in range(_TRIES):  # all stages lie before the change
            place = before - np.sign(h) * back
            y, met = self._step(t0, y0, place)
            if _all_equal([first, *met]):
                break
            back *= 4
        else:
            raise self._too_often(before)
        for _ in range(_TRIES):  # the place behind the change
            over = after + np.sign(h) * back
            state = concrete(y) + (near(over) - near(place))
            if self._way(over, state) != met[-1]:
                break
            back *= 4
        else:
            raise self._too_often(before)
        self._last = None
        if current_level.get() == 1 and self._continuous(place, concrete(y), over, state):
            return over, self._step(t0, y0, over)[0]
        t, y = self.at_root(functools.partial(self._apart, (over, state)), place, y)
        self._times_move = True
        return t + (over - place), y + (
            state - concrete(y)
        )  # with the derivatives of the place of the change

    def _apart(self, there: tuple, t: Any, y: Any) -> Any:
        """The number that is 0 where the outcomes change to those there. Times move, for else there are fewer."""
        ways = [self._way(moving(time), state) for time, state in ((t, y), there)]
        apart = ways[0].apart(ways[1])
        if apart is None:
            raise refused(self.name, f"the right-hand side takes another branch after t = {concrete(t):.6g}")
        return apart

    def at_root(self, f: Callable, place: float, y: Any) -> tuple[Any, Any]:
        """The time near `place` where f(t, y) = 0, and y there; y is the solution at `place`."""
        off = lambda t: np.reshape(f(t, self._step(place, y, t)[0]), ())
        slope = float(jacobian(off, place))
        if not np.isfinite(slope) or slope == 0:
            raise refused(
                self.name, f"an event at t = {place:.6g} does not move with time: it has no derivative"
            )
        t = corrected(place, off, lambda off: off / slope)
        return t, self._step(place, y, t)[0]

    def _way(self, t: Any, y: Any) -> Way:
        with watching(self._kinks) as way:
            self.rate(t, y)
        return way

    def _step(self, t0: Any, y0: Any, t1: Any) -> tuple[Any, list[Way]]:
        """One step, and the outcomes of comparisons at its stages."""
        h, size = t1 - t0, len(concrete(y0))
        stages = self._stages(float(concrete(t0)), np.asarray(concrete(y0)), float(concrete(h)))
        if stages is None:
            middle = concrete(t0) + concrete(h) / 2
            y, ways = self._step(t0, y0, middle)
            z, more = self._step(middle, y, t1)
            return z, ways + more
        k, inverse = stages
        met: list[Way] = []

        def residual(k: Any) -> Any:
            met.clear()
            rows = []
            for c, a in zip(_C, _A, strict=True):
                with watching(self._kinks) as way:
                    rows.append(self.rate(t0 + c * h, y0 + h * np.matmul(a, k)))
                met.append(way)
            return k - np.stack(rows)

        k = corrected(
            k, residual, lambda off: np.reshape(np.matmul(inverse, np.reshape(off, -1)), (-1, size))
        )
        return y0 + h * np.matmul(_A[-1], k), met

    def _stages(self, t: float, y: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray] | None:
        """The slopes at the stages, by Newton's iteration from SciPy's solution, and the inverse of its matrix."""
        n = len(y)
        matrix, k = np.eye(len(_C) * n), np.zeros((len(_C), n))
        shift = y - self.found(t) if h else 0.0  # of this solution from SciPy's
        for j, c in enumerate(_C):
            at = self.found(t + c * h) + shift if h else y
            k[j], slope = linearized(functools.partial(self.rate, t + c * h), at)
            matrix[j * n : (j + 1) * n] -= h * np.kron(_A[j][None], slope)
        inverse, last = np.linalg.inv(matrix), np.inf
        for _ in range(20 if h else 0):
            rows = [concrete(self.rate(t + c * h, y + h * (a @ k))) for c, a in zip(_C, _A, strict=True)]
            step = np.reshape(inverse @ np.ravel(k - np.stack(rows)), (-1, n))
            k, size = k - step, float(np.max(np.abs(step), initial=0.0))
            if size <= 1e-8 * float(np.max(np.abs(k), initial=0.0)):  # its square is less than a rounding
                return k, inverse
            if not size < last:
                break
            last = size
        if not h:
            return k, inverse
        if abs(h) < 1e-10 * (1 + abs(t)):
            raise refused(self.name, f"the equations of a step at t = {t:.6g} have no solution")
        return None

    def _fits(self, t: float, end: float) -> bool:
        """Whether one step is enough: SciPy's slopes at the stages lead to SciPy's solution."""
        h, (y, z) = end - t, (self.found(t), self.found(end))
        k = np.stack([concrete(self.rate(t + c * h, self.found(t + c * h))) for c in _C])
        off, size = np.abs(y + h * (_A[-1] @ k) - z), np.abs(z)
        return bool(np.all(off <= 1e-9 * (size + 1e-3 * np.max(size))))

    def along(self, times: Any, y0: Any) -> list[Any]:
        """y at these times, the first of which is where y0 is."""
        return self._without_kinks(lambda: self._along(times, y0))

    def _along(self, times: Any, y0: Any) -> list[Any]:
        places, sign, many = [float(concrete(t)) for t in times], self._sign, 1
        ends, self._last = sorted(set(places), key=lambda t: sign * t), None
        t, y, found = times[0], y0, {places[0]: y0}
        for start, end in itertools.pairwise(ends):
            row = [
                *sorted(
                    (s for s in self.steps if sign * start < sign * s < sign * end), key=lambda s: sign * s
                ),
                end,
            ]
            while row:
                many = min(2 * many, 16, len(row))
                while many > 1 and not self._fits(float(concrete(t)), row[many - 1]):
                    many //= 2
                t, y = self.advance(t, y, row[many - 1])
                row = [s for s in row if sign * s > sign * concrete(t)]
            found[end] = y if concrete(t) == end else y + (end - t) * self.rate(t, y)  # a change lies there
        out = [y0]
        for t, place in zip(times[1:], places[1:], strict=True):
            out.append(self._step(place, found[place], t)[0] if moves([t]) else found[place])
        return out


class InParts:
    """The flow of complex numbers, by their real and imaginary parts: a right-hand side may take both apart."""

    def __init__(
        self, name: str, rate: Callable, method: str, options: dict, ends: Sequence[float], y0: np.ndarray
    ) -> None:
        own = {k: np.tile(x, 2) if np.ndim(x) else x for k, x in options.items() if k not in _OF_NEWTON}
        self.name, of_parts = name, lambda t, z: parts(rate(t, joined(z)))
        self._flow = Flow(name, of_parts, method, own, ends, parts(y0))

    def along(self, times: Any, y0: Any) -> list[Any]:
        return [joined(z) for z in self._flow.along(times, parts(y0))]

    def at_root(self, f: Callable, place: float, y: Any) -> tuple[Any, Any]:
        t, z = self._flow.at_root(lambda t, z: f(t, joined(z)), place, parts(y))
        return t, joined(z)


def _all_equal(ways: Sequence[Way]) -> bool:
    """Whether nothing changes from one to the next."""
    return all(map(operator.eq, ways, ways[1:]))


def recorded(x: Any) -> Any:
    return x if isinstance(x, Array) else Array(x, None, current_level.get())


def moving(x: Any) -> Any:
    """An array that records, and counts as one that moves."""
    if moves(x := recorded(x)):
        return x
    return Array(x.value, Node(x.shape, np.iscomplexobj(x.value), x.level), x.level)
