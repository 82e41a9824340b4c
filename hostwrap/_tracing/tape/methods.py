"""Array methods without a NumPy function of the same name, and conversions to Python numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import FUNCTIONS, Array, concrete, raw, wrapped
from hostwrap._tracing.tape.dispatch import below, given_out, level_of
from hostwrap._tracing.tape.log import noted
from hostwrap._tracing.tape.moves import cast, shaped
from hostwrap._tracing.tape.nodes import NUMBERS, Edge, Step
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import F, bound_to, rule
from hostwrap._tracing.two_axes import as_matrix, is_matrix_class

# ---- methods that are no functions of NumPy


def _sorted_in_place(a: Array, axis: int = -1, **options: Any) -> None:
    a[...] = np.sort(a, axis=axis)


def _item(a: Array, *index: Any) -> Any:
    if index:
        return np.ravel(a)[index[0]] if len(index) == 1 and not isinstance(index[0], tuple) else a[index]
    if a.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return to_number(np.reshape(a, ())[()] if a.ndim else a)


def to_number(x: Array, kind: type = float) -> Any:
    """A Python number: the result of float() and item()."""
    value = raw(x)
    if kind is float and type(value) in NUMBERS:
        return x if type(value) is float else Array(float(value), x.node, x.level)
    kind = complex if np.iscomplexobj(x) else kind
    value = to_number(value, kind) if isinstance(value, Array) else kind(value)
    shape = x.shape
    same = lambda node: Step(node, lambda t: np.reshape(t, ()), lambda c: np.reshape(c, shape))
    return wrapped(value, [] if x.node is None else [same(x.node)], x.level)


def _tolist(a: Array) -> Any:
    return [_tolist(x) for x in a] if a.ndim else to_number(a)


# ---- rounding


def _rounded_to(x: Array, value: Any) -> Any:
    """A rounded number that code may read; an error if a result depends on it."""

    def refuse(_: Any) -> Any:
        raise refused("rounding to decimals", "its derivative would be 0 everywhere; leave it out")

    return wrapped(value, [] if x.node is None else [Edge(x.node, refuse, refuse)], x.level)


def _round(x: Array, digits: int | None = None) -> Any:
    number = x._key_of("round()")
    return round(number) if digits is None else _rounded_to(x, round(x.value, digits))


@rule("round around")
def rounded(function: F, args: tuple, kwargs: dict) -> Any:
    """Round to integers, with the derivative 0, as in JAX."""
    bound = bound_to(function, args, kwargs)
    x, decimals = bound["a"], concrete(bound.get("decimals", 0))
    value = below(function, (x, decimals), {})
    held = wrapped(value, (), level_of(x))
    noted(np.rint, (x * 10.0**decimals if decimals else x,), held)
    return given_out(bound.get("out"), _rounded_to(x, value) if decimals else held)


# ---- parts of complex numbers


def _set_part(which: Callable, turn: complex) -> Callable:
    def put(a: Array, x: Any) -> None:
        if not np.iscomplexobj(a):
            a[...] = x
        else:
            a[...] = (x + 1j * np.imag(a)) if which is np.real else (np.real(a) + 1j * x)

    return put


def _view(a: Array, dtype: Any = None, type: Any = None) -> Any:
    dtype = dtype if dtype is not None else type
    if is_matrix_class(dtype):
        return as_matrix(a[...])
    if dtype not in (None, np.ndarray) and np.dtype(dtype) != a.dtype:
        raise refused("numpy.ndarray.view", "the bits of numbers are read as another type")
    return a[...]


_METHODS: dict[str, Callable] = {
    "copy": lambda a, order="C": shaped(a, np.empty(a.shape, a.dtype), a.level) if not a.is_scalar else np.positive(a),
    "astype": cast, "item": _item, "tolist": _tolist, "sort": _sorted_in_place,
    "view": _view, "fill": lambda a, x: a.__setitem__(..., x),
    "flatten": lambda a, order="C": np.ravel(a, order).copy(),
    "reshape": lambda a, *shape, order="C": np.reshape(a, shape[0] if len(shape) == 1 else shape, order=order),
    "transpose": lambda a, *axes: np.transpose(a, (axes[0] if len(axes) == 1 else axes) or None),
    "__copy__": lambda a: a.copy(),
    "__deepcopy__": lambda a, memo: a.copy(),
    "setflags": lambda a, **flags: None,
    "partition": lambda a, kth, axis=-1, **options: a.__setitem__(..., np.partition(a, kth, axis)),
    "to_device": lambda a, device: a, "__round__": _round,
    "clip": lambda a, min=None, max=None, **options: np.clip(a, min, max, **options),
    "compress": lambda a, condition, axis=None, **options: np.compress(condition, a, axis, **options),
}  # fmt: skip
if hasattr(np.ndarray, "ptp"):  # before NumPy 2
    _METHODS["ptp"] = np.ptp
for _name, _method in _METHODS.items():
    setattr(Array, _name, _method)
Array.T = property(np.transpose)  # type: ignore[attr-defined]
Array.mT = property(lambda a: np.swapaxes(a, -1, -2))  # type: ignore[attr-defined]
Array.flat = property(lambda a: np.reshape(a, -1))  # type: ignore[attr-defined]
Array.real = property(np.real, _set_part(np.real, 1))  # type: ignore[attr-defined]
Array.imag = property(np.imag, _set_part(np.imag, 1j))  # type: ignore[attr-defined]
FUNCTIONS[np.ptp] = lambda function, args, kwargs: np.max(*args, **kwargs) - np.min(*args, **kwargs)
FUNCTIONS[np.linalg.matmul] = FUNCTIONS[np.matmul]
