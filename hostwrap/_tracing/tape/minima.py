"""Minimizers in recorded code: SciPy finds the minimum for concrete numbers, and Newton's steps are recorded there.

At a minimum the slope is 0. Bounds and constraints that are active at the answer stay active, and the answer and the
multipliers solve the equations of Karush, Kuhn and Tucker (Fiacco 1976); see `extrema` and `implicit`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.optimize

from hostwrap._errors import ResultError
from hostwrap._recipes.extrema import FREE, LOWER, WEAK, active
from hostwrap._recipes.solutions import Result
from hostwrap._tracing.tape.array import concrete, holds, moves
from hostwrap._tracing.tape.implicit import at_value, corrected, gradient, jacobian
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.tape.systems import inverse_of
from hostwrap._tracing.values import reaches

NEWTON = 1e-3  # a larger relative step of Newton from the answer says that it is no minimum
_COUNTS = ("success", "status", "message", "nfev", "njev", "nhev", "nit", "nlfev", "nljev")


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = str(getattr(x, "__name__", None)), str(getattr(x, "__module__", None))
    known = name in _NAMES and module.startswith("scipy.optimize.") and callable(x)
    return functools.partial(_minimizer, x) if known else None


_OF_ONE = {"minimize_scalar", "fminbound", "brent", "golden"}
_NAMES = _OF_ONE | {
    "minimize", "fmin", "fmin_powell", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp",
    "fmin_cobyla", "differential_evolution", "direct", "dual_annealing", "shgo", "basinhopping", "brute",
}  # fmt: skip


class Part(Result):
    """SciPy's result, as far as it is known how it moves."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self:
            return super().__getattr__(name)
        return self[name]

    def __missing__(self, name: str) -> Any:
        raise refused(
            f"the result's `{name}`", "it depends on the steps of the solver, and has no derivative"
        )


_HOLDERS = {
    "Bounds": ("lb", "ub", "keep_feasible"), "LinearConstraint": ("A", "lb", "ub", "keep_feasible"),
    "NonlinearConstraint": ("fun", "lb", "ub", "jac", "hess", "keep_feasible", "finite_diff_rel_step"),
    "BFGS": (), "SR1": (),
}  # fmt: skip
"""What objects of SciPy that hold arrays and functions are made of."""


