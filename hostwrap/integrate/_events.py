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
from hostwrap._recipes.equations import array
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.solutions import Solution
from hostwrap._wrap import wrap

WITHOUT_TIMES = (
    "solve_ivp: give t_eval=, where the solution is differentiated or compiled: how many steps SciPy takes is not "
    "known. (With dense_output=True it may be left out: then there is `sol`, and no t and y.)"
)


class Problem(NamedTuple):
    """`dy/dt = rate(t, y)` from y0 at `span[0]`, and functions that are 0 at events."""

    rate: Callable
    y0: Any
    span: tuple[Any, Any]
    events: Sequence[Callable] = ()
    kinds: Sequence[Any] = ()  # the user's functions, whose attributes say what they end, and the direction

    @classmethod
    def of(cls, rate: Callable, y0: Any, span: Any, events: Any, args: tuple) -> Problem:
        given = [] if events is None else [events] if callable(events) else list(events)

        def signal(event: Callable) -> Callable:
            event = in_jax(event)
            return lambda t, y: jnp.reshape(array(event(t, y, *args)), ())

        return cls(rate, y0, (array(span[0]), array(span[1])), [signal(e) for e in given], given)

    def closures(self) -> list[Closure]:
        return [Closure("solve_ivp", f, self.span[0], self.y0) for f in (self.rate, *self.events)]

    def solved(
        self, closures: Sequence[Closure], outside: Sequence[Any], y0: Any, span: Any, **how: Any
    ) -> Any:
        """SciPy's result, in NumPy."""
        programs = [c.numpy() for c in closures]

        def function(i: int) -> Callable:
            return lambda t, y: programs[i](outside[i], [np.asarray(t), y])[0]

        def event(i: int) -> Callable:
            f = function(i + 1)
            found = lambda t, y: float(f(t, y))
            for name in ("terminal", "direction"):
                if hasattr(self.kinds[i], name):
                    setattr(found, name, getattr(self.kinds[i], name))
            return found

        events = [event(i) for i in range(len(self.kinds))] or None
        with np.errstate(all="ignore"):
            found = scipy.integrate.solve_ivp(
                function(0), tuple(map(float, span)), np.asarray(y0), events=events, **how
            )
        if not found.success:
            raise RuntimeError(f"the integration stopped: {found.message}")
        return found


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
    found = problem.solved(closures, [[] for _ in closures], problem.y0, problem.span, **how)
    fields = {
        k: jax.tree.map(jnp.asarray, v) for k, v in found.items() if k in ("t", "y", "t_events", "y_events")
    }
    sol = None if found.sol is None else Dense(at, found.sol)
    return Solution({**found, **fields, "sol": sol})


def stops(problem: Problem, closures: Sequence[Closure], **how: Any) -> Any:
    """The times [events] of events that end the integration, as constants; NaN for none."""
    if any(getattr(kind, "terminal", False) not in (True, 1) for kind in problem.kinds):
        raise RuleError(
            "solve_ivp: events= must be terminal (event.terminal = True) where the solution is differentiated or "
            "compiled: how many others there are is not known."
        )

    def host(y0: Any, span: Any, outside: Any) -> Any:
        found = problem.solved(closures, outside, y0, span, **how)
        return np.array([t[0] if len(t) else np.nan for t in found.t_events])

    host.__name__ = "solve_ivp"
    out = jax.ShapeDtypeStruct((len(problem.kinds),), problem.y0.dtype)
    wrapped = wrap(host, out=out, vmap_method="sequential", derivatives="rules")
    span = jnp.stack([t.astype(problem.y0.dtype) for t in problem.span])
    return wrapped(*jax.lax.stop_gradient((problem.y0, span, [c.outside for c in closures])))


def event(problem: Problem, i: int, held: Any, at: Callable) -> tuple[jax.Array, jax.Array]:
    """(time [1], solution [1, n]) of event i, differentiable; `at(t)` [n] is the solution at a time."""
    there = jnp.isfinite(held)
    start = jnp.where(there, held, problem.span[0])
    t = jax.lax.custom_root(
        lambda t: jnp.where(there, problem.events[i](t, at(t)), t - start),
        start,
        lambda _, start: start,
        lambda slope, right: right / slope(jnp.ones_like(right)),
    )
    return jnp.where(there, t, jnp.nan)[None], jnp.where(there, at(t), jnp.nan)[None]
