"""Distributions of vectors: the normal one and its kin, and that of the parts of a whole."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap.special import gammaln, poch, psi, xlogy
from hostwrap.stats import _boxes
from hostwrap.stats._catalogue import named
from hostwrap.stats._functions import log_gamma_over_power, log_student
from hostwrap.stats._joint import (
    LOG_2PI,
    Joint,
    by_formula,
    drawn,
    given_arrays,
    log_diagonal,
    of_scipy,
    pseudo,
    root,
    square,
    uniform,
)

# ---- the normal distribution


def _normal_formula(x: Any, mean: Any, cov: Any, allow_singular: bool) -> Any:
    inverse, logdet = pseudo(cov)
    count = jnp.linalg.matrix_rank(jax.lax.stop_gradient(cov)) if allow_singular else len(x)
    return -(count * LOG_2PI + logdet + (x - mean) @ inverse @ (x - mean)) / 2


@by_formula("(d),(d),(d,d)->()", _normal_formula)
def _multivariate_normal(x: Any, mean: Any, cov: Any, allow_singular: bool, log: bool) -> Any:
    return of_scipy("multivariate_normal", log)(x, mean, cov, allow_singular)


@by_formula("(d,d)->()", lambda cov: len(cov) * (LOG_2PI + 1) / 2 + pseudo(cov)[1] / 2)
def _normal_entropy(cov: Any) -> Any:
    return [scipy.stats.multivariate_normal.entropy(None, one) for one in cov.reshape(-1, *cov.shape[-2:])]


def located(function: str, x: Any, mean: Any, cov: Any, names: tuple[str, str]) -> tuple:
    """Points, a center and a matrix, whose sizes are found as SciPy finds them."""
    if mean is None:
        shape = jnp.shape(cov)
        size = shape[-1] if len(shape) > 1 else 1
        mean = jnp.zeros(
            size, jnp.result_type(float) if isinstance(cov, int | list) else jnp.result_type(cov)
        )
    x, mean, cov = given_arrays(function, **dict(zip(("x", *names), (x, mean, cov), strict=True)))
    mean = mean.reshape(1) if mean.ndim == 0 else mean
    size = mean.shape[-1]
    if size == 1 and x.ndim < 2:
        x = x[..., None]
    if not x.ndim or x.shape[-1] != size:
        raise SignatureError(
            f"{function}: `x` must have {size} components on its last axis, as `{names[0]}` and `{names[1]}` say; "
            f"got shape {x.shape}."
        )
    return x, mean, square(function, names[1], cov, size)


def _normal_arguments(
    function: str, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False
) -> tuple:
    """The normal distribution of vectors, differentiable in x, mean and cov.

    `x [..., d]`, `mean [..., d]`, and `cov [..., d, d]`, a diagonal `[d]` or a number. The derivative in cov is that
    along symmetric matrices; for a singular matrix, which `allow_singular` permits, along those of the same rank.

        >>> value = hostwrap.stats.multivariate_normal.logpdf([0.1, 0.2], [0.0, 0.0], [[1.0, 0.3], [0.3, 2.0]])
        >>> print(f"{value:.6f}")
        -2.173994
    """
    return *located(function, x, mean, cov, ("mean", "cov")), bool(allow_singular)


def _normal_cdf(
    x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False, maxpts: int | None = None,
    abseps: float = 1e-5, releps: float = 1e-5, *, lower_limit: Any = None, rng: int = 0,
) -> jax.Array:  # fmt: skip
    """The probability of the box below `x [..., d]`, and above `lower_limit`; as SciPy's.

    In three dimensions and more SciPy integrates at random points, to `abseps`; `rng` is their seed. Differentiable in
    x, lower_limit, mean and cov; the derivatives consist of probabilities in one and two dimensions fewer.

        >>> print(f"{hostwrap.stats.multivariate_normal.cdf([0.1, 0.2], [0.0, 0.0], [[1.0, 0.3], [0.3, 2.0]]):.6f}")
        0.333827
    """
    x, mean, cov = located("multivariate_normal.cdf", x, mean, cov, ("mean", "cov"))
    low = (
        -jnp.inf
        if lower_limit is None
        else given_arrays("multivariate_normal.cdf", lower_limit=lower_limit)[0]
    )
    low, high = jnp.broadcast_arrays(low - mean, x - mean)
    return _boxes.normal(low, high, cov, allow_singular, maxpts, abseps, releps, rng)


def _normal_logcdf(*args: Any, **kwargs: Any) -> jax.Array:
    """The logarithm of the cdf."""
    return jnp.log(_normal_cdf(*args, **kwargs))


def _entropy_of_normal(mean: Any = None, cov: Any = 1) -> jax.Array:
    """The differential entropy, as SciPy's; it does not depend on the mean."""
    _, _, cov = located(
        "multivariate_normal.entropy", 0.0 if mean is None else mean, mean, cov, ("mean", "cov")
    )
    return _normal_entropy(cov)


