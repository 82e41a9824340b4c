"""All that `scipy.integrate.solve_ivp` returns: its own steps, a solution for any time, and events.

If nothing is traced, the result is SciPy's. An event is a root of g(t, y(t)), which SciPy finds. By the implicit
function theorem it moves by `dt = -dg / (g_t + g_y f)`. In a trace the number of steps and events is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from hostwrap._errors import RuleError
from hostwrap._recipes.closures import Closure
from hostwrap._recipes.equations import array, implicit, like
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.solutions import Solution
from hostwrap._wrap import wrap
from hostwrap.integrate._complex import joined, parts

WITHOUT_TIMES = (
    "solve_ivp: give t_eval=, where the solution is differentiated or compiled: how many steps SciPy takes is not "
    "known. (With dense_output=True it may be left out: then there is `sol`, and no t and y.)"
)


class Problem(NamedTuple):
    """`dy/dt = rate(t, y)` from y0 at `span[0]`, and functions that are 0 at events; complex numbers by their parts."""

    rate: Callable
    y0: Any
    span: tuple[Any, Any]
    events: Sequence[Callable] = ()
    kinds: Sequence[Any] = ()  # the user's functions, whose attributes say what they end, and the direction
    is_complex: bool = False

    @classmethod
    def of(cls, rate: Callable, y0: Any, span: Any, events: Any, args: tuple, is_complex: bool) -> Problem:
        given = [] if events is None else [events] if callable(events) else list(events)

        def signal(event: Callable) -> Callable:
            event = in_jax(event)
            return lambda t, y: jnp.reshape(array(event(t, joined(y) if is_complex else y, *args)), ())

        return cls(rate, y0, (array(span[0]), array(span[1])), [signal(e) for e in given], given, is_complex)

    def closures(self) -> list[Closure]:
        return [Closure("solve_ivp", f, self.span[0], self.y0) for f in (self.rate, *self.events)]

    def solved(
        self, closures: Sequence[Closure], outside: Sequence[Any], y0: Any, span: Any, **how: Any
    ) -> tuple[Any, Callable, list[Signal]]:
        """SciPy's result, the right-hand side and the events, in NumPy."""

        def called(closure: Closure, outside: Any) -> Callable:
            program = closure.numpy()
            as_real = parts if self.is_complex else lambda y: y
            return lambda t, y: program(outside, [np.asarray(t), as_real(y)])[0]

        rate, *events = map(called, closures, outside)
        y0 = np.asarray(y0)
        if self.is_complex:
            of_parts, y0 = rate, joined(y0)
            rate = lambda t, y: joined(of_parts(t, y))
        signals = list(map(Signal, events, self.kinds))
        with np.errstate(all="ignore"):
            found = scipy.integrate.solve_ivp(
                rate, tuple(map(float, span)), y0, events=signals or None, **how
            )
        if not found.success:
            raise RuntimeError(f"the integration stopped: {found.message}")
        return found, rate, signals


class Signal:
    """An event on the host, with the attributes of the user's."""

    def __init__(self, f: Callable, kind: Any) -> None:
        self.f, self.largest = f, 0.0
        for name in ("terminal", "direction"):
            if hasattr(kind, name):
                setattr(self, name, getattr(kind, name))

    def __call__(self, t: Any, y: Any) -> float:
        value = float(self.f(t, y))
        self.largest = max(self.largest, abs(value))
        return value

    def jumps(self, t: float, y: Any, rate: Any, step: float) -> bool:
        """Whether it is not 0 next to a change of sign, on the tangent of the solution."""
        near = max(1e-9 * abs(step), 4 * np.finfo(float).eps * abs(t))
        return any(abs(self(t + s, y + s * rate)) > 1e-6 * self.largest for s in (-near, 0.0, near))


def is_known(problem: Problem, closures: Sequence[Closure], *more: Any) -> bool:
    """Whether nothing is traced."""
    given = problem.y0, problem.span, [c.outside for c in closures], more
    return not any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves(given))


