"""SciPy's initial value problems, with right-hand sides that may close over traced numbers.

The solution is SciPy's. Its derivative in a parameter or in the start value solves the variational equations (Hairer,
Norsett and Wanner, Solving Ordinary Differential Equations I, section I.14). They are solved together with the problem,
by the same method, and are an initial value problem themselves; so there are derivatives of any order. The derivative
in the times is the right-hand side.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from hostwrap._errors import NotTaken, RuleError
from hostwrap._recipes.closures import Closure, wide
from hostwrap._recipes.equations import array, like, numbers, real
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Later, Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import Wrapped, wrap
from hostwrap.integrate._complex import by_scipy, joined, parts
from hostwrap.integrate._crossings import Crossings
from hostwrap.integrate._events import WITHOUT_TIMES, Dense, Problem, as_it_is, event, is_known, stops
from hostwrap.integrate._switches import Inside

_OF_NEWTON = ("jac", "jac_sparsity", "lband", "uband")  # the Jacobian that implicit methods iterate with


class Integrator(NamedTuple):
    """A method of SciPy. The last argument of both says whether derivatives are solved, too."""

    whole: Callable[[Callable, Any, Any, bool], Any]  # (f(t, y), start, times, ..) -> [n, k]
    stepper: Callable[[Callable, float, Any, float], Any]  # (f, t, y, end) -> a `scipy.integrate.OdeSolver`


def trajectory(name: str, f: Callable, start: Any, times: Any, integrator: Integrator) -> jax.Array:
    """y [n, k] with `dy/dt = f(t, y)` and `y(times[0]) = start`."""
    if start.ndim != 1 or times.ndim != 1 or not times.shape[0]:
        raise RuleError(
            f"{name}: wants y0 of shape (n,) and times of shape (k,), got {start.shape} and {times.shape}."
        )
    dtype = like(start, times, shape=()).dtype
    start, times = start.astype(dtype), times.astype(dtype)
    closure = Closure(name, f, times[0], start)
    if [out.shape for out in closure.out] != [start.shape]:
        came = [out.shape for out in closure.out]
        raise RuleError(f"{name}: the right-hand side must have the shape of y, {start.shape}, got {came}.")
    body = closure.jax
    rate = lambda t, y, *outside: body(outside, t, y)
    given = start, times, *closure.outside
    return _flow(name, rate, given, integrator, first=True)(*given)


def _flow(
    name: str, rate: Callable, given: Sequence[Any], integrator: Integrator, first: bool = False,
    crossings: Crossings | None = None,
) -> Wrapped:  # fmt: skip
    start, times, *outside = given
    n, k = start.shape[0], times.shape[0]
    time = jax.ShapeDtypeStruct((), times.dtype)
    examples = [time, *(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in (start, *outside))]
    program = Closure(name, rate, *examples).numpy() if crossings is None else None
    jumping = None if crossings is None else crossings.solver(rate, examples)
    known = functools.cache(lambda: Crossings.of(name, rate, examples) if first else crossings)

    def solve(start: Any, times: Any, *outside: Any) -> Any:
        with np.errstate(all="ignore"):
            if jumping is not None:
                whole = lambda f: integrator.whole(f, start, times, True)
                return jumping(whole, integrator.stepper, start, times, outside)
            rates = program.of_numbers([], wide(outside))
            return integrator.whole(
                lambda t, y: np.array(rates(float(t), *y.tolist())), start, times, not first
            )

    def in_start(ans: Any, start: Any, times: Any, *outside: Any) -> Any:
        at = jnp.eye(n, dtype=start.dtype)
        return _sensitivity(name, rate, None, at, (start, times, *outside), integrator, known())

    def in_times(ans: Any, start: Any, times: Any, *outside: Any) -> Any:
        """The solution at times with tangents: each place moves with its own time, and all move with the first one."""
        rates = jax.vmap(lambda t, y: rate(t, y, *outside), (0, 1), 1)(times, ans)
        moved = in_start(ans, start, times, *outside) @ rates[:, 0]
        return (rates[..., None] * jnp.eye(k)).at[..., 0].add(-moved)

    def inside(i: int) -> Callable:
        def partial(ans: Any, start: Any, times: Any, *outside: Any) -> Any:
            at = jnp.zeros((n, outside[i].size), start.dtype)
            found = _sensitivity(name, rate, i, at, (start, times, *outside), integrator, known())
            return found.reshape(n, k, *outside[i].shape)

        return partial

    names = ["start", "times", *(f"outside{i}" for i in range(len(outside)))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    solve.__signature__ = inspect.Signature([inspect.Parameter(x, kind) for x in names])  # type: ignore[attr-defined]
    solve.__name__ = name
    solve.inside = Inside(  # type: ignore[attr-defined]
        rate,
        lambda x: ([[x[1]._replace(value=x[1].value[0]), x[0]]], x[2:]),
        places=lambda operands, results: (operands[1], results[0].T),
    )
    return wrap(
        solve, out=like(*given, shape=(n, k)), vmap_method="sequential", thread_safe=True
    ).defpartials(in_start, in_times, *(inside(i) for i in range(len(outside))))


def _sensitivity(
    name: str, rate: Callable, i: int | None, at: Any, given: Sequence[Any], integrator: Integrator,
    crossings: Crossings | None,
) -> Any:  # fmt: skip
    """The derivative [n, k, q] of the solution in the start value, or in the traced array with this number."""
    start, times, *outside = given
    n, q = at.shape
    directions = None if i is None else np.eye(q, dtype=outside[i].dtype).reshape(q, *outside[i].shape)

    def together(t: Any, state: Any, *outside: Any) -> Any:
        y, moves = state[:n], state[n:].reshape(n, q)
        if i is None:
            along = jax.vmap(lambda v: jax.jvp(lambda y: rate(t, y, *outside), (y,), (v,))[1], 1, 1)(moves)
        else:
            of = lambda y, x: rate(t, y, *outside[:i], x, *outside[i + 1 :])
            each = lambda v, d: jax.jvp(of, (y, outside[i]), (v, d))[1]
            along = jax.vmap(each, (1, 0), 1)(moves, directions)
        return jnp.concatenate([rate(t, y, *outside), jnp.ravel(along)])

    state = jnp.concatenate([start, jnp.ravel(at)])
    given = state, times, *outside
    if crossings is not None:
        crossings = crossings.derived(rate, n, i, directions)
    solution = _flow(name, together, given, integrator, crossings=crossings)(*given)
    return jnp.moveaxis(solution[n:].reshape(n, q, -1), 1, 2)


TIGHT = {
    "rtol": 1e-7,
    "atol": 1e-9,
}  # the largest tolerances if derivatives are solved, too: these have no scale of their own


def _tolerances(options: dict, derivatives: bool) -> dict:
    if not derivatives:
        return options
    return {**options, **{k: np.min([np.min(options.get(k) or x), x]) for k, x in TIGHT.items()}}


def of_solve_ivp(method: Any, **options: Any) -> Integrator:
    """A method of `scipy.integrate.solve_ivp`, with its options."""

    def integrate(f: Callable, start: Any, times: Any, derivatives: bool) -> Any:
        fresh = np.append(True, np.diff(times) != 0)  # SciPy requires times that differ
        distinct, y = times[fresh], start[:, None]
        if len(distinct) > 1:
            how, ends = _tolerances(options, derivatives), (distinct[0], distinct[-1])
            found = scipy.integrate.solve_ivp(f, ends, start, method, distinct[1:], **how)
            if not found.success:
                raise RuntimeError(f"the integration stopped: {found.message}")
            y = np.concatenate([y, found.y], axis=1)
        return y[:, np.cumsum(fresh) - 1]

    def stepper(f: Callable, t: float, y: Any, end: float) -> Any:
        how = {k: x for k, x in _tolerances(options, True).items() if k != "first_step"}
        return getattr(scipy.integrate, method)(f, t, y, end, **how)

    return Integrator(integrate, stepper)


def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: str = "RK45", t_eval: Any = None, dense_output: bool = False,
    events: Any = None, vectorized: bool = False, args: Any = None, **options: Any,
) -> Solution:  # fmt: skip
    """See `hostwrap.integrate.solve_ivp`. With `vectorized` fun is called with a column, as by SciPy."""
    args, fun = () if args is None else args, in_jax(fun)
    given = numbers("solve_ivp", "y0", y0)
    is_complex = jnp.iscomplexobj(given)
    as_given, as_real = (joined, parts) if is_complex else (lambda y: y, lambda y: y)
    y0 = as_real(given).astype(like(given.real, shape=()).dtype)

    def rate(t: Any, y: Any) -> Any:
        y = as_given(y)
        return as_real(jnp.ravel(array(fun(t, y[:, None] if vectorized else y, *args))))

    problem = Problem.of(rate, y0, t_span, events, args, is_complex)
    first, last = problem.span

    def between(times: Any, last: Any) -> Any:
        every = jnp.concatenate([jnp.reshape(first, 1), times, jnp.reshape(last, 1)])
        integrator = of_solve_ivp(method, **options)
        if is_complex:
            integrator = integrator._replace(whole=by_scipy(integrator.whole))
        return trajectory("solve_ivp", rate, y0, every, integrator)[:, 1:-1]

    at = lambda times: as_given(between(times, last))
    how = {"method": method, **options}
    # these have not the size of the equations of derivatives, and only save time
    options = {name: x for name, x in options.items() if name not in _OF_NEWTON}
    whole = t_eval is None or dense_output or problem.kinds or len(how) > 1 + len(options)
    closures = problem.closures() if whole else []
    if whole and is_known(problem, closures, t_eval):
        known = None if t_eval is None else np.asarray(t_eval)
        if callable(jac := how.get("jac")):
            how["jac"] = lambda t, y: np.asarray(jac(t, y, *args))
        return as_it_is(problem, closures, at, t_eval=known, dense_output=dense_output, **how)
    if t_eval is None and not dense_output:
        raise RuleError(WITHOUT_TIMES)
    result = Solution(success=True, status=0, message="The end was reached.", t_events=None, y_events=None)
    result["sol"] = Dense(at) if dense_output else None
    stop = last
    if problem.kinds:
        held, jumps = stops(problem, closures, method=method, **options)
        alone = lambda t: between(t[None], t)[:, 0]

        @functools.cache  # both entries are made of it
        def found() -> list:
            return [event(problem, i, held[i], jumps[i], alone) for i in range(len(problem.kinds))]

        result["t_events"] = Later(lambda: [t for t, _ in found()])
        result["y_events"] = Later(lambda: [as_given(y.T).T for _, y in found()])
        result["status"] = jnp.any(jnp.isfinite(held)).astype(int)
        stop = jnp.where(result["status"] > 0, jnp.nanmin(jnp.where(jnp.isnan(held), last, held)), last)
    if t_eval is not None:
        times = real("solve_ivp", "t_eval", t_eval)
        if problem.kinds:
            reached = (times - stop) * jnp.sign(last - first) <= 0
            y = jnp.where(reached, as_given(between(jnp.where(reached, times, stop), stop)), jnp.nan)
        else:
            y = at(times)
        result.update(t=times, y=y)
    return result


@as_scipys("scipy.integrate")
def odeint(
    func: Callable, y0: ArrayLike, t: ArrayLike, args: tuple = (), Dfun: Callable | None = None, col_deriv: int = 0,
    full_output: int = 0, ml: int | None = None, mu: int | None = None,
    rtol: float | None = None, atol: float | None = None, tcrit: ArrayLike | None = None, h0: float = 0.0,
    hmax: float = 0.0, hmin: float = 0.0, ixpr: int = 0, mxstep: int = 0, mxhnil: int = 0,
    mxordn: int = 12, mxords: int = 5, printmessg: int = 0, tfirst: bool = False,
) -> jax.Array:  # fmt: skip
    """`scipy.integrate.odeint`, differentiable: y [k, n] with `dy/dt = func(y, t, *args)` and y(t[0]) = y0.

    func is a function in JAX of arrays, and may close over traced arrays. Derivatives in these, in y0, t and args
    have any order, in both modes: the variational equations are solved with the problem, for each array that somebody
    differentiates in, to a relative error of at most 1e-7.

    Args:
        y0: [n].
        t: [k], in order.
        tfirst: func takes t first.
        rtol, atol, h0, hmax, hmin, mxstep, mxordn, mxords: as in SciPy.
        Dfun, col_deriv, ml, mu: not used, for the equations of derivatives have a Jacobian of another size.

    Raises:
        RuntimeError: the integration stopped; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> t = jnp.array([0.0, 1.0])
    >>> print(f"{jax.grad(lambda k: odeint(lambda y, t: -k * y, [1.0], t, rtol=1e-10, atol=1e-10)[-1, 0])(0.5):.7f}")
    -0.6065307
    """
    if full_output or tcrit is not None:
        raise NotTaken("odeint: full_output= and tcrit= are not taken in a trace; leave them out.")
    args = args if isinstance(args, tuple) else (args,)
    how = {"rtol": rtol, "atol": atol, "h0": h0, "hmax": hmax, "hmin": hmin, "mxstep": mxstep, "mxordn": mxordn,
           "mxords": mxords}  # fmt: skip

    def integrate(f: Callable, start: Any, times: Any, derivatives: bool) -> Any:
        if np.all(times == times[0]):  # SciPy says that nothing was done
            return np.repeat(start[:, None], len(times), 1)
        own = {k: x for k, x in _tolerances(how, derivatives).items() if x is not None}
        found, said = scipy.integrate.odeint(f, start, times, tfirst=True, full_output=True, **own)
        if said["message"] != "Integration successful.":
            raise RuntimeError(f"the integration stopped: {said['message']}")
        return found.T

    def stepper(f: Callable, t: float, y: Any, end: float) -> Any:
        own = {"rtol": rtol, "atol": atol, "max_step": hmax or np.inf, "min_step": hmin}
        return scipy.integrate.LSODA(f, t, y, end, **_tolerances(own, True))

    func = in_jax(func)
    f = func if tfirst else (lambda t, y, *args: func(y, t, *args))
    y0 = jnp.atleast_1d(real("odeint", "y0", y0))
    right = lambda t, y: jnp.ravel(array(f(t, y, *args)))
    return trajectory("odeint", right, y0, real("odeint", "t", t), Integrator(integrate, stepper)).T
