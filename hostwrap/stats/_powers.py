"""Powers that make data normal: the likelihood of an exponent, and the exponent that fits best.

The exponent is SciPy's, found to half of the digits. There the derivative of what it maximises is 0, and that equation
has its derivatives.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap
from hostwrap.stats import _catalogue
from hostwrap.stats._functions import expm1_over


def _log_variance(rates: Any, logs: Any, axis: int | None) -> Any:
    """log(var((exp(k l) - 1) / k)), also where exp(k l) overflows: of numbers whose smallest k l is not above 0."""
    powers = rates * logs
    top = jax.lax.stop_gradient(jnp.max(powers, axis=axis, keepdims=True))
    large = top > 1
    near = expm1_over(jnp.where(large, 0.0, rates), logs)
    far = jnp.exp(jnp.where(large, powers - top, 0.0)) / jnp.where(large, rates, 1.0)
    spread = jnp.var(jnp.where(large, far, near), axis=axis, keepdims=True)
    return jnp.log(spread) + jnp.where(large, 2 * top, 0.0)


def _boxcox_llf(lmb: Any, data: Any, axis: int | None, keepdims: bool) -> Any:
    """In units of the geometric mean of the data the sum of logarithms has no part in the power."""
    logs = jnp.log(data)
    n = data.size if axis is None else data.shape[axis]
    mean = jnp.mean(logs, axis=axis, keepdims=True)
    found = -n * mean - n / 2 * _log_variance(lmb, logs - mean, axis)
    return found if keepdims else jnp.squeeze(found, axis)


def _reduced(lmb: Any, data: Any, axis: int | None, keepdims: bool) -> Any:
    every = range(data.ndim) if axis is None else (axis % data.ndim,)
    shape = [1 if k in every else n for k, n in enumerate(data.shape) if keepdims or k not in every]
    return shaped(data, shape, lmb)


@hosted("lmb data", _reduced, _boxcox_llf)
def _host_llf(lmb: Any, data: Any, axis: int | None, keepdims: bool) -> Any:
    return scipy.stats.boxcox_llf(lmb, data, axis=axis, keepdims=keepdims)


def boxcox_llf(
    lmb: ArrayLike, data: ArrayLike, *, axis: int | None = 0, keepdims: bool = False, nan_policy: str = "propagate"
) -> jax.Array:  # fmt: skip
    """`scipy.stats.boxcox_llf`: the log-likelihood of Box and Cox's exponent, differentiable in lmb and data.

    Args:
        lmb: a number.
        data: positive, of any shape.
        axis, keepdims: as in SciPy.
        nan_policy: must be "propagate".

    Raises:
        SignatureError: lmb is not a number, or nan_policy is another one.

    >>> import jax, numpy as np
    >>> print(f"{jax.grad(boxcox_llf)(0.3, np.array([1.0, 2.0, 4.0])):.6f}")
    -0.179115
    """
    (rate,) = arrays("boxcox_llf", lmb=lmb)
    if nan_policy != "propagate" or rate.ndim:
        raise SignatureError(
            f"boxcox_llf: wants lmb to be a number and nan_policy='propagate', got {rate.shape}, {nan_policy!r}."
        )
    return _host_llf(rate, data, axis, keepdims)


def _yeojohnson_llf(lmb: Any, x: Any) -> Any:
    """Numbers below 0 have the power 2 - lmb, and the other sign (Yeo and Johnson 2000)."""
    below = x < 0
    rates, logs = jnp.where(below, 2 - lmb, lmb), jnp.where(below, -1.0, 1.0) * jnp.log1p(jnp.abs(x))
    y = jnp.where(below, -1.0, 1.0) * expm1_over(rates, jnp.abs(logs))
    return (lmb - 1) * jnp.sum(logs) - x.size / 2 * jnp.log(jnp.var(y))


def _medians(n: int) -> np.ndarray:
    """Of the order statistics of n uniform numbers, by Filliben's estimate, as SciPy has them."""
    v = (np.arange(1, n + 1) - 0.3175) / (n + 0.365)
    v[-1] = 0.5 ** (1 / n)
    v[0] = 1 - v[-1]
    return v


def _correlation(a: Any, b: Any) -> Any:
    a, b = a - jnp.mean(a), b - jnp.mean(b)
    return jnp.sum(a * b) / jnp.sqrt(jnp.sum(a * a) * jnp.sum(b * b))


def _boxcox_correlation(lmb: Any, x: Any) -> Any:
    """With the quantiles of the normal law. A power and a scale change the order and the correlation of nothing."""
    quantiles = jnp.asarray(scipy.special.ndtri(_medians(x.size)), x.dtype)
    logs = jnp.log(x)
    return _correlation(quantiles, jnp.sort(expm1_over(lmb, logs - jnp.mean(logs))))


def _best(
    function: Callable, of: dict[str, Callable], limit: Callable | None = None
) -> Callable[[Any, tuple], Any]:
    """The exponents that SciPy finds, one for each of the functions that are maximised."""
    count = len(of)

    def host(x: np.ndarray) -> np.ndarray:
        return np.reshape(np.asarray(function(x), float), (count,))

    @as_one()
    def equation(found: Any, x: Any) -> Any:
        rows = [jax.grad(f)(found[i], x) for i, f in enumerate(of.values())]
        if limit is not None:
            rows = [limit(found[i], row, x) for i, row in enumerate(rows)]
        return jnp.stack(rows)

    out = lambda x: jax.ShapeDtypeStruct((count,), x.dtype)
    return wrap(host, out=out, vmap_method="sequential").defimplicit(equation)