class Dense:
    """`sol(t)`: y [n] at a time, or [n, k] at k times in any order; differentiable in t and what it is made of."""

    def __init__(self, at: Callable, known: Callable | None = None) -> None:
        self._at, self._known = at, known

    def __call__(self, t: Any) -> jax.Array:
        t = array(t)
        if self._known is not None and not isinstance(t, jax.core.Tracer):
            return jnp.asarray(self._known(np.asarray(t)))
        order = jnp.argsort(jnp.ravel(t))
        found = self._at(jnp.ravel(t)[order])[:, jnp.argsort(order)]
        return found if t.ndim else found[:, 0]


def as_it_is(problem: Problem, closures: Sequence[Closure], at: Callable, **how: Any) -> Solution:
    """SciPy's own result for known arrays; `at(times)` is the solution at traced times."""
    found, *_ = problem.solved(closures, [[] for _ in closures], problem.y0, problem.span, **how)
    fields = {
        k: jax.tree.map(jnp.asarray, v) for k, v in found.items() if k in ("t", "y", "t_events", "y_events")
    }
    sol = None if found.sol is None else Dense(at, found.sol)
    return Solution({**found, **fields, "sol": sol})


def stops(problem: Problem, closures: Sequence[Closure], **how: Any) -> tuple[jax.Array, jax.Array]:
    """The times [events] of events that end the integration, NaN for none, and which jump there; as constants."""
    if any(getattr(kind, "terminal", False) not in (True, 1) for kind in problem.kinds):
        raise RuleError(
            "solve_ivp: events= must be terminal (event.terminal = True) where the solution is differentiated or "
            "compiled: how many others there are is not known."
        )

    def host(y0: Any, span: Any, outside: Any) -> Any:
        found, rate, signals = problem.solved(closures, outside, y0, span, **how)
        times, jumps = np.full(len(signals), np.nan), np.zeros(len(signals), bool)
        with np.errstate(all="ignore"):
            for i, (signal, t, y) in enumerate(zip(signals, found.t_events, found.y_events, strict=True)):
                if len(t):  # it ends the last step
                    times[i] = t[0]
                    jumps[i] = signal.jumps(t[0], y[0], rate(t[0], y[0]), found.t[-1] - found.t[-2])
        return times, jumps

    host.__name__ = "solve_ivp"
    shape = (len(problem.kinds),)
    out = jax.ShapeDtypeStruct(shape, problem.y0.dtype), jax.ShapeDtypeStruct(shape, bool)
    wrapped = wrap(host, out=out, vmap_method="sequential", derivatives="rules")
    span = jnp.stack([t.astype(problem.y0.dtype) for t in problem.span])
    return wrapped(*jax.lax.stop_gradient((problem.y0, span, [c.outside for c in closures])))


def event(problem: Problem, i: int, held: Any, jumps: Any, at: Callable) -> tuple[jax.Array, jax.Array]:
    """(time [1], solution [1, n]) of event i, differentiable; `at(t)` [n] is the solution at a time.

    The unknown is the time since the start: the solution there may differ from the one that SciPy looked at for the
    event by SciPy's tolerance, and this error is small beside it. An event that jumps, or does not move with time,
    counts as one that never is 0.
    """
    first, there = problem.span[0], jnp.isfinite(held)
    known = jnp.where(there, held - first, 0).astype(held.dtype)

    def signal(since: Any) -> Any:
        t = first + since
        y = at(t)
        value, slope = jax.jvp(problem.events[i], (t, y), (jnp.ones_like(t), problem.rate(t, y)))
        value = jnp.where(jumps | (slope == 0), 1.0, value)
        return jnp.where(there, value, since).astype(held.dtype)

    since = implicit(
        f"event {i} of solve_ivp", [signal], known, jax.lax.stop_gradient(known), lambda known, _: known,
        lambda since, _, signals: signals[0](since), like(known, shape=()), rtol=0.1, symmetric=True,
        solve=lambda slope, right: right / slope(jnp.ones_like(right)),
    )  # fmt: skip
    t = first + since
    return jnp.where(there, t, jnp.nan)[None], jnp.where(there, at(t), jnp.nan)[None]
