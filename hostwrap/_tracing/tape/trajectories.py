"""Initial value problems in recorded code: SciPy solves them for concrete numbers; our steps are recorded.

Each is a step of a collocation method, which solves an equation (see `implicit`): Radau IIA with five stages, of order
nine (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.5). Where a comparison has another
outcome, the right-hand side may jump: the step ends there, at a time that moves, too.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.integrate

from hostwrap._copies.retarget import Around
from hostwrap._tracing.tape.array import Array, concrete, moves
from hostwrap._tracing.tape.implicit import at_value, corrected, jacobian, linearized
from hostwrap._tracing.tape.log import Way, only_here, watching
from hostwrap._tracing.tape.minima import Part, bound, plain
from hostwrap._tracing.tape.nodes import current_level, keys
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches

_IMPLICIT = (
    "LSODA",
    "BDF",
    "Radau",
)  # whose steps in SciPy are compiled, or end where Newton's iteration does
_COUNTS = ("status", "message", "success", "nfev", "njev", "nlu")
_FAR = 0.01  # a larger relative distance says that SciPy's tolerances are too large for a derivative


def instead(x: Any) -> Any:
    """The replacement of such a function, or None."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    if not module.startswith("scipy.integrate.") or not callable(x):
        return None
    if name == "solve_ivp":
        return Around(_solve_ivp)
    return functools.partial(_odeint, x) if name == "odeint" else None


