"""Where a copied function looks for its names, and its class for the next one, in place of what Python does itself."""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_OF_MODULES = ("__name__", "__package__", "__spec__", "__path__", "__file__")


class Globals(dict):
    """The globals of a copied function: those of the original, as they are when they are looked up."""

    def __init__(self, world: Any, original: dict[str, Any]) -> None:
        known = {name: original[name] for name in _OF_MODULES if name in original}  # the import asks for them
        # a library asks of types that it has not met
        library = str(known.get("__name__")).split(".")[0] in ("numpy", "scipy")
        super().__init__({"__builtins__": world.builtins if library else world.of_users, **known})
        self.world, self.original = world, original

    def __getitem__(self, name: str) -> Any:
        found = self.original[name]
        if found is None and name in self:  # which the code has imported since
            return dict.__getitem__(self, name)
        return self.world.of(found)


class Builtins(dict):
    """Python's names, and those that a program adds to them: IPython's `display`, gettext's `_`. They are copied when
    the code uses them: they refer to more than anyone needs, and to builtins."""

    def __init__(self, world: Any, known: dict[str, Any]) -> None:
        super().__init__(known)
        self.world = world

    def __missing__(self, name: str) -> Any:
        return self.world.of(vars(builtins)[name])


class Super:
    """`super(order[0], x)`, without the classes of these numbers, where another one has the attribute."""

    def __init__(self, x: Any, order: tuple[type, ...], without: set[int]) -> None:
        object.__setattr__(self, "_of", (x, order, without))

    def __getattribute__(self, name: str) -> Any:
        x, order, without = object.__getattribute__(self, "_of")
        found = (i for i, c in enumerate(order) if i and id(c) not in without and name in vars(c))
        return getattr(super(order[next(found, 1) - 1], x), name)


def of_class_bodies(code: types.CodeType) -> Iterable[str]:
    """Names that Python looks for in a dict of globals itself, whatever its `__getitem__` is: those of class bodies."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from (i.argval for i in dis.get_instructions(inner) if i.opname == "LOAD_NAME")
            yield from of_class_bodies(inner)


class Asked(type):
    """The class of what stands in place of `type`, of which user's code asks `type(x)`, and makes classes."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if "type_of" not in vars(cls):  # a class of classes that is made of it
            return super().__call__(*given, **named)
        if len(given) != 1 or named:
            return type(*given, **named)
        found = cls.type_of(*given)  # type: ignore[attr-defined]
        return cls if found is type else found


def instead_of_type(of: Callable[[Any], Any]) -> Asked:
    """`type`, which says of a stand-in the class that it stands for, as the code knows this class."""

    def type_of(x: Any) -> Any:
        cls = x.stands_for if hasattr(type(x), "stands_for") else type(x)
        known = cls.__module__ in ("numpy", "builtins") and issubclass(cls, _OF_NUMBERS)
        return of(cls) if known else cls

    return Asked("type", (type,), {"type_of": staticmethod(type_of)})


_OF_NUMBERS = (np.ndarray, np.generic, int, float, complex)


def is_in_c(x: Any) -> bool:
    """Whether it is a function in C that lives in a module, such as a ufunc."""
    if isinstance(x, types.BuiltinFunctionType):
        return isinstance(x.__self__, types.ModuleType)
    return type(x) is np.ufunc
