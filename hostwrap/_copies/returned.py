"""The result of a run: objects of copied classes become objects of the original classes, which JAX knows as pytrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from hostwrap._copies.results import as_tree


def returned(x: Any, original: Callable[[Any], Any]) -> Any:
    """The result `x` of a run, with original classes; `original(class)` gives the original of a copied class."""
    return _Returned(original).of(x)


class _Returned:
    def __init__(self, original: Callable[[Any], Any]) -> None:
        self.original = original
        self.made: dict[int, Any] = {}  # an object may occur twice in the result, or contain itself

    def of(self, x: Any) -> Any:
        if id(x) in self.made:
            return self.made[id(x)]
        if type(x) is dict:
            self._fill(x, x.items(), x.__setitem__)
        elif type(x) is list:
            self._fill(x, enumerate(x), x.__setitem__)
        elif isinstance(x, tuple):
            parts, cls = list(map(self.of, x)), self.original(type(x))
            if cls is not type(x) or any(a is not b for a, b in zip(parts, x, strict=True)):
                made = tuple.__new__(cls, parts)
                if hasattr(made, "__dict__"):  # SciPy's results have more attributes than items
                    vars(made).update({name: self.of(value) for name, value in vars(x).items()})
                return as_tree(made)
        elif (cls := self.original(type(x))) is not type(x):
            return self._object(x, cls)
        return x

    def _fill(self, x: Any, parts: Any, write: Callable[[Any, Any], Any]) -> None:
        self.made[id(x)] = x
        for place, part in list(parts):
            if (new := self.of(part)) is not part:
                write(place, new)

    def _object(self, x: Any, cls: type) -> Any:
        """Convert an object only if JAX treats it as a pytree: only then the exact class matters."""
        try:
            made: Any = object.__new__(cls)
        except TypeError:  # a subclass of a class in C
            return x
        self.made[id(x)] = made
        for name, value in state_of(x).items():
            object.__setattr__(made, name, self.of(value))
        if jax.tree_util.all_leaves([as_tree(made)]):
            self.made[id(x)] = x
            return x
        return made


def state_of(x: Any) -> dict[str, Any]:
    """The attributes of the object itself, from its `__dict__` and its slots."""
    names = {s for c in type(x).__mro__ for s in _names(vars(c).get("__slots__", ()))}
    slots = {n: getattr(x, n) for n in names - {"__dict__", "__weakref__"} if hasattr(x, n)}
    return slots | getattr(x, "__dict__", {})


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
