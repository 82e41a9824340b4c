"""Nonlinear least squares and linear programs in recorded code (see `minima`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize

from hostwrap._recipes.losses import LOSSES, cost_of, scaled
from hostwrap._tracing.tape.array import concrete, moves
from hostwrap._tracing.tape.implicit import at_value, slopes
from hostwrap._tracing.tape.minima import Part, Untold, bound, box_of, plain, stationary
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches

_COUNTS = ("success", "status", "message", "nfev", "njev", "nit", "active_mask", "optimality")


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = str(getattr(x, "__name__", None)), str(getattr(x, "__module__", None))
    known = _KNOWN.get(name) if module.startswith("scipy.optimize.") and callable(x) else None
    return known and functools.partial(_called, known, x)


def _called(known: Callable, function: Callable, *args: Any, **kwargs: Any) -> Any:
    if not reaches([args, kwargs], moves):
        return function(*args, **kwargs)
    return known(f"scipy.optimize.{function.__name__}", function, bound(function, args, kwargs))


def _least_squares(name: str, function: Callable, given: dict[str, Any]) -> Any:
    found = function(**plain(given))
    args, more = given.get("args", ()), given.get("kwargs") or {}
    args = args if isinstance(args, tuple) else (args,)
    loss, scale = _loss(name, given)
    residual = lambda x: np.reshape(joined(given["fun"](x, *args, **more)), -1)
    cost = lambda x: cost_of(np, residual(x), loss, scale)
    x = _least(name, found.x, cost, given["x0"], _box(given, len(found.x)))
    parts = {k: found[k] for k in _COUNTS if k in found}
    if isinstance(found.jac, np.ndarray):
        slope, r = slopes(residual, x), residual(x)
        parts["jac"] = at_value(found.jac, scaled(np, slope, r, loss, scale))
        if loss == "linear":
            parts["grad"] = np.matmul(np.transpose(slope), r)
    return Part(x=x, fun=at_value(found.fun, residual(x)), cost=at_value(found.cost, cost(x)), **parts)


def _loss(name: str, given: dict[str, Any]) -> tuple[str, Any]:
    loss = given.get("loss", "linear")
    if loss not in LOSSES:
        raise refused(name, f"loss= must be one of {sorted(LOSSES)}")
    return loss, given.get("f_scale", 1.0)


def _box(given: dict[str, Any], n: int) -> Any:
    limits = given.get("bounds", (-np.inf, np.inf))
    pair = (limits.lb, limits.ub) if hasattr(limits, "lb") else limits
    lower, upper = (joined(side) + np.zeros(n) for side in pair)
    open_ = np.all(np.isinf(concrete(lower))) and np.all(np.isinf(concrete(upper)))
    return None if open_ else box_of(scipy.optimize.OptimizeResult(lb=lower, ub=upper), n)


def _least(name: str, x: np.ndarray, cost: Callable, x0: Any, box: Any) -> Any:
    size = float(np.max(np.abs(concrete(joined(x0))), initial=0.0))
    return stationary(name, np.array(x, float), cost, size, box)[0]


def _leastsq(name: str, function: Callable, given: dict[str, Any]) -> Any:
    found = function(**plain(given))
    args = given.get("args", ())
    args = args if isinstance(args, tuple) else (args,)
    residual = lambda x: np.reshape(joined(given["func"](x, *args)), -1)
    x = _least(name, found[0], lambda x: 0.5 * np.sum(residual(x) ** 2), given["x0"], None)
    if len(found) == 2:
        return x, found[1]
    _, covariance, info, *rest = found
    told = Part(
        {k: v for k, v in info.items() if k == "nfev"} | {"fvec": at_value(info["fvec"], residual(x))}
    )
    return x, _covariance(covariance, slopes(residual, x)), told, *rest


def _covariance(value: Any, jac: Any, each: Any = 1.0) -> Any:
    """The covariance of errors of this variance."""
    if value is None or not np.all(np.isfinite(value)):
        return value
    return at_value(value, np.linalg.inv(np.matmul(np.transpose(jac), jac)) * each)


def _curve_fit(name: str, function: Callable, given: dict[str, Any]) -> Any:
    if given.get("nan_policy") is not None:
        raise refused(name, "nan_policy= is not taken: take the NaN out")
    f, y, xs = given["f"], np.reshape(joined(given["ydata"]), -1), given["xdata"]
    xs = joined(xs) if isinstance(xs, list | tuple | np.ndarray) else xs
    sigma = None if given.get("sigma") is None else joined(given["sigma"])
    jac, (loss, scale) = given.get("jac"), _loss(name, given)

    @functools.wraps(f, updated=())
    def model(_: Any, *p: Any) -> Any:
        return concrete(joined(f(xs, *p)))

    how = plain({k: v for k, v in given.items() if k not in ("f", "jac")})
    if callable(jac):
        how["jac"] = lambda _, *p: concrete(joined(jac(xs, *p)))
    elif jac is not None:
        how["jac"] = jac
    best, covariance, *rest = function(model, **how)

    def residual(p: Any) -> Any:
        off = np.reshape(joined(f(xs, *(p[i] for i in range(len(best))))), -1) - y
        if sigma is None:
            return off
        if np.ndim(sigma) < 2:
            return off / sigma
        return scipy.linalg.solve_triangular(np.linalg.cholesky(sigma), off, lower=True)

    cost = lambda p: cost_of(np, residual(p), loss, scale)
    n = len(best)
    start = given.get("p0") if given.get("p0") is not None else np.zeros(n)
    p = _least(name, best, cost, start, _box(given, n))
    slope = scaled(np, slopes(residual, p), residual(p), loss, scale)
    each = 1.0 if given.get("absolute_sigma") or len(y) == n else 2 * cost(p) / (len(y) - n)
    found = p, _covariance(covariance, slope, each)
    if not rest:
        return found
    info = {"nfev": rest[0]["nfev"], "fvec": at_value(rest[0]["fvec"], residual(p))}
    return *found, Part(info), *rest[1:]


def _linprog(name: str, function: Callable, given: dict[str, Any]) -> Any:
    found = function(**plain(given))
    if found.x is None:
        return found
    dense = lambda a: a.toarray() if hasattr(a, "toarray") else joined(a)
    c, x = joined(given["c"]), np.array(found.x)
    pairs = given.get("bounds", (0, None))
    flat = len(pairs) == 2 and not any(np.ndim(concrete(one)) for one in pairs if one is not None)
    box = box_of([tuple(pairs)] * len(x) if flat else pairs, len(x))
    rows = {k: (dense(given[f"A_{k}"]), np.reshape(joined(given[f"b_{k}"]), -1))
            for k in ("ub", "eq") if given.get(f"A_{k}") is not None}  # fmt: skip
    rules = [(functools.partial(np.matmul, A), -np.inf if k == "ub" else b, b) for k, (A, b) in rows.items()]
    y, multipliers = stationary(name, x, lambda x: np.sum(c * x), 1.0, box, rules)
    parts, first = {k: found[k] for k in _COUNTS if k in found}, 0
    for k, said, sides in (("ub", "slack", "ineqlin"), ("eq", "con", "eqlin")):
        A, b = rows.get(k, (np.zeros((0, len(x))), np.zeros(0)))
        off, last = at_value(found[said], b - np.matmul(A, y)), first + len(b)
        held = at_value(found[sides].marginals, multipliers[first:last]) if sides in found else Untold()
        parts[said], parts[sides], first = off, Part(residual=off, marginals=held), last
    return Part(x=y, fun=at_value(found.fun, np.sum(c * y)), **parts)


def _isotonic(name: str, function: Callable, given: dict[str, Any]) -> Any:
    """Each block of equal numbers is the weighted mean of its own."""
    found = function(**plain(given))
    y, w = joined(given["y"]), given.get("weights")
    w = np.ones(np.shape(y)) if w is None else joined(w)
    add = np.add.reduceat
    means, weights = add(w * y, found.blocks[:-1]) / add(w, found.blocks[:-1]), add(w, found.blocks[:-1])
    ahead = np.cumsum(concrete(w * (y - found.x)))[
        np.setdiff1d(np.arange(len(found.x)), found.blocks[1:] - 1)
    ]
    rounding = 1e-12 * float(np.sum(np.abs(concrete(w * y))))
    if np.any(np.abs(ahead) <= rounding) or np.any(np.diff(found.x[found.blocks[:-1]]) == 0):
        raise refused(name, "a block could be two with the same mean, and the answer has a kink")
    x = at_value(found.x, np.repeat(means, np.diff(found.blocks)))
    return Part(x=x, weights=at_value(found.weights, weights), blocks=found.blocks)


_KNOWN: dict[str, Callable] = {
    "least_squares": _least_squares, "leastsq": _leastsq, "curve_fit": _curve_fit, "linprog": _linprog,
    "isotonic_regression": _isotonic,
}  # fmt: skip
