"""The content of a stand-in, and the replacement of a function."""

from __future__ import annotations

import collections
import contextlib
import functools
import gc
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._copies.retarget import Untraceable

LOOKED = "Branches and loops may depend on shapes and options, not on numbers: use np.where, or write a rule"


class Types(tuple):
    """`A | B` of twins of types: a tuple, which `isinstance` takes, too."""

    def __or__(self, other: Any) -> Types:
        return Types((*self, other))

    __ror__ = __or__


class Twin:
    """The replacement of a function: it calls `act(original, args, kwargs)`."""

    def __init__(self, original: Any, act: Callable[[Any, tuple, dict], Any]) -> None:
        self.original, self._act = original, act
        self.__name__ = getattr(original, "__name__", type(original).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._act(self.original, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "dtype":  # np.dtype asks a type of NumPy for this
            return np.dtype(self.original)
        found = getattr(self.original, name)
        if isinstance(self.original, np.ufunc) and name in (
            "reduce",
            "accumulate",
            "reduceat",
            "outer",
            "at",
        ):
            return Twin(found, self._act)
        return found

    def __getitem__(self, key: Any) -> Any:
        return self if type(self.original).__name__ == "fused_cython_function" else self.original[key]

    __iter__ = None  # without this Python would iterate by items, and each key has one

    def __or__(self, other: Any) -> Types:
        return Types((self, other))

    __ror__ = __or__

    def __eq__(self, other: Any) -> bool:
        return bool(self.original == (other.original if isinstance(other, Twin) else other))

    def __hash__(self) -> int:
        return hash(self.original)

    def __repr__(self) -> str:
        return repr(self.original)


class Held:
    """The content of a stand-in: a value, and a mask if it is a selection."""

    value: Any
    mask: Any


def calls_back(function: Any) -> bool:
    """Whether it is compiled code that swallows errors of the functions that it calls, or calls them many times."""
    builtin = isinstance(function, types.BuiltinFunctionType)
    return type(function).__name__ == "fortran" or (builtin and function.__module__ in _CARELESS)


_CARELESS = (
    "scipy.optimize._minpack",
    *(f"scipy.integrate.{m}" for m in ("_odepack", "_dop", "_vode", "_lsoda")),
)


def refuse_callbacks(function: Any, given: Any, is_it: Callable[[Any], bool]) -> None:
    if any(callable(x) and reaches(x, is_it) for x in given):
        name = f"{getattr(function, '__module__', 'scipy')}.{function.__name__}"
        raise Untraceable(f"{name} is compiled code and calls a function of what is differentiated", LOOKED)


def is_traced(x: Any) -> bool:
    """Whether it is a JAX array."""
    return isinstance(x, jax.Array)


def has_traced(x: Any) -> bool:
    """Whether it contains a traced value."""
    if isinstance(x, Held):
        return is_traced(x.value)
    if type(x) in (list, tuple) or isinstance(x, tuple):
        return any(map(has_traced, x))
    if type(x) is dict:
        return any(map(has_traced, x.values()))
    return isinstance(x, slice) and any(map(has_traced, (x.start, x.stop, x.step)))


def rebuilt(x: list | tuple, parts: Iterable[Any]) -> Any:
    """A list or a tuple of these parts; a named tuple if x is one, such as the results of `scipy.stats`."""
    if isinstance(x, list):
        return list(parts)
    # some of SciPy's named tuples need more than their parts
    named = hasattr(x, "_fields") and not getattr(x, "_extra_fields", ())
    return type(x)(*parts) if named else tuple(parts)


def reaches(x: Any, has: Callable[[Any], bool], seen: set[int] | None = None) -> bool:
    """Whether `has` holds for something in it, or in what a function closes over."""
    seen = set() if seen is None else seen
    if has(x):
        return True
    if id(x) in seen or isinstance(x, np.ndarray | np.generic | types.ModuleType | Held):
        return False
    seen.add(id(x))
    parts: list[Any] = []
    if isinstance(x, list | tuple | set | frozenset | collections.deque):
        parts += x
    elif isinstance(x, dict):
        parts += x.values()
    elif isinstance(x, type):
        parts += vars(x).values() if "<locals>" in x.__qualname__ else ()  # it may have been made of them
    elif isinstance(x, property):
        parts += [x.fget]
    elif isinstance(x, types.FunctionType):
        for cell in x.__closure__ or ():
            with contextlib.suppress(ValueError):  # of one that is not filled yet
                parts.append(cell.cell_contents)
        parts += [x.__defaults__, x.__kwdefaults__]
    elif isinstance(x, types.MethodType):
        parts += [x.__self__, x.__func__]
    elif isinstance(x, functools.partial):
        parts += [x.func, x.args, x.keywords]
    elif not isinstance(x, types.CodeType):
        parts += [getattr(x, "__dict__", None), getattr(x, "__func__", None), type(x)]
        parts += [getattr(x, name, None) for name in _slots(type(x))]
    return any(reaches(part, has, seen) for part in parts)


def _slots(cls: type) -> tuple[str, ...]:
    """The attributes of its objects in `__slots__`, as SciPy's splines have them."""
    made = [c for c in cls.__mro__ if c.__flags__ & 1 << 9]  # by a class statement
    return tuple(
        n for c in made for n, slot in vars(c).items() if isinstance(slot, types.MemberDescriptorType)
    )


def raw(x: Any) -> Any:
    """Replace stand-ins by NumPy arrays, JAX arrays and the original functions."""
    if isinstance(x, Held):
        refuse_masked(x)
        return x.value
    if isinstance(x, Twin):
        return x.original
    kind = type(x)
    if kind is list or kind is tuple:
        return kind(map(raw, x))
    if kind is dict:
        return {key: raw(value) for key, value in x.items()}
    if kind is slice:
        return slice(*(v if v is None else operator.index(v) for v in (x.start, x.stop, x.step)))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        plain = tuple.__new__(kind, map(raw, x))  # some of SciPy's have more attributes than fields
        if hasattr(x, "__dict__"):
            vars(plain).update(raw(dict(vars(x))))
        return plain
    return x


def refuse_masked(x: Any) -> None:
    if isinstance(x, Held) and x.mask is not None:
        raise Untraceable("the length of a selection x[mask] depends on numbers", LOOKED)


def refuse_longer(operations: int, longest: int | None) -> None:
    if longest is not None and operations > longest:
        raise Untraceable(
            f"a program of more than {longest} operations, which take long to compile (hw.to_jax does so)"
        )


def cast(value: Any, dtype: Any) -> Any:
    dtype, value = jax.dtypes.canonicalize_dtype(dtype), jnp.asarray(value)
    if value.dtype.kind == "c" and np.dtype(dtype).kind not in "cb":
        value = value.real
    return value.astype(dtype)


def hashable(x: Any) -> bool:
    return type(x).__hash__ is not None


# Reductions of a selection: numbers outside of the mask are copies of one inside.
OF_SELECTION: dict[str, Callable] = {
    **dict.fromkeys(("sum", "add"), lambda v, mask: jnp.sum(jnp.where(mask, v, 0))),
    **dict.fromkeys(("prod", "multiply"), lambda v, mask: jnp.prod(jnp.where(mask, v, 1))),
    "mean": lambda v, mask: jnp.sum(jnp.where(mask, v, 0)) / jnp.sum(mask),
    **dict.fromkeys(("max", "amax", "maximum"), lambda v, mask: jnp.max(v)),
    **dict.fromkeys(("min", "amin", "minimum"), lambda v, mask: jnp.min(v)),
    **dict.fromkeys(("any", "logical_or"), lambda v, mask: jnp.any(jnp.logical_and(mask, v))),
    **dict.fromkeys(("all", "logical_and"), lambda v, mask: jnp.all(jnp.logical_or(~mask, v))),
}


def views_of(array: Any, base: str) -> list[Any]:
    """The views of the array that are alive: objects whose `base` it is, or the dicts of their attributes."""
    views = []
    for holder in gc.get_referrers(array):
        held = holder if type(holder) is dict else {base: getattr(holder, base, None)}
        if (type(holder) is dict or type(holder) is type(array)) and held.get(base) is array:
            views.append(holder)
    return views
