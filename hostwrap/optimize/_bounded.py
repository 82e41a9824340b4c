"""SciPy's linear least squares between bounds, differentiable in the data and the bounds.

Numbers at a bound move with it. The others solve `A' (A x - b) = 0`, the least squares problem without bounds.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.optimize

from hostwrap._errors import ResultError, SignatureError
from hostwrap._recipes.equations import converged, real
from hostwrap._recipes.extrema import FREE, LOWER, WEAK, active, open_of
from hostwrap._recipes.hosted import shaped, solved
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


@wrap(out=lambda A, b, *_, **__: shaped(A, A.shape[1:], b), static=("solver", "options"), copy=False)
def _linear(
    A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, *, solver: str, options: tuple
) -> np.ndarray:
    if solver == "nnls":
        return scipy.optimize.nnls(A, b, **dict(options))[0]
    return converged(scipy.optimize.lsq_linear(A, b, (lower, upper), **dict(options))).x


@wrap(out=lambda A, *_: jax.ShapeDtypeStruct(A.shape[1:], np.int32), derivatives="rules", copy=False)
def _sides(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The bound at which each number is, if any."""
    calls = (None, lambda x: A.T @ (A @ x - b), None, None)
    return active(x, {"lower": lower, "upper": upper}, calls)["bound"]


@wrap(out=lambda A, side, q, **_: shaped(q, None, A), static=("name",), copy=False)
def _normal(A: np.ndarray, side: np.ndarray, q: np.ndarray, *, name: str) -> np.ndarray:
    """z with `A' A z = q` for the free numbers, and z = q for those at a bound. This factors A, not A' A."""
    if np.any(side == WEAK):
        raise ResultError(f"{name}: a number of x is at a bound without a force: it has no derivative there.")
    free, z = side == FREE, np.array(q)
    r = np.linalg.qr(A[:, free], mode="r")
    try:
        half = scipy.linalg.solve_triangular(r, q[free], trans="T")
        z[free] = scipy.linalg.solve_triangular(r, half)
    except (np.linalg.LinAlgError, ValueError):  # the matrix is singular, or has too few rows
        z[free] = np.nan
    return z


@_linear.defjvp
def _linear_jvp(primals: tuple, tangents: tuple, *, solver: str, options: tuple) -> tuple:
    """The free numbers solve `A' (A x - b) = 0`."""
    A, b, *_ = primals
    x = _linear(*primals, solver=solver, options=options)
    side = _sides(*jax.lax.stop_gradient((*primals, x)))
    dA, db, below, above = (
        jnp.zeros_like(p) if t is None else t for p, t in zip(primals, tangents, strict=True)
    )
    free = side == FREE
    held = jnp.where(free, 0.0, jnp.where(side == LOWER, below, above))
    residual, moved = A @ x - b, dA @ x - db + A @ held
    right = jnp.where(free, -(dA.T @ residual + A.T @ moved), held)
    operator = lambda z: jnp.where(free, A.T @ (A @ jnp.where(free, z, 0.0)), z)
    solve = lambda q: _normal(A, side, q, name=solver)
    return x, solved(operator, right, solve, solve)


def _shortest(name: str, A: Any, b: Any, box: Any, **options: Any) -> tuple[jax.Array, jax.Array]:
    """(x, A x - b)."""
    if A.ndim != 2 or b.shape != A.shape[:1]:
        raise SignatureError(
            f"{name}: wants A of shape (m, n) and b of shape (m,), got {A.shape}, {b.shape}."
        )
    dtype = jnp.result_type(A, b, *box)
    given = [x.astype(dtype) for x in (A, b, *(jnp.broadcast_to(x, A.shape[1:]) for x in box))]
    x = _linear(*given, solver=name, options=tuple(sorted(options.items())))
    return x, given[0] @ x - given[1]


@as_scipys("scipy.optimize")
def nnls(A: ArrayLike, b: ArrayLike, **options: Any) -> tuple[jax.Array, jax.Array]:
    """`scipy.optimize.nnls`, differentiable: the x >= 0 [n] for which `|A x - b|` is smallest, and this length.

    A is [m, n], b [m]. Numbers of x that are 0 are held, the others are those of the least squares problem without
    them: derivatives of any order, in both modes. options are SciPy's (`maxiter`).

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.
        ResultError: the derivative where a number is 0 and its slope, too.

    >>> import jax, jax.numpy as jnp
    >>> A = jnp.array([[1.0, 0.0], [1.0, 1.0]])
    >>> print(jax.jacobian(lambda b: nnls(A, b)[0])(jnp.array([2.0, 1.0])) + 0.0)
    [[0.5 0.5]
     [0.  0. ]]
    """
    A, b = real("nnls", "A", A), real("nnls", "b", b)
    x, r = _shortest("nnls", A, b, (jnp.zeros(()), jnp.array(jnp.inf)), **options)
    return x, jnp.linalg.norm(r)


@as_scipys("scipy.optimize")
def lsq_linear(
    A: ArrayLike, b: ArrayLike, bounds: Any = (-np.inf, np.inf), method: str = "trf", **options: Any
) -> Solution:
    """`scipy.optimize.lsq_linear`, differentiable: the x for which `|A x - b|` is smallest between bounds.

    A is [m, n] and dense, b [m], bounds a pair (lowest, highest) or `scipy.optimize.Bounds`. Numbers of x at a bound
    follow it; derivatives in all have any order, in both modes. method and options are SciPy's.

    Returns:
        A `scipy.optimize.OptimizeResult` with `x`, `fun` (A x - b) and `cost`.

    Raises:
        RuntimeError: no convergence; HostCallError inside a compiled program.
        ResultError: the derivative where a bound holds and the slope there is 0.

    >>> import jax, jax.numpy as jnp
    >>> A = jnp.array([[1.0, 0.0], [1.0, 1.0]])
    >>> print(jax.jacobian(lambda u: lsq_linear(A, jnp.array([2.0, 1.0]), (0.0, u)).x.sum())(1.2).round(6))
    1.0
    """
    A, b = real("lsq_linear", "A", A), real("lsq_linear", "b", b)
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    box = [open_of("lsq_linear", side, sign, A.shape[-1]) for side, sign in zip(pair, (-1, 1), strict=True)]
    x, r = _shortest("lsq_linear", A, b, box, method=method, **options)
    return Solution(x=x, fun=r, cost=0.5 * jnp.sum(r**2), success=True, message="The minimum was found.")
