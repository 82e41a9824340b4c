"""Solvers of large systems, and constraints as objects, which may hold traced numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

from hostwrap import optimize
from hostwrap._rules.differences import slope
from tests._kit.toys import same

METHODS = (
    "newton_krylov", "anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing"
)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.rotating
def test_roots_of_systems(method):
    """x + 0.1 sin x = p: dx = dp / (1 + 0.1 cos x)."""
    p = np.array([0.7, 1.3])
    root = lambda p: getattr(optimize, method)(lambda x: p - x - 0.1 * jnp.sin(x), np.zeros(2), f_tol=1e-10)
    exact = np.diag(1 / (1 + 0.1 * np.cos(root(p))))
    same(jax.jit(jax.jacfwd(root))(p), exact, 1e-8)
    same(jax.jit(jax.jacrev(root))(p), exact, 1e-8)


AIM = {"fun": lambda x: ((x - 2) ** 2).sum() + x[0], "x0": np.full(2, 0.2), "tol": 1e-12}
SOLVED = {
    "a traced matrix": lambda s, p: s.minimize(**AIM, constraints=s.LinearConstraint(p[None], lb=0.3, ub=0.8)).x,
    "a traced limit": lambda s, p: s.minimize(**AIM, constraints=s.LinearConstraint(np.ones((1, 2)), ub=p[0])).x,
    "two traced limits": lambda s, p: s.minimize(**AIM, constraints=s.LinearConstraint(np.ones((1, 2)), *p)).x,
    "a curve": lambda s, p: s.minimize(
        **AIM, constraints=[s.NonlinearConstraint(lambda x: x[0] * p[0] + x[1] ** 2, -np.inf, p[1])]
    ).x,
    "bounds": lambda s, p: s.minimize(**AIM, bounds=s.Bounds(0.0, p)).x,
    "bounds of least squares": lambda s, p: s.least_squares(lambda x: x - 5, [0.3, 0.3], bounds=s.Bounds(0 * p, p)).x,
    "milp": lambda s, p: s.milp(
        np.array([-1.0, -2]), integrality=[1, 0], bounds=s.Bounds(0, 3), constraints=s.LinearConstraint(p[None], ub=2.0)
    ).fun,
}  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.rotating
def test_constraints_that_hold_traced_numbers(name):
    f, p, along = SOLVED[name], np.array([0.7, 1.3]), np.array([0.3, -0.4])
    want, error = slope(lambda t: np.asarray(f(scipy.optimize, p + t * along)), 0.02)
    moved = jax.jit(lambda p: jax.jvp(lambda p: f(optimize, p), (p,), (along,))[1])(p)
    np.testing.assert_allclose(moved, want, rtol=1e-4, atol=1e-6 + 10 * np.max(error))
    np.testing.assert_allclose(jax.jacrev(lambda p: f(optimize, p))(p) @ along, moved, rtol=1e-9, atol=1e-12)
