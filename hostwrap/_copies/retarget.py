"""Copy a Python function so that it uses replacements of the objects that it refers to. The original does not change.

`retargeted(f, replace)` behaves like f. But wherever its code refers to a module, a function, a class or another
object (by a global name, a closure, an attribute of a module or an import), it gets `replace(object)`. If `replace`
returns the object itself, a pure-Python function or class is copied in the same way, and so is an object of such a
class; all other objects stay as they are. So this follows Python code of the user, of SciPy and of NumPy down to
functions in C, for which `replace` decides.

A copied function has the code of the original. Its globals are a live view of the globals of the original (`Globals`),
so they are never out of date. Copies belong to a `World`: in one world an object has one copy, so identity and state
behave as in the original. One run uses a world at a time. After the run, the world drops the copies of objects with
state, and keeps those of the functions and classes of modules.
"""

from __future__ import annotations

import abc
import builtins
import contextlib
import functools
import linecache
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from hostwrap._copies.handlers import caught, is_caught, is_library
from hostwrap._copies.kinds import is_code, is_followed, is_of_python
from hostwrap._copies.lookups import (
    Builtins,
    Globals,
    Super,
    answer_of,
    instead_of_type,
    is_in_c,
    of_class_bodies,
    written_globals,
)
from hostwrap._copies.returned import returned, state_of

Replace = Callable[[Any], Any]


class Untraceable(Exception):
    """Raised for code that cannot be traced: the place, the reason, and what you can do."""

    def __init__(self, reason: str, way_out: str = "", function: str = "", line: str = "") -> None:
        if not function:
            function, line = where()
        self.function, self.line, self.reason, self.way_out = function, line, reason, way_out
        self.short = reason + (f" in {function}, {line}" if line else "")
        super().__init__(self.short + (f". {way_out}" if way_out else ""))
        if is_caught(numbers=False):
            caught.get([]).append(self)


def where() -> tuple[str, str]:
    """The current line of the user's code, or else of a library: (function, `file.py:3: y = f(x)`)."""
    found = "", ""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if isinstance(frame.f_globals, Globals):
            code = frame.f_code
            text = linecache.getline(code.co_filename, frame.f_lineno, frame.f_globals.original).strip()
            place = code.co_qualname, f"{code.co_filename}:{frame.f_lineno}: {text}"
            if not is_library(frame.f_globals.original):
                return place
            found = found if found[0] else place
        frame = frame.f_back
    return found


class Around:
    """A result of `replace` for a function whose copy is needed, too: calls become `act(copy, *args, **kwargs)`."""

    def __init__(self, act: Callable) -> None:
        self.act = act


