"""The exponential of a matrix with derivatives: Padé's approximation of each degree, and what is kept of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from hostwrap import linalg
from hostwrap._recipes import expm

random = np.random.default_rng(5)
A, E = random.normal(size=(2, 5, 5))
A /= np.linalg.norm(A, 1)
SCALED = pytest.mark.parametrize(
    "degree, size", [(3, 0.01), (5, 0.15), (7, 0.6), (9, 1.2), (13, 2.9), (13, 60.0)]
)


def close(got, expected, rtol=1e-14):
    assert np.linalg.norm(got - expected) <= rtol * np.linalg.norm(expected)


@SCALED
@pytest.mark.parametrize("turn", [1.0, np.exp(0.4j)], ids=["real", "complex"])
def test_each_degree(degree, size, turn):
    """Value, derivative and its adjoint, beside `scipy.linalg.expm_frechet`."""
    a = size * turn * A
    parts = expm.Pade(a)
    value, forth = scipy.linalg.expm_frechet(a, E)
    assert parts.degree == degree
    close(parts.value, value, 3e-14)
    close(parts.along(E, turned=False), forth, 3e-14)
    close(parts.along(E, turned=True), scipy.linalg.expm_frechet(a.T, E)[1], 3e-14)


def test_powers_decide_where_they_are_small():
    """The norm of this matrix is 400 times its eigenvalues, and its square is 0.02: no squaring."""
    a = np.array([[0.1, 8.0, 0.0], [1e-3, -0.1, 0.0], [0.0, 1e-3, 0.05]])
    parts = expm.Pade(a)
    value, forth = scipy.linalg.expm_frechet(a, E[:3, :3])
    assert parts.squarings == 0
    close(parts.value, value)
    close(parts.along(E[:3, :3], turned=False), forth)


def test_value_beside_gradient_is_exact():
    """exp(t J) is a rotation; of many turns the value keeps its digits."""
    turned = lambda t: linalg.expm(t * jnp.array([[0.0, -1.0], [1.0, 0.0]]))
    value, slope = jax.jvp(turned, (30.0,), (1.0,))
    cos, sin = np.cos(30.0), np.sin(30.0)
    close(value, np.array([[cos, -sin], [sin, cos]]))
    close(slope, np.array([[-sin, -cos], [cos, -sin]]))


@pytest.mark.parametrize("most, made", [(expm.MOST_KEPT, 1), (4, 0)])
def test_value_and_gradient_share_their_parts(monkeypatch, most, made):
    """One program, one approximation; of a large matrix nothing is kept."""
    monkeypatch.setattr(expm, "MOST_KEPT", most)
    expm._kept.cache_clear()
    value, slope = jax.jit(jax.value_and_grad(lambda a: jnp.sum(E * linalg.expm(a))))(A)
    close(value, np.sum(E * scipy.linalg.expm(A)))
    close(slope, scipy.linalg.expm_frechet(A.T, E)[1])
    assert expm._kept.cache_info().misses == made
    assert expm._kept.cache_info().hits == made


@pytest.mark.parametrize(
    "a", [np.triu(A), np.zeros((3, 3)), np.ones((1, 1))], ids=["triangular", "zero", "one number"]
)
def test_where_scipy_is_asked(a):
    e = E[: len(a), : len(a)]
    value, back = jax.vjp(linalg.expm, a)
    close(value, scipy.linalg.expm(a))
    close(back(jnp.asarray(e))[0], scipy.linalg.expm_frechet(a.T, e)[1])


def test_infinite_numbers_are_no_silent_zero():
    with pytest.raises(ValueError, match="infs or NaNs"), jax.disable_jit():
        jax.grad(lambda a: linalg.expm(a).sum())(np.full((2, 2), np.inf))
