"""SciPy's results that are more than a tuple: JAX learns that they are trees, so that they pass through `jit`.

JAX would make a named tuple anew from its items. SciPy's have attributes beside these, as `TtestResult.df` is one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import types
from typing import Any

import jax
import numpy as np


def is_result(x: Any) -> bool:
    """Whether it is an object of such a class."""
    cls = type(x)
    known = hasattr(cls, "_extra_fields") or dataclasses.is_dataclass(cls)
    return known and cls.__module__.startswith("scipy.") and hasattr(x, "__dict__")


def as_tree(results: Any) -> Any:
    """The results, of which JAX knows the class."""
    if type(results) in (list, tuple):
        return type(results)(map(as_tree, results))
    if is_result(results):
        _registered(type(results))  # type: ignore[arg-type]  # a class is hashable
    return results


@functools.cache
def _registered(cls: type) -> None:
    def flat(x: Any) -> tuple:
        fixed = {name: value for name, value in sorted(vars(x).items()) if isinstance(value, _OPTIONS)}
        moving = {name: value for name, value in sorted(vars(x).items()) if name not in fixed}
        items = tuple(x) if isinstance(x, tuple) else ()
        return (items, tuple(moving.values())), (tuple(moving), tuple(fixed.items()))

    def whole(names: tuple, parts: Any) -> Any:
        moving, fixed = names
        x = tuple.__new__(cls, parts[0]) if issubclass(cls, tuple) else object.__new__(cls)
        vars(x).update(zip(moving, parts[1], strict=True), **dict(fixed))
        return x

    with contextlib.suppress(ValueError):  # somebody else has told JAX of it
        jax.tree_util.register_pytree_node(cls, flat, whole)


_OPTIONS = (str, int, np.dtype, type, types.ModuleType)
