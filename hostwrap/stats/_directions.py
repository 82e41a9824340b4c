"""Directions: unit vectors around a mean one."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._table.partials import unknown
from hostwrap._wrap import wrap
from hostwrap.special import gammaln, log_ive
from hostwrap.special._math import exp, log, pi
from hostwrap.stats._catalogue import named
from hostwrap.stats._integral import probabilities
from hostwrap.stats._joint import LOG_2PI, Joint, by_formula, drawn, given_arrays, of_scipy, uniform
from hostwrap.stats._rules import along


def _direction_norm(size: int, kappa: Any) -> Any:
    half = size / 2
    return (half - 1) * jnp.log(kappa) - half * LOG_2PI - log_ive(half - 1, kappa) - kappa


@by_formula("(d),(d),()->()", lambda x, mu, kappa: _direction_norm(len(x), kappa) + kappa * (mu @ x))
def _vonmises_fisher(x: Any, mu: Any, kappa: Any, log: bool) -> Any:
    return of_scipy("vonmises_fisher", log)(x, mu, kappa)


def _direction_arguments(function: str, x: Any, mu: Any = None, kappa: Any = 1) -> tuple:
    """The von Mises-Fisher distribution of directions, differentiable in x, mu and kappa.

    `x [..., d]` and `mu [..., d]` are unit vectors. Their derivatives are those of the formula `kappa mu x`; only the
    part along the sphere has a meaning. `kappa [...]` is positive.

        >>> print(f"{hostwrap.stats.vonmises_fisher.logpdf([0.6, 0.8], [1.0, 0.0], 2.5):.6f}")
        -1.528716
    """
    if mu is None:
        raise SignatureError(f"{function}: `mu` must be given, a unit vector.")
    return tuple(given_arrays(function, x=x, mu=mu, kappa=kappa))


def _direction_sample(key: Any, mu: Any = None, kappa: Any = 1, shape: tuple[int, ...] = ()) -> jax.Array:
    """Random unit vectors from a JAX random key, `[*shape, ..., d]`, differentiable in mu and kappa.

    The part along mu is a quantile (in three dimensions in closed form; Ulrich, Applied Statistics 33, 158 (1984)).
    """
    mu, kappa = given_arrays("vonmises_fisher.sample", mu=mu, kappa=kappa)
    size = mu.shape[-1] if mu.ndim else 0
    if size < 2:
        raise SignatureError(
            f"vonmises_fisher.sample: `mu` must have 2 components or more, got shape {mu.shape}."
        )
    batch = drawn(shape, (mu, 1), (kappa, 0))
    of_length, aside = jax.random.split(key)
    u = uniform(of_length, batch, mu.dtype)
    if size == 2:
        angle = named("vonmises").ppf(u, kappa)[..., None]
        return jnp.cos(angle) * mu + jnp.sin(angle) * jnp.stack([-mu[..., 1], mu[..., 0]], -1)
    # 1 - mu x
    less = (
        -jnp.log1p(u * jnp.expm1(-2 * kappa)) / kappa if size == 3 else _quantile(u, kappa, (size - 1) / 2.0)
    )
    other = jax.random.normal(aside, (*batch, size), mu.dtype)
    other = other - jnp.sum(other * mu, -1, keepdims=True) * mu
    other = other / jnp.linalg.norm(other, axis=-1, keepdims=True)
    return (1 - less)[..., None] * mu + jnp.sqrt(less * (2 - less))[..., None] * other


# 1 - mu x in four dimensions and more


def _log_density(y: Any, kappa: Any, half: Any) -> Any:
    """Of y = 1 - mu x, between 0 and 2, for half = (d - 1) / 2 (DLMF 10.32.2)."""
    norm = log(pi) / 2 + gammaln(half) + (half - 0.5) * log(2 / kappa) + log_ive(half - 0.5, kappa)
    return (half - 1) * log(y * (2 - y)) - kappa * y - norm


_BELOW, _ = probabilities(_log_density, 0.0, 2.0)


def _search(u: Any, kappa: Any, half: Any) -> Any:
    """Where the probability is u, by bisection of log(y / (2 - y)), so that small y have all digits."""
    low, high = (
        np.full(np.broadcast_shapes(*map(np.shape, (u, kappa, half))), end) for end in (-745.0, 40.0)
    )
    for _ in range(62):
        middle = (low + high) / 2
        above = _BELOW.numbers(2 / (1 + np.exp(-middle)), kappa, half) > u
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 2 / (1 + np.exp(-(low + high) / 2))


_quantile = wrap(_search, vmap_method="broadcast_all").defpartials(
    lambda y, u, kappa, half: exp(-_log_density(y, kappa, half)),
    lambda y, u, kappa, half: -along(_BELOW, 1, y, kappa, half) / exp(_log_density(y, kappa, half)),
    unknown("it counts dimensions"),
)


def _direction_entropy(mu: Any = None, kappa: Any = 1) -> jax.Array:
    """The differential entropy: minus the logarithm of the norm, minus kappa times the mean length."""
    (mu, kappa) = given_arrays("vonmises_fisher.entropy", mu=mu, kappa=kappa)
    half = mu.shape[-1] / 2
    return -_direction_norm(mu.shape[-1], kappa) - kappa * jnp.exp(
        log_ive(half, kappa) - log_ive(half - 1, kappa)
    )


LAWS = {
    "vonmises_fisher": lambda name: Joint(
        name, _direction_arguments, _vonmises_fisher, entropy=_direction_entropy, sample=_direction_sample
    ),
}
