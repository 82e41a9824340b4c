"""Sums, extremes, parts of complex numbers, and Fourier transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from hostwrap._tracing.tape.array import (
    FUNCTIONS,
    Array,
    concrete,
    elementwise,
    holds,
    raw,
    stand_ins,
    valued,
    wrapped,
)
from hostwrap._tracing.tape.complex_parts import half_of
from hostwrap._tracing.tape.dispatch import below, on_one_tape
from hostwrap._tracing.tape.log import chosen, summed, watched
from hostwrap._tracing.tape.nodes import Step
from hostwrap._tracing.tape.rules import F, bound_to, linear, rule

# ---- real and imaginary parts


@rule("real imag")
def part(function: F, args: tuple, kwargs: dict) -> Any:
    (x,) = args
    if not np.iscomplexobj(x):
        return x if function is np.real else wrapped(function(raw(x)), (), x.level)
    turn = 1 if function is np.real else -1j
    if (shared := half_of(x, function, turn)) is not None:
        return shared
    edges = [] if x.node is None else [Step(x.node, function, lambda c: turn * np.asarray(c, np.complex128))]
    return wrapped(function(raw(x)), edges, x.level)


@rule("angle")
def angle(function: F, args: tuple, kwargs: dict) -> Any:
    y = np.arctan2(np.imag(args[0]), np.real(args[0]))
    return valued(
        below(function, args, kwargs), np.degrees(y) if True in (*args[1:], *kwargs.values()) else y, y.level
    )


@rule("real_if_close")
def real_if_close(function: F, args: tuple, kwargs: dict) -> Any:
    return args[0] if np.iscomplexobj(function(concrete(args[0]), *args[1:], **kwargs)) else np.real(args[0])


# ---- sums


@rule("sum mean")
def total(function: F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    x, axis = bound["a"], bound.get("axis")
    where, initial = concrete(bound.get("where", True)), bound.get("initial", 0)
    if not isinstance(x, Array):
        return function(np.array(x, like=stand_ins([args, kwargs])[0]), *args[1:], **kwargs)
    value = below(function, args, kwargs)
    if where is not True or isinstance(initial, Array):
        counted = np.broadcast_to(where, x.shape)
        kept = np.sum(np.where(counted, x, 0.0), axis=axis, keepdims=bound.get("keepdims", False))
        if function is np.mean:
            kept = kept / np.sum(counted, axis=axis, keepdims=bound.get("keepdims", False))
        return valued(value, kept + initial, x.level)
    shape = x.shape
    axes = range(len(shape)) if axis is None else normalize_axis_tuple(axis, len(shape))
    wide = tuple(1 if i in axes else n for i, n in enumerate(shape))
    count = 1 if function is np.sum else x.size / max(int(np.prod(wide)), 1)
    options = {"axis": axis, "keepdims": bound.get("keepdims", False)}

    def back(c: Any) -> Any:
        return np.broadcast_to(np.reshape(c, wide) / count, shape)

    return summed(x, tuple(axes), linear(x, value, lambda t: function(t, **options), back))


@rule("reduceat", np.add)
def sums_between(function: F, args: tuple, kwargs: dict) -> Any:
    """The sum from each index to the next one; a single element if the next index is not larger."""
    x, first, *more = args
    axis, first = kwargs.get("axis", more[0] if more else 0), np.asarray(concrete(first))
    if not isinstance(x, Array):
        return function(x, first, axis)
    n = x.shape[axis]
    counts = np.maximum(np.append(first[1:], n) - first, 1)
    places = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)

    def back(c: Any) -> Any:
        spread = np.repeat(np.moveaxis(c, axis, 0), counts, axis=0)
        into = np.zeros((n, *np.shape(spread)[1:]), np.asarray(concrete(c)).dtype, like=spread)
        np.add.at(into, places, spread)
        return np.moveaxis(into, 0, axis)

    return linear(x, below(function, (x, first, axis)), lambda t: function(t, first, axis), back)


@rule("cumsum")
def cumsum(function: F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    x, axis = bound["a"], bound.get("axis")
    if axis is None:
        x, axis = np.ravel(x), 0

    def back(c: Any) -> Any:
        return np.flip(np.cumsum(np.flip(c, axis), axis), axis)

    return linear(x, below(function, args, kwargs), lambda t: np.cumsum(t, axis), back)


@rule("max min amax amin nanmax nanmin")
def extreme(function: F, args: tuple, kwargs: dict) -> Any:
    """The maximum or minimum. Equal extremes share the derivative."""
    bound = bound_to(function, args, kwargs)
    x, axis, keep = bound["a"], bound.get("axis"), bound.get("keepdims", False)
    if not isinstance(x, Array):
        x = np.array(x, like=stand_ins(x)[0])
    initial, where = bound.pop("initial", np._NoValue), concrete(bound.pop("where", True))
    if where is not True:  # NumPy wants an initial value
        x = np.where(where, x, initial)
    if initial is not np._NoValue:  # one more element, which is alone where the array is empty
        if not x.size:
            return function(concrete(x), axis=axis, keepdims=keep, initial=initial)
        further = np.maximum if "max" in function.__name__ else np.minimum
        return further(function(x, axis=axis, keepdims=keep), initial)
    value = function(x.value, axis=axis, keepdims=keep)
    numbers = concrete(x)
    largest = function(numbers, axis=axis, keepdims=True)
    here = (numbers == largest) | (np.isnan(largest) & np.isnan(numbers))
    if watched.get() is not None:
        axes = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
        rows = np.moveaxis(x, tuple(axes), range(-len(axes), 0))
        rows = np.reshape(rows, (*rows.shape[: x.ndim - len(axes)], -1))
        chosen(
            rows,
            np.argmax(concrete(rows) == np.reshape(largest, (*rows.shape[:-1], 1)), -1)[..., None],
            kink=True,
        )
    share = here / np.sum(here, axis=axis, keepdims=True)
    shape, wide = x.shape, np.shape(largest)
    to = lambda t: np.sum(share * t, axis=axis, keepdims=keep)
    return linear(x, value, to, lambda c: share * np.broadcast_to(np.reshape(c, wide), shape))


# ---- Fourier transforms


def _fourier(function: F, args: tuple, kwargs: dict) -> Any:
    """A Fourier transform. Its matrix is symmetric; where it pads or truncates, the transpose truncates or pads."""
    bound = bound_to(function, args, kwargs)
    x, n, axis = bound["a"], bound.get("n"), bound.get("axis", -1)
    norm, size = bound.get("norm"), x.shape[bound.get("axis", -1)]
    value = below(function, args, kwargs)
    name = function.__name__
    options = {"axis": axis, "norm": norm}

    def resized(c: Any, length: int) -> Any:
        c = np.moveaxis(c, axis, -1)
        c = np.concatenate([c, np.zeros((*c.shape[:-1], max(length - c.shape[-1], 0)))], -1)[..., :length]
        return np.moveaxis(c, -1, axis)

    def back(c: Any) -> Any:
        if name in ("fft", "ifft"):
            return resized(function(c, n=n, **options), size)
        if name == "rfft":
            return resized(np.real(np.fft.fft(resized(c, n or size), **options)), size)
        length = n or 2 * (size - 1)
        weight = np.full(length // 2 + 1, 2.0)
        weight[0] = 1.0
        if length % 2 == 0:
            weight[-1] = 1.0
        opposite = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}[norm]
        c = np.conj(np.moveaxis(np.fft.rfft(c, axis=axis, norm=opposite), axis, -1)) * weight
        return resized(np.moveaxis(c, -1, axis), size)

    return linear(x, value, lambda t: function(t, n=n, **options), back)


FUNCTIONS.update(dict.fromkeys([np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft], _fourier))


def exact(numbers: Any) -> Any:
    """Replaces `math.fsum`."""
    numbers = list(numbers)
    if not holds(numbers):
        return math.fsum(numbers)
    numbers, level = on_one_tape(numbers)
    return elementwise(math.fsum, (1,) * len(numbers), numbers, exact(raw(numbers)), level)
