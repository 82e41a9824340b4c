"""Functions of SciPy and Python, written again in NumPy, so that code that calls them can be traced and recorded.

SciPy's classes are Python code around a few functions in C, C++ and Fortran. Each function of this package has the
arguments and the result of one of these. It calls only what NumPy passes on to stand-ins: ufuncs, functions such as
`numpy.take`, operators. It runs only if an argument is traced or recorded, and gives the derivative. The value of the
user's function always comes from SciPy's own code.
"""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Iterator, ValuesView
from typing import Any

import numpy as np

from hostwrap._tracing.originals import named

_COMPUTED: dict[str, dict[str, Callable]] = {}  # by module and name
_FOUND: dict[Any, Callable] = {}  # of modules that are loaded
_TYPES: set[type] = set()


def computes(*names: str, of: str = "scipy.") -> Callable[[Callable], Callable]:
    """Register the decorated function for these functions; some versions of SciPy and Python lack some of them."""

    def enter(function: Callable) -> Callable:
        for module, _, name in (n.rpartition(".") for n in names):
            _COMPUTED.setdefault(of + module, {})[name] = function
        return function

    return enter


def in_numpy(function: Any) -> Callable | None:
    """The function in NumPy in place of a compiled one, or None."""
    for module in [m for m in _COMPUTED if m in sys.modules]:
        rows = _COMPUTED.pop(module)
        _FOUND.update({f: like for n, like in rows.items() if (f := named(module, n))})
        _TYPES.update(map(type, _FOUND))
    if type(function) not in _TYPES or isinstance(getattr(function, "__self__", None), np.ndarray):
        return None
    return _FOUND.get(function)


KINDS = {
    "cython_function_or_method",
    "fused_cython_function",
    "fortran",
}  # of compiled functions, beside Python's own


def is_compiled(function: Any) -> bool:
    """Whether it is a compiled function of SciPy, and no method."""
    module, kind = str(getattr(function, "__module__", None) or ""), type(function).__name__
    if "." in getattr(function, "__qualname__", ""):
        return False
    # an object of f2py has no module
    return kind == "fortran" or (
        kind in KINDS | {"builtin_function_or_method"} and module.startswith("scipy.")
    )


def listed(function: Any, args: tuple) -> tuple:
    """Objects that give their numbers one by one become lists: NumPy takes a deque, and Python's functions any
    iterator."""
    kinds: Any = (
        _ONE_BY_ONE if getattr(function, "__module__", None) in ("math", "statistics", "builtins") else ()
    )
    return tuple(list(x) if type(x) is collections.deque or isinstance(x, kinds) else x for x in args)


_ONE_BY_ONE = (Iterator, ValuesView)


def asserts(function: Any) -> bool:
    """Whether it only checks numbers, and returns nothing: it has checked those of the value already, on the host."""
    module, name = str(getattr(function, "__module__", "")), getattr(function, "__name__", "")
    return module.startswith("numpy.testing") and name.startswith("assert_") and callable(function)


def asked(function: Callable, *args: Any) -> Any:
    """A Python function of SciPy, which asks stand-ins as NumPy's own functions do."""
    given = next(x for x in args if type(x) is not np.ndarray and hasattr(type(x), "__array_function__"))
    return given.__array_function__(function, (type(given),), args, {})


def stacked(x: Any) -> Any:
    """An array of nested lists of numbers and arrays; an array as it is."""
    return np.stack([stacked(e) for e in x]) if isinstance(x, list | tuple) else x
