"""Sums of exponentials over an axis: SciPy's values, by one host call; the derivatives are XLA's."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from numpy.lib.array_utils import normalize_axis_tuple

from hostwrap._call.dtypes import check_number
from hostwrap._host.function import HostFunction, HostOptions
from hostwrap._host.layout import Layout, Result
from hostwrap._host.origins import finder
from hostwrap._lanes.primitive import host_call
from hostwrap._table.partials import replaced

__all__ = ["log_softmax", "logsumexp", "softmax"]


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """log(sum(b exp(a))), without overflow; see `scipy.special.logsumexp`.

    Arguments:
        a, b: arrays that broadcast, real or complex.
        axis: what to sum over, all axes by default.
        keepdims: keep them, with size 1.
        return_sign: return a pair, the logarithm of the absolute value of the sum, and its sign.
    """
    arrays = _inexact("logsumexp", a=a) if b is None else _inexact("logsumexp", a=a, b=b)
    rank = max(1, *(x.ndim for x in arrays))
    arrays = [x.reshape((1,) * (rank - x.ndim) + x.shape) for x in arrays]
    kept = list(np.broadcast_shapes(*(x.shape for x in arrays)))
    axes = _from_the_end(axis, rank)
    for k in axes:
        kept[k] = 1
    shape = kept if keepdims else [n for k, n in enumerate(kept, -rank) if k not in axes]
    dtype = arrays[0].dtype
    real = np.finfo(dtype).dtype if return_sign else dtype
    outs = [(shape, real), (shape, dtype)] if return_sign else [(shape, dtype)]
    found = _called("logsumexp", axes, (keepdims, return_sign), outs, arrays)
    return found if return_sign else found[0]


def softmax(x, axis=None):
    """exp(x)/sum(exp(x)); see `scipy.special.softmax`.

    Arguments:
        x: an array, real or complex.
        axis: what to sum over, all axes by default.
    """
    return _of_one("softmax", x, axis)


def log_softmax(x, axis=None):
    """log(softmax(x)), without underflow; see `scipy.special.log_softmax`.

    Arguments:
        x: an array, real or complex.
        axis: what to sum over, all axes by default.
    """
    return _of_one("log_softmax", x, axis)


def _of_one(name, x, axis):
    (x,) = _inexact(name, x=x)
    return _called(name, _from_the_end(axis, x.ndim), (), [(x.shape, x.dtype)], [x])[0]


def _inexact(name, **values):
    """Arrays of one type, of the default precision where there are integers alone."""
    for argument, value in values.items():
        if not isinstance(value, list | tuple):
            check_number(name, argument, value)
    arrays = [jnp.asarray(x) for x in values.values()]
    inexact = [x for x in arrays if jnp.issubdtype(x.dtype, jnp.inexact)]
    dtype = jnp.result_type(*inexact) if inexact else jnp.result_type(float)
    return [x.astype(dtype) for x in arrays]


def _from_the_end(axis, rank):
    """The axes as negative numbers, which mean the same behind the axes of a batch."""
    axes = range(rank) if axis is None else normalize_axis_tuple(axis, rank)
    return tuple(k - rank for k in axes)


# ---- the values


def _called(name, axes, options, outs, arrays):
    layout = Layout(
        tuple(x.ndim for x in arrays), tuple(Result(tuple(shape), np.dtype(d)) for shape, d in outs)
    )
    return _differentiable(name, axes, options, layout)(*arrays)


@functools.lru_cache(maxsize=1024)
def _differentiable(name, axes, options, layout):
    host = _host(name, axes, options)

    def values(*arrays):
        return tuple(host_call(host, layout, *arrays, forward=rule))

    def rule(primals, tangents):
        live = [i for i, t in enumerate(tangents) if t is not None]
        smooth = lambda *moving: _SMOOTH[name](axes, *options, *replaced(primals, live, moving))
        _, changes = jax.jvp(smooth, [primals[i] for i in live], [tangents[i] for i in live])
        return values(*primals), changes

    return values


@finder("softmax")
@functools.lru_cache(maxsize=1024)
def _host(name, axes, options):
    """SciPy's function over the last axes."""
    call = functools.partial(_logsumexp_of_scipy, axes, *options) if name == "logsumexp" else None

    def function(*arrays):
        with np.errstate(all="ignore"):
            if call:
                return call(*arrays)
            return (getattr(scipy.special, name)(*arrays, axis=axes) if arrays[0].size else arrays[0],)

    names = ("a", "b") if name == "logsumexp" else ("x",)
    origin = ("softmax", name, axes, options)
    return HostFunction(
        function, name=name, argnames=names, options=HostOptions(widen=False), trusted=True, origin=origin
    )


