"""Which bounds hold at an answer that stopped close to them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

from hostwrap import HostCallError, ResultError, optimize
from hostwrap._copies.retarget import Untraceable
from hostwrap._recipes.extrema import LOWER, active
from hostwrap._tracing.tape import run

BOUNDS = [1.0, -9.0], [3.0, 9.0]


def fitted(p, module=optimize, xp=jnp, method="trf"):
    """The unconstrained minimum is at p; x[0] >= 1. SciPy's method stays inside of the bounds, and stops early."""
    residual = lambda x: xp.stack([x[0] - p, 3 * (x[1] - 2 * x[0]), 0.1 * (x[1] * x[0] - 2 * p)])
    return module.least_squares(residual, [1.5, 1.5], bounds=BOUNDS, method=method).x[0]


def recorded(p):
    return run(lambda p: fitted(p[0], scipy.optimize, np), [np.array([p])], [True]).jvp([np.ones(1)])[0]


@pytest.mark.parametrize("p", [1.0, 1 + 1e-7])
def test_a_bound_that_holds_without_a_force_is_refused(p):
    """The derivative was that of one side."""
    with pytest.raises(ResultError, match="least_squares: the residual is nan at the answer"):
        jax.grad(fitted)(p)
    with pytest.raises(
        (HostCallError, RuntimeError), match="least_squares: the residual is nan at the answer"
    ):
        jax.block_until_ready(jax.jit(jax.grad(fitted))(p))
    with pytest.raises(Untraceable, match=r"least_squares: a bound .* holds without a force there"):
        recorded(p)


def test_a_bound_that_is_reached_with_the_force_of_rounding_is_refused():
    """dogbox stops on the bound, where the force is 1e-12 and leads inside: the derivative was .931, of one side."""
    with pytest.raises(ResultError, match="least_squares: the residual is nan at the answer"):
        jax.grad(lambda p: fitted(p, method="dogbox"))(1.0)
    theirs = lambda p: fitted(p[0], scipy.optimize, np, "dogbox")
    with pytest.raises(Untraceable, match=r"least_squares: a bound .* holds without a force there"):
        run(theirs, [np.array([1.0])], [True]).jvp([np.ones(1)])


@pytest.mark.parametrize("derivative", [jax.grad(fitted), recorded])
@pytest.mark.parametrize("apart", [1e-5, 1e-4, 1e-3])
def test_where_the_answer_leads_decides_whether_a_bound_holds(derivative, apart):
    """The answers are 5e-5 apart from the bound, and their forces are small, on both sides."""
    np.testing.assert_allclose(derivative(1 - apart), 0.0, atol=1e-9)
    np.testing.assert_allclose(derivative(1 + apart), 0.931, rtol=1e-3)


@pytest.mark.parametrize(
    "slope", [lambda x: -2 * (x - 4), np.ones_like], ids=["falls more and more", "a line"]
)
def test_where_the_curvature_is_not_positive_a_force_alone_holds_a_bound(slope):
    """Newton's step leads away from the bound there, or nowhere."""
    limits = {"lower": np.array([1.0]), "upper": np.array([3.0])}
    found = active(np.array([1 + 1e-6]), limits, (None, slope, None, None))
    assert found["bound"] == [LOWER]


@pytest.mark.parametrize("p", np.linspace(0.6, 2.2, 5))
def test_a_solver_may_stop_next_to_a_bound_at_0(p):
    """The answer is 1e-9 to 1e-12, which no tolerance takes for 0 that goes with the size of the answer."""
    residual = lambda x: jnp.exp(x) * jnp.array([1.0, 2.0]) + p
    end = lambda low: optimize.least_squares(residual, [low + 1.0], bounds=(low, 10.0)).x[0]
    assert (jax.grad(end)(0.0), jax.grad(jax.grad(end))(0.0)) == (1.0, 0.0)