def _normal_sample(key: Any, mean: Any = None, cov: Any = 1, shape: tuple[int, ...] = ()) -> jax.Array:
    """Random vectors from a JAX random key, `[*shape, ..., d]`: mean + root of cov times normal numbers."""
    none = jnp.zeros(jnp.shape(cov)[-1] if jnp.ndim(cov) > 1 else 1)
    _, mean, cov = located(
        "multivariate_normal.sample", none if mean is None else mean, mean, cov, ("mean", "cov")
    )
    batch = drawn(shape, (mean, 1), (cov, 2))
    numbers = jax.random.normal(key, (*batch, mean.shape[-1]), mean.dtype)
    return mean + jnp.einsum("...ij,...j->...i", root(cov), numbers)


# ---- Student's t


def _t_formula(x: Any, loc: Any, shape: Any, df: Any) -> Any:
    inverse, logdet = pseudo(shape)
    d, distance = len(x), (x - loc) @ inverse @ (x - loc)
    finite = jnp.where(jnp.isinf(df), 1.0, df)
    half = jnp.asarray(d / 2, finite.dtype)
    value = (
        log_gamma_over_power(finite / 2, half) - (d * LOG_2PI + logdet) / 2 - log_student(distance, finite, d)
    )
    return jnp.where(jnp.isinf(df), -(d * LOG_2PI + logdet + distance) / 2, value)


@by_formula("(d),(d),(d,d),()->()", _t_formula)
def _multivariate_t(x: Any, loc: Any, shape: Any, df: Any, log: bool) -> Any:
    return of_scipy("multivariate_t", log)(x, loc, shape, df)