def _data(name: str, x: Any) -> Any:
    (x,) = arrays(name, x=x)
    if x.ndim != 1 or jnp.iscomplexobj(x):
        raise SignatureError(
            f"{name}: wants real x of shape (n,), got {x.dtype} {x.shape}. (Batches: jax.vmap.)"
        )
    return x.astype(inexact(x))


@functools.cache
def _boxcox_best(brack: tuple | None, method: str, ymax: float | None) -> Callable:
    options = {} if ymax is None else {"ymax": ymax}
    every = {"pearsonr": _boxcox_correlation, "mle": lambda lmb, x: _boxcox_llf(lmb, x, 0, False)}
    of = every if method == "all" else {method: every[method]}

    def limited(lmb: Any, row: Any, x: Any) -> Any:
        """Where the transformed numbers would be too large, the exponent is the one of the largest that may be."""
        most = np.finfo(x.dtype).max / 10000 if ymax is None else ymax
        ends = jnp.log(jnp.stack([jnp.min(x), jnp.max(x)]))
        sizes = jnp.abs(expm1_over(lmb, ends))
        at = sizes >= most * (1 - 1e-6)
        there = expm1_over(jnp.where(at, lmb, 1.0), jnp.where(at, ends, 1.0))
        gap = jnp.log(jnp.abs(there)) - math.log(most)
        return jnp.where(at[0], gap[0], jnp.where(at[1], gap[1], row))

    host = lambda x: scipy.stats.boxcox_normmax(x, brack, method, **options)
    return _best(host, of, limited)


def boxcox_normmax(
    x: ArrayLike, brack: tuple[float, ...] | None = None, method: str = "pearsonr", optimizer: None = None, *,
    ymax: float | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.stats.boxcox_normmax`: the exponent of Box and Cox that brings the data closest to a normal distribution.

    Differentiable in the data to any order; with method="pearsonr" it has kinks where two numbers are equal.

    Args:
        x: [n], positive.
        brack, method, ymax: as in SciPy; method="all" returns two exponents.
        optimizer: must be None.

    Raises:
        SignatureError: the shape, the method or the optimizer is not supported.
        ResultError: you asked for a derivative, and SciPy found no maximum.

    >>> import jax, numpy as np
    >>> x = np.array([0.6, 1.0, 1.9, 4.0, 9.0])
    >>> print(jax.grad(lambda t: boxcox_normmax(x**t, method="mle"))(2.0).round(3))
    0.038
    """
    if method not in ("pearsonr", "mle", "all") or optimizer is not None:
        raise SignatureError(
            f"boxcox_normmax: wants method 'pearsonr', 'mle' or 'all', and optimizer=None; got {method!r}, "
            f"{optimizer!r}."
        )
    found = _boxcox_best(None if brack is None else tuple(brack), method, ymax)(_data("boxcox_normmax", x))
    return found if method == "all" else found[0]


@functools.cache
def _yeojohnson_best(brack: tuple | None) -> Callable:
    return _best(lambda x: scipy.stats.yeojohnson_normmax(x, brack), {"mle": _yeojohnson_llf})


def yeojohnson_normmax(x: ArrayLike, brack: tuple[float, ...] | None = None) -> jax.Array:
    """`scipy.stats.yeojohnson_normmax`: Yeo and Johnson's exponent of maximum likelihood.

    Differentiable in x to any order.

    Args:
        x: [n], real.
        brack: as in SciPy.

    Raises:
        SignatureError: x has another shape.
        ResultError: you asked for a derivative, and SciPy found no maximum.

    >>> import jax, numpy as np
    >>> x = np.array([-2.0, -0.3, 0.4, 1.0, 5.0])
    >>> print(jax.grad(lambda t: yeojohnson_normmax(x * t))(1.0).round(3))
    0.234
    """
    return _yeojohnson_best(None if brack is None else tuple(brack))(_data("yeojohnson_normmax", x))[0]


@functools.cache
def _ppcc_best(brack: tuple, dist: str) -> Callable:
    law = _catalogue.named(dist)
    fit = lambda shape, x: _correlation(law.ppf(jnp.asarray(_medians(x.size), x.dtype), shape), jnp.sort(x))
    return _best(lambda x: scipy.stats.ppcc_max(x, brack, dist), {"shape": fit})


def ppcc_max(
    x: ArrayLike, brack: tuple[float, ...] = (0.0, 1.0), dist: str | Any = "tukeylambda"
) -> jax.Array:
    """`scipy.stats.ppcc_max`: the shape of a distribution whose quantiles correlate best with the data.

    Differentiable in x to any order.

    Args:
        x: [n], real, without equal numbers.
        brack: as in SciPy.
        dist: a distribution with one shape, or its name.

    Raises:
        SignatureError: x has another shape.
        ResultError: you asked for a derivative, and SciPy found no maximum.

    >>> import jax, numpy as np
    >>> x = np.array([-2.0, -0.7, 0.1, 1.0, 2.5])
    >>> print(jax.grad(ppcc_max)(x).round(2))
    [ 0.58 -1.53  0.    1.53 -0.58]
    """
    name = dist if isinstance(dist, str) else dist.name
    return _ppcc_best(tuple(brack), name)(_data("ppcc_max", x))[0]
