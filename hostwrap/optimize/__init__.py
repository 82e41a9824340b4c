"""`scipy.optimize`, differentiable: roots and minima as functions of the parameters of what is solved.

SciPy iterates, with the function in NumPy; the derivative follows from the equation at the answer, by the implicit
function theorem (see `Wrapped.defimplicit`), whatever the method was.

All are called as SciPy's, with functions in JAX, which may close over traced numbers; SciPy gets them in NumPy.
`brentq`, `root` and `minimize` of a function alone, without a start, make a solver of a function in NumPy: one made of
arithmetic alone serves SciPy and JAX both; for any other the equation is given in JAX too. Make it once, not in each
call.

Solvers compute in double precision. Shapes that do not fit raise `SignatureError`. What SciPy refuses raises SciPy's
own error, inside a compiled program `HostCallError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._errors import RuleError
from hostwrap._recipes import equations
from hostwrap._recipes.cores import or_as_scipys
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._recipes.equations import (
    bisect,
    brenth,
    fixed_point,
    fsolve,
    newton,
    ridder,
    root_scalar,
    toms748,
)
from hostwrap._wrap import Wrapped, wrap
from hostwrap.optimize import _minima as minima
from hostwrap.optimize._bounded import lsq_linear, nnls
from hostwrap.optimize._choices import isotonic_regression, milp, quadratic_assignment
from hostwrap.optimize._constraints import Bounds, LinearConstraint, NonlinearConstraint
from hostwrap.optimize._iterative import (
    anderson,
    broyden1,
    broyden2,
    diagbroyden,
    excitingmixing,
    linearmixing,
    newton_krylov,
)
from hostwrap.optimize._minima import fminbound, minimize_scalar
from hostwrap.optimize._minimizers import (
    basinhopping,
    brent,
    brute,
    differential_evolution,
    direct,
    dual_annealing,
    fmin,
    fmin_bfgs,
    fmin_cg,
    fmin_cobyla,
    fmin_l_bfgs_b,
    fmin_ncg,
    fmin_powell,
    fmin_slsqp,
    fmin_tnc,
    golden,
    shgo,
)
from hostwrap.optimize._squares import (
    curve_fit,
    least_squares,
    linear_sum_assignment,
    linprog,
)

__all__ = [
    "Bounds",
    "LinearConstraint",
    "NonlinearConstraint",
    "anderson",
    "basinhopping",
    "bisect",
    "brent",
    "brenth",
    "brentq",
    "broyden1",
    "broyden2",
    "brute",
    "curve_fit",
    "diagbroyden",
    "differential_evolution",
    "direct",
    "dual_annealing",
    "excitingmixing",
    "fixed_point",
    "fmin",
    "fmin_bfgs",
    "fmin_cg",
    "fmin_cobyla",
    "fmin_l_bfgs_b",
    "fmin_ncg",
    "fmin_powell",
    "fmin_slsqp",
    "fmin_tnc",
    "fminbound",
    "fsolve",
    "golden",
    "isotonic_regression",
    "least_squares",
    "linear_sum_assignment",
    "linearmixing",
    "linprog",
    "lsq_linear",
    "milp",
    "minimize",
    "minimize_scalar",
    "newton",
    "newton_krylov",
    "nnls",
    "quadratic_assignment",
    "ridder",
    "root",
    "root_scalar",
    "shgo",
    "toms748",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)


@or_as_scipys(equations.brentq, "a", "b")
def brentq(f: Callable, residual: Callable | None = None, **options: Any) -> Wrapped:
    """The solver of `f(x, *args) = 0` between a and b, a JAX function `(a, b, *args) -> x`, elementwise.

    It has derivatives of any order in args. (The root does not depend on a and b: there they are 0.) `brentq(f, a, b)`
    returns the root, as SciPy's; then f is in JAX, and may close over traced numbers.

    Args:
        f: in NumPy; of opposite signs at a and b.
        residual: the same in JAX; f itself, if JAX can trace it.
        options: xtol, rtol, maxiter, as of `scipy.optimize.brentq`.

    Raises:
        ValueError, RuntimeError: SciPy's own; HostCallError inside a compiled program.

    >>> import jax
    >>> cube_root = brentq(lambda x, a: x**3 - a)
    >>> print(f"{jax.grad(cube_root, 2)(0.0, 10.0, 8.0):.9f}")
    0.083333333
    """

    def solve(a: Any, b: Any, *args: Any) -> Any:
        return scipy.optimize.brentq(f, a.item(), b.item(), args=args, **options)

    return _implicit("brentq", solve, f, residual, lambda x, a, b, args: _traced(residual or f, x, *args))


@or_as_scipys(equations.root, "x0")
def root(fun: Callable, residual: Callable | None = None, **options: Any) -> Wrapped:
    """The solver of `fun(x, *args) = 0`, as many equations as unknowns, a JAX function `(x0, *args) -> x`.

    x and x0 have the same shape; a batch goes by vmap. It has derivatives of any order in args, 0 in x0.
    `root(fun, x0)` is called as SciPy's, and returns an `OptimizeResult`; then fun is in JAX, and may close over traced
    numbers.

    Args:
        fun: in NumPy.
        residual: the same in JAX; fun itself, if JAX can trace it.
        options: jac (in NumPy), method, tol, options, as of `scipy.optimize.root`.

    Raises:
        RuntimeError: it did not converge; HostCallError inside a compiled program.

    >>> import jax, numpy as np
    >>> cube_roots = root(lambda x, a: x**3 - a)
    >>> print(jax.jacobian(cube_roots, 1)(np.ones(2), np.array([1.0, 8.0])).round(6))
    [[0.333333 0.      ]
     [0.       0.083333]]
    """

    def solve(x0: Any, *args: Any) -> Any:
        def flat(x: Any) -> Any:
            return np.ravel(fun(x.reshape(x0.shape), *args))

        return _converged(scipy.optimize.root(flat, x0.ravel(), **options)).reshape(x0.shape)

    return _implicit(
        "root", solve, fun, residual, lambda x, x0, args: _traced(residual or fun, x, *args), _like_first
    )


@or_as_scipys(minima.minimize, "x0")
def minimize(fun: Callable, gradient: Callable | None = None, **options: Any) -> Callable[..., jax.Array]:
    """The solver of `min fun(x, *args)`, a JAX function `(x0, *args) -> x`.

    `minimize(fun, x0, args, method, ...)` is called as SciPy's, and returns an `OptimizeResult`; then fun is in JAX,
    and may close over traced numbers.

    x0 is [n]; a batch goes by vmap. Derivatives of any order in args, 0 in x0, follow from `gradient = 0`; they need a
    regular Hessian. They are as exact as the minimum is: give `jac` and a small `tol` for many digits.

    With `bounds` or `constraints` fun and the functions of the constraints are in JAX, and take `(x, *args)`. What is
    active at the answer is held, and the equations of Karush, Kuhn and Tucker are differentiated. Where a bound or a
    constraint holds without a force, the derivative is a ResultError.

    Args:
        fun: in NumPy.
        gradient: of fun in x, in JAX, `gradient(x, *args)`; jax.grad(fun), if JAX can trace fun.
        options: jac (in NumPy), method, tol, options, bounds, constraints (dictionaries), as of
            `scipy.optimize.minimize`.

    Raises:
        RuntimeError: it did not converge; HostCallError inside a compiled program.

    >>> rule = {"type": "eq", "fun": lambda x, a: x[0] + a * x[1] - 1}
    >>> line = minimize(lambda x, a: x @ x, constraints=rule, tol=1e-12)
    >>> print(jax.jacobian(line, 1)(jnp.array([0.3, 0.2]), 2.0).round(6))
    [-0.16 -0.12]
    """
    if options.get("bounds") is not None or options.get("constraints"):
        return _constrained(fun, gradient, options)

    def solve(x0: Any, *args: Any) -> Any:
        return _converged(scipy.optimize.minimize(fun, x0, args=args, **options))

    def equation(x: Any, x0: Any, args: tuple) -> Any:
        return _traced(gradient or jax.grad(fun), x, *args)

    return _implicit("minimize", solve, fun, gradient, equation, _like_first)


def _constrained(fun: Callable, gradient: Any, options: dict[str, Any]) -> Callable[..., jax.Array]:
    if gradient is not None:
        raise RuleError(
            "minimize: gradient= has no part where there are bounds= or constraints=; fun is in JAX."
        )
    given = options.get("constraints") or ()
    rules = [given] if isinstance(given, dict) else list(given)

    def solve(x0: Any, *args: Any) -> jax.Array:
        own = [{**rule, "args": args} if isinstance(rule, dict) else rule for rule in rules]
        return minima.minimize(fun, x0, args, **{**options, "constraints": own}).x

    return solve


def _implicit(
    solver: str, solve: Callable, f: Any, in_jax: Any, equation: Callable, out: Callable | None = None
) -> Wrapped:
    for given in (f,) if in_jax is None else (f, in_jax):
        if not callable(given):
            raise RuleError(f"{solver}: expected a function, got {type(given).__name__}: {given!r:.80}.")
    solve.__name__ = f"{solver}({getattr(f, '__name__', type(f).__name__)})"
    wrapped = wrap(solve, vmap_method="sequential") if out is None else wrap(solve, out=out)
    wrapped.defimplicit(equation)
    return wrapped


def _like_first(x0: Any, *args: Any) -> jax.ShapeDtypeStruct:
    """As x0, in the precision of all."""
    dtypes = [x.dtype for x in jax.tree.leaves((x0, args)) if jnp.issubdtype(x.dtype, jnp.inexact)]
    return jax.ShapeDtypeStruct(x0.shape, jnp.result_type(*dtypes) if dtypes else jnp.result_type(float))


def _traced(function: Callable, *args: Any) -> Any:
    try:
        return function(*args)
    except jax.errors.JAXTypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise RuleError(
            f"{name}: JAX cannot trace it, as it must for derivatives; give the equation in jax.numpy too, "
            "by residual= (of minimize: gradient=)."
        ) from error


def _converged(result: Any) -> Any:
    if not result.success:
        raise RuntimeError(f"no convergence: {result.message}")
    return result.x
