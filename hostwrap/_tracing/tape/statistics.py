"""Functions as expressions in others: the value is NumPy's, the derivatives are those of the expression."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from hostwrap._tracing.tape.array import Array, concrete, wrapped
from hostwrap._tracing.tape.log import placed
from hostwrap._tracing.tape.rules import expression, joined

# ---- put together of others: the value is NumPy's, the derivatives those of this expression


def _axes(x: Any, axis: Any) -> tuple[int, ...]:
    axes = range(np.ndim(x)) if axis is None else ([axis] if isinstance(axis, int | np.integer) else axis)
    return tuple(int(k) % np.ndim(x) for k in axes)


@expression("var")
def var(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: Any = 0, keepdims: bool = False, where: Any = True,
    mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    counted = None if where is True else np.broadcast_to(concrete(where), np.shape(a))
    if counted is None:
        count = np.prod([np.shape(a)[k] for k in _axes(a, axis)])
        off = a - (np.mean(a, axis=axis, keepdims=True) if mean is None else mean)
    else:
        count = np.sum(counted, axis=axis, keepdims=keepdims)
        off = a - (np.mean(a, axis=axis, keepdims=True, where=counted) if mean is None else mean)
        off = np.where(counted, off, 0.0)
    size = np.real(off * np.conj(off)) if np.iscomplexobj(off) else off * off
    return np.sum(size, axis=axis, keepdims=keepdims) / (count - (ddof if correction is None else correction))


@expression("std")
def std(a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    return np.sqrt(np.var(a, axis=axis, **options))


@expression("prod")
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = 1,
    where: Any = True,
) -> Any:
    """The product of halves, recursively: right also with zeros."""
    if where is not True or isinstance(initial, Array) or initial != 1:
        return np.prod(np.where(concrete(where), a, 1.0), axis=axis, keepdims=keepdims) * initial
    axes = _axes(a, axis)
    shape = tuple(1 if k in axes else n for k, n in enumerate(np.shape(a)))
    rest = [k for k in range(np.ndim(a)) if k not in axes]
    x = np.transpose(a, [*axes, *rest])
    x = np.reshape(x, (int(np.prod([np.shape(a)[k] for k in axes])), *[np.shape(a)[k] for k in rest]))
    while len(x) > 1:
        half = len(x) // 2
        product = x[:half] * x[half : 2 * half]
        x = np.concatenate([product, x[2 * half :]]) if len(x) % 2 else product
    if not len(x):
        return wrapped(np.ones(shape if keepdims else x.shape[1:]), (), a.level)
    return np.reshape(x[0], shape) if keepdims else x[0]


@expression("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """By steps of 1, 2, 4, ...: right also with zeros."""
    x = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    step = 1
    while step < len(x):
        x = np.concatenate([x[:step], x[step:] * x[:-step]])
        step *= 2
    return x if axis is None else np.moveaxis(x, 0, axis)


@expression("sinc")
def _sinc(x: Any) -> Any:
    """As the spherical Bessel function j0 (DLMF 10.49.3). NumPy's code puts another number in place of 0."""
    return scipy.special._ufuncs._spherical_jn(0, np.pi * joined(x))


@expression("i0")
def _i0(x: Any) -> Any:
    return scipy.special.i0(joined(x))


@expression("logsumexp", scipy.special)
def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    a, b = (x if isinstance(x, Array) else np.asarray(x, float) for x in (a, 1.0 if b is None else b))
    top = np.max(np.real(concrete(a)), axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.sum(b * np.exp(a - top), axis=axis, keepdims=True)
    size = np.abs(total) if return_sign else total
    y = np.log(size) + top
    shaped = (lambda z: z) if keepdims else (lambda z: np.squeeze(z, _axes(a, axis)))
    return (shaped(y), shaped(total / size)) if return_sign else shaped(y)


@expression("softmax", scipy.special)
def softmax(x: Any, axis: Any = None) -> Any:
    y = np.exp(x - np.max(concrete(x), axis=axis, keepdims=True))
    return y / np.sum(y, axis=axis, keepdims=True)


@expression("log_softmax", scipy.special)
def log_softmax(x: Any, axis: Any = None) -> Any:
    y = x - np.max(concrete(x), axis=axis, keepdims=True)
    return y - np.log(np.sum(np.exp(y), axis=axis, keepdims=True))


@expression("nansum")
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


@expression("nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    there = ~np.isnan(a)
    return np.sum(np.where(there, a, 0.0), axis=axis, keepdims=keepdims) / np.sum(
        there, axis=axis, keepdims=keepdims
    )


@expression("nanvar")
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False
) -> Any:
    there = ~np.isnan(a)
    count = np.sum(there, axis=axis, keepdims=True)
    x = np.where(there, a, 0.0)
    off = np.where(there, x - np.sum(x, axis=axis, keepdims=True) / count, 0.0)
    size = np.real(off * np.conj(off)) if np.iscomplexobj(off) else off * off
    y = np.sum(size, axis=axis, keepdims=True) / (count - ddof)
    return y if keepdims else np.squeeze(y, _axes(a, axis))


@expression("nanstd")
def nanstd(a: Any, *args: Any, **options: Any) -> Any:
    return np.sqrt(np.nanvar(a, *args, **options))


@expression("clip")
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = a_min if a_min is not None else min, a_max if a_max is not None else max
    y = a if low is None else np.maximum(a, low)
    y = y if high is None else np.minimum(y, high)
    return y if isinstance(y, Array) else np.multiply(y, 1.0)


@expression("nan_to_num")
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return np.where(np.isfinite(x), x, 0.0)


@expression("interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if period is not None:  # the places in one period, with the last one before and the first one behind
        x, xp = np.remainder(x, abs(period)), np.remainder(xp, abs(period))
        order, left, right = np.argsort(concrete(xp)), None, None
        xp, fp = (v[order] if isinstance(v, Array) else np.asarray(v)[order] for v in (xp, fp))
        xp = np.concatenate([xp[-1:] - abs(period), xp, xp[:1] + abs(period)])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
    at, n = concrete(x), len(concrete(xp))
    i = np.clip(np.searchsorted(concrete(xp), at, side="right") - 1, 0, max(n - 2, 0))
    xp, fp = (v if isinstance(v, Array) else np.asarray(v, float) for v in (xp, fp))
    slope = (fp[i + 1] - fp[i]) / (xp[i + 1] - xp[i])
    y = fp[i] + slope * (x - xp[i])
    placed(x, xp, left is None and right is None and bool(np.all(np.diff(concrete(xp)) > 0)))
    low, high = at < concrete(xp)[0], at > concrete(xp)[-1]
    y = np.where(low, fp[0] if left is None else left, y)
    return np.where(high, fp[-1] if right is None else right, y)


@expression("median")
def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    axes = _axes(a, axis)
    rest = [k for k in range(np.ndim(a)) if k not in axes]
    x = np.reshape(np.transpose(a, [*rest, *axes]), (*[np.shape(a)[k] for k in rest], -1))
    n = x.shape[-1]
    middle = sorted({(n - 1) // 2, n // 2})
    x = np.partition(x, middle, axis=-1)
    y = np.mean(x[..., middle], axis=-1)
    shape = [1 if k in axes else m for k, m in enumerate(np.shape(a))]
    return np.reshape(y, shape) if keepdims else y
