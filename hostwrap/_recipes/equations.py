"""SciPy's solvers of equations, with functions that may close over traced numbers; and what all solvers share.

SciPy finds the answer on the host, with the user's functions in NumPy. Its derivatives follow from the equation at the
answer, by the implicit function theorem, for each method (see `Wrapped.defimplicit`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast, overload

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._call.dtypes import check_number
from hostwrap._errors import RuleError, SignatureError, more_than_numbers
from hostwrap._recipes.closures import Closure
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Bracketed, Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap

# ---- what all solvers share


def array(x: Any) -> jax.Array:
    """A list of numbers, some of them traced, as an array of floating-point numbers."""
    if isinstance(x, list | tuple):
        parts = [array(e) for e in x]
        if len({p.shape for p in parts}) > 1 and all(p.size == 1 for p in parts):
            parts = [p.reshape(()) for p in parts]
        return jnp.stack(parts) if parts else jnp.zeros(0)
    if more := more_than_numbers(x):
        raise SignatureError(f"a solver computes with numbers, got {type(x).__name__}: {x!r:.80}; {more}.")
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(float)


def numbers(name: str, argument: str, x: Any) -> jax.Array:
    if more_than_numbers(x):
        check_number(name, argument, x)  # refuses it by name
    if hasattr(x, "toarray"):
        raise RuleError(f"{name}: {argument} is sparse, and must be an array: give {argument}.toarray().")
    return array(x)


def real(name: str, argument: str, x: Any) -> jax.Array:
    x = numbers(name, argument, x)
    if jnp.iscomplexobj(x):
        raise RuleError(f"{name}: {argument} must be real, got {x.dtype}.")
    return x


def partial_of(f: Any, args: Any, name: str) -> Callable:
    """The function of its first argument, for given `args`."""
    if not callable(f):
        raise RuleError(f"{name}: expected a function, got {type(f).__name__}: {f!r:.80}.")
    args = args if isinstance(args, tuple) else (args,)
    for value in filter(more_than_numbers, args):
        check_number(name, "args", value)  # refuses it by name
    f = in_jax(f)
    return lambda x: f(x, *args)


def optional(f: Any, args: Any, name: str) -> Callable | None:
    """The same for a function that may be missing, and whose result is an array."""
    if f is None:
        return None
    function = partial_of(f, args, name)
    return lambda x: array(function(x))


def implicit(
    name: str, functions: Sequence[Callable | None], x: Any, start: Any, host: Callable, equation: Callable, out: Any,
    rtol: float = 1e-3, **how: Any,
) -> Any:  # fmt: skip
    """The answer of `host(start, calls)` in NumPy, which solves `equation(answer, start, functions) = 0` in JAX.

    Args:
        functions: of one argument like x. `calls` are they in NumPy (None stays None).
        start: arrays beside them, on which the answer may depend.
        out: shapes and types of the answer.
        rtol, how: of `defimplicit`.
    """
    closures = [f and Closure(name, f, x) for f in functions]
    programs, bodies = [c and c.numpy() for c in closures], [c.jax if c else None for c in closures]

    def solve(start: Any, outside: Any) -> Any:
        calls = [p and functools.partial(_called, p, o) for p, o in zip(programs, outside, strict=True)]
        with np.errstate(all="ignore"):
            return host(start, calls)

    def residual(answer: Any, start: Any, outside: Any) -> Any:
        in_jax = [body and functools.partial(body, o) for body, o in zip(bodies, outside, strict=True)]
        return equation(answer, start, in_jax)

    solve.__name__ = name
    wrapped = wrap(solve, out=out, vmap_method="sequential", thread_safe=True)
    return wrapped.defimplicit(residual, rtol=rtol, **how)(start, [c.outside if c else [] for c in closures])


def _called(program: Any, outside: Any, x: Any) -> Any:
    found = program(outside, [x])
    return found[0] if len(found) == 1 else tuple(found)


def like(*given: Any, shape: Sequence[int]) -> jax.ShapeDtypeStruct:
    """The common type of all these."""
    return jax.ShapeDtypeStruct(
        tuple(shape), jnp.result_type(*jax.tree.leaves(given), jnp.result_type(float))
    )


def converged(result: Any) -> Any:
    if not result.success:
        raise RuntimeError(f"no convergence: {result.message}")
    return result


# ---- one equation, one unknown


def _scalar(
    name: str, solver: Callable, f: Any, start: dict, args: Any, derivatives: Sequence[Any] = ()
) -> jax.Array:
    """`solver(f, derivatives, **start)` in NumPy returns a root: a number, or an array of roots."""
    f = partial_of(f, args, name)
    given = {k: real(name, k, x) for k, x in start.items()}
    shape = jnp.broadcast_shapes(*(x.shape for x in given.values()))
    x = jnp.zeros(shape, like(given, shape=()).dtype)
    more = [_shaped(optional(d, args, name), shape) for d in derivatives]

    def host(start: Any, calls: Any) -> Any:
        number = (lambda x: x.item()) if not shape else (lambda x: x)
        f, *rest = (c and (lambda x, c=c: number(np.asarray(c(np.asarray(x))))) for c in calls)
        return np.reshape(solver(f, rest, **{k: number(v) for k, v in start.items()}), shape)

    value = lambda x: jnp.reshape(array(f(x)), shape)
    equation = lambda x, start, fs: fs[0](x)
    return implicit(name, [value, *more], x, given, host, equation, like(x, shape=shape))


def _shaped(f: Callable | None, shape: Sequence[int]) -> Callable | None:
    return f and (lambda x: jnp.reshape(f(x), shape))


def _bracketed(method: str) -> Bracketed:
    scipys = getattr(scipy.optimize, method)

    def solve(f: Callable, a: ArrayLike, b: ArrayLike, args: Any = (), **options: Any) -> Any:
        full, _ = options.pop("full_output", False), options.pop("disp", True)
        root = _scalar(method, lambda f, _, a, b: scipys(f, a, b, **options), f, {"a": a, "b": b}, args)
        return (root, Solution(root=root, converged=True)) if full else root

    solve.__name__ = solve.__qualname__ = method
    solve.__doc__ = BRACKETED.format(method=method)
    return cast(Bracketed, as_scipys("scipy.optimize")(solve))


BRACKETED = """`scipy.optimize.{method}`, differentiable: a root of `f(x, *args)` between a and b.

    f is a function in JAX of one number, and may close over traced numbers. Derivatives in these and in args have any
    order, in both modes; those in a and b are 0. args, xtol, rtol, maxiter and full_output are as in SciPy.

    Raises:
        RuntimeError: no convergence.
        ValueError: f has the same sign at a and b. Both are HostCallError inside a compiled program.

    >>> import jax
    >>> print(f"{{jax.grad(lambda a: {method}(lambda x: x**3 - a, 0.0, 10.0, xtol=1e-13))(8.0):.9f}}")
    0.083333333
    """


brentq, brenth, bisect, ridder, toms748 = map(_bracketed, ("brentq", "brenth", "bisect", "ridder", "toms748"))


@overload
def newton(
    func: Callable, x0: ArrayLike, fprime: Callable | None = None, args: Any = (), tol: float = 1.48e-8,
    maxiter: int = 50, fprime2: Callable | None = None, x1: ArrayLike | None = None, rtol: float = 0.0,
    full_output: Literal[False] = False, disp: bool = True,
) -> jax.Array: ...  # fmt: skip
@overload
def newton(
    func: Callable, x0: ArrayLike, fprime: Callable | None = None, args: Any = (), tol: float = 1.48e-8,
    maxiter: int = 50, fprime2: Callable | None = None, x1: ArrayLike | None = None, rtol: float = 0.0,
    *, full_output: Literal[True], disp: bool = True,
) -> tuple[jax.Array, Solution]: ...  # fmt: skip
def newton(
    func: Callable, x0: ArrayLike, fprime: Callable | None = None, args: Any = (), tol: float = 1.48e-8,
    maxiter: int = 50, fprime2: Callable | None = None, x1: ArrayLike | None = None, rtol: float = 0.0,
    full_output: bool = False, disp: bool = True,
) -> Any:  # fmt: skip
    """`scipy.optimize.newton`, differentiable: a root of `func(x, *args)` near x0, of each element of an array x0.

    Functions are in JAX, and may close over traced numbers. Derivatives in these and in args have any order, in both
    modes; those in x0 and x1 are 0. The other arguments are SciPy's.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.

    >>> print(f"{jax.grad(lambda a: newton(lambda x: x**3 - a, 1.0, tol=1e-12))(8.0):.9f}")
    0.083333333
    """

    def solver(f: Callable, derivatives: Any, x0: Any, x1: Any = None) -> Any:
        return scipy.optimize.newton(f, x0, derivatives[0], (), tol, maxiter, derivatives[1], x1, rtol)

    start = {"x0": x0} | ({} if x1 is None else {"x1": x1})
    root = _scalar("newton", solver, func, start, args, (fprime, fprime2))
    return (root, Solution(root=root, converged=True)) if full_output else root


def root_scalar(
    f: Callable, args: Any = (), method: str | None = None, bracket: Any = None, fprime: Callable | None = None,
    fprime2: Callable | None = None, x0: ArrayLike | None = None, x1: ArrayLike | None = None,
    xtol: float | None = None, rtol: float | None = None, maxiter: int | None = None, options: Any = None,
) -> Solution:  # fmt: skip
    """`scipy.optimize.root_scalar`, differentiable: a root of `f(x, *args)`, a function in JAX of one number.

    f may close over traced numbers. Derivatives in these and in args have any order, in both modes, by the implicit
    function theorem; a gradient takes one more evaluation of f's derivative, whatever the method was. Those in
    bracket, x0 and x1 are 0.

    Args:
        f: may return its derivatives with its value, as `fprime=True` and `fprime2=True` say.
        method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options: as in SciPy.

    Returns:
        A `scipy.optimize.OptimizeResult` with `root` and `converged`.

    Raises:
        RuntimeError: no convergence.
        ValueError: SciPy's own. Both are HostCallError inside a compiled program.
        ResultError: the derivative at an answer that is no root, as when SciPy was told to stop early.

    >>> import jax
    >>> print(f"{jax.grad(lambda a: root_scalar(lambda x: x**3 - a, bracket=(0, 10)).root)(8.0):.9f}")
    0.083333333
    """

    def both(*given: Any) -> list:
        """A function that returns its derivatives with its value."""
        values = f(*given)
        return list(values)

    how = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, **(options or {})}
    value, slopes, several = f, [fprime, fprime2], bool(fprime) and not callable(fprime)
    if several:
        value = lambda *given: both(*given)[0]
        slopes[0] = lambda *given: both(*given)[1]
        slopes[1] = (lambda *given: both(*given)[2]) if fprime2 and not callable(fprime2) else fprime2
    start = {} if bracket is None else {"a": bracket[0], "b": bracket[1]}
    start |= {k: x for k, x in (("x0", x0), ("x1", x1)) if x is not None}

    def solver(f: Callable, derivatives: Any, a: Any = None, b: Any = None, **start: Any) -> Any:
        found = scipy.optimize.root_scalar(
            f, (), method, None if a is None else (a, b), *derivatives, **start, **how
        )
        if not found.converged:
            raise RuntimeError(f"no convergence: {found.flag}")
        return found.root

    root = _scalar("root_scalar", solver, value, start, args, slopes)
    return Solution(root=root, converged=True, flag="converged")


# ---- as many equations as unknowns


def system(name: str, f: Any, x0: Any, args: Any, jac: Any, solver: Callable, of: Callable) -> jax.Array:
    """`solver(f, jac, x0)` in NumPy returns x with `of(f(x), x) = 0`, in the shape that f takes."""
    x0, f = real(name, "x0", x0), partial_of(f, args, name)
    shape = x0.shape  # what a compiled program keeps must not hold x0
    # the function may return a number for a list of one number
    value = lambda x: jnp.reshape(array(f(x)), shape)
    functions = [value, optional(jac, args, name)]

    def host(start: Any, calls: Any) -> Any:
        return np.reshape(solver(*calls, start), shape)

    equation = lambda x, start, fs: of(fs[0](x), x)
    x = jnp.zeros(shape, like(x0, shape=()).dtype)
    return implicit(name, functions, x, x0, host, equation, like(x0, shape=shape))


@overload
def fsolve(
    func: Callable, x0: ArrayLike, args: Any = (), fprime: Callable | None = None,
    full_output: Literal[False] = False, col_deriv: bool = False, **options: Any,
) -> jax.Array: ...  # fmt: skip
@overload
def fsolve(
    func: Callable, x0: ArrayLike, args: Any = (), fprime: Callable | None = None,
    *, full_output: Literal[True], col_deriv: bool = False, **options: Any,
) -> tuple[jax.Array, dict[str, jax.Array], int, str]: ...  # fmt: skip
@as_scipys("scipy.optimize")
def fsolve(
    func: Callable, x0: ArrayLike, args: Any = (), fprime: Callable | None = None, full_output: bool = False,
    col_deriv: bool = False, **options: Any,
) -> Any:  # fmt: skip
    """`scipy.optimize.fsolve`, differentiable: x with `func(x, *args) = 0`, as many equations as unknowns.

    Functions are in JAX, and may close over traced numbers. Derivatives in these and in args have any order, in both
    modes; those in x0 are 0. The other arguments are SciPy's.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.

    >>> print(jax.jacobian(lambda a: fsolve(lambda x: x**3 - a, jnp.ones(2)))(jnp.array([1.0, 8.0])).round(6))
    [[0.333333 0.      ]
     [0.       0.083333]]
    """

    def solver(f: Callable, jac: Any, x0: Any) -> Any:
        more = {"fprime": jac, "col_deriv": col_deriv, "full_output": True, **options}
        x, _, flag, message = scipy.optimize.fsolve(f, x0, **more)
        if flag != 1:
            raise RuntimeError(f"no convergence: {message}")
        return x

    x = system("fsolve", func, jnp.ravel(array(x0)), args, fprime, solver, lambda value, x: value)
    if not full_output:
        return x
    return x, {"fvec": array(partial_of(func, args, "fsolve")(x))}, 1, "The solution converged."


def root(
    fun: Any, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, tol: Any = None, callback: Any = None,
    options: Any = None,
) -> Solution:  # fmt: skip
    several = bool(jac) and not callable(jac)
    fun = in_jax(fun) if several else fun
    value = (lambda *given: fun(*given)[0]) if several else fun
    slope = (lambda *given: fun(*given)[1]) if several else jac or None

    def solver(f: Callable, jac: Any, x0: Any) -> Any:
        found = scipy.optimize.root(f, x0, method=method, jac=jac, tol=tol, options=options)
        return converged(found).x

    x = system("root", value, jnp.atleast_1d(array(x0)), args, slope, solver, lambda value, x: value)
    at = array(partial_of(value, args, "root")(x))
    return Solution(x=x, fun=at, success=True, status=1, message="The solution converged.", method=method)


def fixed_point(
    func: Callable,
    x0: ArrayLike,
    args: Any = (),
    xtol: float = 1e-8,
    maxiter: int = 500,
    method: str = "del2",
) -> jax.Array:
    """`scipy.optimize.fixed_point`, differentiable: x with `func(x, *args) = x`, of the shape of x0.

    func is a function in JAX, and may close over traced numbers. Derivatives in these and in args have any order, in
    both modes, from `(1 - f_x) dx = f_p dp`; those in x0 are 0. xtol, maxiter and method are SciPy's.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> print(f"{jax.grad(lambda a: fixed_point(lambda x: jnp.cos(a * x), 0.7, xtol=1e-13))(1.0):.9f}")
    -0.297474342
    """

    def solver(f: Callable, _: Any, x0: Any) -> Any:
        return scipy.optimize.fixed_point(f, x0, (), xtol, maxiter, method)

    return system("fixed_point", func, x0, args, None, solver, lambda value, x: x - value)
