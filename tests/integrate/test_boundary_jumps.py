"""Boundary value problems whose right-hand side has another branch at a place that may move."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap import MissingDerivative, integrate

P = 0.37
MESH = np.linspace(0.0, 1.0, 11)
ENDS = lambda a, b: jnp.stack([a[0], b[0]])


def middle(force, tol=0.1, x=MESH):
    """y(1/2), where y'' = force(x, y) and y is 0 at both ends; SciPy takes a jump if it is small beside tol."""
    rate = lambda x, y: jnp.stack([y[1], force(x, y[0])])
    return integrate.solve_bvp(rate, ENDS, x, jnp.zeros((2, 11)), tol=tol, max_nodes=200).sol(0.5)[0]


MOVING = {
    "at a place": lambda p: middle(lambda x, y: 1 + 0.1 * (x > p)),
    "at a value": lambda p: middle(lambda x, y: jnp.where(y > p / 20, -0.9, -1.0)),
    "at a value where another number moves the solution": lambda p: middle(
        lambda x, y: jnp.where(y > 0.05, -0.9, -1.0) * (1 + p)
    ),
    "beside an end that moves": lambda p: middle(lambda x, y: 1 + 0.1 * (x > 0.3), x=MESH * (1 + p)),
}


@pytest.mark.parametrize("f", MOVING.values(), ids=MOVING)
def test_a_jump_that_may_move_is_refused(f):
    """The collocation equations alone have the derivative 0 in the first case. It is p / 20 there."""
    with pytest.raises(MissingDerivative, match=r"fun jumps at x = .* the place as one of the parameters p"):
        jax.grad(f)(P)


def test_a_compiled_derivative_that_is_0_without_the_jump_is_refused():
    """No compiler may leave out the check, as it leaves out all that is multiplied by 0."""
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"fun jumps at x = 0\.37"):
        jax.jit(jax.grad(MOVING["at a place"]))(P).block_until_ready()


def test_a_jump_that_stays_is_no_refusal():
    f = lambda p: middle(lambda x, y: p * (1 + 0.1 * (x > 0.33)))
    np.testing.assert_allclose(jax.jit(jax.grad(f))(P), f(P) / P, rtol=1e-12)


def test_a_kink_is_no_refusal_for_the_first_derivative():
    """y'' = |x - p|: dy(1/2)/dp is the integral of min(x, 1 - x) / 2 times sign(x - p)."""
    f = lambda p: middle(lambda x, y: jnp.abs(x - p), tol=1e-7)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(P), 0.125 - P**2 / 2, rtol=1e-3)
    with pytest.raises(MissingDerivative, match=r"a derivative of fun jumps at x = 0\.37"):
        jax.grad(jax.grad(f))(P)


def test_a_smooth_end_of_a_branch_is_no_refusal():
    """y'' = max(x - p, 0)^3, so that y(1/2) = (1/2 - p)^5 / 20 - (1 - p)^5 / 40."""
    f = lambda p: middle(lambda x, y: jnp.maximum(x - p, 0.0) ** 3, tol=1e-7)
    exact = (0.5 - P) ** 3 - (1 - P) ** 3 / 2
    np.testing.assert_allclose(jax.jit(jax.grad(jax.grad(f)))(P), exact, rtol=1e-3)


def test_a_kink_on_a_node_is_refused():
    """The equations take one slope for both sides of the node: the derivative was 15 % off."""
    f = lambda p: middle(lambda x, y: jnp.abs(x - p), 1e-6)
    for place in (0.4, 0.4 + 1e-7):
        with pytest.raises(MissingDerivative, match=r"fun has a kink at x = 0\.4, .* give another mesh x="):
            jax.grad(f)(place)
    smooth = lambda p: middle(lambda x, y: jnp.where(x > p, p * x, x * p), 1e-6)
    assert jax.grad(smooth)(0.4) == pytest.approx(float(middle(lambda x, y: x, 1e-6)), rel=1e-9)
