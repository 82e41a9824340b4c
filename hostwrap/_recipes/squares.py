"""SciPy's least squares, and programs that are linear, of data and functions that may be traced (see `extrema`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._errors import RuleError
from hostwrap._recipes.equations import Solution, array, converged, optional, partial_of, real
from hostwrap._recipes.extrema import box_of, open_of, stationary
from hostwrap._wrap import wrap

LOSSES: dict[str, Callable] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (jnp.sqrt(1 + z) - 1),
    "huber": lambda z: jnp.where(z <= 1, z, 2 * jnp.sqrt(jnp.where(z <= 1, 1.0, z)) - 1),
    "cauchy": jnp.log1p,
    "arctan": jnp.arctan,
}


def least_squares(
    fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: str = "trf", loss: Any = "linear",
    f_scale: float = 1.0, args: Any = (), kwargs: Any = None, **options: Any,
) -> Solution:  # fmt: skip
    if loss not in LOSSES:
        raise RuleError(f"least_squares: loss= is one of {sorted(LOSSES)}, got {loss!r:.80}.")
    kwargs = dict(kwargs or {})
    x0 = jnp.atleast_1d(real("least_squares", "x0", x0))
    residual = lambda x: jnp.ravel(
        array(partial_of(lambda *given: fun(*given, **kwargs), args, "least_squares")(x))
    )
    more = [residual, (lambda x: array(jac(x, *args, **kwargs))) if callable(jac) else None]
    given = _open_box("least_squares", bounds, x0.shape[0])

    def solver(start: Any, *calls: Any) -> Any:
        limits = (start["lower"], start["upper"]) if given else (-np.inf, np.inf)
        f, slope = calls[-2:]
        return converged(scipy.optimize.least_squares(
            f, start["x0"], slope or jac, limits, method, loss=loss, f_scale=f_scale, **options
        )).x  # fmt: skip

    cost = lambda x: 0.5 * f_scale**2 * jnp.sum(LOSSES[loss]((residual(x) / f_scale) ** 2))
    x = stationary("least_squares", cost, x0, solver, given, None, more)
    return Solution(
        x=x, cost=cost(x), fun=residual(x), jac=jax.jacfwd(residual)(x), grad=jax.grad(cost)(x), success=True,
        message="The minimum was found.",
    )  # fmt: skip


def _open_box(name: str, bounds: Any, n: int) -> Any:
    """None, where there are no bounds."""
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    ends = [x for side in pair for x in jax.tree.leaves(side)]
    if not any(isinstance(x, jax.core.Tracer) for x in ends) and all(np.all(np.isinf(x)) for x in ends):
        return None
    return tuple(open_of(name, side, sign, n) for side, sign in zip(pair, (-1, 1), strict=True))


def leastsq(
    func: Any, x0: Any, args: Any = (), Dfun: Any = None, full_output: bool = False, **options: Any
) -> tuple:
    if full_output or options.pop("col_deriv", False):
        raise RuleError("leastsq: full_output= and col_deriv= are not taken; use least_squares.")
    f = partial_of(func, args, "leastsq")
    residual = lambda x: jnp.ravel(array(f(x)))
    more = [residual, optional(Dfun, args, "leastsq")]

    def solver(start: Any, *calls: Any) -> Any:
        x, flag = scipy.optimize.leastsq(calls[-2], start["x0"], Dfun=calls[-1], **options)
        if flag not in (1, 2, 3, 4):
            raise RuntimeError(f"no convergence: leastsq says {flag}")
        return x

    cost = lambda x: 0.5 * jnp.sum(residual(x) ** 2)
    return stationary("leastsq", cost, jnp.atleast_1d(array(x0)), solver, None, None, more), 1


def curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
    check_finite: bool = True, bounds: Any = (-np.inf, np.inf), method: Any = None, jac: Any = None, *,
    full_output: bool = False, nan_policy: Any = None, **options: Any,
) -> tuple[jax.Array, jax.Array]:  # fmt: skip
    name = "curve_fit"
    if full_output or nan_policy is not None:
        raise RuleError("curve_fit: full_output= and nan_policy= are not taken.")
    y = jnp.ravel(real(name, "ydata", ydata))
    xs = array(xdata) if isinstance(xdata, list | tuple | np.ndarray | jax.Array) else xdata
    n = _count(f, name) if p0 is None else np.size(array(p0))
    box = _open_box(name, bounds, n)
    start = jnp.ravel(array(p0)) if p0 is not None else _first(box, n)
    model = lambda p: jnp.ravel(array(f(xs, *(p[i] for i in range(n)))))
    slope = (lambda p: array(jac(xs, *(p[i] for i in range(n))))) if callable(jac) else None
    errors = None if sigma is None else real(name, "sigma", sigma)
    residual = lambda p: _whitened(model(p) - y, errors)

    def solver(start: Any, *calls: Any) -> Any:
        model, slope, y, *rest = calls[4:]
        p = start["x0"]
        limits = (start["lower"], start["upper"]) if box else (-np.inf, np.inf)
        slopes = (lambda _, *p: slope(np.array(p))) if slope else jac
        return scipy.optimize.curve_fit(
            lambda _, *p: model(np.array(p)), np.arange(len(y(p))), y(p), p, rest[0](p) if rest else None,
            absolute_sigma, check_finite, limits, method, slopes, **options,
        )[0]  # fmt: skip

    data = [lambda p: y, *([] if errors is None else [lambda p: errors])]
    cost = lambda p: 0.5 * jnp.sum(residual(p) ** 2)
    best = stationary(name, cost, start, solver, box, None, [model, slope, *data])
    return best, _covariance(residual, best, y.shape[0] - n, absolute_sigma)


def _covariance(residual: Callable, best: Any, freedom: int, absolute: bool) -> jax.Array:
    jacobian = jax.jacfwd(residual)(best)
    covariance = jnp.linalg.inv(jacobian.T @ jacobian)
    if absolute:
        return covariance
    return covariance * (jnp.sum(residual(best) ** 2) / freedom) if freedom > 0 else covariance * jnp.inf


def _whitened(r: Any, sigma: Any) -> Any:
    if sigma is None:
        return r
    if sigma.ndim < 2:
        return r / sigma
    return jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(sigma), r, lower=True)


def _count(f: Any, name: str) -> int:
    parameters = list(inspect.signature(f).parameters.values())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise RuleError(f"{name}: give p0=: the number of parameters is not to be seen from the function.")
    return len(parameters) - 1


def _first(box: Any, n: int) -> jax.Array:
    """Where SciPy begins: between the bounds."""
    if box is None:
        return jnp.ones(n)
    low, high = box
    below, above = jnp.isfinite(low), jnp.isfinite(high)
    lo, hi = jnp.where(below, low, 0.0), jnp.where(above, high, 0.0)
    one_end = jnp.where(below, lo + 1, jnp.where(above, hi - 1, 1.0))
    return jnp.where(below & above, (lo + hi) / 2, one_end)


def _linear(name: str, A: Any, b: Any, solver: Callable, box: Any) -> tuple[jax.Array, jax.Array]:
    """(x, A x - b), where this is shortest; `solver(A, b, start)` in NumPy."""
    residual = lambda x: A @ x - b
    run = lambda start, *calls: solver(calls[-2](start["x0"]), calls[-1](start["x0"]), start)
    data = [lambda x: A, lambda x: b]
    x = stationary(
        name, lambda x: 0.5 * jnp.sum(residual(x) ** 2), jnp.zeros(A.shape[1]), run, box, None, data
    )
    return x, residual(x)


def nnls(A: Any, b: Any, **options: Any) -> tuple[jax.Array, jax.Array]:
    A, b = real("nnls", "A", A), real("nnls", "b", b)
    box = jnp.zeros(A.shape[1]), jnp.full(A.shape[1], jnp.inf)
    x, r = _linear("nnls", A, b, lambda A, b, _: scipy.optimize.nnls(A, b, **options)[0], box)
    return x, jnp.linalg.norm(r)


def lsq_linear(
    A: Any, b: Any, bounds: Any = (-np.inf, np.inf), method: str = "trf", **options: Any
) -> Solution:
    A, b = real("lsq_linear", "A", A), real("lsq_linear", "b", b)
    box = _open_box("lsq_linear", bounds, A.shape[1])

    def solver(A: Any, b: Any, start: Any) -> Any:
        limits = (start["lower"], start["upper"]) if box else (-np.inf, np.inf)
        return converged(scipy.optimize.lsq_linear(A, b, limits, method, **options)).x

    x, r = _linear("lsq_linear", A, b, solver, box)
    return Solution(x=x, fun=r, cost=0.5 * jnp.sum(r**2), success=True, message="The minimum was found.")


# ---- linear programs


def linprog(
    c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
    method: str = "highs", options: Any = None,
) -> Solution:  # fmt: skip
    c = real("linprog", "c", c)
    n = c.shape[0]
    box = box_of("linprog", [bounds] * n if len(bounds) == 2 and np.ndim(bounds[0]) == 0 else bounds, n)
    rows = [(A, b, kind) for A, b, kind in ((A_ub, b_ub, "ub"), (A_eq, b_eq, "eq")) if A is not None]
    rows = [(real("linprog", f"A_{k}", A), jnp.ravel(real("linprog", f"b_{k}", b)), k) for A, b, k in rows]
    constraint = None
    if rows:
        upper = jnp.concatenate([b for _, b, _ in rows])
        lower = jnp.concatenate([b if kind == "eq" else jnp.full_like(b, -jnp.inf) for _, b, kind in rows])
        A = jnp.concatenate([A for A, *_ in rows])
        constraint = (lambda x: A @ x), lower, upper
    names = [kind for _, b, kind in rows for _ in range(b.shape[0])]

    def solver(start: Any, _: Any, slope: Any, c: Any, dc: Any) -> Any:
        x = np.zeros(n)
        given: dict[str, Any] = {"A_ub": None, "b_ub": None, "A_eq": None, "b_eq": None}
        for kind in set(names):
            which = np.array(names) == kind
            given |= {f"A_{kind}": dc(x)[which], f"b_{kind}": start["c_upper"][which]}
        limits = np.stack([start["lower"], start["upper"]], axis=1)
        return converged(
            scipy.optimize.linprog(slope(x), **given, bounds=limits, method=method, options=options)
        ).x

    x = stationary("linprog", lambda x: c @ x, jnp.zeros(n), solver, box, constraint)
    return Solution(x=x, fun=c @ x, success=True, status=0, message="The optimum was found.")


def linear_sum_assignment(cost_matrix: Any, maximize: bool = False) -> tuple[jax.Array, jax.Array]:
    cost = real("linear_sum_assignment", "cost_matrix", cost_matrix)
    pairs = jax.ShapeDtypeStruct((min(cost.shape),), jnp.result_type(int))

    def solve(cost: Any) -> Any:
        rows, columns = scipy.optimize.linear_sum_assignment(cost, maximize)
        return tuple(x.astype(pairs.dtype) for x in (rows, columns))

    solve.__name__ = "linear_sum_assignment"
    return wrap(solve, out=(pairs, pairs), vmap_method="sequential", derivatives="rules")(
        jax.lax.stop_gradient(cost)
    )
