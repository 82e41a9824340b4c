"""SciPy's least squares and linear programs, for data and functions that may be traced (see `extrema`)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._errors import NotTaken, RuleError, SignatureError
from hostwrap._recipes.equations import array, converged, optional, partial_of, real
from hostwrap._recipes.extrema import box_of, open_of, stationary
from hostwrap._recipes.losses import LOSSES, cost_of, scaled
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


@as_scipys("scipy.optimize")
def least_squares(
    fun: Callable, x0: ArrayLike, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: str = "trf",
    loss: Any = "linear", f_scale: ArrayLike = 1.0, args: Any = (), kwargs: Any = None, **options: Any,
) -> Solution:  # fmt: skip
    """`scipy.optimize.least_squares`, differentiable: the x for which half the sum of `rho(fun(x, *args)²)` is least.

    fun is a function in JAX that returns the residuals [m]; it may close over traced arrays. Derivatives in these, in
    args, f_scale and in bounds that hold have any order, in both modes, with the curvature of the residuals: Gauss
    and Newton's matrix alone is wrong where they do not vanish. One linear system of n equations is solved for them.

    Args:
        x0: [n].
        jac: a function in JAX, or the name of a scheme, which has no part in the derivative.
        bounds: a pair (lowest, highest), or `scipy.optimize.Bounds`.
        loss: one of SciPy's names.
        method, kwargs, options: as in SciPy.

    Returns:
        A `scipy.optimize.OptimizeResult` with `x`, `cost`, `fun`, `jac` and `grad`, all differentiable.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.
        ResultError: the derivative where a bound holds and the slope there is 0, or at an answer that is no minimum.

    >>> import jax, jax.numpy as jnp
    >>> y = jnp.array([1.0, 2.5])
    >>> print(jax.grad(lambda y: least_squares(lambda x: x[0] * jnp.array([1.0, 2.0]) - y, [1.0]).x[0])(y).round(9))
    [0.2 0.4]
    """
    scale = _scale("least_squares", loss, f_scale)
    kwargs, jac = dict(kwargs or {}), in_jax(jac) if callable(jac) else jac
    x0 = jnp.atleast_1d(real("least_squares", "x0", x0))
    residual = lambda x: jnp.ravel(
        array(partial_of(functools.partial(fun, **kwargs), args, "least_squares")(x))
    )
    more = [residual, (lambda x: array(jac(x, *args, **kwargs))) if callable(jac) else None, lambda x: scale]
    given = _open_box("least_squares", bounds, x0.shape[0])

    def solver(start: Any, *calls: Any) -> Any:
        limits = (start["lower"], start["upper"]) if given else (-np.inf, np.inf)
        f, slope, scale = calls[-3:]
        return converged(scipy.optimize.least_squares(
            f, start["x0"], slope or jac, limits, method, loss=loss, f_scale=scale(start["x0"]).item(), **options
        )).x  # fmt: skip

    cost = lambda x: cost_of(jnp, residual(x), loss, scale)
    x = stationary("least_squares", cost, x0, solver, given, None, more)
    return Solution(
        x=x, cost=cost(x), fun=residual(x), jac=_jacobian(residual, x, loss, scale), grad=jax.grad(cost)(x),
        success=True, message="The minimum was found.",
    )  # fmt: skip


def _scale(name: str, loss: Any, f_scale: Any) -> jax.Array:
    if loss not in LOSSES:
        raise RuleError(f"{name}: loss= is one of {sorted(LOSSES)}, got {loss!r:.80}.")
    return real(name, "f_scale", f_scale)


def _jacobian(residual: Callable, x: Any, loss: str, scale: Any) -> jax.Array:
    return scaled(jnp, jax.jacfwd(residual)(x), residual(x), loss, scale)


def _open_box(name: str, bounds: Any, n: int) -> Any:
    """The bounds; None without any."""
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    ends = [x for side in pair for x in jax.tree.leaves(side)]
    if not any(isinstance(x, jax.core.Tracer) for x in ends) and all(np.all(np.isinf(x)) for x in ends):
        return None
    return tuple(open_of(name, side, sign, n) for side, sign in zip(pair, (-1, 1), strict=True))


@as_scipys("scipy.optimize")
def leastsq(
    func: Any, x0: Any, args: Any = (), Dfun: Any = None, full_output: bool = False, **options: Any
) -> tuple:
    if full_output or options.pop("col_deriv", False):
        raise NotTaken("leastsq: full_output= and col_deriv= are not taken in a trace; use least_squares.")
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


@as_scipys("scipy.optimize")
def curve_fit(
    f: Callable, xdata: ArrayLike, ydata: ArrayLike, p0: ArrayLike | None = None, sigma: ArrayLike | None = None,
    absolute_sigma: bool = False, check_finite: bool = True, bounds: Any = (-np.inf, np.inf),
    method: str | None = None, jac: Any = None, *, full_output: bool = False, nan_policy: str | None = None,
    loss: str = "linear", f_scale: ArrayLike = 1.0, **options: Any,
) -> tuple[jax.Array, jax.Array]:  # fmt: skip
    """`scipy.optimize.curve_fit`, differentiable: the parameters with which `f(xdata, *parameters)` is next to ydata.

    f is a function in JAX, and may close over traced arrays. Derivatives of the parameters and of their covariance,
    in xdata, ydata, sigma, f_scale, bounds that hold and what f reads, have any order, in both modes.

    Args:
        p0: where to begin; without it the parameters are those that f names.
        sigma: [m], or a covariance [m, m].
        loss, f_scale: as in `least_squares`.
        absolute_sigma, bounds, method, jac, options: as in SciPy. full_output and nan_policy are
            SciPy's own, where nothing is traced.

    Returns:
        (parameters [n], covariance [n, n]); the latter from the exact Jacobian there, and derivatives are those of the
        exact minimum. SciPy's may be one by differences, of the step before: 1e-5 apart in an experiment, 1e-8 when
        it began at the answer. Without jac=, differences of SciPy's covariance are noise from their fifth digit on.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> x, y = jnp.arange(4.0), jnp.array([1.9, 1.2, 0.8, 0.4])
    >>> def rate(y):
    ...     return curve_fit(lambda x, a, b: a * jnp.exp(-b * x), x, y, p0=(1.0, 0.5))[0][1]
    >>> print(jax.grad(rate)(y).round(5))
    [ 0.26291 -0.13735 -0.27405 -0.2887 ]
    """
    name = "curve_fit"
    if full_output or nan_policy is not None:
        raise NotTaken("curve_fit: full_output= and nan_policy= are not taken in a trace; leave them out.")
    y = jnp.ravel(real(name, "ydata", ydata))
    xs = array(xdata) if isinstance(xdata, list | tuple | np.ndarray | jax.Array) else xdata
    n = _count(f, name) if p0 is None else np.size(array(p0))
    box = _open_box(name, bounds, n)
    start = jnp.ravel(array(p0)) if p0 is not None else _first(box, n)
    f, jac = in_jax(f), in_jax(jac) if callable(jac) else jac
    model = lambda p: jnp.ravel(array(f(xs, *(p[i] for i in range(n)))))
    slope = (lambda p: array(jac(xs, *(p[i] for i in range(n))))) if callable(jac) else None
    errors = None if sigma is None else real(name, "sigma", sigma)
    scale = _scale(name, loss, f_scale)
    residual = lambda p: _whitened(model(p) - y, errors)

    def solver(start: Any, *calls: Any) -> Any:
        model, slope, y, scale, *rest = calls[4:]
        p = start["x0"]
        more = {} if loss == "linear" else {"loss": loss, "f_scale": scale(p).item()}  # method="lm" has none
        limits = (start["lower"], start["upper"]) if box else (-np.inf, np.inf)
        slopes = (lambda _, *p: slope(np.array(p))) if slope else jac
        return scipy.optimize.curve_fit(
            lambda _, *p: model(np.array(p)), np.arange(len(y(p))), y(p), p, rest[0](p) if rest else None,
            absolute_sigma, check_finite, limits, method, slopes, **more, **options,
        )[0]  # fmt: skip

    data = [lambda p: y, lambda p: scale, *([] if errors is None else [lambda p: errors])]
    cost = lambda p: cost_of(jnp, residual(p), loss, scale)
    best = stationary(name, cost, start, solver, box, None, [model, slope, *data])
    jacobian, freedom = _jacobian(residual, best, loss, scale), y.shape[0] - n
    covariance = jnp.linalg.inv(jacobian.T @ jacobian)
    if absolute_sigma:
        return best, covariance
    return best, covariance * (2 * cost(best) / freedom if freedom > 0 else jnp.inf)


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
    """SciPy's first guess: between the bounds."""
    if box is None:
        return jnp.ones(n)
    low, high = box
    below, above = jnp.isfinite(low), jnp.isfinite(high)
    lo, hi = jnp.where(below, low, 0.0), jnp.where(above, high, 0.0)
    one_end = jnp.where(below, lo + 1, jnp.where(above, hi - 1, 1.0))
    return jnp.where(below & above, (lo + hi) / 2, one_end)


