"""NumPyro's distributions made of ours, against NumPyro's own; without NumPyro, that it is said."""

import importlib.util
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap import stats
from tests._kit.toys import same

needs_numpyro = pytest.mark.skipif(not importlib.util.find_spec("numpyro"), reason="NumPyro is not installed")


def test_without_numpyro_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpyro", None)
    monkeypatch.setitem(sys.modules, "numpyro.distributions", None)
    with pytest.raises(ImportError, match="pip install numpyro"):
        stats.as_numpyro(stats.uniform)


@pytest.mark.parametrize("what", ["gamma", 1.0, stats.dirichlet])
def test_something_else_is_refused(what):
    with pytest.raises(hw.SignatureError, match="as_numpyro: pass a distribution of numbers"):
        stats.as_numpyro(what)


@needs_numpyro
def test_against_the_own_one_of_numpyro():
    import numpyro.distributions as dist

    ours, theirs = stats.as_numpyro(stats.gamma(2.5, 0.0, 0.5)), dist.Gamma(2.5, 2.0)
    x = jnp.array([0.3, 1.7])
    same(ours.log_prob(x), theirs.log_prob(x), 1e-12)
    same((ours.mean, ours.variance), (theirs.mean, theirs.variance), 1e-12)
    same(ours.icdf(ours.cdf(x)), x, 1e-12)
    assert ours.sample(jax.random.key(0), (3, 2)).shape == (3, 2)
    by_shape = jax.grad(lambda a: stats.as_numpyro(stats.gamma)(a).log_prob(0.7))(2.5)
    same(by_shape, jax.grad(stats.gamma.logpdf, 1)(0.7, 2.5), 1e-12)
    batch = stats.as_numpyro(stats.gamma)(jnp.ones((4, 1)), scale=jnp.ones(3))
    assert batch.batch_shape == (4, 3) and batch.event_shape == () and batch.shape((2,)) == (2, 4, 3)
    counts = stats.as_numpyro(stats.zipf)(3.0)
    assert counts.support.is_discrete and counts.sample(jax.random.key(0)).dtype.kind == "i"
    with pytest.raises(ValueError, match="scale"):
        stats.as_numpyro(stats.gamma)(2.5, scale=-1.0, validate_args=True)


@needs_numpyro
@pytest.mark.parametrize(
    ("family", "shapes"),
    [("norm", ()), ("gamma", (2.5,)), ("beta", (2.5, 1.5)), ("genextreme", (-0.3,)), ("genextreme", (0.3,))],
)
def test_the_way_into_the_support_and_back(family, shapes):
    from numpyro.distributions.transforms import biject_to

    made = stats.as_numpyro(getattr(stats, family))(*shapes, loc=0.5, scale=2.0)
    low, high = getattr(scipy.stats, family).support(*shapes, 0.5, 2.0)
    into, x = biject_to(made.support), jnp.linspace(-2, 2, 5)
    y = into(x)
    assert np.all((low < y) & (y < high)) and np.all(made.support(y))
    same(into.inv(y), x, 1e-12)
    same(into.log_abs_det_jacobian(x, y), jnp.log(jnp.abs(jax.vmap(jax.grad(into))(x))), 1e-12)


@needs_numpyro
@pytest.mark.rotating
def test_a_model_with_distributions_that_numpyro_does_not_have():
    """Generalised extreme values, whose latent scale is of a Burr law; against a grid of the posterior."""
    import numpyro
    from numpyro.infer import MCMC, NUTS

    data = scipy.stats.genextreme.rvs(-0.1, 3.0, 1.5, size=40, random_state=1)
    extreme, burr = stats.as_numpyro(stats.genextreme), stats.as_numpyro(stats.burr12)

    def model(y):
        scale = numpyro.sample("scale", burr(3.0, 1.2))
        numpyro.sample("y", extreme(-0.1, 3.0, scale), obs=y)

    run = MCMC(NUTS(model), num_warmup=150, num_samples=300, progress_bar=False)
    run.run(jax.random.key(0), data)
    grid = np.linspace(0.8, 2.6, 400)
    log = scipy.stats.genextreme.logpdf(data[:, None], -0.1, 3.0, grid).sum(0)
    weights = np.exp(log - log.max()) * scipy.stats.burr12.pdf(grid, 3.0, 1.2)
    mean = np.sum(grid * weights) / np.sum(weights)
    spread = np.sqrt(np.sum((grid - mean) ** 2 * weights) / np.sum(weights))
    assert abs(float(run.get_samples()["scale"].mean()) - mean) < 0.35 * spread


@needs_numpyro
@pytest.mark.parametrize(
    ("family", "shapes", "of_numpyro"),
    [("landau", (), "real"), ("weibull_min", (1.3,), "nonnegative"), ("beta", (2.0, 3.0), "unit_interval"),
     ("zipf", (3.0,), "positive_integer"), ("nbinom", (3.0, 0.4), "nonnegative_integer")],
)  # fmt: skip
def test_what_no_parameter_moves_can_be_mixed(family, shapes, of_numpyro):
    import numpyro.distributions as dist

    made = stats.as_numpyro(getattr(stats, family))
    one = made(*shapes)
    assert one.support is getattr(dist.constraints, of_numpyro)
    again = jax.tree.map(lambda x: x, one)
    assert (
        again.support is one.support
        and stats.as_numpyro(getattr(stats, family)(*shapes)).support is one.support
    )
    parts = made(*(jnp.array([1.0, 0.9]) * shape for shape in shapes))
    parts = parts if shapes else made(scale=jnp.array([1.0, 0.5]))
    mixed = dist.MixtureSameFamily(dist.Categorical(jnp.array([0.3, 0.7])), parts)
    x = mixed.sample(jax.random.key(0), (3,))
    expected = jnp.log(jnp.exp(parts.log_prob(x[:, None])) @ jnp.array([0.3, 0.7]))
    np.testing.assert_allclose(mixed.log_prob(x), expected, rtol=1e-10)
    if family == "weibull_min":
        assert made(1.3, loc=0.5).support is not one.support  # it moves with loc
