"""Random vectors, counts and their moments, beside SciPy's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap import stats
from tests._kit.toys import same

KEY = jax.random.key(4)
P = np.array([0.2, 0.5, 0.3])
URN = (np.array([5, 10, 2]), 7)


def differences(function, x, step=1e-6):
    return (function(x + step) - function(x - step)) / (2 * step)


@pytest.mark.rotating
def test_directions_in_many_dimensions():
    """Their mean is mu times a quotient of Bessel functions, and they move with kappa."""
    size, kappa, count = 4, 2.5, 100
    mu = np.eye(size)[1]
    sample = stats.vonmises_fisher.sample(KEY, mu, kappa, shape=(count,))
    same(jnp.sum(sample**2, -1), jnp.ones(count), 1e-12)
    length = scipy.special.iv(size / 2, kappa) / scipy.special.iv(size / 2 - 1, kappa)
    np.testing.assert_allclose(sample.mean(0), length * mu, atol=2.5 / np.sqrt(count))
    draw = lambda k: stats.vonmises_fisher.sample(KEY, mu, k, shape=(1,))
    np.testing.assert_allclose(jax.jacfwd(draw)(kappa), differences(draw, kappa), rtol=1e-6, atol=1e-9)


def test_the_part_along_the_mean_is_a_quantile():
    """In five dimensions the density is y (2 - y) exp(-kappa y) over a norm: the integral is elementary."""
    from hostwrap.stats._directions import _quantile

    u, kappa = np.array([1e-30, 0.01, 0.6, 0.999]), 3.0
    y = np.asarray(_quantile(u, kappa, 2.0))
    primitive = lambda y: (
        np.exp(-kappa * y) * ((2 * y - y * y) / kappa + (2 - 2 * y) / kappa**2 - 2 / kappa**3)
    )
    part = (primitive(0.0) - primitive(y)) / (primitive(0.0) - primitive(2.0))
    np.testing.assert_allclose(part[1:], u[1:], rtol=1e-11)
    small = np.sqrt(u[0] * (primitive(0.0) - primitive(2.0)))
    np.testing.assert_allclose(y[0], small, rtol=1e-11)  # the density is 2 y there


def test_counts():
    sample = stats.multinomial.sample(KEY, 9, P, shape=(1000,))
    assert (sample.sum(-1) == 9).all() and (sample >= 0).all() and sample.shape == (1000, 3)
    same(np.round(sample), sample, 0)
    np.testing.assert_allclose(sample.mean(0), 9 * P, atol=0.15)
    np.testing.assert_allclose(np.cov(sample.T), scipy.stats.multinomial.cov(9, P), atol=0.35)
    with pytest.raises(hw.MissingDerivative, match="jump"):
        jax.jacfwd(lambda p: stats.multinomial.sample(KEY, 9, p))(P)


@pytest.mark.parametrize("n", [0, 1, 9])
def test_entropy_of_counts(n):
    """SciPy refuses probabilities whose sum is not 1, so the derivative is along those whose sum is."""
    scipys = lambda t: scipy.stats.multinomial.entropy(n, P + t * np.array([1.0, -0.7, -0.3]))
    ours = lambda t: stats.multinomial.entropy(n, P + t * np.array([1.0, -0.7, -0.3]))
    np.testing.assert_allclose(ours(0.0), scipys(0.0), atol=1e-14)
    np.testing.assert_allclose(jax.jit(jax.grad(ours))(0.0), differences(scipys, 0.0, 1e-5), atol=1e-8)
    slope = jax.grad(ours)
    np.testing.assert_allclose(jax.grad(slope)(0.0), differences(slope, 0.0), atol=1e-7)


def test_without_putting_back():
    for kind in ("mean", "var", "cov"):
        ours, scipys = (getattr(home.multivariate_hypergeom, kind)(*URN) for home in (stats, scipy.stats))
        same(ours, scipys, 1e-14)
    with pytest.raises(hw.SignatureError, match="mean: `m` must be integers"):
        stats.multivariate_hypergeom.mean([1.5, 2], 3)


@pytest.mark.rotating
def test_a_normal_mean_and_its_variance():
    x, s2 = stats.normal_inverse_gamma.sample(KEY, 0.1, 2.0, 5.0, 1.5, shape=(4000,))
    mean, var = (
        stats.normal_inverse_gamma.mean(0.1, 2.0, 5.0, 1.5),
        stats.normal_inverse_gamma.var(0.1, 2.0, 5.0, 1.5),
    )
    np.testing.assert_allclose((x.mean(), s2.mean()), mean, atol=0.03)
    np.testing.assert_allclose((x.var(), s2.var()), var, rtol=0.2)
    draw = lambda a: jnp.stack(stats.normal_inverse_gamma.sample(KEY, 0.1, 2.0, a, 1.5))
    np.testing.assert_allclose(jax.jacfwd(draw)(5.0), differences(draw, 5.0), rtol=1e-6)
