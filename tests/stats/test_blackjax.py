"""A posterior by BlackJAX, whose compiled loops take the log-densities and their gradients; against a grid."""

import importlib.util

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from hostwrap import stats


@pytest.mark.skipif(importlib.util.find_spec("blackjax") is None, reason="BlackJAX is not installed")
def test_nuts():
    import blackjax

    data = scipy.stats.genextreme.rvs(-0.1, 3.0, 1.5, size=40, random_state=1)

    def log_density(z):
        """Of the logarithm of the scale."""
        scale = jnp.exp(z)
        return (
            jnp.sum(stats.genextreme.logpdf(data, -0.1, 3.0, scale))
            + stats.burr12.logpdf(scale, 3.0, 1.2)
            + z
        )

    nuts = blackjax.nuts(log_density, step_size=0.2, inverse_mass_matrix=jnp.array([1.0]))

    def step(state, key):
        state, _ = nuts.step(key, state)
        return state, state.position

    keys = jax.random.split(jax.random.key(0), 600)
    drawn = jax.jit(lambda start: jax.lax.scan(step, nuts.init(start), keys)[1])(jnp.log(1.5))
    grid = np.linspace(0.8, 2.6, 400)
    log = scipy.stats.genextreme.logpdf(data[:, None], -0.1, 3.0, grid).sum(0)
    weights = np.exp(log - log.max()) * scipy.stats.burr12.pdf(grid, 3.0, 1.2)
    mean = np.sum(grid * weights) / np.sum(weights)
    spread = np.sqrt(np.sum((grid - mean) ** 2 * weights) / np.sum(weights))
    assert abs(float(jnp.exp(drawn[100:]).mean()) - mean) < 0.35 * spread
