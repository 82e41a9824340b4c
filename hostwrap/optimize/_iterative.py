"""Roots of large systems, by SciPy's methods that approximate the Jacobian."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import scipy.optimize

from hostwrap._recipes.equations import system
from hostwrap._recipes.scipys import typed


def _iterative(method: str) -> Callable:
    scipys = getattr(scipy.optimize, method)

    def solve(*args: Any, **kwargs: Any) -> jax.Array:
        options = signature.bind(*args, **kwargs).arguments
        F, xin, more = options.pop("F"), options.pop("xin"), options.pop("kw", {})
        solver = lambda f, _, x0: scipys(f, x0, **options, **more)
        return system(method, F, xin, (), None, solver, lambda value, x: value)

    signature = inspect.signature(scipys)
    solve.__name__ = solve.__qualname__ = method
    solve.__signature__ = typed(scipys, ["xin"])  # type: ignore[attr-defined]
    solve.__doc__ = f"""`scipy.optimize.{method}`, differentiable: x with `F(x) = 0`, of the shape of xin.

    F is a function in JAX, and may close over traced numbers. Derivatives in these have any order, in both modes, by
    the implicit function theorem; those in xin are 0. The options are SciPy's.

    Raises:
        scipy.optimize.NoConvergence: no convergence; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp, numpy as np
    >>> root = lambda a: {method}(lambda x: a - x - 0.1 * jnp.sin(x), np.zeros(1), f_tol=1e-9)[0]
    >>> print(f"{{jax.grad(root)(1.0):.6f}}")
    0.942908
    """
    return solve


newton_krylov, anderson, broyden1, broyden2, diagbroyden, excitingmixing, linearmixing = map(
    _iterative,
    ("newton_krylov", "anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing"),
)
