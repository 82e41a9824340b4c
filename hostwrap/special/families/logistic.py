"""The logistic function and what is made of it, up to sums over an axis."""

import jax
import jax.numpy as jnp
import jax.scipy.special

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import tanh
from hostwrap.special.kernels import elementary as kernels

__all__ = ["expit", "log_expit", "log_softmax", "logit", "logsumexp", "softmax", "softplus"]

expit_slope = kernel(
    "expit_slope(x)",
    host=kernels.expit_slope,
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
    dx=lambda y, x: 1 / (x * (1 - x)),
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
    """log(sum(b exp(a))) over `axis` (all axes by default), without overflow; see `scipy.special.logsumexp`.

    With `return_sign` a pair: the logarithm of the absolute value of the sum, and its sign.
    """
    return jax.scipy.special.logsumexp(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)


def softmax(x, axis=None):
    """exp(x)/sum(exp(x)) over `axis` (all axes by default); see `scipy.special.softmax`."""
    return jax.nn.softmax(jnp.asarray(x, _inexact(x)), axis=axis)


def log_softmax(x, axis=None):
    """log(softmax(x)) over `axis` (all axes by default), without underflow; see `scipy.special.log_softmax`."""
    return jax.nn.log_softmax(jnp.asarray(x, _inexact(x)), axis=axis)


def _inexact(x):
    """Integers are real numbers of the default precision here."""
    dtype = jnp.result_type(x)
    return dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(float)