# ---- linear programs


@as_scipys("scipy.optimize")
def linprog(
    c: ArrayLike, A_ub: ArrayLike | None = None, b_ub: ArrayLike | None = None, A_eq: ArrayLike | None = None,
    b_eq: ArrayLike | None = None, bounds: Any = (0, None), method: str = "highs", options: Any = None,
) -> Solution:  # fmt: skip
    """`scipy.optimize.linprog`, differentiable: the x of smallest c x, with `A_ub x <= b_ub` and `A_eq x = b_eq`.

    At a vertex x follows what holds it, and the value moves with the multipliers: derivatives in all arguments, of
    any order, in both modes. Matrices are dense. x does not move with c.

    Args:
        bounds: (lowest, highest) for all, or such a pair for each; None is no bound. By default x >= 0.
        method, options: as in SciPy.

    Returns:
        A `scipy.optimize.OptimizeResult` with `x`, `fun`, `slack` (b_ub - A_ub x) and `con` (b_eq - A_eq x).

    Raises:
        RuntimeError: there is no optimum; HostCallError inside a compiled program.
        SignatureError: shapes that do not fit.
        ResultError: the derivative where a limit holds without a force. Where several vertices are best, or more limits
            hold than there are unknowns, it is this error, inf or NaN.

    >>> import jax, jax.numpy as jnp
    >>> A = jnp.array([[1.0, 1.0], [1.0, 3.0]])
    >>> print(jax.grad(lambda b: linprog([-1.0, -2.0], A, b).fun)(jnp.array([4.0, 6.0])))
    [-0.5 -0.5]
    """
    c = real("linprog", "c", c)
    n = c.shape[0]
    box = box_of("linprog", [bounds] * n if len(bounds) == 2 and np.ndim(bounds[0]) == 0 else bounds, n)
    rows = [(A, b, kind) for A, b, kind in ((A_ub, b_ub, "ub"), (A_eq, b_eq, "eq")) if A is not None]
    rows = [(real("linprog", f"A_{k}", A), jnp.ravel(real("linprog", f"b_{k}", b)), k) for A, b, k in rows]
    for A, b, k in rows:
        if A.shape != (b.shape[0], n):
            raise SignatureError(
                f"linprog: wants A_{k} of shape ({b.shape[0]}, {n}), as b_{k} and c are, got {A.shape}."
            )
    constraint = None
    if rows:
        upper = jnp.concatenate([b for _, b, _ in rows])  # type: ignore[misc]
        lower = jnp.concatenate([b if kind == "eq" else jnp.full_like(b, -jnp.inf) for _, b, kind in rows])  # type: ignore[arg-type, misc]
        A = jnp.concatenate([A for A, *_ in rows])  # type: ignore[misc]
        constraint = (lambda x: A @ x), lower, upper, (lambda x: A)
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
    off = {"ub": jnp.zeros(0), "eq": jnp.zeros(0)} | {kind: b - A @ x for A, b, kind in rows}
    return Solution(
        x=x,
        fun=c @ x,
        slack=off["ub"],
        con=off["eq"],
        success=True,
        status=0,
        message="The optimum was found.",
    )


