"""Initial value problems in recorded code: the calls of SciPy, and what they return; see `flow`.

The sizes of SciPy's steps are held (Bock's internal differentiation): they follow from estimates of errors, whose
derivatives have no digit, because each step is chosen by the one before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from hostwrap._copies.retarget import Around, Untraceable
from hostwrap._recipes.solutions import Later
from hostwrap._tracing.tape.array import concrete, moves
from hostwrap._tracing.tape.flow import Flow, InParts, moving
from hostwrap._tracing.tape.implicit import at_value
from hostwrap._tracing.tape.log import Way, only_here, watching
from hostwrap._tracing.tape.minima import Part, bound, plain
from hostwrap._tracing.tape.nodes import keys
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches

_IMPLICIT = (
    "LSODA",
    "BDF",
    "Radau",
)  # whose steps in SciPy are compiled, or end where Newton's iteration does
_COUNTS = ("status", "message", "success", "nfev", "njev", "nlu")
_SIZES = ("_estimate_error_norm", "select_initial_step")  # what the sizes of explicit steps follow from
_STEPS = "the steps of solve_ivp without t_eval="
_FAR = 0.01  # a larger relative distance says that SciPy's tolerances are too large for a derivative


def instead(x: Any) -> Any:
    """The replacement of such a function, or None."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    if not module.startswith("scipy.integrate.") or not callable(x):
        return None
    if name == "solve_ivp":
        return Around(_solve_ivp)
    if name in _SIZES:
        return Around(lambda followed, *args: concrete(followed(*args)))
    return functools.partial(_odeint, x) if name == "odeint" else None


class _Changes(Exception):
    """Raised where a right-hand side takes another branch, to leave SciPy's solver."""


def _checked(name: str, value: np.ndarray, y: Any) -> Any:
    """SciPy's numbers, with derivatives."""
    off = np.max(np.abs(concrete(y) - value), initial=0.0)
    if not off <= _FAR * np.max(np.abs(value), initial=0.0) + 1e-300:
        raise refused(
            name, "SciPy's solution has an error of more than 1 %: give smaller tolerances rtol= and atol="
        )
    return at_value(value, y)


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
    flow = Flow(name, rate, "LSODA", {**how, "max_step": given.get("hmax") or np.inf}, ends, start)
    moved = np.stack(flow.along([times[i] for i in range(len(concrete(times)))], y0))
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
                dy = fun(t, moving(y), *more)
            if ways and way != ways[0]:
                raise _Changes
            ways[:] = [way]
            return dy

        try:
            found = followed(**{**given, "fun": watched, "args": extra or None, "events": events})
            if given.get("t_eval") is None and len(found.t) > 2:
                keys.get([]).append(_STEPS)
            return found
        except _Changes:
            pass
        except Untraceable:  # an event that jumps: perhaps nobody asks for its time
            if not listed:
                raise
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
    if callable(jac := given.get("jac")):
        given["jac"] = lambda t, y: jac(t, y, *extra)
    start, how = np.asarray(concrete(y0)), plain(given)
    own = {k: x for k, x in how.items() if k not in ("method", "first_step")}
    kind = InParts if np.iscomplexobj(start) else Flow
    flow = kind(name, rate, how.get("method", "RK45"), own, ends, start)
    found = scipy.integrate.solve_ivp(
        lambda t, y: concrete(rate(t, y)), ends, start, events=marks or None, dense_output=True,
        t_eval=concrete(times), **how,
    )  # fmt: skip
    if not found.success:
        return found
    last = found.sol.ts[-1]
    passed = [float(t) for every in found.t_events or [] for t in every]
    whole = [
        span[0],
        *passed,
        span[1] if last == ends[1] else last,
        *([] if times is None else _listed(times, last)),
    ]
    order = sorted(range(len(whole)), key=lambda i: abs(float(concrete(whole[i])) - ends[0]))
    states = flow.along([whole[i] for i in order], y0)
    at = {float(concrete(whole[i])): y for i, y in zip(order, states, strict=True)}

    @functools.cache
    def hits() -> list[list[tuple]]:
        return [
            [mark.hit(flow, float(t), z, at[float(t)]) for t, z in zip(times_, states_, strict=True)]
            for mark, times_, states_ in zip(marks, found.t_events, found.y_events, strict=True)
        ]

    if times is None:
        inner = flow.along([span[0], *found.t[1:]], y0)
        if len(inner) > 2:
            keys.get([]).append(_STEPS)
        if found.status == 1:
            end = next(hit for every in hits() for hit in every if concrete(hit[0]) == last)
        else:
            end = span[1], at[ends[1]]
        t, y = [span[0], *found.t[1:-1], end[0]], [*inner[:-1], end[1]]
    else:
        t, y = times, [at[float(s)] for s in found.t]
    parts = {k: found[k] for k in _COUNTS if k in found}
    parts |= {"sol": Dense(flow, span, y0, found.sol) if wants else None, "t_events": None, "y_events": None}
    if listed:
        parts["t_events"] = Later(lambda: [joined([t for t, _ in every]) for every in hits()])
        parts["y_events"] = Later(
            lambda: [np.stack([y for _, y in every]) if every else np.zeros(0) for every in hits()]
        )
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

    def hit(self, flow: Flow | InParts, t: float, found: np.ndarray, y: Any) -> tuple[Any, Any]:
        """The time and the solution near t, with derivatives; `found` is SciPy's."""
        if abs(self(t, found)) > 1e-6 * self.largest:
            raise refused(flow.name, f"an event at t = {t:.6g} jumps, and is not 0 there")
        time, y = flow.at_root(self.event, t, y)
        return time, at_value(found, y)


class Dense:
    """The solution between the steps, as `OdeSolution`."""

    def __init__(self, flow: Flow | InParts, span: Any, y0: Any, found: Any) -> None:
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
        states = self.flow.along([self.span[0], *(times[i] for i in order)], self.y0)[1:]
        found = dict(zip(order, states, strict=True))
        value = np.asarray(self.found(np.array(places)))
        return [at_value(value[:, i], found[i]) for i in range(len(times))]
