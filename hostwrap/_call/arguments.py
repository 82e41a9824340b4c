"""The arguments of a call: positional, keyword and static ones."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._call.signature import Signature
from hostwrap._call.ufunc import parameters
from hostwrap._errors import SignatureError
from hostwrap._host.numpy_ops import ufunc_of

OF_METHODS = ("self", "cls")  # names of the first argument of a method


@dataclasses.dataclass(frozen=True)
class Static:
    """A static argument as a cache key: 1, 1.0 and True differ; a `self` without a hash is equal to itself only."""

    name: str
    value: Any = dataclasses.field(compare=False)
    key: Any = None

    def __post_init__(self) -> None:
        itself = self.name in OF_METHODS and type(self.value).__hash__ is None
        object.__setattr__(self, "key", id(self.value) if itself else (self.value, _types(self.value)))


def _types(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_types, value))
    return (type(value), repr(value)) if isinstance(value, float | complex) else type(value)  # -0.0 == 0.0


Statics = tuple[Static, ...]


def as_dict(statics: Statics) -> dict[str, Any]:
    """The statics as keyword arguments."""
    return {s.name: s.value for s in statics}


def as_called(signature: inspect.Signature) -> str:
    """The signature for an error text: names and defaults, without annotations, which are hard to read."""
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


class Parameters:
    """The parameters of a function: `names` of the arrays, and `statics`, the names of the Python values."""

    def __init__(self, function: str, signature: inspect.Signature, statics: Sequence[str] = ()) -> None:
        self.function, self.signature, self.statics = function, signature, tuple(statics)
        known = signature.parameters
        for name in self.statics:
            if name not in known:
                raise SignatureError(f"{function}: static={name!r} is no argument of {function}{signature}.")
        self.names = tuple(name for name in known if name not in self.statics)
        numbers = {name: number for number, name in enumerate(known)}
        self._arrays = [numbers[name] for name in self.names]
        self._statics = [(name, numbers[name]) for name in self.statics]
        self._defaults = tuple(p.default for p in known.values())
        self._required = sum(default is inspect.Parameter.empty for default in self._defaults)
        # if all are positional, `inspect.Signature.bind`, which is slow, is not needed
        self._positional = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in known.values())

    def is_variadic(self, name: str) -> bool:
        return self.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL

    def bound(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple[tuple, Statics]:
        """(arrays in order, statics) of a call."""
        if self._positional and not kwargs and self._required <= len(args) <= len(self._defaults):
            given = (*args, *self._defaults[len(args) :])
        else:
            given = self._by_python(args, kwargs)
        statics = tuple(Static(name, given[i]) for name, i in self._statics)
        _check_hashable(self.function, statics)
        return tuple(given[i] for i in self._arrays), statics

    def _by_python(self, args: tuple, kwargs: Mapping[str, Any]) -> tuple:
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            words = misfit(self.signature, error, args, kwargs)
            raise SignatureError(f"{self.function}{as_called(self.signature)}: {words}.") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def caller(self, function: Callable, statics: Statics) -> Callable[[Sequence[Any]], Any]:
        """The function with fixed statics, which takes a list of arrays."""
        if self._positional and not self._statics:
            return lambda values: function(*values)
        given = as_dict(statics)
        if self._positional:
            template = [given.get(name) for name in self.signature.parameters]

            def call(values: Sequence[Any]) -> Any:
                arguments = template.copy()
                for i, value in zip(self._arrays, values, strict=True):
                    arguments[i] = value
                return function(*arguments)

            return call

        def call_by_python(values: Sequence[Any]) -> Any:
            every = {**given, **dict(zip(self.names, values, strict=True))}
            bound = inspect.BoundArguments(self.signature, {})  # type: ignore[arg-type]
            bound.arguments.update({name: every[name] for name in self.signature.parameters})
            return function(*bound.args, **bound.kwargs)

        return call_by_python


def misfit(signature: inspect.Signature, error: TypeError, args: tuple, kwargs: Mapping[str, Any]) -> str:
    """The text for arguments that do not fit a signature: Python's own, with what Python leaves out."""
    known = signature.parameters
    if "too many positional" in str(error):
        return f"{error}: it takes {len(known)}, got {len(args)}"
    strangers = [f"`{name}`" for name in kwargs if name not in known and repr(name) not in str(error)]
    return f"{error}; it has no argument {', '.join(strangers)}" if strangers else str(error)