class Untold:
    """Stands for a number that depends on the steps of a solver."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise refused("a part of the solver's result", "it depends on the steps, and has no derivative")

    __array__ = __array_ufunc__ = __array_function__ = __getitem__ = __iter__ = __float__ = __len__ = _refuse
    __add__ = __mul__ = __sub__ = __truediv__ = __neg__ = __matmul__ = __bool__ = __lt__ = __gt__ = _refuse


def plain(f: Any) -> Any:
    """What a solver gets in place of a function or of a structure with arrays: the same without tapes."""
    if isinstance(f, dict):
        return {k: plain(v) for k, v in f.items()}
    if type(f) in (list, tuple):
        return type(f)(map(plain, f))
    if (
        kind := type(f).__name__
    ) in _HOLDERS:  # of a copy of SciPy's class, perhaps, that follows what records
        return getattr(scipy.optimize, kind)(*(plain(getattr(f, name)) for name in _HOLDERS[kind]))
    if not callable(f) or isinstance(f, type):
        return concrete(f)

    @functools.wraps(f, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        return _numbers(f(*args, **kwargs))

    return call


def _numbers(x: Any) -> Any:
    return np.asarray(concrete(joined(x))) if isinstance(x, list) and holds(x) else concrete(x)


# ---- the answer


def stationary(
    name: str, x: np.ndarray, f: Callable, size: float, box: tuple | None = None, constraints: Sequence[tuple] = ()
) -> tuple[Any, Any]:  # fmt: skip
    """The x where f is smallest, with derivatives, and the multipliers of all constraints.

    Args:
        size: of numbers that count as far from x.
        box: the smallest and the largest x.
        constraints: of (c, smallest, largest) each, where c(x) is an array.
    """
    n = len(x)
    value = lambda x: np.reshape(joined(f(x)), ())
    c = lambda x: np.concatenate([np.zeros(0), *(np.reshape(joined(one(x)), -1) for one, *_ in constraints)])
    limits = [
        _limits([one[i] for one in constraints], [np.size(one[0](x)) for one in constraints]) for i in (1, 2)
    ]
    lower, upper = box or (np.full(n, -np.inf), np.full(n, np.inf))
    start = {"lower": lower, "upper": upper, "c_lower": limits[0], "c_upper": limits[1]}
    calls = None, lambda x: concrete(gradient(value, x)), lambda x: concrete(c(x)), lambda x: jacobian(c, x)
    if not np.all(np.isfinite(calls[1](x))):
        raise refused(name, "the slope of the function is not finite at the answer")
    try:
        found = active(x, concrete(start), calls if constraints else (*calls[:2], None, None))
    except ResultError as error:
        raise refused(name, str(error)) from error
    bound = found["bound"]
    side = found.get("side", np.zeros(0, int))
    if np.any(bound == WEAK) or np.any(side == WEAK):
        raise refused(name, "a bound or a constraint holds without a force there, and the answer has a kink")
    free, held = np.flatnonzero(bound == FREE), np.flatnonzero(side != FREE)
    at, place, onto = np.where(bound == LOWER, lower, upper), np.eye(n)[:, free], np.eye(len(side))[:, held]
    still = np.where(bound == FREE, 0.0, at)
    limit = np.where(side == LOWER, *limits)[held] if len(held) else np.zeros(0)
    whole = lambda u: (still + np.matmul(place, u[: len(free)]), np.matmul(onto, u[len(free) :]))

    def equations(u: Any) -> Any:
        y, multipliers = whole(u)
        lagrangian = lambda y: value(y) - (np.sum(multipliers * c(y)) if len(held) else 0.0)
        off = c(y)[held] - limit if len(held) else np.zeros(0)
        return np.concatenate([gradient(lagrangian, y)[free], off])

    u = np.concatenate([x[free], found.get("multiplier", np.zeros(0))[held]])
    if len(u):
        inverse = inverse_of(name, jacobian(equations, u), "the matrix of second derivatives is")
        step = np.abs(inverse @ concrete(equations(u)))[: len(free)]
        if np.any(step > 1e-11 + NEWTON * max(size, float(np.max(np.abs(x), initial=0.0)))):
            raise refused(name, f"the answer is no minimum: a step of Newton moves it by {np.max(step):.3g}")
        u = corrected(u, equations, lambda off: np.matmul(inverse, off))
    y, multipliers = whole(u)
    return at_value(x, y), multipliers


def _limits(given: Sequence[Any], sizes: Sequence[int]) -> Any:
    each = [joined(one) + np.zeros(size) for one, size in zip(given, sizes, strict=True)]
    return np.concatenate([np.zeros(0), *each])


def box_of(given: Any, n: int) -> tuple | None:
    """The smallest and the largest numbers, of SciPy's ways to say them."""
    if given is None or (type(given) in (list, tuple) and not len(given)):
        return None
    if hasattr(given, "lb"):
        sides: Sequence[Any] = (given.lb, given.ub)
    else:
        rows = [tuple(row) for row in given]
        sides = [[row[i] for row in rows] for i in (0, 1)]
    ends = [[end if one is None else one for one in side] if type(side) is list else side
            for side, end in zip(sides, (-np.inf, np.inf), strict=True)]  # fmt: skip
    return tuple(joined(side) + np.zeros(n) for side in ends)


def constraints_of(given: Any) -> list[tuple]:
    """(function of x, smallest, largest) of each constraint."""
    rows = []
    for one in given if type(given) in (list, tuple) else (given,):
        if (kind := type(one).__name__) == "LinearConstraint":
            matrix = one.A.toarray() if hasattr(one.A, "toarray") else joined(one.A)
            rows.append((functools.partial(np.matmul, matrix), one.lb, one.ub))
        elif kind == "NonlinearConstraint":
            rows.append((one.fun, one.lb, one.ub))
        else:
            of = lambda x, one=one: one["fun"](x, *_tuple(one.get("args", ())))
            rows.append((of, 0.0, 0.0 if one["type"].lower() == "eq" else np.inf))
    return rows


