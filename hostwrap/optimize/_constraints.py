"""SciPy's objects that hold bounds and constraints, which may hold traced numbers here."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from hostwrap._types import ArrayLike


@dataclasses.dataclass(frozen=True, eq=False)
class Bounds:
    """`scipy.optimize.Bounds`: lb <= x <= ub. A pytree of lb and ub, for `minimize`, `least_squares` and their like.

    >>> import jax.numpy as jnp
    >>> from hostwrap.optimize import minimize
    >>> nearest = lambda top: minimize(lambda x: jnp.sum((x - 2) ** 2), [0.5], bounds=Bounds(0.0, top)).x[0]
    >>> print(jax.grad(nearest)(1.0))
    1.0
    """

    lb: ArrayLike = -np.inf
    ub: ArrayLike = np.inf
    keep_feasible: Any = False


@dataclasses.dataclass(frozen=True, eq=False)
class LinearConstraint:
    """`scipy.optimize.LinearConstraint`: lb <= A x <= ub. A pytree of A, lb and ub, for `minimize` and `milp`.

    Equations are rows whose lb and ub are equal, and are no traced numbers; A may be traced there.

    >>> import jax.numpy as jnp
    >>> from hostwrap.optimize import minimize
    >>> def nearest(a):
    ...     on_line = LinearConstraint(jnp.stack([a, a / a])[None], 1.0, 1.0)
    ...     return minimize(lambda x: jnp.sum(x**2), jnp.zeros(2), constraints=on_line, tol=1e-12).x[0]
    >>> print(f"{jax.grad(nearest)(2.0):.6f}")
    -0.120000
    """

    A: ArrayLike
    lb: ArrayLike = -np.inf
    ub: ArrayLike = np.inf
    keep_feasible: Any = False


@dataclasses.dataclass(frozen=True, eq=False)
class NonlinearConstraint:
    """`scipy.optimize.NonlinearConstraint`: lb <= fun(x) <= ub, with a function in JAX that may close over traced
    numbers.

    lb and ub may be traced, but where they are equal: see `LinearConstraint`. The other options have no effect.

    >>> import jax.numpy as jnp
    >>> from hostwrap.optimize import minimize
    >>> def highest(r):
    ...     disc = NonlinearConstraint(lambda x: jnp.sum(x**2), -np.inf, r**2)
    ...     return minimize(lambda x: -x[1], jnp.full(2, 0.1), constraints=disc, tol=1e-12).x[1]
    >>> print(f"{jax.grad(highest)(2.0):.6f}")
    1.000000
    """

    fun: Callable
    lb: ArrayLike
    ub: ArrayLike
    jac: Any = "2-point"
    hess: Any = None
    keep_feasible: Any = False
    finite_diff_rel_step: Any = None
    finite_diff_jac_sparsity: Any = None


jax.tree_util.register_dataclass(Bounds, data_fields=["lb", "ub"], meta_fields=["keep_feasible"])
jax.tree_util.register_dataclass(
    LinearConstraint, data_fields=["A", "lb", "ub"], meta_fields=["keep_feasible"]
)