def _logsumexp_of_scipy(axes, keepdims, return_sign, a, b=None):
    shape = np.broadcast_shapes(a.shape, () if b is None else b.shape)
    if 0 not in shape:
        found = scipy.special.logsumexp(a, axis=axes, b=b, keepdims=keepdims, return_sign=return_sign)
        return found if return_sign else (found,)
    out = np.sum(np.zeros(shape, a.dtype), axis=axes, keepdims=keepdims) - np.inf  # of nothing, as in SciPy
    return (out.real, np.sign(out)) if return_sign else (out,)


# ---- what has their derivatives
#
# With the shares p = exp(x) / sum(exp(x)) the tangents are sum(p t), p (t - sum(p t)) and t - sum(p t). A share next
# to 1 has lost the digits of 1 - p, on which t - sum(p t) depends. It is the same for t less a constant; less that of
# the largest share the term with this share is 0, and the others keep their digits.


def _along_the_shares(axes, x, t):
    """t - sum(p t)."""
    largest = x.real == jnp.max(x.real, axis=axes, keepdims=True)
    its = jnp.sum(jnp.where(largest, t, 0), axis=axes, keepdims=True)
    less = t - its / jnp.maximum(jnp.sum(largest.astype(t.dtype), axis=axes, keepdims=True).real, 1)
    return less - jnp.sum(_shares(axes, x) * less, axis=axes, keepdims=True)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _shares(axes, x):
    return jax.nn.softmax(x, axis=axes)


@_shares.defjvp
def _(axes, primals, tangents):
    p = _shares(axes, *primals)
    return p, p * _along_the_shares(axes, *primals, *tangents)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _log_shares(axes, x):
    return jax.nn.log_softmax(x, axis=axes)


@_log_shares.defjvp
def _(axes, primals, tangents):
    return _log_shares(axes, *primals), _along_the_shares(axes, *primals, *tangents)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _log_sum(axes, keepdims, a):
    return jax.nn.logsumexp(a, axis=axes, keepdims=keepdims)


@_log_sum.defjvp
def _(axes, keepdims, primals, tangents):
    change = jnp.sum(_shares(axes, *primals) * tangents[0], axis=axes, keepdims=keepdims)
    return _log_sum(axes, keepdims, *primals), change


def _smooth_logsumexp(axes, keepdims, return_sign, a, b=None):
    if b is None and not return_sign:
        return (_log_sum(axes, keepdims, a),)
    if b is None:
        return jax.nn.logsumexp(a, axis=axes, keepdims=keepdims, return_sign=return_sign)
    total, top = _weighted_sum(a, b, axes)
    if not keepdims:
        total, top = jnp.squeeze(total, axes), jnp.squeeze(top, axes)
    if return_sign:
        return jnp.log(jnp.abs(total)) + top, jnp.sign(total)
    return (jnp.log(total) + top,)


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


_SMOOTH = {
    "logsumexp": _smooth_logsumexp,
    "softmax": lambda axes, x: (_shares(axes, x),),
    "log_softmax": lambda axes, x: (_log_shares(axes, x),),
}
