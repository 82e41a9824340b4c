"""`quad` with break points and with weights, which may be traced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate

import hostwrap as hw
from hostwrap import integrate
from hostwrap.testing import check
from tests._kit.toys import same

P = 0.7


def decay(s, xp, p, a, b, **how):
    return s.quad(lambda t: xp.exp(-p * t), a, b, epsabs=1e-12, **how)[0]


USES = {
    "points": lambda s, xp, p: s.quad(
        lambda t: xp.exp(-p * t) * abs(t - 0.4) + xp.where(t < p, 1.0, 2.0), 0, p + 1, points=[p, 0.4], epsrel=1e-12
    )[0],
    "points of arrays": lambda s, xp, p: s.quad_vec(
        lambda t: abs(t - p) * xp.array([1.0, p]), 0, 2 * p, points=[p], epsrel=1e-12
    )[0],
    "cos": lambda s, xp, p: decay(s, xp, p, p / 3, p + 1, weight="cos", wvar=20 * p),
    "cos, infinite": lambda s, xp, p: decay(s, xp, p, p, np.inf, weight="cos", wvar=2 * p),
    "sin, infinite": lambda s, xp, p: decay(s, xp, -p, -np.inf, p, weight="sin", wvar=2 * p),
    "cauchy": lambda s, xp, p: decay(s, xp, p, -p / 2, 2 * p, weight="cauchy", wvar=p / 2),
    "alg": lambda s, xp, p: decay(s, xp, p, -p / 2, 2 * p, weight="alg", wvar=(-0.3, 0.35)),
    "alg, back": lambda s, xp, p: decay(s, xp, p, 2 * p, -p / 2, weight="alg", wvar=(-0.3, 0.35)),
    "alg-log": lambda s, xp, p: decay(s, xp, p, -p / 2, 2 * p, weight="alg-log", wvar=(-0.2, -0.3)),
    "complex": lambda s, xp, p: s.quad(lambda t: xp.exp(1j * p * t), 0, p, complex_func=True)[0].imag,
    "several": lambda s, xp, p: s.nquad(
        lambda t, u: xp.exp(-u * t), [(0, p), (1, 2)],
        opts=[lambda u: {"weight": "cos", "wvar": p * u}, {"points": [1 + p]}],
    )[0],
}  # fmt: skip


@pytest.mark.rotating
@pytest.mark.parametrize("use", USES)
def test_values_are_scipys_and_derivatives_those_of_the_value(use):
    f = USES[use]
    ours = lambda p: f(integrate, jnp, p)
    same(jax.jit(ours)(P), jnp.asarray(f(scipy.integrate, np, P)), 1e-13)
    check(ours, P, order=2)


@pytest.mark.parametrize("weight", ["alg", "alg-loga", "alg-logb"])
def test_exponents_of_weights(weight):
    """The derivative has a weight of SciPy's as long as no logarithm is squared."""
    f = lambda s, xp, p: decay(
        s, xp, 1.0, 0, 1, weight=weight, wvar=(p - 1, 0) if weight != "alg-loga" else (0, p)
    )
    check(lambda p: f(integrate, jnp, p), P, order=1)
    again = jax.grad(lambda q: decay(integrate, jnp, 1.0, 0, 1, weight=weight, wvar=(q, q)))
    with pytest.raises(
        hw.MissingDerivative, match=r"no weight with a square of a logarithm, .*Call quad without"
    ):
        jax.grad(again)(P)


def test_a_jump_in_an_integrand_with_a_weight():
    """By Leibniz's rule: the jump, times the weight there."""
    f = lambda p: integrate.quad(
        lambda t: jnp.where(t < p, 1.0, 3.0), 0.0, 2.0, weight="sin", wvar=2.0, limit=300
    )[0]
    same(jax.grad(f)(P), jnp.asarray(-2 * np.sin(2 * P)), 1e-9)
    same(jax.grad(jax.grad(f))(P), jnp.asarray(-4 * np.cos(2 * P)), 1e-9)


def test_an_integrator_takes_points_and_weights():
    f = integrate.quad(lambda x, a: jnp.exp(-a * x), weight="cos", wvar=3.0)
    same(jax.grad(f, 1)(0.0, P, 1.2), jnp.asarray(np.exp(-1.2 * P) * np.cos(3 * P)), 1e-12)
    check(f, 0.0, P, 1.2, order=2)
    kink = integrate.quad(lambda x, a: jnp.abs(x - a), points=[0.4, 0.5])
    same(kink(0.0, jnp.array([1.0, 2.0]), 0.4), jnp.array([0.26, 1.36]), 1e-12)


def test_algebraic_weights_need_finite_limits():
    with pytest.raises(hw.RuleError, match=r"weight='alg' needs finite limits, got 0 and inf"):
        integrate.quad(lambda t: jnp.exp(-t), 0, np.inf, weight="alg", wvar=(0.5, 0.0))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"weight": "alg", "wvar": 2.0}, "two numbers; got weight='alg', wvar=2.0"),
        (
            {"weight": "tan", "wvar": 2.0},
            r"weight= one of \['cos', 'sin', 'cauchy', 'alg', .*got weight='tan'",
        ),
        ({"weight": "cos"}, "got weight='cos', wvar=None"),
    ],
)
def test_weights_that_scipy_has_not(how, words):
    with pytest.raises(hw.RuleError, match=words):
        jax.grad(lambda p: decay(integrate, jnp, p, 0, 1, **how))(P)


def test_points_with_a_weight_are_ignored_as_by_scipy():
    with pytest.warns(scipy.integrate.IntegrationWarning, match="takes no break points with a weight"):
        decay(integrate, jnp, P, 0, 1, weight="cos", wvar=1.0, points=[0.5])
