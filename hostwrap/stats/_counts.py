"""Distributions of counts: derivatives are in probabilities and concentrations; the counts themselves are integers."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap._table.partials import unknown
from hostwrap._wrap import wrap
from hostwrap.special import betaln, entr, gammaln, xlogy
from hostwrap.stats._catalogue import named
from hostwrap.stats._joint import INTEGER, Joint, by_formula, drawn, given_arrays, of_kind, uniform
from hostwrap.stats._saddle import log_beta_term, log_poisson_term

# ---- multinomial


def _with_digits(formula: Any, same: Any) -> Any:
    """The value of `same`, which keeps its digits where counts are large, and the derivatives of `formula`."""
    rest = jax.lax.stop_gradient(same - formula)
    return formula + jnp.where(jnp.isfinite(rest), rest, 0.0)


def _multinomial_formula(x: Any, n: Any, p: Any) -> Any:
    formula = gammaln(n + 1) + jnp.sum(xlogy(x, p) - gammaln(x + 1))
    parts = jnp.sum(jnp.where(x > 0, log_poisson_term(jnp.where(x > 0, x, 1.0), n * p), -n * p))
    return _with_digits(formula, parts + n * jnp.sum(p) - log_poisson_term(n, n) - n)


@by_formula("(k),(),(k)->()", _multinomial_formula, ("x", "n"))
def _multinomial(x: Any, n: Any, p: Any, log: bool) -> Any:
    with warnings.catch_warnings():  # SciPy's, of p whose sum is not 1: see the docstring
        warnings.simplefilter("ignore", FutureWarning)
        return _mass("multinomial", log)(x, n, p)


def _mass(name: str, log: bool) -> Any:
    return getattr(getattr(scipy.stats, name), "logpmf" if log else "pmf")


def _multinomial_arguments(function: str, x: Any, n: Any, p: Any) -> tuple:
    """How often each of k outcomes occurs in n trials; differentiable in p.

    `x [..., k]` and `n [...]` are integers, `p [..., k]` probabilities with the sum 1. The derivative treats the
    components of p as independent; only derivatives along directions that keep the sum have a meaning.

        >>> print(f"{hostwrap.stats.multinomial.logpmf([1, 2, 0], 3, [0.2, 0.5, 0.3]):.6f}")
        -1.897120
    """
    return tuple(given_arrays(function, x=x, n=n, p=p))


def _multinomial_mean(n: Any, p: Any) -> jax.Array:
    """n p"""
    n, p = given_arrays("multinomial.mean", n=n, p=p)
    return n[..., None] * p


def _multinomial_cov(n: Any, p: Any) -> jax.Array:
    """n (diag(p) - p p^T)"""
    n, p = given_arrays("multinomial.cov", n=n, p=p)
    return n[..., None, None] * _spread(p)


def _spread(p: Any) -> jax.Array:
    """diag(p) - p p^T, the covariance of the kind of one thing"""
    return jnp.eye(p.shape[-1]) * p[..., None] - p[..., None] * p[..., None, :]


def _multinomial_sample(key: Any, n: Any, p: Any, shape: tuple[int, ...] = ()) -> jax.Array:
    """Random counts from a JAX random key, `[*shape, ..., k]`: each component is binomial in the remaining trials.

    Counts are integers, which jump, so they have no derivative in p.
    """
    n, p = given_arrays("multinomial.sample", n=n, p=p)
    batch, size = drawn(shape, (n, 0), (p, 1)), p.shape[-1]
    u = uniform(key, (*batch, max(size - 1, 1)), p.dtype)
    left, counts = jnp.broadcast_to(n, batch), []
    for i in range(size - 1):
        rest = jnp.sum(p[..., i:], -1)
        share = jnp.clip(p[..., i] / jnp.where(rest > 0, rest, 1.0), 0.0, 1.0)
        counts.append(named("binom").ppf(u[..., i], left, share))
        left = left - counts[-1]
    return jnp.stack([*counts, left], -1)


def _increments(n: Any, p: Any, order: int) -> Any:
    """n (n - 1) ... E of the differences of this order of gammaln(k + 1), of k of n - order.

    The next one is its derivative in p. SciPy's binomial probabilities are added up.
    """
    n, p = np.broadcast_arrays(n, p)
    total = np.zeros(n.shape)
    for index in np.ndindex(n.shape):
        trials = int(n[index]) - order
        if trials < 0:
            continue
        k = np.arange(trials + 1.0)
        steps = scipy.special.gammaln(k + 1) if not order else np.log(np.arange(1.0, trials + order + 1))
        steps = np.diff(steps, n=max(order - 1, 0))
        falling = np.prod(n[index] - np.arange(order))
        total[index] = falling * np.sum(scipy.stats.binom.pmf(k, trials, p[index]) * steps)
    return total


@functools.cache
def _mean_increment(order: int) -> Any:
    def mean_increment(n: Any, p: Any) -> Any:
        return _increments(n, p, order)

    return wrap(mean_increment, vmap_method="broadcast_all").defpartials(
        unknown(INTEGER), lambda _, n, p: _mean_increment(order + 1)(n, p)
    )


def _multinomial_entropy(n: Any, p: Any) -> jax.Array:
    """The entropy of the counts, as SciPy's; derivatives are in p."""
    n, p = given_arrays("multinomial.entropy", n=n, p=p)
    n = jax.lax.stop_gradient(n)
    parts = n[..., None] * entr(p) + _mean_increment(0)(n[..., None], p)
    return jnp.sum(parts, -1) - gammaln(n + 1)


