"""log_iv and its kin where the functions themselves underflow and overflow: identities between neighbours, at any size.

The tables have the value and all second derivatives at points of each regime; here are many points, without mpmath.
"""

import doctest
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap import special
from hostwrap.special.bessel import _debye, logarithms

RNG = np.random.default_rng(7)
V = np.concatenate([10 ** RNG.uniform(-9, 8, 1500), RNG.uniform(0, 3000, 1500), np.zeros(50)])
X = np.concatenate(
    [10 ** RNG.uniform(-300, 300, 500), 10 ** RNG.uniform(-4, 9, 1000), RNG.uniform(0, 3000, 1550)]
)


def of(name, v, x, dv=0, dx=0):
    return getattr(logarithms, f"{name}_n")(v, x, dv=dv, dx=dx)


def misses():
    """How far the Wronskian I_v K_{v+1} + I_{v+1} K_v is from 1/x (DLMF 10.28.2), and slopes from neighbours."""
    i, k = of("log_iv", V, X), of("log_kv", V, X)
    i_above, k_above = of("log_iv", V + 1, X), of("log_kv", V + 1, X)
    size = 1 + np.abs(i) + np.abs(k) + V + X  # of what is added up in the logarithms
    yield (
        np.abs(
            np.logaddexp(
                of("log_ive", V, X) + of("log_kve", V + 1, X), of("log_ive", V + 1, X) + of("log_kve", V, X)
            )
            + np.log(X)
        )
        / size
    )
    slope = of("log_iv", V, X, dx=1)
    yield np.abs(slope - np.exp(i_above - i) - V / X) / slope / size
    slope = of("log_kv", V, X, dx=1)
    yield np.abs(slope + np.exp(k_above - k) - V / X) / np.exp(k_above - k) / size


def test_neighbouring_orders_and_slopes_agree():
    for error in misses():
        assert np.all(error < 5e-14), (V[error.argmax()], X[error.argmax()], error.max())


def test_a_wrong_coefficient_is_found(monkeypatch):
    monkeypatch.setattr(_debye, "U", (np.array([3, -4]) / 24, *_debye.U[1:]))
    assert any(np.any(error > 1e-10) for error in misses())


@pytest.mark.parametrize("name", ["log_ive", "log_kve"])
@pytest.mark.parametrize(
    "place", [(1500.0, 2000.0), (2500.0, 1.0), (0.3, 2500.0), (20.0, 200.0), (7.0, 8.0), (0.5, 2.0)]
)
def test_value_gradient_and_hessian_are_smooth_where_one_method_follows_another(name, place):
    v, x = place
    for i, j in [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]:
        below, above = (of(name, v * s, x * s, i, j) for s in (1 - 1e-9, 1 + 1e-9))
        change = v * of(name, v, x, i + 1, j) + x * of(name, v, x, i, j + 1)
        np.testing.assert_allclose(
            above - below, 2e-9 * change, atol=1e-13 * abs(above) + 1e-5 * 2e-9 * abs(change)
        )


def test_two_centres_of_the_integral_of_k_agree(monkeypatch):
    v, x = np.array([1e-3, 0.1, 0.4]), np.array([1e-30, 0.02, 1.0])
    want = [of("log_kv", v, x, i, j) for i, j in [(0, 0), (1, 0), (2, 0), (1, 1)]]
    monkeypatch.setattr(logarithms, "SYMMETRIC", 0.0)
    for f, (i, j) in zip(want, [(0, 0), (1, 0), (2, 0), (1, 1)], strict=True):
        np.testing.assert_allclose(of("log_kv", v, x, i, j), f, rtol=1e-11)


def test_values_at_the_ends():
    assert special.log_iv(0.0, 0.0) == 0 and special.log_iv(1.0, 0.0) == -np.inf
    assert special.log_kv(2.0, 0.0) == np.inf and special.log_kv(-2.5, 3.0) == special.log_kv(2.5, 3.0)
    assert special.log_iv(1.0, np.inf) == np.inf and special.log_ive(1.0, np.inf) == -np.inf
    assert np.isnan(special.log_iv(-0.5, 1.0)) and np.isnan(special.log_kv(1.0, -1.0))
    assert jax.grad(special.log_kv)(-2.5, 3.0) == -jax.grad(special.log_kv)(2.5, 3.0)
    assert jax.grad(special.log_kv)(0.0, 3.0) == 0


def test_directions_in_a_thousand_dimensions():
    """The mean length of a direction is I_{d/2}(k) / I_{d/2-1}(k), which Newton's method inverts."""
    length = jax.grad(lambda k: special.log_iv(499.0, k) - 499 * jnp.log(k))
    kappa = 300.0
    for _ in range(30):
        kappa = kappa - (length(kappa) - 0.75) / jax.grad(length)(kappa)
    assert abs(kappa - 0.75 * (1000 - 0.75**2) / (1 - 0.75**2)) < 1  # Banerjee et al., JMLR 6 (2005)
    assert length(kappa) == pytest.approx(0.75, rel=1e-14)


def test_eighth_derivatives_keep_their_digits_where_the_distribution_is_nearly_normal():
    """Higher cumulants of a normal distribution are 0: moments have no digits of them."""
    eighth = functools.reduce(lambda f, _: jax.grad(f), range(8), special.log_kv)
    assert float(eighth(500.0, 2000.0)) == pytest.approx(3.505728952152025e-23, rel=1e-13)


def test_examples():
    found = doctest.testmod(logarithms)
    assert found.attempted >= 12 and not found.failed
