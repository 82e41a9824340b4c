"""How objects of SciPy's classes were made, for as long as nobody has changed them."""

from __future__ import annotations

import contextlib
import functools
import weakref
import zlib
from collections.abc import Callable, Hashable
from typing import Any

import jax
import numpy as np

# How hostwrap makes the same object, and the state of SciPy's when it was made.
_made: weakref.WeakKeyDictionary[Any, tuple[Callable[[], Any], dict]] = weakref.WeakKeyDictionary()


def remember(made: Any, ours: Any, args: tuple, kwargs: dict) -> Any:
    """Remember how the object was made, with copies of the arrays: the user may write to them."""
    args, kwargs = jax.tree.map(lambda x: x.copy() if isinstance(x, np.ndarray) else x, (args, kwargs))
    with contextlib.suppress(TypeError):  # an object without a hash or without weak references
        _made[made] = functools.partial(ours, *args, **kwargs), _state(made)
    return made


def same_of_ours(theirs: Any) -> Any:
    """The same object of hostwrap; None where nobody has seen how it was made, or where it has been changed since.

    SciPy fills some attributes when they are first used: those that were not there, or were None, may be others now.
    """
    with contextlib.suppress(TypeError):
        make, before = _made.get(theirs, (None, {}))
        now = _state(theirs) if make else {}
        if make and all(now.get(name) == value for name, value in before.items() if value is not None):
            return make()
    return None


def _state(x: Any) -> dict[str, Hashable]:
    """What the attributes of an object hold, arrays by their check sums."""
    names = [n for c in type(x).__mro__ for n in _slots(c)] + list(getattr(x, "__dict__", ()))
    return {name: _held(getattr(x, name)) for name in names if hasattr(x, name)}


def _slots(c: type) -> tuple[str, ...]:
    found = c.__dict__.get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(n for n in found if not n.startswith("__"))


def _held(x: Any) -> Hashable:
    """The value, if it can be compared; of an object of SciPy, its state: a spline of SciPy 1.18 holds such a one."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "biufcSU":
        return x.shape, x.dtype.str, zlib.crc32(np.ascontiguousarray(x).data)
    if isinstance(x, list | tuple):
        return type(x), tuple(map(_held, x))
    if isinstance(x, dict):
        return dict, tuple((str(key), _held(value)) for key, value in x.items())
    if x is None or isinstance(x, str | bool | int | float | complex | np.generic):
        return x  # type: ignore[return-value]
    if type(x).__module__.startswith("scipy."):
        return type(x), tuple(_state(x).items())
    return id(x)
