"""What JAX's arrays, NumPy's and Python's own functions of numbers do while `patch` is in force."""

from __future__ import annotations

import cmath
import contextvars
import functools
import importlib
import math
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import MissingDerivative
from hostwrap._tracing.numpys import holds_jax, on_jax
from hostwrap._tracing.standin import Stand, box, is_called_by_name

depth: contextvars.ContextVar[int] = contextvars.ContextVar("hostwrap.patch", default=0)
everywhere: list[Any] = []
# NumPy asks no argument of these whether it has a function of its own.
MAKERS = (
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite", "require", "full",
    "full_like", "arange",
)  # fmt: skip
OF_INTEGERS = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "prod"}
ASKS_FOR_NUMBERS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
)
ADVICE = (
    "Under hostwrap.patch code may neither look at the numbers of an array that JAX traces nor write into it. "
    "hostwrap.wrap differentiates code that does: decorate your function with @hostwrap.wrap, or with "
    '@hostwrap.wrap("(n)->()") if it makes a number of n numbers, and call it without the patch.'
)


def in_force() -> bool:
    return bool(depth.get() or everywhere)


def by_twin(function: Any, args: tuple, kwargs: dict) -> Any:
    """What the function is of JAX arrays; an error says how to go on."""
    try:
        return on_jax(function, args, kwargs, _read_only)
    except MissingDerivative as refusal:
        name = getattr(function, "__name__", str(function))
        raise MissingDerivative(
            f"{name}, given a JAX array under hostwrap.patch: {refusal}. If its arguments are right, call it in a "
            f"function of yours that hostwrap.wrap decorates."
        ) from None


def _read_only(x: Any) -> Any:
    """Stand-ins that refuse to be written to: what is written to them, as by `out=`, the caller's arrays do not get."""
    found = box(x)
    for stand in jax.tree.leaves(found):
        if isinstance(stand, Stand):
            stand.frozen = True
    return found


def in_place() -> Iterator[tuple[Any, str, Any]]:
    """What to put where: the owner, the name, and the new value."""
    # its tables name the functions of NumPy and SciPy themselves
    importlib.import_module("hostwrap._tracing.tape")
    with jax.ensure_compile_time_eval():  # an array starts JAX's devices, which an import must not
        arrays: tuple[Any, ...] = (jax.core.Tracer, type(jnp.zeros(())))
    for array in arrays:
        yield array, "__array_ufunc__", _array_ufunc
        yield array, "__array_function__", _array_function
        yield array, "__setitem__", _advised(array.__setitem__)
        yield array, "sort", _sorts(getattr(array, "sort", None))
    yield jax.core.Tracer, "__array__", _asked_by_name(jax.core.Tracer.__array__)
    for error in ASKS_FOR_NUMBERS:
        yield error, "__init__", _with_advice(error.__init__)
    called = _if_traced(np.vectorize.__call__, lambda f, *args, **kwargs: by_twin(f, args, kwargs))
    yield np.vectorize, "__call__", called
    joined: Any = type(np.r_).__mro__[1]  # np.c_ has it, too
    parts = _if_traced(joined.__getitem__, lambda f, key: by_twin(f.__getitem__, (key,), {}))
    yield joined, "__getitem__", parts
    yield np, "isscalar", _if_traced(np.isscalar, jnp.isscalar)
    for name in MAKERS:
        yield np, name, _else_by_twin(getattr(np, name))
    for module in (math, cmath):
        for name, function in vars(module).items():
            if isinstance(function, types.BuiltinFunctionType) and name not in OF_INTEGERS:
                yield module, name, _else_by_twin(function)


# ---- functions that JAX's arrays refuse, because they look at numbers


@functools.cache
def _else_by_twin(function: Callable) -> Callable:
    """The function, by its twin if an argument is traced. Only JAX's refusal tells: lists may be long."""

    @functools.wraps(function)
    def patched(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (*ASKS_FOR_NUMBERS, MissingDerivative):
            if not in_force() or _called_by_jax():
                raise
        return by_twin(function, args, kwargs)

    patched.patched = function  # type: ignore[attr-defined]
    return patched


def _if_traced(function: Callable, twin: Callable) -> Callable:
    """The function, by its twin if an argument is traced."""

    @functools.wraps(function)
    def patched(*args: Any, **kwargs: Any) -> Any:
        traced = in_force() and holds_jax((args, kwargs), jax.core.Tracer) and not _called_by_jax()
        return (twin if traced else function)(*args, **kwargs)

    patched.patched = function  # type: ignore[attr-defined]
    return patched


# ---- advice where there is no twin


def _advise(error: BaseException) -> None:
    if in_force() and ADVICE not in getattr(error, "__notes__", ()):
        error.add_note(ADVICE)


@functools.cache
def _with_advice(init: Callable) -> Callable:
    """How JAX makes an error, which gets a note."""

    @functools.wraps(init)
    def patched(self: BaseException, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        _advise(self)

    return patched


@functools.cache
def _advised(method: Callable) -> Callable:
    """A method of JAX's arrays, whose errors get a note."""

    @functools.wraps(method)
    def patched(self: Any, *args: Any) -> Any:
        try:
            return method(self, *args)
        except TypeError as error:
            _advise(error)
            raise

    return patched


@functools.cache
def _asked_by_name(method: Callable) -> Callable:
    """`x.__array__()` of a traced array, which code calls that also takes data frames: the array itself."""

    @functools.wraps(method)
    def patched(self: Any, *args: Any, **kwargs: Any) -> Any:
        if in_force() and is_called_by_name("__array__") and not (args or kwargs or _called_by_jax()):
            return self
        return method(self, *args, **kwargs)

    return patched


@functools.cache
def _sorts(method: Callable | None) -> Callable:
    """The method of JAX's arrays, which returns a sorted copy, where NumPy's sorts the array itself."""

    def sort(self: Any, *args: Any, **kwargs: Any) -> Any:
        if in_force() and not _called_by_jax():
            raise MissingDerivative(
                f"sort: under hostwrap.patch x.sort() cannot sort an array of JAX (shape {self.shape}) in place. "
                "Write x = np.sort(x)."
            )
        return method(self, *args, **kwargs) if method else self.__getattr__("sort")(*args, **kwargs)

    return sort


# ---- NumPy asks the arrays themselves


def _array_ufunc(self: Any, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    operator = isinstance(args[0], np.ndarray) and len(args) == 2 and not kwargs  # ndarray + jax.Array
    if (in_force() and not _called_by_jax()) or (operator and ufunc in OPERATORS):
        return by_twin(function, args, kwargs)
    return function(*map(_numbers, args), **{key: _numbers(value) for key, value in kwargs.items()})


OPERATORS = {
    np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.divmod, np.power, np.matmul,
    np.left_shift, np.right_shift, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.less, np.less_equal, np.equal,
    np.not_equal, np.greater, np.greater_equal,
}  # fmt: skip


def _numbers(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, jax.Array) else x


def _called_by_jax() -> bool:
    """Whether JAX's own code is the caller, for which nothing may change: two frames up, because NumPy's are in C."""
    return sys._getframe(2).f_globals.get("__name__", "").split(".")[0] == "jax"


def _array_function(self: Any, function: Any, kinds: Any, args: tuple, kwargs: dict) -> Any:
    """Functions of NumPy: by their twins if a number is traced; else as before, on concrete numbers."""
    if in_force() and not _called_by_jax() and holds_jax((args, kwargs), jax.core.Tracer):
        return by_twin(function, args, kwargs)
    return function._implementation(*args, **kwargs)
