"""Optima with a discrete choice: integers, orders, blocks. SciPy finds it, and the derivative holds it fixed."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize

from hostwrap._errors import RuleError, SignatureError
from hostwrap._recipes.equations import converged, real
from hostwrap._recipes.extrema import open_of, stationary
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


@wrap(
    out=lambda y, weights, increasing: jax.ShapeDtypeStruct(y.shape, jnp.result_type(int)),
    static="increasing",
)
def _blocks(y: np.ndarray, weights: np.ndarray, *, increasing: bool) -> np.ndarray:
    """The number of the block of each element."""
    found = scipy.optimize.isotonic_regression(y, weights=weights, increasing=increasing)
    return np.repeat(np.arange(len(found.blocks) - 1), np.diff(found.blocks))


def isotonic_regression(
    y: ArrayLike, *, weights: ArrayLike | None = None, increasing: bool = True
) -> Solution:
    """`scipy.optimize.isotonic_regression`, differentiable: the x nearest to y that never falls (or rises).

    x is the mean of y in each block. The blocks are held; where two of them merge, x has a kink. Derivatives in y and
    weights have any order, in both modes.

    Args:
        y: [n].
        weights: [n], positive; 1 by default.
        increasing: False wants an x that never rises.

    Returns:
        A `scipy.optimize.OptimizeResult` with `x`. It has no blocks, because their number depends on the values.

    Raises:
        SignatureError: shapes that do not fit.
        ValueError: SciPy's own, of weights that are not positive; HostCallError inside a compiled program.

    >>> print(jax.jacobian(lambda y: isotonic_regression(y).x)(jnp.array([1.0, 3.0, 2.0])))
    [[1.  0.  0. ]
     [0.  0.5 0.5]
     [0.  0.5 0.5]]
    """
    name = "isotonic_regression"
    y = real(name, "y", y)
    weights = jnp.ones_like(y) if weights is None else real(name, "weights", weights)
    if y.ndim != 1 or weights.shape != y.shape:
        raise SignatureError(f"{name}: wants y and weights of shape (n,), got {y.shape} and {weights.shape}.")
    block = _blocks(*jax.lax.stop_gradient((y, weights)), increasing=bool(increasing))
    total = lambda x: jnp.zeros_like(x).at[block].add(x)[block]
    return Solution(x=total(weights * y) / total(weights), success=True)


def milp(
    c: ArrayLike,
    *,
    integrality: ArrayLike | None = None,
    bounds: Any = None,
    constraints: Any = None,
    options: Any = None,
) -> Solution:
    """`scipy.optimize.milp`, differentiable: the x of smallest c x, of which some numbers are integers.

    The integers are held, and what is left is a linear program: the derivatives are those of `linprog`, in c, in the
    bounds and in the constraints. Where another choice of integers is equally good, there is a kink or a jump.

    Args:
        integrality: [n] or one for all, known numbers: 0 for a real number, 1 for an integer.
        bounds: `scipy.optimize.Bounds`, or a pair; x >= 0 by default.
        constraints: a `scipy.optimize.LinearConstraint`, several, or (A, lowest, highest); matrices are dense.
        options: as in SciPy.

    Returns:
        A `scipy.optimize.OptimizeResult` with `x` and `fun`.

    Raises:
        RuleError: an integrality that SciPy has beside 0 and 1.
        RuntimeError: there is no optimum; HostCallError inside a compiled program.

    >>> value = lambda c: milp(c, integrality=[1, 0], bounds=(0, 2.5)).fun
    >>> print(jax.grad(value)(jnp.array([-1.0, -3.0])))
    [2.  2.5]
    """
    c = real("milp", "c", c)
    (n,) = c.shape
    whole = np.broadcast_to(np.asarray(0 if integrality is None else integrality), (n,))
    if not np.isin(whole, (0, 1)).all():
        raise RuleError("milp: integrality must be 0 or 1 for each variable.")
    limits: Any = (0.0, np.inf) if bounds is None else bounds
    pair = (limits.lb, limits.ub) if hasattr(limits, "lb") else limits
    lower, upper = (open_of("milp", side, sign, n) for side, sign in zip(pair, (-1, 1), strict=True))
    A, *ends = _rows(constraints, n)

    def found(integers: Any, c: Any, lower: Any, upper: Any, A: Any, *ends: Any) -> Any:
        rules = [scipy.optimize.LinearConstraint(A, *ends)] if len(A) else None
        box = scipy.optimize.Bounds(lower, upper)
        return converged(
            scipy.optimize.milp(c, integrality=integers, bounds=box, constraints=rules, options=options)
        ).x

    choose = wrap(
        lambda *given: np.where(whole, np.round(x := found(whole, *given)), x), out=jax.ShapeDtypeStruct((n,), c.dtype),
        vmap_method="sequential", derivatives="rules",
    )  # fmt: skip
    x = choose(*jax.lax.stop_gradient((c, lower, upper, A, *ends)))
    if not whole.all():
        box = tuple(jnp.where(whole, x, side) for side in (lower, upper))

        def solver(start: Any, _: Any, slope: Any, __: Any, dc: Any) -> Any:
            at = np.zeros(n)
            rows = (dc(at), start["c_lower"], start["c_upper"]) if dc else (np.zeros((0, n)),)
            return found(None, slope(at), start["lower"], start["upper"], *rows)

        constraint = ((lambda x: A @ x), *ends, (lambda x: A)) if len(A) else None
        x = stationary("milp", lambda x: c @ x, jnp.zeros(n), solver, box, constraint)
    return Solution(x=x, fun=c @ x, success=True, status=0, message="The optimum was found.")


def _rows(constraints: Any, n: int) -> list[jax.Array]:
    """The matrix of all constraints, and the bounds of its product with x."""
    one = hasattr(constraints, "A") or (
        isinstance(constraints, tuple) and len(constraints) == 3 and not hasattr(constraints[0], "A")
    )
    parts: list[list] = [[jnp.zeros((0, n))], [jnp.zeros(0)], [jnp.zeros(0)]]
    for rule in [constraints] if one else constraints or ():
        A, *ends = (rule.A, rule.lb, rule.ub) if hasattr(rule, "A") else rule
        A = jnp.atleast_2d(real("milp", "constraints", A.toarray() if hasattr(A, "toarray") else A))
        if A.shape[1] != n:
            raise SignatureError(f"milp: a constraint wants a matrix with {n} columns, got {A.shape}.")
        sides = [open_of("milp", end, sign, len(A)) for end, sign in zip(ends, (-1, 1), strict=True)]
        for into, part in zip(parts, (A, *sides), strict=True):
            into.append(part)
    return [jnp.concatenate(part) for part in parts]


def quadratic_assignment(A: ArrayLike, B: ArrayLike, method: str = "faq", options: Any = None) -> Solution:
    """`scipy.optimize.quadratic_assignment`: the order p of the nodes of B in which `sum(A * B[p][:, p])` is small.

    The order has no derivative; the sum has that of its numbers, in A and B.

    Args:
        A, B: [n, n].
        method, options: as in SciPy; with random numbers, give `options={"rng": ...}`.

    Returns:
        A `scipy.optimize.OptimizeResult` with `col_ind` and `fun`.

    >>> A, B = jnp.array([[0.0, 1.0], [0.0, 0.0]]), jnp.array([[0.0, 3.0], [2.0, 0.0]])
    >>> print(jax.grad(lambda A: quadratic_assignment(A, B, options={"rng": np.random.default_rng(0)}).fun)(A))
    [[0. 2.]
     [3. 0.]]
    """
    name = "quadratic_assignment"
    A, B = real(name, "A", A), real(name, "B", B)
    if A.ndim != 2 or A.shape != B.shape or A.shape[0] != A.shape[1]:
        raise SignatureError(f"{name}: wants A and B of shape (n, n), got {A.shape} and {B.shape}.")
    solve = wrap(
        lambda A, B: scipy.optimize.quadratic_assignment(A, B, method, options).col_ind,
        out=jax.ShapeDtypeStruct(A.shape[:1], jnp.result_type(int)), vmap_method="sequential", derivatives="rules",
    )  # fmt: skip
    order = solve(*jax.lax.stop_gradient((A, B)))
    return Solution(col_ind=order, fun=jnp.sum(A * B[order][:, order]))