def _tuple(args: Any) -> tuple:
    return args if isinstance(args, tuple) else (args,)


# ---- SciPy's calls


def _minimizer(function: Callable, *args: Any, **kwargs: Any) -> Any:
    if not reaches([args, kwargs], moves):
        return function(*args, **kwargs)
    given = bound(function, args, kwargs)
    name = f"scipy.optimize.{function.__name__}"
    found = function(**plain(given))
    inner = given.get("minimizer_kwargs") or {}
    extra = _tuple(given.get("args", inner.get("args", ())))
    both = given.get("jac", inner.get("jac")) is True or (
        function.__name__ in ("fmin_l_bfgs_b", "fmin_tnc")
        and given.get("fprime") is None and not given.get("approx_grad")
    )  # fmt: skip
    func = next(given[k] for k in ("fun", "func", "f") if k in given)
    of = lambda x: func(x, *extra)[0] if both else func(x, *extra)
    parts = not isinstance(found, tuple | scipy.optimize.OptimizeResult)
    x = found if parts else found.x if not isinstance(found, tuple) else found[0]
    alone = function.__name__ in _OF_ONE
    at = np.array(x, float).reshape(-1)
    rows = [given[k] for k in ("x0", "x1", "x2") if k in given and np.ndim(concrete(given[k])) <= 1]
    size = max((float(np.max(np.abs(concrete(joined(row))), initial=0.0)) for row in rows), default=0.0)
    box = _box(function.__name__, given, inner, len(at))
    rules = constraints_of(_rules(function.__name__, given, inner, extra))
    y, _ = stationary(name, at, (lambda x: of(x[0])) if alone else of, size, box, rules)
    y = y[0] if np.ndim(x) == 0 else y
    if parts:
        return y
    return _like(found, y, of)


def bound(function: Callable, args: tuple, kwargs: dict) -> dict[str, Any]:
    """The arguments by their names."""
    signature = inspect.signature(function)
    given = dict(signature.bind(*args, **kwargs).arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            given |= given.pop(name, {})
    return given


def _box(name: str, given: dict, inner: dict, n: int) -> tuple | None:
    if name == "fminbound":
        return box_of([(given["x1"], given["x2"])], 1)
    limits = given.get("bounds", inner.get("bounds"))
    return box_of([limits] if name == "minimize_scalar" and limits is not None else limits, n)


def _rules(name: str, given: dict, inner: dict, extra: tuple) -> Any:
    if name == "fmin_cobyla":
        cons, more = given["cons"], given.get("consargs")
        return [{"type": "ineq", "fun": c, "args": extra if more is None else more}
                for c in (cons if isinstance(cons, list | tuple) else [cons])]  # fmt: skip
    rules = given.get("constraints") or inner.get("constraints") or []
    rules = [*rules] if isinstance(rules, list | tuple) else [rules]
    for kind in ("eq", "ineq"):
        whole, each = given.get(f"f_{kind}cons"), given.get(f"{kind}cons", ())
        rules += [{"type": kind, "fun": c, "args": extra} for c in ([whole] if whole else each)]
    return rules


def _like(found: Any, y: Any, of: Callable) -> Any:
    """The result, with the moving parts."""
    value = lambda was: at_value(was, np.reshape(joined(of(y)), np.shape(was)))
    if isinstance(found, tuple):
        rest = [value(part) if i == 0 and isinstance(part, float) else _known(part, y, of)
                for i, part in enumerate(found[1:])]  # fmt: skip
        return (y, *rest)
    parts = {k: found[k] for k in _COUNTS if k in found}
    if "jac" in found and isinstance(found.jac, np.ndarray) and np.shape(found.jac) == np.shape(y):
        parts["jac"] = gradient(lambda x: np.reshape(joined(of(x)), ()), y)
    return Part(x=y, fun=value(found.fun), **parts)


def _known(part: Any, y: Any, of: Callable) -> Any:
    if isinstance(part, int | str | np.integer | type(None)):
        return part
    if isinstance(part, dict):
        slope = {"grad": gradient(lambda x: np.reshape(joined(of(x)), ()), y)} if "grad" in part else {}
        return Part({k: v for k, v in part.items() if isinstance(v, int | str)} | slope)
    return Untold()
