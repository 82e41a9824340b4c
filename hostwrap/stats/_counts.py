"""Distributions of counts: derivatives are in probabilities and concentrations; the counts themselves are integers."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap.special import betaln, gammaln, xlogy
from hostwrap.stats._joint import Joint, by_formula, given_arrays

# ---- multinomial


def _multinomial_formula(x: Any, n: Any, p: Any) -> Any:
    return gammaln(n + 1) + jnp.sum(xlogy(x, p) - gammaln(x + 1))


@by_formula("(k),(),(k)->()", _multinomial_formula, ("x", "n"))
def _multinomial(x: Any, n: Any, p: Any, log: bool) -> Any:
    with warnings.catch_warnings():  # SciPy's, of p whose sum is not 1: see the docstring
        warnings.simplefilter("ignore", FutureWarning)
        return _mass("multinomial", log)(x, n, p)


def _mass(name: str, log: bool) -> Any:
    return getattr(getattr(scipy.stats, name), "logpmf" if log else "pmf")


def _multinomial_arguments(function: str, x: Any, n: Any, p: Any) -> tuple:
    """How often each of k things comes in n trials: derivatives are in p.

    `x [..., k]` and `n [...]` are integers, `p [..., k]` probabilities with the sum 1. Each p moves by itself: what
    counts is the derivative along probabilities whose sum stays.

        >>> hostwrap.stats.multinomial.logpmf([1, 2, 0], 3, [0.2, 0.5, 0.3])
    """
    return tuple(given_arrays(function, x=x, n=n, p=p))


def _multinomial_mean(n: Any, p: Any) -> jax.Array:
    """n p"""
    n, p = given_arrays("multinomial.mean", n=n, p=p)
    return n[..., None] * p


def _multinomial_cov(n: Any, p: Any) -> jax.Array:
    """n (diag(p) - p p^T)"""
    n, p = given_arrays("multinomial.cov", n=n, p=p)
    return n[..., None, None] * (jnp.eye(p.shape[-1]) * p[..., None] - p[..., None] * p[..., None, :])


# ---- with probabilities that are a Dirichlet variable


def _mixed_formula(x: Any, alpha: Any, n: Any) -> Any:
    parts = jnp.sum(_log_rising(alpha, x) - gammaln(x + 1))
    return gammaln(n + 1) - _log_rising(jnp.sum(alpha), n) + parts


def _log_rising(a: Any, n: Any) -> Any:
    """log(Gamma(a + n) / Gamma(a)); by beta functions, so that its derivative in a large a has all digits."""
    some = n > 0
    m = jnp.where(some, n, 1.0)
    return jnp.where(some, gammaln(m) - betaln(a, m), 0.0)


@by_formula("(k),(k),()->()", _mixed_formula, ("x", "n"))
def _dirichlet_multinomial(x: Any, alpha: Any, n: Any, log: bool) -> Any:
    return _mass("dirichlet_multinomial", log)(x, alpha, n)


def _mixed_arguments(function: str, x: Any, alpha: Any, n: Any) -> tuple:
    """Multinomial counts, with probabilities that are a Dirichlet variable: derivatives are in alpha.

    `x [..., k]` and `n [...]` are integers, `alpha [..., k]` is positive.

        >>> hostwrap.stats.dirichlet_multinomial.logpmf([1, 2, 0], [0.5, 1.5, 2.0], 3)
    """
    return tuple(given_arrays(function, x=x, alpha=alpha, n=n))


def _mixed_mean(alpha: Any, n: Any) -> jax.Array:
    """n alpha over the sum of alpha."""
    alpha, n = given_arrays("dirichlet_multinomial.mean", alpha=alpha, n=n)
    return n[..., None] * alpha / jnp.sum(alpha, -1, keepdims=True)


def _mixed_cov(alpha: Any, n: Any) -> jax.Array:
    """The covariance matrix."""
    alpha, n = given_arrays("dirichlet_multinomial.cov", alpha=alpha, n=n)
    total = jnp.sum(alpha, -1, keepdims=True)
    n, p = n[..., None], alpha / total
    scale = (n * (n + total) / (1 + total))[..., None]
    return scale * (jnp.eye(p.shape[-1]) * p[..., None] - p[..., None] * p[..., None, :])


def _mixed_var(alpha: Any, n: Any) -> jax.Array:
    """The variance of each count."""
    return jnp.diagonal(_mixed_cov(alpha, n), axis1=-2, axis2=-1)


# ---- without putting back


@by_formula("(k),(k),()->()", lambda x, m, n: 0.0 * n, ("x", "m", "n"))
def _multivariate_hypergeom(x: Any, m: Any, n: Any, log: bool) -> Any:
    x, m, n = (np.asarray(a, int) for a in (x, m, n))
    return _mass("multivariate_hypergeom", log)(x, m, n)


def _urn_arguments(function: str, x: Any, m: Any, n: Any) -> tuple:
    """How often each kind comes in n draws without putting back, of m things of each kind: all are integers.

    `x [..., k]`, `m [..., k]`, `n [...]`. There is nothing to differentiate in.

        >>> hostwrap.stats.multivariate_hypergeom.logpmf([1, 2], [5, 10], 3)
    """
    for name, value in (("x", x), ("m", m), ("n", n)):
        dtype = jnp.asarray(value).dtype
        if not jnp.issubdtype(dtype, jnp.integer):
            raise SignatureError(f"{function}: `{name}` must be integers, got {dtype}.")
    return tuple(given_arrays(function, x=x, m=m, n=n))


LAWS = {
    "multinomial": lambda name: Joint(
        name, _multinomial_arguments, _multinomial, mass=True, mean=_multinomial_mean, cov=_multinomial_cov
    ),
    "dirichlet_multinomial": lambda name: Joint(
        name, _mixed_arguments, _dirichlet_multinomial, mass=True, mean=_mixed_mean, var=_mixed_var, cov=_mixed_cov
    ),
    "multivariate_hypergeom": lambda name: Joint(name, _urn_arguments, _multivariate_hypergeom, mass=True),
}  # fmt: skip