# ---- with probabilities that are a Dirichlet variable


def _mixed_formula(x: Any, alpha: Any, n: Any) -> Any:
    parts = jnp.sum(_log_rising(alpha, x) - gammaln(x + 1))
    formula = gammaln(n + 1) - _log_rising(jnp.sum(alpha), n) + parts
    total = jnp.sum(alpha)
    log_p, log_q, m = -jnp.log1p(n / total), -jnp.log1p(total / n), jnp.where(x > 0, x, 1.0)
    p, q = total / (total + n), n / (total + n)
    term = log_beta_term(alpha, m, p, q, alpha * log_p + m * log_q) - jnp.log(m)
    whole = log_beta_term(total, n, p, q, total * log_p + n * log_q) - jnp.log(n)
    return _with_digits(formula, jnp.sum(jnp.where(x > 0, term, alpha * log_p)) - whole)


def _log_rising(a: Any, n: Any) -> Any:
    """log(Gamma(a + n) / Gamma(a)); by beta functions, so that its derivative in a large a has all digits."""
    some = n > 0
    m = jnp.where(some, n, 1.0)
    return jnp.where(some, gammaln(m) - betaln(a, m), 0.0)


@by_formula("(k),(k),()->()", _mixed_formula, ("x", "n"))
def _dirichlet_multinomial(x: Any, alpha: Any, n: Any, log: bool) -> Any:
    return _mass("dirichlet_multinomial", log)(x, alpha, n)


def _mixed_arguments(function: str, x: Any, alpha: Any, n: Any) -> tuple:
    """Multinomial counts whose probabilities are a Dirichlet variable; differentiable in alpha.

    `x [..., k]` and `n [...]` are integers, `alpha [..., k]` is positive.

        >>> print(f"{hostwrap.stats.dirichlet_multinomial.logpmf([1, 2, 0], [0.5, 1.5, 2.0], 3):.6f}")
        -3.060271
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
    return scale * _spread(p)


def _mixed_var(alpha: Any, n: Any) -> jax.Array:
    """The variance of each count."""
    return jnp.diagonal(_mixed_cov(alpha, n), axis1=-2, axis2=-1)


# ---- without putting back


@by_formula("(k),(k),()->()", lambda x, m, n: 0.0 * n, ("x", "m", "n"))
def _multivariate_hypergeom(x: Any, m: Any, n: Any, log: bool) -> Any:
    x, m, n = (np.asarray(a, int) for a in (x, m, n))
    return _mass("multivariate_hypergeom", log)(x, m, n)


def _urn_arguments(function: str, x: Any, m: Any, n: Any) -> tuple:
    """How often each kind occurs in n draws without replacement, from m things of each kind.

    `x [..., k]`, `m [..., k]` and `n [...]` are integers, so there are no derivatives.

        >>> print(f"{hostwrap.stats.multivariate_hypergeom.logpmf([1, 2], [5, 10], 3):.6f}")
        -0.704197
    """
    return _urns(function, x=x, m=m, n=n)


def _urns(function: str, **values: Any) -> tuple:
    for name, value in values.items():
        dtype = jnp.asarray(value).dtype
        if not jnp.issubdtype(dtype, jnp.integer):
            raise SignatureError(f"{function}: `{name}` must be integers, got {dtype}.")
    return tuple(given_arrays(function, **values))


def _urn_mean(m: Any, n: Any) -> jax.Array:
    """n times the share of each kind."""
    m, n = _urns("multivariate_hypergeom.mean", m=m, n=n)
    return n[..., None] * m / jnp.sum(m, -1, keepdims=True)


def _urn_cov(m: Any, n: Any) -> jax.Array:
    """The covariance matrix; that of a single thing is 0, as SciPy's."""
    m, n = _urns("multivariate_hypergeom.cov", m=m, n=n)
    total = jnp.sum(m, -1)
    share = m / total[..., None]
    scale = n * (total - n) / jnp.where(total > 1, total - 1, 1.0)
    return scale[..., None, None] * _spread(share)


