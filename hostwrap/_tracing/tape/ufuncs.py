"""Replacements of ufuncs in recorded code."""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np

from hostwrap._tracing.originals import ARRAY
from hostwrap._tracing.tape.array import FUNCTIONS, UFUNCS, Array, elementwise, holds
from hostwrap._tracing.tape.dispatch import SINGLE, level_of_plain
from hostwrap._tracing.two_axes import holds_matrix, of_function


def _joined(x: Any) -> Any:
    """Make arrays of lists: NumPy dispatches on arrays among its operands, not on those in lists."""
    return FUNCTIONS[ARRAY](ARRAY, (list(x),), {}) if isinstance(x, _LISTS) and holds(list(x)) else x


_LISTS = (list, tuple, collections.deque)


class _Ufunc:
    """A ufunc that accepts lists, and has a fast path for most calls."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc, self.partials = ufunc, UFUNCS[ufunc] if ufunc in SINGLE else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.partials is not None and not kwargs and len(args) == self.ufunc.nin:
            level = level_of_plain(args)
            if level is not None:
                value = self.ufunc(*[x.value if type(x) is Array else x for x in args])
                return elementwise(self.ufunc, self.partials, args, value, level)
        if holds_matrix(args):
            return of_function(self.ufunc, args, kwargs)
        return self.ufunc(*map(_joined, args), **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.ufunc, name)
        if name not in ("reduce", "accumulate", "reduceat", "outer", "at"):
            return found
        return functools.wraps(found)(lambda *args, **kwargs: found(*map(_joined, args), **kwargs))

    stands_for = property(lambda self: np.ufunc)
    __eq__ = lambda self, other: self is other or self.ufunc is other
    __hash__ = lambda self: hash(self.ufunc)
    __repr__ = lambda self: repr(self.ufunc)


ufunc_of = functools.cache(_Ufunc)
