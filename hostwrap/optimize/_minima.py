"""SciPy's minimizers, of functions that may close over traced numbers (see `extrema`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._errors import NotTaken
from hostwrap._recipes.equations import array, converged, optional, partial_of, real
from hostwrap._recipes.extrema import box_of, stationary, together
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike


@as_scipys("scipy.optimize")
def minimize(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None, hessp: Any = None,
    bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None, options: Any = None,
) -> Solution:  # fmt: skip
    if hessp is not None or callback is not None:
        raise NotTaken(
            "minimize: hessp= and callback= are not taken in a trace; give hess=, or leave them out."
        )
    x0 = jnp.atleast_1d(real("minimize", "x0", x0))
    several = bool(jac) and not callable(jac)
    fun = in_jax(fun) if several else fun
    f = partial_of((lambda *given: fun(*given)[0]) if several else fun, args, "minimize")
    slope = (lambda *given: fun(*given)[1]) if several else jac if callable(jac) else None
    more = [optional(d, args, "minimize") for d in (slope, hess if callable(hess) else None)]
    box = None if bounds is None else box_of("minimize", bounds, x0.shape[0])
    constraint, kinds = together("minimize", constraints, x0) if constraints else (None, [])

    def solver(start: Any, f: Any, _: Any, c: Any, dc: Any, jac: Any, hess: Any) -> Any:
        given = [
            {"type": kind, "fun": lambda x, rows=rows: c(x)[rows]}
            | ({"jac": lambda x, rows=rows: dc(x)[rows]} if with_jac else {})
            for kind, rows, with_jac in kinds
        ]
        limits = scipy.optimize.Bounds(start["lower"], start["upper"]) if box else None
        found = scipy.optimize.minimize(
            lambda x: f(x).item(), start["x0"], (), method, jac, hess, None, limits, given, tol, None, options
        )
        # rounding stopped it: the equations at the answer decide whether it is a minimum
        return found if "precision loss" in str(found.message) else converged(found)

    value = lambda x: array(f(x))
    x, counts = stationary("minimize", value, x0, solver, box, constraint, more, COUNTS)
    if str(method).lower() in WITHOUT_SLOPE:
        del counts["njev"]
        return minimum(f, x, status=0, **counts)
    at, moved = jax.value_and_grad(lambda x: jnp.reshape(value(x), ()))(x)
    return _found(x, at, status=0, jac=moved, **counts)


COUNTS = ("nit", "nfev", "njev")
WITHOUT_SLOPE = ("nelder-mead", "powell", "cobyla", "cobyqa")


def minimum(f: Callable, x: Any, **more: Any) -> Solution:
    """The result of a minimizer that has found x."""
    return _found(x, jnp.reshape(array(f(x)), ()), **more)


def _found(x: Any, value: Any, **more: Any) -> Solution:
    return Solution(x=x, fun=value, success=True, message="The minimum was found.", **more)


def minimize_scalar(
    fun: Callable, bracket: Any = None, bounds: Any = None, args: Any = (), method: str | None = None,
    tol: float | None = None, options: Any = None,
) -> Solution:  # fmt: skip
    """`scipy.optimize.minimize_scalar`, differentiable: where `fun(x, *args)` is smallest, of one number.

    fun is a function in JAX, and may close over traced numbers. Derivatives in these, in args and in a bound at which
    the
    minimum lies have any order, in both modes. They are as exact as the minimum is, of which SciPy finds half the
    digits: give a small `tol`.

    Args:
        bracket, bounds, method, tol, options: as in SciPy.

    Returns:
        A `scipy.optimize.OptimizeResult` with `x`, `fun`, `nit` and `nfev`.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.
        ResultError: the derivative where a bound holds and the slope there is 0.

    >>> import jax
    >>> print(f"{jax.grad(lambda a: minimize_scalar(lambda x: (x - a) ** 2 + x**4, tol=1e-12).x)(1.3):.5f}")
    0.26630
    """
    f = partial_of(fun, args, "minimize_scalar")
    box = None if bounds is None else box_of("minimize_scalar", [tuple(bounds)], 1)
    # what a compiled program keeps must not hold the numbers
    bounded, bracketed = bounds is not None, bracket is not None
    guess = jnp.ravel(array(list(bracket))) if bracketed else jnp.zeros(0)

    def solver(start: Any, f: Any, *_: Any) -> Any:
        limits = (start["lower"].item(), start["upper"].item()) if bounded else None
        tried = tuple(start["x0"]) if bracketed else None
        one = lambda x: f(np.reshape(x, 1)).item()
        return converged(scipy.optimize.minimize_scalar(one, tried, limits, (), method, tol, options))

    x, counts = of_one("minimize_scalar", f, guess, solver, box, COUNTS[:2])
    return minimum(f, x, **counts)


def of_one(
    name: str, f: Callable, guess: Any, solver: Callable, box: Any = None, said: Sequence[str] = ()
) -> Any:
    """`stationary` for a function of one number; `guess` is an array of any length."""
    guessed = guess.shape[0] > 0
    first = guess[:1] if guessed else jnp.zeros(1)

    def with_guess(start: Any, *calls: Any) -> Any:
        return solver({**start, "x0": calls[-1](start["x0"]) if guessed else start["x0"]}, *calls[:-1])

    value, more = lambda x: array(f(x[0])), [lambda x: guess + 0 * x[0]]
    found = stationary(name, value, first, with_guess, box, None, more, said)
    return (found[0][0], found[1]) if said else found[0]


@as_scipys("scipy.optimize")
def fminbound(
    func: Callable,
    x1: ArrayLike,
    x2: ArrayLike,
    args: Any = (),
    xtol: float = 1e-5,
    maxfun: int = 500,
) -> jax.Array:
    """`scipy.optimize.fminbound`, differentiable: the number x between x1 and x2 where `func(x, *args)` is smallest.

    As `minimize_scalar` with bounds, whose derivatives it has.

    >>> print(f"{jax.grad(lambda a: fminbound(lambda x: (x - a) ** 2 + x**4, 0.0, 3.0, xtol=1e-10))(1.3):.4f}")
    0.2663
    """
    how = {"xatol": xtol, "maxiter": maxfun}
    return minimize_scalar(func, bounds=(x1, x2), args=args, method="bounded", options=how).x
