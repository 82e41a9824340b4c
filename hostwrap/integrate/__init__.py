"""`scipy.integrate`, differentiable: integrals and initial value problems as functions of their parameters.

What is integrated is a function of numbers that JAX can trace: arithmetic, `jax.numpy`, `hostwrap.special`. It
becomes a NumPy program, which SciPy calls without JAX; so do its derivatives, which SciPy integrates in their turn,
to any order. Make the integrator once, not in each call. All others than `quad` and `solve_ivp` are called as SciPy's;
their functions are in JAX, may use arrays, and close over traced ones.

Single precision stays single, and integers count as floating-point numbers. Shapes that do not fit raise
`SignatureError`. What SciPy refuses raises SciPy's own error, inside a compiled program `HostCallError`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import scipy.integrate

from hostwrap._errors import RuleError, SignatureError
from hostwrap._recipes.cores import arrays, inexact, or_as_scipys
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.scalars import numpy_of
from hostwrap._wrap import Wrapped, wrap
from hostwrap.integrate import _quadrature as quadrature
from hostwrap.integrate import _trajectories as trajectories
from hostwrap.integrate._boundary import solve_bvp
from hostwrap.integrate._crossings import Crossings
from hostwrap.integrate._cubatures import cubature
from hostwrap.integrate._flow import checked, flow
from hostwrap.integrate._integrators import quadpack
from hostwrap.integrate._jumps import Jumps, at_limit
from hostwrap.integrate._quadrature import dblquad, nquad, quad_vec, tanhsinh, tplquad
from hostwrap.integrate._sampled import fixed_quad, qmc_quad
from hostwrap.integrate._samples import cumulative_trapezoid, simpson, trapezoid
from hostwrap.integrate._trajectories import odeint

__all__ = [
    "cubature",
    "cumulative_trapezoid",
    "dblquad",
    "fixed_quad",
    "nquad",
    "odeint",
    "qmc_quad",
    "quad",
    "quad_vec",
    "simpson",
    "solve_bvp",
    "solve_ivp",
    "tanhsinh",
    "tplquad",
    "trapezoid",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)


LIMITS = ("lower", "upper")


@or_as_scipys(quadrature.quad, "a", "b")
def quad(func: Callable, **options: Any) -> Callable:
    """The integral of `func(x, *args)` in x, a JAX function `(lower, upper, *args) -> value`, elementwise.

    `quad(func, a, b)` returns (integral, estimated error), as SciPy's; then func may close over traced numbers.

    The derivative in an argument is the integral of func's derivative, that in a limit is func there (Leibniz); so
    there are derivatives of any order, forward and reverse. A limit may be infinite, and is then held. Where func jumps
    at a place that depends on an argument, such as `jnp.where(x < p, ...)`, the derivative has the part of the jump.

    Args:
        func: takes x and any number of named arguments, all of them numbers, and returns a number.
        options: epsabs, epsrel, limit, points, weight, wvar, as of `scipy.integrate.quad`.
            Called as SciPy's, points and wvar may be traced.

    Raises:
        RuleError: func cannot be traced, or is not made of numbers alone.

    Warns:
        IntegrationWarning: SciPy's own, where the integral, or that of a derivative, does not converge.

    >>> import jax, jax.numpy as jnp
    >>> bell = quad(lambda x, a: jnp.exp(-a * x**2))
    >>> print(f"{jax.grad(bell, 2)(0.0, 2.0, 1.3):.9f}")
    -0.294330700
    """
    name, names = _described("quad", func)
    if options.get("points") is not None or options.get("weight") is not None:
        one = lambda lower, upper, *args: quadrature.quad(func, lower, upper, args, **options)[0]
        return jnp.vectorize(one)
    return _integral(func, name, names, tuple(sorted(options.items())))


def _described(integrator: str, f: Any) -> tuple[str, tuple[str, ...]]:
    """What errors call it, and the names of its arguments after the first."""
    if not callable(f):
        raise RuleError(f"{integrator}: expected a function, got {type(f).__name__}: {f!r:.80}.")
    name = f"{integrator}({getattr(f, '__name__', type(f).__name__)})"
    parameters = list(inspect.signature(f).parameters.values())
    if not parameters or any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
        raise RuleError(f"{name}: it must take its arguments by position, under names of their own.")
    names = tuple(p.name for p in parameters[1:])
    if set(names) & set(LIMITS):
        raise RuleError(f"{name}: {' and '.join(LIMITS)} are the limits; give its arguments other names.")
    return name, names


@functools.lru_cache(maxsize=256)
def _integral(f: Callable, name: str, names: tuple[str, ...], options: tuple) -> Wrapped:
    values = numpy_of(name, lambda *args: [f(*args)], len(names) + 1)

    def integrate(lower: Any, upper: Any, *args: Any) -> Any:
        return scipy.integrate.quad(
            lambda x: values([x, *args])[0].item(), lower.item(), upper.item(), **dict(options)
        )[0]

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(n, kind) for n in (*LIMITS, *names)])
    integrate.__name__, integrate.__signature__ = name, signature  # type: ignore[attr-defined]

    @functools.cache
    def known() -> Jumps | None:
        number = jax.ShapeDtypeStruct((), jnp.result_type(float))
        return Jumps.of(name, f, [number] * (len(names) + 1))

    def inside(i: int) -> Callable:
        def partial(ans: Any, *given: Any) -> Any:
            jumps, slope = known(), _partial(f, i + 1)
            if jumps is None:
                return _integral(slope, name, names, options)(*given)
            how = quadpack(dict(options))
            return quadrature.integral_of(name, slope, given, how, 1, jumps.derived(f, i))(*given)

        return partial

    return wrap(integrate, vmap_method="sequential").defpartials(
        lambda ans, lower, upper, *args: -at_limit(f, known(), lower, upper, args),
        lambda ans, lower, upper, *args: at_limit(f, known(), upper, lower, args),
        *map(inside, range(len(names))),
    )


@functools.lru_cache(maxsize=256)
def _partial(f: Callable, i: int) -> Callable:
    return jax.grad(f, i)


@or_as_scipys(trajectories.solve_ivp, "t_span", "y0")
def solve_ivp(fun: Callable, **options: Any) -> Callable:
    """The solver of `dy/dt = fun(t, y, *args)`, a JAX function `(y0, t, *args) -> y` with `y(t[0]) = y0`.

    `solve_ivp(fun, t_span, y0, t_eval=t)` is called as SciPy's, and returns an `OptimizeResult` with t and y; then fun
    may use arrays, and close over traced ones, and y0 may be complex (fun need not be holomorphic). With
    `dense_output=True` it has `sol`, a function of times that may be traced. Where anything is traced, `events` must be
    terminal: `t_events` and `y_events` have one row for each, NaN if it did not happen, differentiable to any order,
    and y is NaN behind the first. Without t_eval the times are SciPy's steps, which nobody knows in a trace.

    Derivatives in y0, t and args are solutions of the equation's own derivatives (forward sensitivities), solved
    together with it: forward and reverse, of any order, at a price that grows with the number of parameters. They
    are as exact as the solution is: the tolerances of SciPy's default are loose, give `rtol` and `atol`.
    Where fun jumps at a place that depends on y or on a parameter, such as `jnp.where(t > p, ...)`, the derivative has
    the part of the jump. It raises MissingDerivative where the solution stays at such a place, or touches it only.

    Args:
        fun: t is a number, y a tuple of numbers, one for each component, and each of args a number or a tuple of
            numbers; returns a list of numbers, as many as y has.
        options: method, rtol, atol, max_step, ..., as of `scipy.integrate.solve_ivp`.

    The solver takes y0 [n], t [k] in order (either direction), args of shape () or [m], and returns y [n, k]; batches
    go by vmap.

    Raises:
        RuleError: fun cannot be traced, or is not made of numbers alone.
        SignatureError: shapes that do not fit.
        RuntimeError: the integration stopped; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> decay = solve_ivp(lambda t, y, k: [-k * y[0]], rtol=1e-10, atol=1e-12)
    >>> last = lambda k: decay(jnp.ones(1), jnp.array([0.0, 1.0]), k)[0, -1]
    >>> print(f"{jax.grad(last)(0.9):.6f}")
    -0.406570
    """
    name, _ = _described("solve_ivp", fun)

    def solve(y0: Any, t: Any, *args: Any) -> jax.Array:
        given = arrays(name, y0=y0, t=t, **{f"args[{i}]": x for i, x in enumerate(args)})
        shapes = [x.shape for x in given]
        if [len(s) for s in shapes[:2]] != [1, 1] or 0 in shapes[0] + shapes[1] or max(map(len, shapes)) > 1:
            raise SignatureError(
                f"{name}: wants y0 of shape (n,), t of shape (k,) and args of shape () or (m,), got "
                f"{', '.join(map(str, shapes))}. (A batch goes by jax.vmap.)"
            )
        dtype = inexact(*given)
        start, t, *rest = (x.astype(dtype) for x in given)
        examples = [jax.ShapeDtypeStruct(shape, dtype) for shape in ((), *shapes[:1], *shapes[2:])]
        if _crosses(fun, name, tuple(examples)):
            how = trajectories.of_solve_ivp(**{"method": "RK45", **options})
            at = lambda time, y: _of_arrays(fun, name)(time, y, *rest)
            return trajectories.trajectory(name, at, start, t, how)
        solver = flow(fun, name, shapes[0][0], tuple(shapes[2:]), tuple(sorted(options.items())))
        return solver(jnp.concatenate([start, *map(jnp.ravel, rest), t[:1]]), t - t[0])

    solve.__name__ = name
    return solve


def _of_arrays(fun: Callable, name: str) -> Callable:
    """The right-hand side as a function of (t, y [n], *args)."""
    split = lambda x: tuple(x[i] for i in range(len(x))) if x.ndim else x
    return lambda t, y, *args: jnp.stack(checked(fun(t, split(y), *map(split, args)), len(y), name))


@functools.lru_cache(maxsize=64)
def _crosses(fun: Callable, name: str, examples: tuple) -> bool:
    """Whether a branch of it may end at a time that moves."""
    try:
        return Crossings.of(name, _of_arrays(fun, name), examples) is not None
    except jax.errors.JAXTypeError:
        return False  # `flow` says why
