"""Which functions, classes and objects are copied, and which are left alone: by what they are, and where from."""

from __future__ import annotations

import abc
import functools
import sys
import types
from typing import Any

import numpy as np

_LEFT = sys.stdlib_module_names | {"jax", "jaxlib", "hostwrap"}
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)


def is_of_python(namespace: dict[str, Any]) -> bool:
    """Whether it is a module of Python's own library, or one of those that know what stand-ins are."""
    return is_left(str(namespace.get("__name__")))


def is_left(module: str) -> bool:
    first = module.split(".")[0]
    return first in _LEFT and first != "__main__"


def is_followed(cls: type) -> bool:
    """Whether the class is written in Python, and can be copied: no exception, no class with a metaclass of its own."""
    return (
        type(cls) in (type, abc.ABCMeta)
        and bool(cls.__flags__ & 1 << 9)  # made by a class statement
        and not is_left(cls.__module__)
        and not issubclass(cls, BaseException | tuple | types.ModuleType)
        and "__init_subclass__" not in {name for c in cls.__mro__[:-1] for name in vars(c)}
    )


def is_code(x: Any) -> bool:
    """A function, a class, or an object with methods in Python."""
    return isinstance(x, type | np.ufunc) or type(x) in _FUNCTIONS or is_followed(type(x))