def retargeted(f: Callable, replace: Replace, own: bool = False) -> Callable:
    """A copy of `f` in which `replace(object)` takes the place of each object; with `own`, `f` itself is always copied.

    Functions and objects among its arguments are replaced, too. Worlds are cached by `replace`, so pass a function of a
    module: then copies are made once.
    """

    @functools.wraps(f, assigned=("__name__", "__qualname__", "__doc__"), updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        pool = _worlds.setdefault(replace, [])
        try:
            world = pool.pop()  # one run uses a world at a time, also with several threads
        except IndexError:
            world = World(replace)
        try:
            given = [world.of(x) if is_code(x) else x for x in args]
            named = {name: world.of(x) if is_code(x) else x for name, x in kwargs.items()}
            return returned((world.own if own else world.of)(f)(*given, **named), world.original)
        finally:
            world.forget()
            pool.append(world)

    return run


_worlds: dict[Replace, list[World]] = {}


class World:
    """The copies of a run: one for each object."""

    def __init__(self, replace: Replace) -> None:
        self.replace = replace
        self._kept: dict[int, tuple[Any, Any]] = {}  # id of an object: (the object, its copy)
        self._of_run: dict[int, tuple[Any, Any]] = {}
        self._own: dict[int, tuple[Any, Any]] = {}
        self._original: dict[int, tuple[Any, Any]] = {}
        in_c = lambda x: not is_followed(x) if isinstance(x, type) else is_in_c(x)
        known = {name: self.of(x) for name, x in vars(builtins).items() if in_c(x)}
        known |= {"isinstance": self.isinstance, "issubclass": self.issubclass}
        known |= {"__import__": self.imported, "super": self.super}
        self.builtins = Builtins(self, known)
        self.of_users = Builtins(self, {**known, "type": (asked := instead_of_type(self.of))})
        self._original[id(asked)] = asked, type

    def forget(self) -> None:
        """End a run: drop the copies of objects with state."""
        for _, copy in self._of_run.values():
            self._original.pop(id(copy), None)
        self._of_run.clear()

    def of(self, x: Any) -> Any:
        """The replacement of an object."""
        if type(x) in _ATOMS:
            return x
        for known in (self._kept, self._of_run):
            if (found := known.get(id(x))) is not None:
                return found[1]
        replaced = self.replace(x)
        if isinstance(replaced, Around):
            act, own = replaced.act, self.own(x)
            replaced = functools.wraps(x)(lambda *args, **kwargs: act(own, *args, **kwargs))
        if replaced is not x:
            return self._keep(x, replaced)
        copy = self._copy(x)
        if copy is x and is_in_c(x):  # a fast path: recorded code looks these up at each operation
            self._kept[id(x)] = x, x
        return copy

    def own(self, x: Any) -> Any:
        """A copy of a function, even if `replace` has another replacement."""
        found = self._own.get(id(x))
        if found is None:
            found = x, self._copy(x)
            for known in (self._kept, self._of_run):
                known.pop(id(x), None)
            if _is_of_a_module(x):
                self._own[id(x)] = found
        return found[1]

    def original(self, x: Any) -> Any:
        """The original of a replacement `x`."""
        found = self._original.get(id(x))
        return x if found is None else found[1]

    def _keep(self, x: Any, copy: Any) -> Any:
        (self._kept if _is_of_a_module(x) else self._of_run)[id(x)] = x, copy
        if copy is not x:
            self._original[id(copy)] = copy, x
        return copy

    def _of_this_run(self, x: Any, parts: Iterable[Any]) -> None:
        """Whether the object belongs to this run: it, or a part of it, has state."""
        if id(x) in self._kept and any(id(part) in self._of_run for part in parts):
            self._of_run[id(x)] = self._kept.pop(id(x))

    def _copy(self, x: Any) -> Any:
        kind = type(x)
        if kind in _COPIED:
            return _COPIED[kind](self, x)
        if isinstance(x, types.ModuleType):
            return self._keep(x, Proxy(self, x))
        if isinstance(x, type):
            return self._class(x) if is_followed(x) else x
        if callable(getattr(x, "__wrapped__", None)) and kind.__module__ in ("functools", "numpy"):
            return self._keep(x, self.of(x.__wrapped__))  # functools.cache, NumPy's dispatch
        if is_followed(kind) and not isinstance(x, BaseException):
            return self._object(x)
        return x

    # ---- functions

    def _function(self, f: types.FunctionType) -> Any:
        if is_of_python(f.__globals__) and not f.__closure__:
            return f
        if written := written_globals(f.__code__):
            return self._keep(f, self._of_state(f, written))
        cells = [types.CellType() for _ in f.__closure__ or ()]
        copy = types.FunctionType(f.__code__, self._globals(f), f.__name__, None, tuple(cells) or None)
        copy.__kwdefaults__, copy.__qualname__, copy.__module__ = None, f.__qualname__, f.__module__
        self._keep(f, copy)  # before what it refers to, which may be itself
        given = [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]
        copy.__defaults__ = None if f.__defaults__ is None else tuple(map(self.of, f.__defaults__))
        copy.__kwdefaults__ = {n: self.of(x) for n, x in (f.__kwdefaults__ or {}).items()} or None
        copy.__dict__.update(f.__dict__)
        self._of_this_run(f, given)
        for old, new in zip(f.__closure__ or (), cells, strict=True):
            with contextlib.suppress(ValueError):  # a cell that is still empty
                new.cell_contents = self.of(old.cell_contents)
        return copy

    def _of_state(self, f: types.FunctionType, written: list[str]) -> Callable:
        @functools.wraps(f)
        def asked(*args: Any, **kwargs: Any) -> Any:
            if args or kwargs or (answer := answer_of(f)) is None:
                why = f"{f.__qualname__} changes the global variable {', '.join(written)}"
                raise Untraceable(why, "Pass it as an argument, and return it")
            return self.of(answer)

        return asked

    def _globals(self, f: types.FunctionType) -> Globals:
        known = self._kept.get(id(f.__globals__))
        if known is None:
            known = self._kept[id(f.__globals__)] = f.__globals__, Globals(self, f.__globals__)
        for name in of_class_bodies(f.__code__):
            if name in f.__globals__:
                dict.__setitem__(known[1], name, known[1][name])
        return known[1]

    def _partial(self, x: functools.partial) -> Any:
        keywords = {name: self.of(value) for name, value in x.keywords.items()}
        return self._keep(x, functools.partial(self.of(x.func), *map(self.of, x.args), **keywords))

    def _method(self, x: types.MethodType) -> Any:
        return self._keep(x, types.MethodType(self.of(x.__func__), self.of(x.__self__)))

    # ---- classes and objects

    def _class(self, cls: type) -> Any:
        """A subclass with copied methods.

        Its bases are the copies of the bases, so `super()` goes from copy to copy.
        """
        bases = (*dict.fromkeys(b for b in map(self.of, cls.__bases__) if b not in cls.__bases__), cls)
        names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
        # the metaclass has done its work for the original
        made = abc.ABCMeta if isinstance(cls, abc.ABCMeta) else type
        try:
            copy: Any = made.__new__(type(cls), cls.__name__, (*_quiet(cls), *bases), names)
        except TypeError:  # the class cannot have subclasses
            return cls
        self._keep(cls, copy)
        for name, x in vars(cls).items():
            if name in _OF_CLASSES or isinstance(x, types.MemberDescriptorType | types.GetSetDescriptorType):
                continue
            if hasattr(
                getattr(type(cls), name, None), "__set__"
            ):  # attributes of the class, not of its objects
                continue
            type.__setattr__(copy, name, self._attribute(x))
            if isinstance(x, functools.cached_property):
                vars(copy)[name].__set_name__(copy, name)
        parts = (x for x in vars(cls).values() if not isinstance(x, types.FunctionType))
        self._of_this_run(cls, (*cls.__bases__, *parts))
        if hasattr(cls, "__abstractmethods__"):
            copy.__abstractmethods__ = cls.__abstractmethods__  # type: ignore[attr-defined]
        return copy

    def _attribute(self, x: Any) -> Any:
        if isinstance(x, types.FunctionType):
            return self.of(getattr(x, "patched", x))  # the method itself, under `hostwrap.patch`
        if isinstance(x, staticmethod | classmethod):
            return type(x)(self.of(x.__func__))
        if isinstance(x, property):
            get, write, delete = (f and self.of(f) for f in (x.fget, x.fset, x.fdel))
            return property(get, write, delete, x.__doc__)
        if isinstance(x, functools.cached_property):
            return functools.cached_property(self.of(x.func))
        return self.of(x)

    def _object(self, x: Any) -> Any:
        """A copy of an object: the same state, in an object of the copied class. Changes do not reach the original."""
        cls = self.of(type(x))
        if cls is type(x):
            return x
        try:
            copy = tuple.__new__(cls, map(self.of, x)) if isinstance(x, tuple) else object.__new__(cls)
        except TypeError:  # a subclass of a class in C
            return x
        state = state_of(x)
        methods = {n for n, f in vars(type(x)).items() if hasattr(type(f), "__get__")}
        if not state and type(x).__bases__ == (object,) and not methods - _OF_MARKS:
            return x  # a sentinel, such as numpy._NoValue: code compares it by identity
        (self._of_run if state or self._of_run.get(id(type(x))) else self._kept)[id(x)] = x, copy
        self._original[id(copy)] = copy, x
        for name, value in state.items():
            object.__setattr__(copy, name, self.of(value))
        return copy

    def _collection(self, x: Any) -> Any:
        if len(x) > 1000:
            return x
        if isinstance(x, dict):
            copy = self._keep(x, {})  # before what it holds, which may be itself
            copy.update({key: self.of(value) for key, value in x.items()})
            return copy
        if isinstance(x, list):
            copy = self._keep(x, [])
            copy.extend(map(self.of, x))
            return copy
        values = tuple(map(self.of, x))
        return x if all(a is b for a, b in zip(values, x, strict=True)) else self._keep(x, values)

    # ---- replacements of builtins

    def isinstance(self, x: Any, classes: Any) -> bool:
        """`isinstance`. A copy of a class counts as the class, a stand-in as an object of what it stands for."""
        classes = self._originals(classes)
        known = getattr(type(x), "stands_for", None)
        return isinstance(x, classes) or (known is not None and issubclass(x.stands_for, classes))

    def issubclass(self, cls: Any, classes: Any) -> bool:
        return issubclass(self.original(cls), self._originals(classes))

    def super(self, *given: Any) -> Any:
        """`super`: the next class with the attribute, without the originals of copies, which come by their copies."""
        frame = sys._getframe(1)
        cls, x = given or (frame.f_locals[n] for n in ("__class__", frame.f_code.co_varnames[0]))
        order = (x if isinstance(x, type) else type(x)).__mro__
        copied = {id(self.original(c)) for c in order if self.original(c) is not c}
        after = order.index(cls) if cls in order else -1
        return super(cls, x) if after < 0 else Super(x, order[after:], copied)

    def _originals(self, classes: Any) -> Any:
        if isinstance(classes, types.UnionType):
            classes = classes.__args__
        if isinstance(classes, tuple):
            return tuple(map(self._originals, classes))
        return self.original(classes)

    def imported(self, *args: Any, **kwargs: Any) -> Any:
        """The replacement of `__import__`."""
        return self.of(__import__(*args, **kwargs))


def _quiet(cls: type) -> tuple[type, ...]:
    """The first base of a copied class: it keeps `__init_subclass__` of the bases from running again."""
    if not any("__init_subclass__" in vars(c) for c in cls.__mro__[:-1]):
        return ()
    return (type("Quiet", (), {"__slots__": (), "__init_subclass__": lambda cls, **_: None}),)


class Proxy(types.ModuleType):
    """A module whose attributes are replaced."""

    def __init__(self, world: World, module: types.ModuleType) -> None:
        super().__init__(module.__name__, module.__doc__)
        vars(self)["_of"] = world.of, module

    def __getattr__(self, name: str) -> Any:
        of, module = vars(self)["_of"]
        return of(getattr(module, name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise Untraceable(f"the code changes {self.__name__}.{name}", "Leave modules as they are")

    def __dir__(self) -> Iterable[str]:
        return dir(vars(self)["_of"][1])


_COPIED: dict[type, Callable[[World, Any], Any]] = {
    types.FunctionType: World._function,
    types.MethodType: World._method,
    functools.partial: World._partial,
    **dict.fromkeys((list, tuple, dict), World._collection),
    **dict.fromkeys((type(...), slice), lambda _, x: x),
}
_ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None)))
_OF_CLASSES = {
    "__dict__", "__weakref__", "__module__", "__qualname__", "__doc__", "__slots__", "__abstractmethods__", "_abc_impl",
    "__del__", "__firstlineno__", "__static_attributes__", "__annotations__", "__annotate__", "__annotate_func__",
    "__annotations_cache__", "__type_params__", "__orig_bases__", "__parameters__",
}  # fmt: skip


_OF_MARKS = _OF_CLASSES | {
    "__new__", "__init__", "__repr__", "__str__", "__reduce__", "__copy__", "__deepcopy__", "__bool__",
}  # fmt: skip


def _is_of_a_module(x: Any) -> bool:
    """Whether it is a stateless object that lives as long as its module."""
    if isinstance(x, types.ModuleType):
        return True
    name = getattr(x, "__qualname__", None) if callable(x) else None
    if not isinstance(name, str) or "<" in name or (isinstance(x, types.FunctionType) and x.__closure__):
        return False
    return getattr(x, "__self__", None) in (None, builtins)
