"""The logistic function and what is made of it, up to sums over an axis."""

import jax
import jax.numpy as jnp

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import tanh
from hostwrap.special.families._known import known
from hostwrap.special.kernels import elementary as kernels

__all__ = ["expit", "log_expit", "log_softmax", "logit", "logsumexp", "softmax", "softplus"]

expit_slope = kernel(
    "expit_slope(x)",
    host=kernels.expit_slope,
    loops=True,
    dx=lambda y, x: -tanh(x / 2) * y,
    ref=lambda mp, x: 1 / (4 * mp.cosh(x / 2) ** 2),
    x=real(-100, 100),
    at=[0.0, 1e-9, 40.0, 600.0, -600.0],
    see="the derivative of its definition",
)
expit = special(
    "expit(x)",
    dx=lambda y, x: expit_slope(x),
    ref=lambda mp, x: 1 / (1 + mp.exp(-x)),
    x=real(-100, 100),
    at=[0.0, 40.0, 600.0, -600.0],
    see="its definition",
)
logit = special(
    "logit(x)",
    dx=lambda y, x: known(y, 1 / (x * (1 - x))),
    ref=lambda mp, x: mp.log(x / (1 - x)),
    x=real(1e-6, 0.999999),
    at=[0.5, 1e-300, 1 - 1e-12],
    see="its definition",
)
log_expit = special(
    "log_expit(x)",
    dx=lambda y, x: expit(-x),
    ref=lambda mp, x: -mp.log1p(mp.exp(-x)),
    x=real(-100, 100),
    at=[0.0, 40.0, 600.0, -600.0],
    see="its definition",
)
softplus = special(
    "softplus(x)",
    dx=lambda y, x: expit(x),
    ref=lambda mp, x: mp.log1p(mp.exp(x)),
    x=real(-100, 100),
    at=[0.0, 40.0, 600.0, -600.0],
    see="its definition",
)


# Sums over an axis are JAX's own, which XLA compiles on every device; the signatures and defaults are SciPy's.


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """log(sum(b exp(a))), without overflow; see `scipy.special.logsumexp`.

    Arguments:
        a, b: arrays that broadcast, real or complex.
        axis: what to sum over, all axes by default.
        keepdims: keep them, with size 1.
        return_sign: return a pair, the logarithm of the absolute value of the sum, and its sign.
    """
    a = _inexact(a)
    if b is None:
        return jax.nn.logsumexp(a, axis=axis, keepdims=keepdims, return_sign=return_sign)
    total, top = _weighted_sum(a, jnp.asarray(b), axis)
    if not keepdims:
        total, top = jnp.squeeze(total, axis), jnp.squeeze(top, axis)
    return (jnp.log(jnp.abs(total)) + top, jnp.sign(total)) if return_sign else jnp.log(total) + top


def _weighted_sum(a, b, axis):
    """The sum of b exp(a) as a sum times exp(top), reduced axes kept; JAX's own has no derivatives in zeros of b."""
    a, b = jnp.broadcast_arrays(a, b)
    absent = b == 0
    top = jnp.max(jnp.where(absent, -jnp.inf, a.real), axis=axis, keepdims=True, initial=-jnp.inf)
    top = jax.lax.stop_gradient(jnp.where(jnp.isfinite(top), top, 0.0))
    highest = jnp.log(jnp.finfo(top.dtype).max) - 1
    shifted = jnp.where(
        absent & ~(a.real - top < highest), jnp.where(jnp.isnan(a), -jnp.inf, highest), a - top
    )
    return jnp.sum(b * jnp.exp(shifted), axis=axis, keepdims=True), top


def softmax(x, axis=None):
    """exp(x)/sum(exp(x)); see `scipy.special.softmax`.

    Arguments:
        x: an array, real or complex.
        axis: what to sum over, all axes by default.
    """
    return jax.nn.softmax(_inexact(x), axis=axis)


def log_softmax(x, axis=None):
    """log(softmax(x)), without underflow; see `scipy.special.log_softmax`.

    Arguments:
        x: an array, real or complex.
        axis: what to sum over, all axes by default.
    """
    return jax.nn.log_softmax(_inexact(x), axis=axis)


def _inexact(x):
    """An array, of the default precision where it is of integers."""
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.result_type(float))