def statics_of(
    signature: inspect.Signature, named: Sequence[str], parsed: Signature | None
) -> tuple[str, ...]:
    """The arguments that are no arrays: the `named` ones, the `self` of a method, options by their default.

    If a signature has fewer inputs than there are arguments, the further arguments with a default are no arrays either.
    If it has an input for each argument, all are arrays.
    """
    parameters = list(signature.parameters.values())
    named = (*(p.name for p in parameters[:1] if p.name in OF_METHODS and p.name not in named), *named)
    free = [p for p in parameters if p.name not in named]
    counted = parsed is not None and not any(p.kind is p.VAR_POSITIONAL for p in free)
    inputs = len(parsed.ins) if parsed is not None and counted else None
    if inputs == len(free):
        return named
    arrays = [p for p in free if not _is_option(p.default)]
    if inputs is not None:
        arrays = arrays[:inputs] + [p for p in arrays[inputs:] if p.default is p.empty]
    return (*named, *(p.name for p in free if p not in arrays))


def without_keywords(signature: inspect.Signature) -> inspect.Signature:
    """The signature without `**options`: they are no arrays, and optional."""
    named = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    return signature.replace(parameters=named)


def _is_option(default: Any) -> bool:
    """Whether an argument with this default cannot be an array."""
    if isinstance(default, bool | np.bool_ | str | bytes):
        return True
    if default is None or default is inspect.Parameter.empty or isinstance(default, int | float | complex):
        return False  # None stands for an optional array
    array = hasattr(default, "__array__") or hasattr(default, "dtype")
    return not array and isinstance(default, Hashable) and not is_tree(default)


def _check_hashable(function: str, statics: Statics) -> None:
    is_traced = lambda x: isinstance(x, jax.core.Tracer)
    for s in statics:
        if s.name in OF_METHODS and is_tree(s.value) and any(map(is_traced, jax.tree.leaves(s.value))):
            raise SignatureError(
                f"{function}: the {type(s.value).__name__} that it is a method of holds traced arrays, which NumPy "
                "cannot take. Pass them to the method as arguments of their own."
            )
        try:
            hash(s.key)
        except TypeError:
            if is_traced(s.value):
                raise SignatureError(
                    f"{function}: static argument `{s.name}` is traced, and must be a Python value. Under jax.jit name "
                    "it in static_argnames too; to use vmap or grad over it, make it an array: leave it out of static=."
                ) from None
            raise SignatureError(
                f"{function}: static argument `{s.name}` must be hashable, got {type(s.value).__name__}; pass a tuple "
                "instead of a list or an array. (static= names it, or its default is no number.)"
            ) from None


def signature_of(function: Callable) -> inspect.Signature:
    """The Python signature of the function; for a ufunc, its documented arguments."""
    if ufunc_of(function) is not None:
        return parameters(function)
    if isinstance(function, staticmethod):
        return signature_of(function.__func__)
    if isinstance(function, functools.partial) and ufunc_of(function.func) is not None:
        # the remaining arguments, without options: NumPy does not take all of them together
        left = list(parameters(function.func).parameters.values())[len(function.args) :]
        return inspect.Signature(left)
    try:
        return inspect.signature(function.pyfunc if isinstance(function, np.vectorize) else function)
    except (TypeError, ValueError):
        raise SignatureError(
            f"wrap: {function!r} has no Python signature; wrap a small Python function that calls it."
        ) from None


_LEAF: Any = jax.tree.structure(0)
_NO_TREES = (jax.Array, np.ndarray, np.generic, int, float, complex, str)


def is_tree(value: Any) -> bool:
    """Whether the value is a pytree with leaves of its own (a list, a dict, a sparse array of JAX), and not None."""
    if value is None or isinstance(value, _NO_TREES):
        return False
    return bool(jax.tree.structure(value) != _LEAF)
