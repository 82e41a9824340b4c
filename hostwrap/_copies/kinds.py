"""Which functions, classes and objects are copied, and which are not: by their kind and their module."""

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
    """Whether the module belongs to Python's standard library, or handles stand-ins itself (JAX, hostwrap)."""
    return is_left(str(namespace.get("__name__")))


def is_left(module: str, *but: str) -> bool:
    first = module.split(".")[0]
    return first in _LEFT and first not in ("__main__", *but)


def is_followed(cls: type) -> bool:
    """Whether the class is written in Python and can be copied; not exceptions and enumerations."""
    return (
        bool(cls.__flags__ & 1 << 9)  # a class statement makes it
        and not is_left(cls.__module__)
        and not issubclass(cls, BaseException | types.ModuleType)
        and _has_a_plain_class(type(cls))
    )


def _has_a_plain_class(metaclass: type) -> bool:
    """Whether the metaclass only creates classes in another way, and does not change their objects."""
    own = {name for c in metaclass.__mro__ if c not in (abc.ABCMeta, type, object) for name in vars(c)}
    home = metaclass.__module__  # for a class made in C it may be a descriptor
    return isinstance(home, str) and not is_left(home, "abc", "builtins") and not own & _OF_OBJECTS


_OF_OBJECTS = {"__call__", "__getattribute__", "__setattr__", "__instancecheck__", "__subclasscheck__"}


def is_code(x: Any) -> bool:
    """Whether it is a function, a class, or an object with methods in Python."""
    return isinstance(x, type | np.ufunc) or type(x) in _FUNCTIONS or is_followed(type(x))
