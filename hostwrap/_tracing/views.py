"""NumPy functions whose results are views.

A write to the result changes the array, and a write to the array the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing import calls
from hostwrap._tracing.arrays import array, given
from hostwrap._tracing.standin import Stand
from hostwrap._tracing.values import has_traced, raw, refuse_masked

_OF_ONE = (
    "reshape", "transpose", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis", "squeeze",
    "expand_dims", "diagonal", "flip", "fliplr", "flipud", "rot90",
)  # fmt: skip
_SPLITS = ("split", "array_split", "hsplit", "vsplit", "dsplit", "unstack")


def _either(function: Any, twin: Callable, args: tuple, kwargs: dict) -> Callable:
    return lambda a: (twin if isinstance(a, jax.Array) else function)(a, *args, **kwargs)


def _source(x: Any) -> Stand:
    """The array that the result can be a view of; a number has no views."""
    x = x if isinstance(x, Stand) else array(x)
    refuse_masked(x)
    return Stand(x.value) if x.scalar or x.given else x


def _whole(x: Any, args: tuple, kwargs: dict) -> tuple[Stand, tuple, dict]:
    return (
        _source(x),
        raw(args),
        {k: v for k, v in raw(kwargs).items() if v is not np._NoValue and k != "copy"},
    )


def _of_one(function: Any, twin: Callable) -> Callable:
    def view(a: Any = None, *args: Any, **kwargs: Any) -> Any:
        for name in ("x", "m", "array", "ar") if a is None else ():
            a = kwargs.pop(name, a)
        x, args, kwargs = _whole(a, args, kwargs)
        return x.view_by(_either(function, twin, args, kwargs))

    view.jax = f"jax.numpy.{function.__name__}"  # type: ignore[attr-defined]
    return view


def _several(function: Any, twin: Callable) -> Callable:
    def views(ary: Any, *args: Any, **kwargs: Any) -> Any:
        x, args, kwargs = _whole(ary, args, kwargs)
        split = _either(function, twin, args, kwargs)
        kind = type(found := function(np.empty(x.shape, bool), *args, **kwargs))
        return kind(x.view_by(lambda a, k=k: split(a)[k]) for k in range(len(found)))

    views.jax = f"jax.numpy.{function.__name__}"  # type: ignore[attr-defined]
    return views


def _register() -> None:
    for names, make in ((_OF_ONE, _of_one), (_SPLITS, _several)):
        for name in names:
            for home, theirs in ((np, jnp), (np.linalg, jnp.linalg)):
                function, twin = getattr(home, name, None), getattr(theirs, name, None)
                if function is not None and twin is not None:
                    given(function, always=True)(make(function, twin))


_register()


@given(np.ravel, always=True)
def _ravel(a: Any, order: str = "C") -> Stand:
    return _source(a).ravel(order)


@given(np.einsum, always=True)
def _einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    """`numpy.einsum`: of one array the result may be a view, such as its diagonal."""
    if isinstance(subscripts, str) and len(operands) == 1 and kwargs.get("out") is None:
        x, _, kwargs = _whole(operands[0], (), kwargs)
        kwargs = {k: v for k, v in kwargs.items() if k not in ("out", "order", "casting")}
        of = lambda a: (jnp if isinstance(a, jax.Array) else np).einsum(subscripts, a, **kwargs)
        return x.view_by(of)
    if has_traced((operands, subscripts)):
        return calls.by_twin(np.einsum, jnp.einsum, (subscripts, *operands), kwargs)
    return calls.by_numpy(np.einsum, (subscripts, *operands), kwargs)


def _by_places(function: Any) -> Callable:
    """A view by positions: the function itself, applied to indices, says where each element comes from."""

    def windows(x: Any, *args: Any, **kwargs: Any) -> Any:
        x, args, kwargs = _whole(x, args, kwargs)
        kwargs.pop("subok", None)

        def part(a: Any) -> Any:
            if not isinstance(a, jax.Array):
                return function(a, *args, **kwargs)
            return jnp.ravel(a)[function(np.arange(a.size).reshape(a.shape), *args, **kwargs)]

        return x.view_by(part)

    return windows


windows = given(sliding_window_view, always=True)(_by_places(sliding_window_view))
given(np.real, always=True)(lambda val: array(val).real)
given(np.imag, always=True)(lambda val: array(val).imag)


@given(as_strided, always=True)
def _strided(x: Any, shape: Any = None, strides: Any = None, **_: Any) -> Stand:
    """`as_strided`, which works on memory: allowed for an array that is contiguous and no part of another one."""
    x = _source(x)
    if x.base is not None or x.itemsize != 8:
        raise Untraceable(
            "as_strided of a part of an array, or of other numbers than of 8 bytes", "Use an index"
        )
    return _by_places(as_strided)(x, raw(shape), raw(strides))
