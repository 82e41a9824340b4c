"""SciPy's adaptive quadrature, of functions that may close over traced numbers, and of traced limits.

The value is SciPy's. The derivative in a limit is the integrand there. The derivative in a number that the integrand
reads is the integral of the integrand's derivative, which SciPy computes in the same way (Leibniz); so there are
derivatives of any order. The components of an integrand are computed together at each place, but each has an error
control of its own: a derivative is as exact as if it was asked for alone.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from hostwrap._errors import NotTaken, RuleError
from hostwrap._recipes.closures import Closure, wide
from hostwrap._recipes.equations import array, like, real
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import Wrapped, wrap
from hostwrap.integrate._integrators import Integrator, bound, broken, checked, quadpack, weighted
from hostwrap.integrate._jumps import Jumps, at_limit
from hostwrap.integrate._switches import Inside


def integral(name: str, f: Callable, lower: Any, upper: Any, integrator: Integrator) -> tuple[Any, Callable]:
    """(the integral of f(x) from lower to upper, a function that returns its estimated error)."""
    lower, upper = real(name, "a", lower), real(name, "b", upper)
    if lower.shape or upper.shape:
        raise RuleError(f"{name}: the limits are numbers, got the shapes {lower.shape} and {upper.shape}.")
    dtype = like(lower, upper, shape=()).dtype
    lower, upper = lower.astype(dtype), upper.astype(dtype)
    closure, own = Closure(name, f, lower), tuple(x.astype(dtype) for x in integrator.own)
    body = closure.jax
    integrand = lambda x, *rest: body(rest[len(own) :], x)
    given = lower, upper, *own, *closure.outside
    (shape,) = (out.shape for out in closure.out)
    value = integral_of(name, integrand, given, integrator)(*given)

    def estimate() -> Any:
        """The estimate, whose derivative raises an error, also where nobody asks for it."""
        host, out = _host(name, integrand, given, integrator, 0, 1), like(*given, shape=shape)
        error = wrap(host, out=out, vmap_method="sequential")
        none = [
            lambda ans, *given, i=i: jnp.full((*shape, *given[i].shape), jnp.nan) for i in range(len(given))
        ]
        return error.defpartials(*none)(*given)

    return value, estimate


def integral_of(
    name: str,
    f: Callable,
    given: Sequence[Any],
    integrator: Integrator,
    order: int = 0,
    jumps: Jumps | None = None,
) -> Wrapped:
    """The integral of `f(x, *outside)`, differentiated `order` times, as a function of (lower, upper, *outside).

    The first of `outside` are the integrator's own numbers.
    """
    examples = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in (given[0], *given[2:])]
    shape = jax.eval_shape(f, *examples).shape
    host, whole = _host(name, f, given, integrator, order, 0, jumps), integrator.weighted(f)

    known = functools.cache(lambda: jumps if order else Jumps.of(name, f, examples))

    def inside(i: int) -> Callable:
        def partial(ans: Any, *given: Any) -> Any:
            own = i < len(integrator.own)
            next_one = integrator.slopes[i](f) if own else (jax.jacfwd(f, 1 + i), integrator)
            if next_one is None:
                return jnp.zeros((*shape, *given[2 + i].shape))
            more = None if (now := known()) is None else now.derived(whole, i)
            slope, following = next_one
            return integral_of(name, slope, given, following, order + 1, more)(*given)

        return partial

    return wrap(host, out=like(*given, shape=shape), vmap_method="sequential", thread_safe=True).defpartials(
        lambda ans, lower, upper, *outside: -at_limit(whole, known(), lower, upper, outside),
        lambda ans, lower, upper, *outside: at_limit(whole, known(), upper, lower, outside),
        *(inside(i) for i in range(len(given) - 2)),
    )


def _host(
    name: str, f: Callable, given: Sequence[Any], integrator: Integrator, order: int, which: int,
    jumps: Jumps | None = None,
) -> Callable:  # fmt: skip
    examples = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in (given[0], *given[2:])]
    closure = Closure(name, f, *examples)
    program, size = closure.numpy(), int(np.prod(closure.out[0].shape))
    at_jumps = None if jumps is None else jumps.summed(examples)

    def integrate(*given: Any) -> Any:
        lower, upper, *outside = (x.item() if i < 2 else x for i, x in enumerate(wide(given)))
        found, numbers, run = np.zeros(size), program.of_numbers([], outside), bound(integrator, outside)
        known: dict[float, Sequence[float]] = {}

        def alone(x: float) -> float:
            return numbers(x)[0]

        def together(x: float) -> np.ndarray:
            return np.array(numbers(x))

        def one_of(k: int, x: float) -> float:
            if (row := known.get(x)) is None:
                row = known[x] = numbers(x)
            return row[k]

        each: list[Any] = [(k, alone if size == 1 else functools.partial(one_of, k)) for k in range(size)]
        if integrator.together:
            each = [(slice(None), together)]
        with np.errstate(all="ignore"):
            parts, ends = (0.0, [lower, upper]) if at_jumps is None else at_jumps(run, lower, upper, outside)
            for k, f in each:
                pieces = [run(f, a, b) for a, b in itertools.pairwise(ends)]
                value, error = (sum(x[i] for x in pieces) for i in (0, 1))
                complaint = "".join(x[2] for x in pieces)
                if complaint and order and not error <= 1e-6 * np.max(np.abs(value)):
                    raise RuntimeError(f"the integral of a derivative does not converge: {complaint}")
                found[k] = (value, error)[which]
            found += parts
        return found.reshape(closure.out[0].shape)

    integrate.__signature__ = _signature(len(examples) - 1)  # type: ignore[attr-defined]
    integrate.__name__ = name
    split = lambda operands: ([operands[:1], operands[1:2]], operands[2:])
    integrate.inside = Inside(f, split, functools.cache(lambda: _count(name, f, examples, integrator)))  # type: ignore[attr-defined]
    return integrate


def _signature(outside: int) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [inspect.Parameter(n, kind) for n in ("lower", "upper", *(f"outside{i}" for i in range(outside)))]
    )


def _count(name: str, f: Callable, examples: Sequence[Any], integrator: Integrator) -> Wrapped | None:
    """How many places of the integrand may move, as a function of (lower, upper, *outside)."""
    jumps = Jumps.of(name, f, examples)
    if jumps is None:
        return None
    count = jumps.counter(examples, functools.partial(bound, integrator))
    count.__signature__ = _signature(len(examples) - 1)  # type: ignore[attr-defined]
    out = jax.ShapeDtypeStruct((), examples[0].dtype)
    return wrap(count, out=out, vmap_method="sequential", thread_safe=True, derivatives="rules")


# ---- one variable


@as_scipys("scipy.integrate")
def quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: int = 0, complex_func: bool = False, **options: Any
) -> tuple:  # fmt: skip
    if full_output:
        raise NotTaken("quad: full_output= is not taken in a trace; leave it out.")
    if complex_func:
        of = in_jax(func)
        parts = [lambda *x, part=part: part(of(*x)) for part in (jnp.real, jnp.imag)]
        both = [quad(f, a, b, args, **options) for f in parts]
        return tuple(jax.lax.complex(re, im) for re, im in zip(*both, strict=True))
    value, estimate = _quad(func, a, b, args, options)
    return value, estimate()


def _quad(func: Any, a: Any, b: Any, args: Any, options: dict) -> tuple:
    if not callable(func):
        raise RuleError(f"quad: expected a function, got {type(func).__name__}: {func!r:.80}.")
    args = args if isinstance(args, tuple) else (args,)
    options, func = checked(options), in_jax(func)
    f = lambda x: jnp.reshape(array(func(x, *args)), ())
    if "weight" in options:
        return weighted(functools.partial(integral, "quad"), f, a, b, options)
    return integral("quad", f, a, b, quadpack(options))


@as_scipys("scipy.integrate")
def quad_vec(
    f: Callable, a: ArrayLike, b: ArrayLike, epsabs: float = 1e-200, epsrel: float = 1e-8, norm: str = "2",
    cache_size: float = 100e6, limit: float = 10000, workers: Any = 1, points: Any = None,
    quadrature: str | None = None, full_output: bool = False, *, args: tuple = (),
) -> tuple[jax.Array, jax.Array]:  # fmt: skip
    """`scipy.integrate.quad_vec`, differentiable: the integral of an array `f(x, *args)`, and its estimated error.

    f is a function in JAX of one number, returns an array, and may close over traced numbers. Derivatives of the
    integral in these, in args and in the limits have any order, in both modes; the error has none (NaN).

    Args:
        epsabs, epsrel, norm, cache_size, limit, points, quadrature: as in SciPy; derivatives have these, too.

    Raises:
        RuleError: workers= or full_output= in a trace. Outside of one SciPy's own function takes them.
        RuntimeError: the integral of a derivative does not converge; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> f = lambda k: quad_vec(lambda x: jnp.exp(-k * x) * jnp.arange(3.0), 0.0, 1.0)[0]
    >>> print(jax.jacfwd(f)(0.7).round(6))
    [ 0.       -0.317969 -0.635939]
    """
    if workers != 1 or full_output:
        raise NotTaken("quad_vec: workers= and full_output= are not taken in a trace; leave them out.")
    how: Any = {"epsabs": epsabs, "epsrel": epsrel, "norm": norm, "cache_size": cache_size, "limit": limit}
    how["quadrature"] = quadrature

    def integrate(f: Callable, lower: float, upper: float, points: Any = None) -> tuple:
        value, error, info = scipy.integrate.quad_vec(f, lower, upper, points=points, full_output=True, **how)
        return value, error, "" if info.success else info.message

    f, given = in_jax(f), args if isinstance(args, tuple) else (args,)
    integrator = Integrator(integrate, together=True)
    if points is not None:
        integrator = broken(integrate, real("quad_vec", "points", points), together=True)
    value, estimate = integral("quad_vec", lambda x: array(f(x, *given)), a, b, integrator)
    return value, jnp.max(estimate())


@as_scipys("scipy.integrate")
def tanhsinh(
    f: Callable, a: ArrayLike, b: ArrayLike, *, args: Any = (), log: bool = False, maxlevel: int | None = None,
    minlevel: int = 2, atol: float | None = None, rtol: float | None = None, preserve_shape: bool = False,
    callback: Any = None,
) -> Solution:  # fmt: skip
    """`scipy.integrate.tanhsinh`, differentiable: the integral of `f(x, *args)` from a to b, elementwise.

    f is a function in JAX of one number, and may close over traced numbers. Derivatives of the integral in these, in
    args and in the limits have any order, in both modes. The integrand may be infinite at a limit.

    Args:
        a, b, args: numbers or arrays, which broadcast; there is an integral for each element.
        maxlevel, minlevel, atol, rtol: as in SciPy.

    Returns:
        A `scipy.optimize.OptimizeResult` with `integral`, and `error`, which has no derivative (NaN).

    Raises:
        RuleError: log=, preserve_shape= or callback= in a trace. Outside of one SciPy's own function takes them.
        RuntimeError: the integral does not converge; HostCallError inside a compiled program.

    >>> import jax
    >>> f = lambda k: tanhsinh(lambda x: x ** (k - 1), 0.0, 1.0).integral
    >>> print(f"{jax.grad(f)(0.5):.9f}")
    -4.000000000
    """
    if log or preserve_shape or callback is not None:
        raise NotTaken(
            "tanhsinh: log=, preserve_shape= and callback= are not taken in a trace; leave them out."
        )
    options = {"maxlevel": maxlevel, "minlevel": minlevel, "atol": atol, "rtol": rtol}

    def integrate(f: Callable, lower: float, upper: float) -> tuple:
        at = np.vectorize(f, otypes=[float])
        found = scipy.integrate.tanhsinh(at, lower, upper, **options)
        if found.status not in (0, -2):  # -2: the error is larger than asked for
            raise RuntimeError(f"tanhsinh: the integral does not converge (status {found.status}).")
        return found.integral, found.error, "" if found.success else "maxlevel is reached"

    def one(a: Any, b: Any, *args: Any) -> tuple:
        of = lambda x: jnp.reshape(array(f(x, *args)), ())
        value, estimate = integral("tanhsinh", of, a, b, Integrator(integrate))
        return value, estimate()

    args, f = args if isinstance(args, tuple) else (args,), in_jax(f)
    value, error = jnp.vectorize(one)(*map(array, (a, b, *args)))
    return Solution(integral=value, error=error, success=True, status=0)


# ---- several


@as_scipys("scipy.integrate")
def nquad(
    func: Callable, ranges: Any, args: Any = None, opts: Any = None, full_output: bool = False
) -> tuple:
    """`scipy.integrate.nquad`, differentiable: the integral of `func(x0, ..., xn, *args)`, and its estimated error.

    func is a function in JAX, and may close over traced numbers. Derivatives of the integral in these, in args and in
    all limits have any order, in both modes; the error has none (NaN).

    Args:
        ranges: for each variable (lowest, highest), or a function of the later variables and args that returns them.
        opts: epsabs, epsrel, limit, points: for all, or for each variable.

    Raises:
        RuntimeError: the integral of a derivative does not converge; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> f = lambda k: nquad(lambda x, y: jnp.exp(-k * x) * y, [(0.0, 1.0), (0.0, k)])[0]
    >>> print(f"{jax.grad(f)(0.7):.9f}")
    0.425512204
    """
    if full_output:
        raise NotTaken("nquad: full_output= is not taken in a trace; leave it out.")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    rows = [in_jax(r) if callable(r) else (lambda *_, r=r: r) for r in ranges]
    func = in_jax(func)
    every: list[Any] = list(opts) if isinstance(opts, list | tuple) else [opts or {}] * len(rows)

    def inner(i: int, *outer: Any) -> tuple:
        """The integral in the first i + 1 variables, at given values of the others."""
        low, high = rows[i](*outer, *args)
        options = every[i](*outer, *args) if callable(every[i]) else every[i]
        f = (lambda x: func(x, *outer, *args)) if i == 0 else (lambda x: inner(i - 1, x, *outer)[0])
        return _quad(f, low, high, (), dict(options))

    value, estimate = inner(len(rows) - 1)
    return value, estimate()


def dblquad(
    func: Callable,
    a: ArrayLike,
    b: ArrayLike,
    gfun: Any,
    hfun: Any,
    args: Any = (),
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple:
    """`scipy.integrate.dblquad`, differentiable: the integral of `func(y, x, *args)`, and its estimated error.

    x goes from a to b, y from gfun(x) to hfun(x), each a function in JAX or a number. func and they may close over
    traced numbers: see `nquad`, as which it is differentiated.

    >>> import jax, jax.numpy as jnp
    >>> print(f"{jax.grad(lambda k: dblquad(lambda y, x: y * x, 0.0, k, 0.0, lambda x: x)[0])(2.0):.9f}")
    4.000000000
    """
    low, high = (in_jax(g) if callable(g) else (lambda x, g=g: g) for g in (gfun, hfun))
    args = args if isinstance(args, tuple) else (args,)
    ranges = [lambda x, *_: (low(x), high(x)), (a, b)]
    return nquad(func, ranges, args, {"epsabs": epsabs, "epsrel": epsrel})


def tplquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (), epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> tuple:  # fmt: skip
    """`scipy.integrate.tplquad`, differentiable: the integral of `func(z, y, x, *args)`, and its estimated error.

    x goes from a to b, y from gfun(x) to hfun(x), z from qfun(x, y) to rfun(x, y), each a function in JAX or a number.
    func and they may close over traced numbers: see `nquad`, as which it is differentiated.

    >>> import jax, jax.numpy as jnp
    >>> volume = lambda k: tplquad(lambda z, y, x: z, 0.0, k, 0.0, 1.0, 0.0, lambda x, y: x + y)[0]
    >>> print(f"{jax.grad(volume)(2.0):.9f}")
    3.166666667
    """
    low, high, first, last = (
        in_jax(g) if callable(g) else (lambda *_, g=g: g) for g in (gfun, hfun, qfun, rfun)
    )
    args = args if isinstance(args, tuple) else (args,)
    ranges = [lambda y, x, *_: (first(x, y), last(x, y)), lambda x, *_: (low(x), high(x)), (a, b)]
    return nquad(func, ranges, args, {"epsabs": epsabs, "epsrel": epsrel})
