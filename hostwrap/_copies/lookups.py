"""Name lookups of copied functions: globals, builtins, `super` and `type`, in place of Python's own."""

from __future__ import annotations

import builtins
import dis
import itertools
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_OF_MODULES = ("__name__", "__package__", "__spec__", "__path__", "__file__")


class Globals(dict):
    """The globals of a copied function: a live view of those of the original."""

    def __init__(self, world: Any, original: dict[str, Any]) -> None:
        known = {
            name: original[name] for name in _OF_MODULES if name in original
        }  # the import system reads them
        # for types that a library has not seen before
        library = str(known.get("__name__")).split(".")[0] in ("numpy", "scipy")
        super().__init__({"__builtins__": world.builtins if library else world.of_users, **known})
        self.world, self.original = world, original

    def __getitem__(self, name: str) -> Any:
        found = self.original[name]
        if found is None and name in self:  # the code has imported it since
            return dict.__getitem__(self, name)
        return self.world.of(found)


class Builtins(dict):
    """Python's builtins, and names that a program adds to them: IPython's `display`, gettext's `_`.

    They are copied when the code uses them, because they refer to much more than the code needs.
    """

    def __init__(self, world: Any, known: dict[str, Any]) -> None:
        super().__init__(known)
        self.world = world

    def __missing__(self, name: str) -> Any:
        return self.world.of(vars(builtins)[name])


class Super:
    """`super(order[0], x)`, which skips the classes with these indices if another class has the attribute."""

    def __init__(self, x: Any, order: tuple[type, ...], without: set[int]) -> None:
        object.__setattr__(self, "_of", (x, order, without))

    def __getattribute__(self, name: str) -> Any:
        x, order, without = object.__getattribute__(self, "_of")
        found = (i for i, c in enumerate(order) if i and id(c) not in without and name in vars(c))
        return getattr(super(order[next(found, 1) - 1], x), name)


def of_class_bodies(code: types.CodeType) -> Iterable[str]:
    """The names in class bodies: Python looks them up in the dict of globals directly, not by `__getitem__`."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from (i.argval for i in dis.get_instructions(inner) if i.opname == "LOAD_NAME")
            yield from of_class_bodies(inner)


def written_globals(code: types.CodeType) -> list[str]:
    """The global variables that a function changes, but for those that it imports."""
    steps = dis.get_instructions(code)
    return sorted(
        {
            i.argval
            for before, i in itertools.pairwise(steps)
            if i.opname == "STORE_GLOBAL" and before.opname not in ("IMPORT_NAME", "IMPORT_FROM")
        }
    )


def answer_of(f: types.FunctionType) -> Any:
    """The answer of a function that finds it once and keeps it in a global variable; None if it may hold a number.

    The function has its own dict of globals: what it changes does not reach the user's.
    """
    if f.__closure__:
        return None
    alone = types.FunctionType(f.__code__, dict(f.__globals__), f.__name__, f.__defaults__)
    alone.__kwdefaults__ = f.__kwdefaults__
    answer = alone()
    return answer if isinstance(answer, bool | str | types.ModuleType | types.FunctionType | type) else None


class Asked(type):
    """The metaclass of the replacement of `type`, which the user's code calls as `type(x)` and to make classes."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if "type_of" not in vars(cls):  # a metaclass derived from it
            return super().__call__(*given, **named)
        if len(given) != 1 or named:
            return type(*given, **named)
        found = cls.type_of(*given)  # type: ignore[attr-defined]
        return cls if found is type else found


def instead_of_type(of: Callable[[Any], Any]) -> Asked:
    """A replacement of `type`.

    For a stand-in it returns the class that the stand-in stands for, as the code knows it.
    """

    def type_of(x: Any) -> Any:
        cls = x.stands_for if hasattr(type(x), "stands_for") else type(x)
        known = cls.__module__ in ("numpy", "builtins") and issubclass(cls, _OF_NUMBERS)
        return of(cls) if known else cls

    return Asked("type", (type,), {"type_of": staticmethod(type_of)})


_OF_NUMBERS = (np.ndarray, np.generic, int, float, complex)


def is_in_c(x: Any) -> bool:
    """Whether it is a C function of a module, such as a ufunc."""
    if isinstance(x, types.BuiltinFunctionType):
        return isinstance(x.__self__, types.ModuleType)
    return type(x) is np.ufunc
