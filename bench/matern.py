"""A Gaussian process whose Matérn smoothness ν is learned, as the derivative of K_ν in its order allows."""

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap import special


def matern(r, nu, length):
    """k(r) = 2^(1-ν)/Γ(ν) s^ν K_ν(s) with s = √(2ν) r/ℓ; k(0) = 1, with finite derivatives."""
    s = jnp.sqrt(2 * nu) * jnp.where(r == 0, 1.0, r) / length  # a harmless value where r = 0
    log_factor = (1 - nu) * jnp.log(2.0) - special.gammaln(nu) + nu * jnp.log(s)
    return jnp.where(r == 0, 1.0, jnp.exp(log_factor) * special.kv(nu, s))


def loss(log_parameters, x, y, noise=1e-2):
    """-log p(y | x, ν, ℓ) / n."""
    nu, length = jnp.exp(log_parameters)
    gram = matern(jnp.abs(x[:, None] - x), nu, length) + noise**2 * jnp.eye(len(x))
    factor = jnp.linalg.cholesky(gram)
    white = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
    return (jnp.sum(white**2) / 2 + jnp.sum(jnp.log(jnp.diag(factor)))) / len(x)


def sample(nu, length, count=40, noise=1e-2, seed=3):
    """Data drawn from the model."""
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(0.0, 10.0, count))
    gram = np.array(matern(np.abs(x[:, None] - x), nu, length)) + noise**2 * np.eye(count)
    return x, np.linalg.cholesky(gram) @ random.normal(size=count)


def learn(start, x, y, steps=60, rate=0.2):
    """Gradient descent on (log ν, log ℓ); returns the parameters and losses of every step."""
    slope = jax.jit(jax.value_and_grad(loss))
    parameters, path = jnp.log(jnp.array(start)), []
    for _ in range(steps):
        value, gradient = slope(parameters, x, y)
        path.append((*map(float, jnp.exp(parameters)), float(value)))
        parameters = parameters - rate * gradient / jnp.maximum(1.0, jnp.linalg.norm(gradient))
    return path