def linear_sum_assignment(cost_matrix: ArrayLike, maximize: bool = False) -> tuple[jax.Array, jax.Array]:
    """`scipy.optimize.linear_sum_assignment`: which row goes with which column, as two arrays of integers.

    They have no derivative; the cost that you read by them has that of its numbers (Danskin's theorem).

    Args:
        cost_matrix: [m, n].
        maximize: the largest sum instead.

    >>> import jax, jax.numpy as jnp
    >>> cost = jnp.array([[4.0, 1.0], [2.0, 0.0]])
    >>> print(jax.grad(lambda c: c[linear_sum_assignment(c)].sum())(cost))
    [[0. 1.]
     [1. 0.]]
    """
    cost = real("linear_sum_assignment", "cost_matrix", cost_matrix)
    pairs = jax.ShapeDtypeStruct((min(cost.shape),), jnp.result_type(int))

    def solve(cost: Any) -> Any:
        rows, columns = scipy.optimize.linear_sum_assignment(cost, maximize)
        return tuple(x.astype(pairs.dtype) for x in (rows, columns))

    solve.__name__ = "linear_sum_assignment"
    return wrap(solve, out=(pairs, pairs), vmap_method="sequential", derivatives="rules")(
        jax.lax.stop_gradient(cost)
    )
