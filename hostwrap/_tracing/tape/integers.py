"""Arrays of integers and booleans that recorded code makes: NumPy's own, and what they become may be written to.

Integers have no derivative, so they are no `Array`: they go into C code, and index, as in NumPy. But
`np.arange(4) * 0.5` is an array of floats, into which the code may put a number that is being differentiated. It has
to be an `Array`, as `np.zeros(4)` is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array
from hostwrap._tracing.tape.nodes import current_level, is_inexact
from hostwrap._tracing.values import rebuilt


def made(x: Any) -> Any:
    """What NumPy made of constants in recorded code, so that it can be written to: a stand-in of a new array."""
    if isinstance(x, tuple | list) and not isinstance(x, Array):
        parts = [made(v) for v in x]
        return rebuilt(x, parts)
    if type(x) is np.ndarray and is_inexact(x) and x.flags.writeable:
        return Array(x, None, current_level.get())
    return x.view(Integers) if type(x) is np.ndarray and x.dtype.kind in "biu" and x.ndim else x


def plain(x: Any) -> Any:
    """NumPy's arrays in place of these, of the same memory, also inside of lists, tuples and dictionaries."""
    if type(x) is Integers:
        return x.view(np.ndarray)
    if isinstance(x, list | tuple):
        return rebuilt(x, map(plain, x))
    return {k: plain(v) for k, v in x.items()} if type(x) is dict else x


class Integers(np.ndarray):
    """See the module."""

    stands_for = np.ndarray

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        found = getattr(ufunc, method)(*plain(inputs), **plain(options))
        out = options.get("out")
        if out is None:
            return made(found)
        return out[0] if len(out) == 1 else found

    def __array_function__(self, function: Callable, types: Any, args: Any, kwargs: Any) -> Any:
        return made(function(*plain(args), **plain(kwargs)))

    def __repr__(self) -> str:
        return repr(plain(self))


def _method(name: str) -> Callable:
    def method(self: Integers, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Array) for x in (*args, *kwargs.values())):
            return getattr(np, name)(plain(self), *args, **kwargs)
        return made(getattr(plain(self), name)(*plain(args), **plain(kwargs)))

    return method


_METHODS = "astype mean std var dot round cumsum cumprod sum prod max min trace clip conj conjugate"
for _name in _METHODS.split():
    setattr(Integers, _name, _method(_name))
