"""SciPy's older minimizers, named after their methods, and those that look for the global minimum.

They find a minimum, each in its own way, so the derivatives are those of `minimize` (see `extrema`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._errors import NotTaken
from hostwrap._recipes.equations import array, converged, partial_of, real
from hostwrap._recipes.extrema import box_of, stationary
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap.optimize._minima import COUNTS, minimize, minimum, of_one

# The method, and the names that its options have in `minimize`.
METHODS: dict[str, tuple[str, dict[str, str]]] = {
    "fmin": ("Nelder-Mead", {"xtol": "xatol", "ftol": "fatol", "maxfun": "maxfev"}),
    "fmin_powell": ("Powell", {"maxfun": "maxfev"}),
    "fmin_bfgs": ("BFGS", {"epsilon": "eps"}),
    "fmin_cg": ("CG", {"epsilon": "eps"}),
    "fmin_ncg": ("Newton-CG", {"avextol": "xtol", "epsilon": "eps"}),
    "fmin_l_bfgs_b": ("L-BFGS-B", {"m": "maxcor", "pgtol": "gtol", "epsilon": "eps"}),
    "fmin_tnc": ("TNC", {"epsilon": "eps", "messages": "mesg_num", "fmin": "minfev", "pgtol": "gtol"}),
    "fmin_slsqp": ("SLSQP", {"iter": "maxiter", "acc": "ftol", "epsilon": "eps"}),
    "fmin_cobyla": ("COBYLA", {"rhoend": "tol", "maxfun": "maxiter"}),
}
SILENT = ("disp", "iprint")  # options for what they print
DOC = """`scipy.optimize.{name}`, differentiable: where `{first}(x, *args)` is smallest{how}.

    Functions are in JAX, and may close over traced numbers. Derivatives in these, in args{also} have any order, in both
    modes; those in x0 are 0. They are as exact as the minimum is: ask for many digits. Options are SciPy's. It prints
    nothing. `full_output`, `retall` and `callback` are SciPy's own, where nothing is traced.

    Returns:
        {returns}

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.
        ResultError: the derivative at an answer that is no minimum, or where a bound holds without a force.

    >>> import jax
    >>> least = lambda a: {name}({call}){at}
    >>> print(f"{{jax.grad(least)(1.3):.4f}}")
    0.2663
    """
TARGET = "lambda x: (x[0] - a) ** 2 + x[0] ** 4"


def _documented(function: Callable, name: str, call: str, at: str = "[0]", **words: str) -> Callable:
    words = {"how": "", "also": "", "first": "func", "returns": "x, [n].", **words}
    function.__name__ = function.__qualname__ = name
    function.__doc__ = DOC.format(name=name, call=call, at=at, **words)
    return as_scipys("scipy.optimize")(function)


def _options(name: str, options: dict[str, Any]) -> dict[str, Any]:
    refused = [k for k in ("full_output", "retall", "callback", "fhess_p") if options.pop(k, None)]
    if refused:
        raise NotTaken(f"{name}: {refused[0]}= is not taken in a trace; leave it out.")
    known = METHODS[name][1]
    return {known.get(k, k): x for k, x in options.items() if k not in SILENT}


def _run(name: str, f: Any, x0: Any, args: Any, options: dict, **more: Any) -> Any:
    return minimize(f, x0, args, METHODS[name][0], options=_options(name, options), **more)


def _without_slope(name: str) -> Callable:
    def find(func: Callable, x0: ArrayLike, args: Any = (), **options: Any) -> jax.Array:
        return _run(name, func, x0, args, options).x

    more = {"fmin": "xtol=1e-9, ftol=1e-9", "fmin_powell": "xtol=1e-9"}[name]
    return _documented(find, name, f"{TARGET}, [0.4], {more}")


def _with_slope(name: str) -> Callable:
    def find(
        f: Callable,
        x0: ArrayLike,
        fprime: Callable | None = None,
        args: Any = (),
        **options: Any,
    ) -> jax.Array:
        return _run(name, f, x0, args, options, jac=fprime).x

    return _documented(find, name, f"{TARGET}, [0.4]", first="f")


fmin, fmin_powell = _without_slope("fmin"), _without_slope("fmin_powell")
fmin_bfgs, fmin_cg = _with_slope("fmin_bfgs"), _with_slope("fmin_cg")


@as_scipys("scipy.optimize")
def fmin_ncg(
    f: Callable,
    x0: ArrayLike,
    fprime: Callable,
    fhess_p: Callable | None = None,
    fhess: Callable | None = None,
    args: Any = (),
    **options: Any,
) -> jax.Array:
    return _run("fmin_ncg", f, x0, args, {"fhess_p": fhess_p, **options}, jac=fprime, hess=fhess).x


_documented(
    fmin_ncg,
    "fmin_ncg",
    f"{TARGET}, [0.4], jax.grad({TARGET}), avextol=1e-9",
    first="f",
    how=", by its slope",
)


def _bounded(
    name: str, f: Any, x0: Any, fprime: Any, args: Any, approx: Any, bounds: Any, options: dict
) -> Any:
    jac = fprime if fprime is not None else not approx  # func returns its value and its slope
    several = jac is True
    f = in_jax(f) if several else f
    value = partial_of((lambda *given: f(*given)[0]) if several else f, args, name)
    found = _run(name, f, x0, args, options, jac=jac or None, bounds=bounds)
    return found.x, found.fun, jax.grad(lambda x: jnp.reshape(array(value(x)), ()))(found.x)


@as_scipys("scipy.optimize")
def fmin_l_bfgs_b(
    func: Callable, x0: ArrayLike, fprime: Callable | None = None, args: Any = (), approx_grad: bool | int = 0,
    bounds: Any = None, factr: float = 1e7, **options: Any,
) -> tuple[jax.Array, jax.Array, dict]:  # fmt: skip
    how = {**options, "ftol": factr * np.finfo(float).eps}
    x, value, slope = _bounded("fmin_l_bfgs_b", func, x0, fprime, args, approx_grad, bounds, how)
    return x, value, {"grad": slope, "task": "CONVERGENCE", "warnflag": 0}


@as_scipys("scipy.optimize")
def fmin_tnc(
    func: Callable, x0: ArrayLike, fprime: Callable | None = None, args: Any = (), approx_grad: bool | int = 0,
    bounds: Any = None, **options: Any,
) -> tuple[jax.Array, None, int]:  # fmt: skip
    x, *_ = _bounded("fmin_tnc", func, x0, fprime, args, approx_grad, bounds, options)
    return x, None, 1


for _name, _finder, _returns in (
    ("fmin_l_bfgs_b", fmin_l_bfgs_b, "x [n], the value there, and a dictionary with the slope, `grad`."),
    ("fmin_tnc", fmin_tnc, "x [n], None in place of the number of evaluations, and 1 for convergence."),
):
    _documented(
        _finder, _name, f"{TARGET}, [0.4], approx_grad=True", "[0][0]", how=" between bounds",
        also=" and in bounds that hold", returns=_returns,
    )  # fmt: skip


@as_scipys("scipy.optimize")
def fmin_slsqp(
    func: Callable, x0: ArrayLike, eqcons: Sequence[Callable] = (), f_eqcons: Callable | None = None,
    ieqcons: Sequence[Callable] = (), f_ieqcons: Callable | None = None, bounds: Any = (),
    fprime: Callable | None = None, fprime_eqcons: Callable | None = None, fprime_ieqcons: Callable | None = None,
    args: Any = (), **options: Any,
) -> jax.Array:  # fmt: skip
    rules = [{"type": "eq", "fun": c, "args": args} for c in eqcons]
    rules += [{"type": "ineq", "fun": c, "args": args} for c in ieqcons]
    if f_eqcons:
        rules = [{"type": "eq", "fun": f_eqcons, "args": args}] + [r for r in rules if r["type"] == "ineq"]
    if f_ieqcons:
        rules = [r for r in rules if r["type"] == "eq"] + [{"type": "ineq", "fun": f_ieqcons, "args": args}]
    for slope, kind in ((fprime_eqcons, "eq"), (fprime_ieqcons, "ineq")):
        rules = [{**r, "jac": slope} if slope and r["type"] == kind else r for r in rules]
    limits = bounds if len(bounds) else None
    return _run("fmin_slsqp", func, x0, args, options, jac=fprime, bounds=limits, constraints=rules).x


_documented(
    fmin_slsqp, "fmin_slsqp", f"{TARGET}, [0.4], ieqcons=[lambda x: 2 - x[0]], acc=1e-12", how=" under constraints",
    also=" and in bounds that hold",
)  # fmt: skip


@as_scipys("scipy.optimize")
def fmin_cobyla(
    func: Callable, x0: ArrayLike, cons: Any, args: Any = (), consargs: Any = None, **options: Any
) -> jax.Array:
    given = args if consargs is None else consargs
    rules = [
        {"type": "ineq", "fun": c, "args": given}
        for c in (cons if isinstance(cons, list | tuple) else [cons])
    ]
    return _run("fmin_cobyla", func, x0, args, options, constraints=rules).x


_documented(
    fmin_cobyla,
    "fmin_cobyla",
    f"{TARGET}, [0.4], [lambda x: 2 - x[0]], rhoend=1e-7",
    how=" where all `cons` are >= 0",
)


# ---- functions of one number


def _line(name: str) -> Callable:
    scipys = getattr(scipy.optimize, name)

    def find(
        func: Callable,
        args: Any = (),
        brack: Any = None,
        tol: float | None = None,
        full_output: bool | int = 0,
        **options: Any,
    ) -> jax.Array:
        if full_output:
            raise NotTaken(f"{name}: full_output= is not taken in a trace; leave it out.")
        f = partial_of(func, args, name)
        guess = jnp.ravel(array(list(brack))) if brack is not None else jnp.zeros(0)
        how = {**options, **({} if tol is None else {"tol": tol})}

        def solver(start: Any, f: Any, *_: Any) -> Any:
            tried = tuple(start["x0"]) if brack is not None else None
            return scipys(lambda x: f(np.reshape(x, 1)).item(), (), tried, **how)

        return of_one(name, f, guess, solver)

    call = "lambda x: (x - a) ** 2 + x**4, brack=(0.0, 2.0)"
    return _documented(find, name, call, "", how=", of one number", returns="x, a number.")


brent, golden = _line("brent"), _line("golden")


# ---- global minima


def _within(name: str) -> Callable:
    scipys = getattr(scipy.optimize, name)

    def find(func: Callable, bounds: Any, args: Any = (), **options: Any) -> Solution:
        refused = [k for k in ("callback", "constraints", "integrality", "vectorized") if options.get(k)]
        if refused:
            raise NotTaken(f"{name}: {refused[0]}= is not taken in a trace; leave it out, or use minimize.")
        n = len(bounds.lb if hasattr(bounds, "lb") else bounds)
        box, f = box_of(name, bounds, n), partial_of(func, args, name)

        def solver(start: Any, f: Any, *_: Any) -> Any:
            limits = list(zip(start["lower"], start["upper"], strict=True))
            return converged(scipys(lambda x: f(x).item(), limits, **options))

        x, counts = stationary(name, lambda x: array(f(x)), sum(box) / 2, solver, box, said=COUNTS[:2])
        return minimum(f, x, **counts)

    seed = ", rng=1" if name in ("differential_evolution", "dual_annealing") else ""
    seed += ", tol=1e-9" if name == "differential_evolution" else ""
    seed += ", maxiter=20" if name == "dual_annealing" else ""
    seed += ", len_tol=1e-5, maxfun=9999" if name == "direct" else ""
    return _documented(
        find, name, f"{TARGET}, [(0.0, 2.0)]{seed}", ".x[0]", how=" between bounds", also=" and in bounds that hold",
        returns="A `scipy.optimize.OptimizeResult` with `x`, `fun`, `nit` and `nfev`.",
    )  # fmt: skip


differential_evolution, direct, dual_annealing, shgo = map(
    _within, ("differential_evolution", "direct", "dual_annealing", "shgo")
)


@as_scipys("scipy.optimize")
def basinhopping(func: Callable, x0: ArrayLike, niter: int = 100, **options: Any) -> Solution:
    given = dict(options.pop("minimizer_kwargs", None) or {})
    if options.get("callback") or set(given) - {"method", "tol", "options", "args"}:
        raise NotTaken(
            "basinhopping: in a trace it takes no callback, and in minimizer_kwargs method, tol, options and args."
        )
    f = partial_of(func, given.pop("args", ()), "basinhopping")

    def solver(start: Any, f: Any, *_: Any) -> Any:
        one = lambda x: f(x).item()
        found = scipy.optimize.basinhopping(one, start["x0"], niter, minimizer_kwargs=given, **options)
        return found

    start = jnp.atleast_1d(real("basinhopping", "x0", x0))
    x, counts = stationary("basinhopping", lambda x: array(f(x)), start, solver, said=COUNTS[:2])
    return minimum(f, x, **counts)


_documented(
    basinhopping, "basinhopping", f"{TARGET}, [0.4], niter=2, rng=1, minimizer_kwargs={{'tol': 1e-9}}", ".x[0]",
    returns="A `scipy.optimize.OptimizeResult` with `x`, `fun`, `nit` and `nfev`.",
)  # fmt: skip


@as_scipys("scipy.optimize")
def brute(
    func: Callable,
    ranges: Sequence[Any],
    args: Any = (),
    Ns: int = 20,
    full_output: bool | int = 0,
    finish: Any = scipy.optimize.fmin,
    **options: Any,
) -> jax.Array:
    if full_output:
        raise NotTaken("brute: full_output= is not taken in a trace; leave it out.")
    f = partial_of(func, args, "brute")

    def solver(start: Any, f: Any, *_: Any) -> Any:
        return np.ravel(scipy.optimize.brute(lambda x: f(np.atleast_1d(x)).item(), ranges, (), Ns, 0, finish))

    return stationary("brute", lambda x: array(f(x)), jnp.zeros(len(ranges)), solver)


_documented(
    brute, "brute", f"{TARGET}, [(0.0, 2.0)]", how=" on a grid, polished by `finish` (`scipy.optimize.fmin`)"
)