def _t_arguments(function: str, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> tuple:
    """Student's t distribution of vectors; its density is differentiable in x, loc, shape and df.

    `x [..., d]`, `loc [..., d]`, `shape [..., d, d]`, a diagonal `[d]` or a number, and `df [...]`. With infinite df
    it is the normal distribution.

        >>> value = hostwrap.stats.multivariate_t.logpdf([0.1, 0.2], [0.0, 0.0], [[1.0, 0.3], [0.3, 2.0]], 3.5)
        >>> print(f"{value:.6f}")
        -2.181104
    """
    return *located(function, x, loc, shape, ("loc", "shape")), *given_arrays(function, df=df)


def _t_cdf(
    x: Any, loc: Any = None, shape: Any = 1, df: Any = 1, *, maxpts: int | None = None,
    lower_limit: Any = None, random_state: int = 0,
) -> jax.Array:  # fmt: skip
    """The probability of the box below `x [..., d]`, and above `lower_limit`; as SciPy's, `random_state` is a seed.

    SciPy's values have about four correct digits. Differentiable in x, lower_limit, loc and shape, but not in df.
    """
    x, loc, shape, df = _t_arguments("multivariate_t.cdf", x, loc, shape, df)
    low = -jnp.inf if lower_limit is None else given_arrays("multivariate_t.cdf", lower_limit=lower_limit)[0]
    low, high = jnp.broadcast_arrays(low - loc, x - loc)
    return _boxes.student(low, high, shape, df, maxpts, random_state)


def _entropy_of_t(loc: Any = None, shape: Any = 1, df: Any = 1) -> jax.Array:
    """The differential entropy, as SciPy's; it does not depend on loc. Derivatives are in shape and df."""
    at = 0.0 if loc is None else loc
    _, _, shape, df = _t_arguments("multivariate_t.entropy", at, loc, shape, df)
    d = shape.shape[-1]
    half = log_diagonal(root(shape))
    large = df >= 400 * d / (math.log(d) + 1)  # where the difference of digammas has lost too many digits
    n, u = jnp.where(large, 1.0, df), jnp.where(large, 1 / df, 0.0)
    m = (n + d) / 2
    exact = d / 2 * jnp.log(n * jnp.pi) - jnp.log(poch(n / 2, d / 2)) + m * (psi(m) - psi(n / 2))
    # in powers of 1 / df
    terms = (
        d, -d * (d - 2) / 4, d**2 * (d - 2) / 6, d * (-3 * d**3 + 8 * d**2 - 8) / 24,
        d**2 * (3 * d**3 - 10 * d**2 + 16) / 30,
    )  # fmt: skip
    far = d * (LOG_2PI + 1) / 2 + sum(c * u**k for k, c in enumerate(terms, start=1))
    return half + jnp.where(large, far, exact)


def _t_sample(
    key: Any, loc: Any = None, shape: Any = 1, df: Any = 1, size: tuple[int, ...] = ()
) -> jax.Array:
    """Random vectors from a JAX random key, `[*size, ..., d]`: normal vectors over roots of chi2 numbers."""
    none = jnp.zeros(jnp.shape(shape)[-1] if jnp.ndim(shape) > 1 else 1)
    _, loc, shape, df = _t_arguments("multivariate_t.sample", none if loc is None else loc, loc, shape, df)
    batch = drawn(size, (loc, 1), (shape, 2), (df, 0))
    of_normal, of_chi2 = jax.random.split(key)
    numbers = jax.random.normal(of_normal, (*batch, loc.shape[-1]), loc.dtype)
    scale = jnp.sqrt(df / named("chi2").ppf(uniform(of_chi2, batch, loc.dtype), df))
    return loc + jnp.einsum("...ij,...j->...i", root(shape), numbers) * scale[..., None]


# ---- parts of a whole


def _log_beta(alpha: Any) -> Any:
    return jnp.sum(gammaln(alpha)) - gammaln(jnp.sum(alpha))


@by_formula("(k),(k)->()", lambda x, alpha: jnp.sum(xlogy(alpha - 1, x)) - _log_beta(alpha))
def _dirichlet(x: Any, alpha: Any, log: bool) -> Any:
    return of_scipy("dirichlet", log)(x.reshape(-1, x.shape[-1]).T, alpha)


def _dirichlet_entropy_formula(alpha: Any) -> Any:
    total = jnp.sum(alpha)
    return _log_beta(alpha) + (total - len(alpha)) * psi(total) - jnp.sum((alpha - 1) * psi(alpha))


@by_formula("(k)->()", _dirichlet_entropy_formula)
def _dirichlet_entropy(alpha: Any) -> Any:
    return [scipy.stats.dirichlet.entropy(one) for one in alpha.reshape(-1, alpha.shape[-1])]


def _dirichlet_arguments(function: str, x: Any, alpha: Any) -> tuple:
    """The distribution of parts of a whole, differentiable in x and alpha.

    The components are on the first axis of x, as in SciPy: `[k, ...]`, or `[k - 1, ...]` without the last one, which
    makes the sum 1. `alpha [k]`; use vmap for several. The derivative in x treats its components as independent.

        >>> print(f"{hostwrap.stats.dirichlet.logpdf([0.2, 0.3, 0.5], [1.5, 2.0, 3.3]):.6f}")
        1.738550
    """
    x, alpha = given_arrays(function, x=x, alpha=alpha)
    if alpha.ndim != 1 or not x.ndim or x.shape[0] not in (len(alpha), len(alpha) - 1):
        raise SignatureError(
            f"{function}: `x` must have shape (k, ...) or (k - 1, ...) for `alpha` of shape (k,), got "
            f"{x.shape} and {alpha.shape}."
        )
    if len(x) < len(alpha):
        x = jnp.concatenate([x, 1 - jnp.sum(x, 0, keepdims=True)])
    return jnp.moveaxis(x, 0, -1), alpha


def _alpha(kind: str, alpha: Any) -> jax.Array:
    return given_arrays(f"dirichlet.{kind}", alpha=alpha)[0]


def _dirichlet_mean(alpha: Any) -> jax.Array:
    """alpha over its sum."""
    alpha = _alpha("mean", alpha)
    return alpha / jnp.sum(alpha, -1, keepdims=True)


def _dirichlet_cov(alpha: Any) -> jax.Array:
    """The covariance matrix."""
    total = jnp.sum(_alpha("cov", alpha), -1)
    mean = _dirichlet_mean(alpha)
    each = jnp.eye(mean.shape[-1]) * mean[..., None]
    return (each - mean[..., None] * mean[..., None, :]) / (total[..., None, None] + 1)


def _dirichlet_var(alpha: Any) -> jax.Array:
    """The variance of each component."""
    total, mean = jnp.sum(_alpha("var", alpha), -1, keepdims=True), _dirichlet_mean(alpha)
    return mean * (1 - mean) / (total + 1)


def _entropy_of_dirichlet(alpha: Any) -> jax.Array:
    """The differential entropy, as SciPy's."""
    return _dirichlet_entropy(_alpha("entropy", alpha))


def _dirichlet_sample(key: Any, alpha: Any, shape: tuple[int, ...] = ()) -> jax.Array:
    """Random parts from a JAX random key, `[*shape, ..., k]`: gamma numbers over their sum, differentiable in alpha."""
    alpha = _alpha("sample", alpha)
    numbers = named("gamma").ppf(
        uniform(key, (*drawn(shape, (alpha, 1)), alpha.shape[-1]), alpha.dtype), alpha
    )
    return numbers / jnp.sum(numbers, -1, keepdims=True)


# ---- a normal mean and its variance


def _pair_formula(x: Any, s2: Any, mu: Any, lmbda: Any, a: Any, b: Any) -> Any:
    normal = (jnp.log(lmbda) - LOG_2PI - jnp.log(s2)) / 2 - lmbda * (x - mu) ** 2 / (2 * s2)
    return normal + a * jnp.log(b) - gammaln(a) - (a + 1) * jnp.log(s2) - b / s2


@by_formula("(),(),(),(),(),()->()", _pair_formula)
def _normal_inverse_gamma(x: Any, s2: Any, mu: Any, lmbda: Any, a: Any, b: Any, log: bool) -> Any:
    return of_scipy("normal_inverse_gamma", log)(x, s2, mu, lmbda, a, b)


def _pair_arguments(
    function: str, x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1
) -> tuple:
    """The normal-inverse-gamma distribution of a mean x and a variance s2, differentiable in all arguments.

    All arguments are arrays that broadcast.

    >>> print(f"{hostwrap.stats.normal_inverse_gamma.logpdf(0.3, 1.2, 0.1, 2.0, 3.0, 1.5):.6f}")
    -2.152897
    """
    return tuple(given_arrays(function, x=x, s2=s2, mu=mu, lmbda=lmbda, a=a, b=b))


def _pair_mean(mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> tuple[jax.Array, jax.Array]:
    """Of x and of s2; NaN for a <= 1."""
    mu, lmbda, a, b = given_arrays("normal_inverse_gamma.mean", mu=mu, lmbda=lmbda, a=a, b=b)
    there = a > 1
    return jnp.where(there, mu, jnp.nan), jnp.where(there, b / jnp.where(there, a - 1, 1.0), jnp.nan)


def _pair_var(mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> tuple[jax.Array, jax.Array]:
    """Of x, NaN for a <= 1, and of s2, NaN for a <= 2."""
    mu, lmbda, a, b = given_arrays("normal_inverse_gamma.var", mu=mu, lmbda=lmbda, a=a, b=b)
    one, two = (jnp.where(a > n, a - n, 1.0) for n in (1, 2))
    return jnp.where(a > 1, b / (one * lmbda), jnp.nan), jnp.where(a > 2, (b / one) ** 2 / two, jnp.nan)


def _pair_sample(
    key: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1, shape: tuple[int, ...] = ()
) -> tuple[jax.Array, jax.Array]:
    """Random x and s2 from a JAX random key, `[*shape, ...]` each, differentiable in all parameters."""
    mu, lmbda, a, b = given_arrays("normal_inverse_gamma.sample", mu=mu, lmbda=lmbda, a=a, b=b)
    batch = drawn(shape, *((x, 0) for x in (mu, lmbda, a, b)))
    of_s2, of_x = jax.random.split(key)
    s2 = named("invgamma").ppf(uniform(of_s2, batch, mu.dtype), a, 0.0, b)
    return mu + jnp.sqrt(s2 / lmbda) * jax.random.normal(of_x, batch, mu.dtype), s2


LAWS = {
    "multivariate_normal": lambda name: Joint(
        name, _normal_arguments, _multivariate_normal,
        cdf=_normal_cdf, logcdf=_normal_logcdf, entropy=_entropy_of_normal, sample=_normal_sample,
    ),
    "multivariate_t": lambda name: Joint(
        name, _t_arguments, _multivariate_t, cdf=_t_cdf, entropy=_entropy_of_t, sample=_t_sample
    ),
    "dirichlet": lambda name: Joint(
        name, _dirichlet_arguments, _dirichlet,
        mean=_dirichlet_mean, var=_dirichlet_var, cov=_dirichlet_cov, entropy=_entropy_of_dirichlet,
        sample=_dirichlet_sample,
    ),
    "normal_inverse_gamma": lambda name: Joint(
        name, _pair_arguments, _normal_inverse_gamma, points=2, mean=_pair_mean, var=_pair_var,
        sample=_pair_sample,
    ),
}  # fmt: skip