def _radau(stages: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes, and the matrix of the integrals of the Lagrange polynomials up to each of them."""
    legendre = np.polynomial.Legendre.basis
    ends = (legendre(stages) - legendre(stages - 1)).roots()  # with 1
    c = (np.append(np.sort(ends.real)[:-1], 1.0) + 1) / 2
    powers = np.arange(stages)
    return c, (c[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(c[:, None] ** powers)


_C, _A = _radau(5)


class Flow:
    """The solution of `dy/dt = rate(t, y)`; `found(t)` is SciPy's, in numbers."""

    def __init__(self, name: str, rate: Callable, found: Callable) -> None:
        self.name, self.found = name, found
        self.rate = lambda t, y: rate(_recorded(t), _recorded(y))  # so that their comparisons are noted
        self._last: Way | None = None  # at the end of the step before
        self._changes = 0

    def advance(self, t0: Any, y0: Any, t1: float) -> tuple[Any, Any]:
        """t1 and y(t1), of y(t0) = y0, which may move; or, if a branch changes before, the place behind the change."""
        y, ways = self._step(t0, y0, t1)
        first = self._last or ways[0]
        change = next((i for i, way in enumerate(ways) if way != first), None)
        if change is None:
            self._last = first
            return t1, y
        start, h, self._changes = concrete(t0), concrete(t1) - concrete(t0), self._changes + 1
        if self._changes > 50:
            raise refused(
                self.name, f"a branch of the right-hand side changes too often near t = {start:.6g}"
            )
        before, after = start, start + (_C[change] if len(ways) == len(_C) else 1.0) * h
        near = lambda t: self.found(t) + (concrete(y0) - self.found(start))
        for _ in range(60):
            middle = (before + after) / 2
            same = self._way(middle, near(middle)) == first
            before, after = (middle, after) if same else (before, middle)
        back = 1e-13 * (abs(before) + abs(h))
        for _ in range(12):  # all stages lie before the change
            place = before - np.sign(h) * back
            y, found = self._step(t0, y0, place)
            if all(way == first for way in found):
                break
            back *= 4
        else:
            raise refused(
                self.name, f"a branch of the right-hand side changes too often near t = {before:.6g}"
            )
        for _ in range(12):  # the place behind the change
            over = after + np.sign(h) * back
            state = concrete(y) + (near(over) - near(place))
            if (other := self._way(over, state)) != first:
                break
            back *= 4
        else:
            raise refused(
                self.name, f"a branch of the right-hand side changes too often near t = {before:.6g}"
            )
        t, y = self.at_root(functools.partial(self._apart, other), place, y)
        self._last = None
        return t + (over - place), y + (
            state - concrete(y)
        )  # with the derivatives of the place of the change

    def _apart(self, other: Way, t: Any, y: Any) -> Any:
        apart = self._way(t, y).apart(other)
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
        with watching() as way:
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
                with watching() as way:
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

    def along(self, times: Any, y0: Any, steps: Sequence[float]) -> list[Any]:
        """y at these times, the first of which is where y0 is; `steps` are places in between."""
        places = [float(concrete(t)) for t in times]
        sign, many = (1 if places[-1] >= places[0] else -1), 1
        ends, self._last = sorted(set(places), key=lambda t: sign * t), None
        t, y, found = times[0], y0, {places[0]: y0}
        for start, end in itertools.pairwise(ends):
            row = [
                *sorted((s for s in steps if sign * start < sign * s < sign * end), key=lambda s: sign * s),
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


def _recorded(x: Any) -> Any:
    return x if isinstance(x, Array) else Array(x, None, current_level.get())


def _checked(name: str, value: np.ndarray, y: Any) -> Any:
    """SciPy's numbers, with derivatives."""
    off = np.max(np.abs(concrete(y) - value), initial=0.0)
    if not off <= _FAR * np.max(np.abs(value), initial=0.0) + 1e-300:
        raise refused(
            name, "SciPy's solution has an error of more than 1 %: give smaller tolerances rtol= and atol="
        )
    return at_value(value, y)


# ---- SciPy's calls


def _rate(fun: Callable, args: tuple) -> Callable:
    return lambda t, y: np.reshape(joined(fun(t, y, *args)), -1)


def _odeint(function: Callable, *args: Any, **kwargs: Any) -> Any:
    if not reaches([args, kwargs], moves):
        return function(*args, **kwargs)
    given, name = bound(function, args, kwargs), "scipy.integrate.odeint"
    only_here()
    found = function(**plain(given))
    func, extra, first = given["func"], given.get("args", ()), given.get("tfirst")
    extra = extra if isinstance(extra, tuple) else (extra,)
    rate = _rate(func if first else lambda t, y, *more: func(y, t, *more), extra)
    y0, times = np.reshape(joined(given["y0"]), -1), joined(given["t"])
    y = found[0] if isinstance(found, tuple) else found
    ends, start = concrete(times)[[0, -1]], np.asarray(concrete(y0), float)
    how = {k: concrete(given[k]) for k in ("rtol", "atol") if given.get(k) is not None}
    how = {"rtol": 1.49012e-8, "atol": 1.49012e-8, **how}
    known = scipy.integrate.solve_ivp(
        lambda t, y: concrete(rate(t, y)), ends, start, "LSODA", dense_output=True,
        max_step=given.get("hmax") or np.inf, **how,
    )  # fmt: skip
    flow = Flow(name, rate, known.sol)
    moved = np.stack(flow.along([times[i] for i in range(len(concrete(times)))], y0, list(known.sol.ts)))
    y = _checked(name, y, moved)
    return (y, *found[1:]) if isinstance(found, tuple) else y


def _solve_ivp(followed: Callable, *args: Any, **kwargs: Any) -> Any:
    """SciPy's own steps, if they are explicit and no branch of the right-hand side changes; else ours."""
    given = bound(scipy.integrate.solve_ivp, args, kwargs)
    if not reaches([args, kwargs], moves):
        return followed(*args, **kwargs)
    only_here()
    fun, extra = given.pop("fun"), given.pop("args", None)
    extra = () if extra is None else tuple(extra) if isinstance(extra, list | tuple) else (extra,)
    method = given.get("method", "RK45")
    if not isinstance(method, str):
        return followed(*args, **kwargs)
    events = given.pop("events", None)
    listed = [] if events is None else [events] if callable(events) else list(events)
    if method not in _IMPLICIT:
        ways: list[Way] = []

        def watched(t: Any, y: Any, *more: Any) -> Any:
            with watching() as way:
                dy = fun(t, y, *more)
            if not ways or way != ways[0]:
                ways.append(way)
            return dy

        found = followed(**{**given, "fun": watched, "args": extra or None, "events": events})
        if len(ways) <= 1:
            return found
    return _by_steps(fun, extra, listed, given)


def _by_steps(fun: Callable, extra: tuple, listed: list[Callable], given: dict[str, Any]) -> Any:
    name, wants = "scipy.integrate.solve_ivp", given.pop("dense_output", False)
    span, y0, times = given.pop("t_span"), np.reshape(joined(given.pop("y0")), -1), given.pop("t_eval", None)
    if given.pop("vectorized", False):
        column, fun = (
            fun,
            lambda t, y, *more: np.reshape(joined(column(t, np.reshape(y, (-1, 1)), *more)), -1),
        )
    rate, ends = _rate(fun, extra), [float(concrete(t)) for t in span]
    marks = [_Mark(event, extra) for event in listed]
    found = scipy.integrate.solve_ivp(
        lambda t, y: concrete(rate(t, y)), ends, np.asarray(concrete(y0)), events=marks or None, dense_output=True,
        t_eval=concrete(times), **plain(given),
    )  # fmt: skip
    if not found.success:
        return found
    flow, last = Flow(name, rate, found.sol), found.sol.ts[-1]
    passed = [float(t) for every in found.t_events or [] for t in every]
    steps = list(found.sol.ts)
    whole = [
        span[0],
        *passed,
        span[1] if last == ends[1] else last,
        *([] if times is None else _listed(times, last)),
    ]
    order = sorted(range(len(whole)), key=lambda i: abs(float(concrete(whole[i])) - ends[0]))
    states = flow.along([whole[i] for i in order], y0, steps)
    at = {float(concrete(whole[i])): y for i, y in zip(order, states, strict=True)}
    hits = [
        [mark.hit(flow, float(t), z, at[float(t)]) for t, z in zip(times_, states_, strict=True)]
        for mark, times_, states_ in zip(marks, found.t_events or [], found.y_events or [], strict=True)
    ]  # fmt: skip
    final = next(
        (hit for every in hits for hit in every if found.status == 1 and concrete(hit[0]) == last), None
    )
    if times is None:
        inner = flow.along([span[0], *found.t[1:]], y0, steps)
        if len(inner) > 2:
            keys.get([]).append("the steps of solve_ivp without t_eval=")
        end = (span[1], at[ends[1]]) if final is None else final
        t, y = [span[0], *found.t[1:-1], end[0]], [*inner[:-1], end[1]]
    else:
        t, y = times, [at[float(s)] for s in found.t]
    parts = {k: found[k] for k in _COUNTS if k in found}
    parts |= {"sol": Dense(flow, span, y0, found.sol) if wants else None, "t_events": None, "y_events": None}
    if listed:
        parts["t_events"] = [
            np.array([t for t, _ in every], like=y0) if every else np.zeros(0) for every in hits
        ]
        parts["y_events"] = [np.stack([y for _, y in every]) if every else np.zeros(0) for every in hits]
    columns = np.stack(y, axis=1) if y else found.y
    return Part(t=joined(t)[: len(found.t)], y=_checked(name, found.y, columns), **parts)


def _listed(times: Any, last: float) -> list[Any]:
    kept, first = joined(times), float(concrete(times)[0])
    return [kept[i] for i, t in enumerate(concrete(kept)) if abs(t - first) <= abs(last - first)]


class _Mark:
    """An event in numbers."""

    def __init__(self, event: Callable, extra: tuple) -> None:
        self.event, self.largest = (lambda t, y: event(t, y, *extra)), 0.0
        for name in ("terminal", "direction"):
            if hasattr(event, name):
                setattr(self, name, getattr(event, name))

    def __call__(self, t: Any, y: Any) -> float:
        value = float(np.ravel(concrete(joined(self.event(t, y))))[0])
        self.largest = max(self.largest, abs(value))
        return value

    def hit(self, flow: Flow, t: float, found: np.ndarray, y: Any) -> tuple[Any, Any]:
        """The time and the solution near t, with derivatives; `found` is SciPy's."""
        if abs(self(t, found)) > 1e-6 * self.largest:
            raise refused(flow.name, f"an event at t = {t:.6g} jumps, and is not 0 there")
        time, y = flow.at_root(self.event, t, y)
        return time, at_value(found, y)


class Dense:
    """The solution between the steps, as `OdeSolution`."""

    def __init__(self, flow: Flow, span: Any, y0: Any, found: Any) -> None:
        self.flow, self.span, self.y0, self.found = flow, span, y0, found
        self.t_min, self.t_max, self.ts = found.t_min, found.t_max, found.ts

    def __call__(self, t: Any) -> Any:
        t = joined(t) if isinstance(t, list | tuple) else t
        if np.ndim(t) == 0:
            return self._at([t])[0]
        return np.stack(self._at([t[i] for i in range(len(concrete(t)))]), axis=1)

    def _at(self, times: list[Any]) -> list[Any]:
        places = [float(concrete(t)) for t in times]
        order = sorted(range(len(times)), key=lambda i: abs(places[i] - self.ts[0]))
        if min(places) < self.t_min or max(places) > self.t_max:
            raise refused("scipy.integrate.solve_ivp", "the solution is extrapolated beyond its ends")
        states = self.flow.along([self.span[0], *(times[i] for i in order)], self.y0, list(self.ts))[1:]
        found = dict(zip(order, states, strict=True))
        value = np.asarray(self.found(np.array(places)))
        return [at_value(value[:, i], found[i]) for i in range(len(times))]