def _urn_var(m: Any, n: Any) -> jax.Array:
    """The variance of each count."""
    return jnp.diagonal(_urn_cov(m, n), axis1=-2, axis2=-1)


# ---- Poisson and binomial


def _log_sum_of_chances(k: Any, p: Any, first: Any, last: Any) -> Any:
    """Of the probabilities of `first` to `last` of the events: one event after the other, all terms are positive."""
    size = p.shape[0]
    counts = jnp.arange(size + 1)

    def one_more(chance: Any, one: Any) -> tuple[Any, None]:
        return chance * (1 - one) + jnp.concatenate([jnp.zeros(1, chance.dtype), chance[:-1]]) * one, None

    chance, _ = jax.lax.scan(one_more, jnp.where(counts == 0, 1.0, 0.0).astype(p.dtype), p)
    here = (first <= counts) & (counts <= last)
    found, rest = (jnp.sum(jnp.where(mask, chance, 0.0)) for mask in (here, ~here))
    small = found < 0.5
    some = jnp.where(small & (found > 0), found, 1.0)
    return jnp.where(
        small, jnp.where(found > 0, jnp.log(some), -jnp.inf), jnp.log1p(-jnp.where(small, 0.0, rest))
    )


@by_formula("(),(n)->()", lambda k, p: _log_sum_of_chances(k, p, k, k), ("k",))
def _events(k: Any, p: Any, log: bool) -> Any:
    return _mass("poisson_binom", log)(k, p)


@by_formula("(),(n)->()", lambda k, p: _log_sum_of_chances(k, p, 0, jnp.floor(k)), ("k",))
def _few_events(k: Any, p: Any, log: bool) -> Any:
    return getattr(scipy.stats.poisson_binom, "logcdf" if log else "cdf")(k, p)


@by_formula("(),(n)->()", lambda k, p: _log_sum_of_chances(k, p, jnp.floor(k) + 1, p.shape[0]), ("k",))
def _many_events(k: Any, p: Any, log: bool) -> Any:
    return getattr(scipy.stats.poisson_binom, "logsf" if log else "sf")(k, p)


def _events_arguments(function: str, k: Any, p: Any) -> tuple:
    """How many of n events happen, each with its own probability; differentiable in p.

    `k [...]` is an integer, `p [..., n]`.

        >>> print(f"{hostwrap.stats.poisson_binom.pmf(1, [0.1, 0.6, 0.7]):.6f}")
        0.426000
    """
    return tuple(given_arrays(function, k=k, p=p))


def _events_mean(p: Any) -> jax.Array:
    """The sum of p"""
    return jnp.sum(given_arrays("poisson_binom.mean", p=p)[0], -1)


def _events_var(p: Any) -> jax.Array:
    """The sum of p (1 - p)"""
    (p,) = given_arrays("poisson_binom.var", p=p)
    return jnp.sum(p * (1 - p), -1)


def _of_events(kind: str, core: Any) -> Any:
    return of_kind(f"poisson_binom.{kind}", _events_arguments, core)


LAWS = {
    "poisson_binom": lambda name: Joint(
        name, _events_arguments, _events, mass=True, mean=_events_mean, var=_events_var,
        cdf=_of_events("cdf", _few_events), logcdf=_of_events("logcdf", _few_events),
        sf=_of_events("sf", _many_events), logsf=_of_events("logsf", _many_events),
    ),
    "multinomial": lambda name: Joint(
        name, _multinomial_arguments, _multinomial, mass=True, mean=_multinomial_mean, cov=_multinomial_cov,
        entropy=_multinomial_entropy, sample=_multinomial_sample,
    ),
    "dirichlet_multinomial": lambda name: Joint(
        name, _mixed_arguments, _dirichlet_multinomial, mass=True, mean=_mixed_mean, var=_mixed_var, cov=_mixed_cov
    ),
    "multivariate_hypergeom": lambda name: Joint(
        name, _urn_arguments, _multivariate_hypergeom, mass=True, mean=_urn_mean, var=_urn_var, cov=_urn_cov
    ),
}  # fmt: skip
