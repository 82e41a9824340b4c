"""SciPy's private methods on stand-ins for arrays: replacements for the functions in them that are not ufuncs.

The methods run as copies (`_copies/retarget`), in which these functions replace those that depend on the values of
numbers. Where SciPy selects elements by masks, the copy has a branch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np

from hostwrap._copies import EXTERNAL
from hostwrap._copies.retarget import retargeted
from hostwrap.special._numerics.pointwise import piecewise, tape_of
from hostwrap.stats._rewritten import NAMES, OF_LAWS, rewritten


def followed(method: Callable) -> Callable:
    """The method, for stand-ins of arrays."""
    return retargeted(method, _meaning)


def _meaning(x: Any) -> Any:
    named = (getattr(x, "__module__", None), getattr(x, "__qualname__", None))
    make = _MEANINGS.get(named) if all(isinstance(n, str) for n in named) else None  # type: ignore[arg-type]
    if make is not None:
        return functools.partial(make, x)
    if named[0] == OF_LAWS and (name := str(named[1]).replace("_gen.", ".")) in NAMES:
        if isinstance(x, MethodType):
            return lambda *args: rewritten(name)(*args)
        return lambda self, *args: rewritten(name)(*args)
    # NumPy's functions ask the stand-ins; a copy of what is behind them would not
    return functools.partial(x) if type(x) is type(np.where) else x


def _apply_where(
    usual: Any, cond: Any, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None, **options: Any
) -> Any:
    """f1 where the condition holds; elsewhere f2, or a value."""
    args = args if isinstance(args, tuple) else (args,)
    if tape_of(cond, *args) is None:
        return usual(cond, args, f1, f2, fill_value=fill_value, **options)
    # SciPy makes arrays of numbers; NumPy's power of 2.0 is a square, but not of an array of these
    args = tuple(np.where(cond, float(x), float(x)) if type(x) in (int, float) else x for x in args)
    if f2 is None:
        inside, otherwise = lambda *a: f1(*a[:-1]), lambda *a: a[-1]
        return piecewise((*args, fill_value), [(cond, inside), (None, otherwise)])
    return piecewise(args, [(cond, f1), (None, f2)])


def _lazyselect(usual: Any, masks: Any, functions: Any, arrays: Any, default: Any = 0) -> Any:
    """The function whose mask is the last one that holds."""
    if tape_of(*masks, *arrays) is None:
        return usual(masks, functions, arrays, default)

    def one(function: Callable, *elements: Any) -> Any:
        found = function(*elements)
        return found.item() if isinstance(found, np.ndarray) else found

    cases = [(mask, functools.partial(one, f)) for mask, f in zip(masks, functions, strict=True)]
    return piecewise(tuple(arrays), [*cases[::-1], (None, lambda *_: float(default))])


def _asarray(usual: Any, x: Any, dtype: Any = None, **options: Any) -> Any:
    if tape_of(x) is None:
        return usual(x, dtype, **options)
    return x if dtype is None else x.astype(dtype)


def _broadcast_arrays(usual: Any, *arrays: Any, **options: Any) -> Any:
    if tape_of(*arrays) is None:
        return usual(*arrays, **options)
    return tuple(x if tape_of(x) is not None else np.array(x) for x in arrays)


def _shape(usual: Any, x: Any) -> Any:
    """Of the elements in a branch, each of which is alone in a recording."""
    return usual(x) if tape_of(x) is None else (1,)


def _promoted(usual: Any, *args: Any, **options: Any) -> Any:
    """Stand-ins are of the one type of floating-point numbers that SciPy makes of arguments."""
    return usual(*args, **options) if tape_of(*args) is None else args


# of a function that SciPy's code calls, by its module and name: what stands in its place, after the function itself
_MEANINGS: dict[tuple[str, str], Callable] = {
    **{(f"{home}.array_api_extra._lib._funcs", "apply_where"): _apply_where for home in EXTERNAL},
    ("scipy._lib._util", "_lazyselect"): _lazyselect,
    ("scipy._lib._array_api", "xp_promote"): _promoted,
    (np.shape.__module__, np.shape.__qualname__): _shape,
    (np.asarray.__module__, np.asarray.__qualname__): _asarray,
    (np.broadcast_arrays.__module__, np.broadcast_arrays.__qualname__): _broadcast_arrays,
}
