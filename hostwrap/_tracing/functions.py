"""Replacements of Python's own functions of numbers; `replaced` finds the replacement of any object in traced code."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import math
import operator
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._copies.handlers import OF_OTHER_THINGS
from hostwrap._copies.retarget import retargeted
from hostwrap._tracing import calls
from hostwrap._tracing.arrays import array, given, refuse
from hostwrap._tracing.calls import FUNCTIONS, IN_PYTHON, call, refuse_caught
from hostwrap._tracing.compiled import AROUND, KINDS, in_numpy
from hostwrap._tracing.compiled.python import of_normal
from hostwrap._tracing.compiled.table import asserts
from hostwrap._tracing.iteration import ByElements, FromPython
from hostwrap._tracing.matrices import stand_in
from hostwrap._tracing.originals import original
from hostwrap._tracing.standin import CALL, Stand, box, stacked
from hostwrap._tracing.traces import current
from hostwrap._tracing.twins import MATH, OUTSIDE, RANDOM
from hostwrap._tracing.two_axes import Matrix, as_matrix
from hostwrap._tracing.values import LOOKED, Twin, has_traced, hashable, raw
from hostwrap._tracing.vectorized import Vectorized
from hostwrap._tracing.views import windows as windows  # this import registers its replacements

# ---- numbers


def _number(kind: type) -> Callable:
    def cast(x: Any = 0, *more: Any) -> Any:
        x = stacked(x)
        if not isinstance(x, Stand):
            return kind(x, *more)
        x = x + 1j * more[0] if more else x
        if kind in (bool, np.bool_):
            return kind(bool(x))
        if x.size != 1 and kind in (int, float, complex):
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        shape = () if kind in (int, float, complex) else x.shape
        return Stand(x.astype(kind).reshape(shape).value, scalar=not shape)

    return cast


_kinds: set[Any] = {int, float, complex}
_kinds |= {np.dtype(code).type for code in np.typecodes["AllFloat"] + np.typecodes["AllInteger"]}
for _kind in _kinds:
    given(_kind)(_number(_kind))


def _extreme(python: Callable, better: Callable) -> Callable:
    def extreme(*args: Any, **kwargs: Any) -> Any:
        if "key" in kwargs:
            return python(*args, **kwargs)
        values = list(args[0]) if len(args) == 1 else list(args)
        best = values[0]
        for x in values[1:]:
            best = np.where(better(x, best), x, best)[()]
        return best

    return extreme


given(min)(_extreme(min, operator.lt))
given(max)(_extreme(max, operator.gt))
given(math.fsum)(lambda numbers: sum(numbers, 0.0))
given(divmod)(lambda a, b: (a // b, a % b))
given(print, always=True)(lambda *_, **__: None)


@given(np.errstate, always=True)
def _errstate(**how: Any) -> Any:
    if {"raise", "call"} & {*how.values()}:
        refuse("floating-point errors raise exceptions: whether there is one depends on numbers", LOOKED)
    return np.errstate(**how)


@given(warnings.simplefilter, warnings.filterwarnings, always=True)
def _filter(action: str, *args: Any, **kwargs: Any) -> None:
    if action == "error":
        refuse("warnings raise exceptions: whether there is one depends on numbers", LOOKED)


@given(contextlib.suppress, always=True)
def _suppress(*kinds: Any) -> Any:
    if not {kind.__name__ for kind in kinds} <= OF_OTHER_THINGS:
        refuse("exceptions are suppressed: whether there is one depends on numbers", LOOKED)
    return contextlib.suppress(*kinds)


@given(threading.Thread, always=True)
def _thread(*_: Any, **__: Any) -> Any:
    """Refuse threads: an error in one is not seen, and code that waits for its result waits for ever."""
    refuse("another thread does not see what is traced", "Call the function itself")


for _outside in (open, input):
    given(_outside, always=True)(lambda *_, **__: refuse(*OUTSIDE))


@given(np.asmatrix, np.matrix, always=True)
def _matrix(data: Any, dtype: Any = None, copy: bool = True) -> Any:
    """A sparse matrix, also a constant one: SciPy multiplies it by traced arrays."""
    data = data if isinstance(data, Stand | Matrix) else array(data)
    return as_matrix(data if dtype is None else data.astype(raw(dtype)))


@given(np.vectorize, always=True)
def _vectorize(function: Any = None, *args: Any, **kwargs: Any) -> Callable:
    if function is None or function is np._NoValue:  # used as a decorator with options
        return lambda f: _vectorize(f, *args, **kwargs)
    return _by_elements(np.vectorize(function, *args, **kwargs), Vectorized(function, *args, **kwargs))


def _by_elements(x: np.vectorize, vectorized: Vectorized) -> Callable:
    """A function that NumPy calls for each element: JAX maps it with vmap."""

    def act(original: Any, args: tuple, kwargs: dict) -> Any:
        arrays, function = vectorized.split(args, kwargs)

        def of_elements(*xs: Any) -> Any:
            result = function(*(Stand(x, scalar=not x.ndim) for x in xs))
            value = lambda y: raw(stacked(y))
            return tuple(map(value, result)) if isinstance(result, tuple) else value(result)

        arrays = [jnp.asarray(raw(stacked(a))) for a in arrays]
        return box(jnp.vectorize(of_elements, signature=vectorized.signature)(*arrays))

    return Twin(x, act)


@given(np.frompyfunc, always=True)
def _frompyfunc(function: Callable, nin: int, nout: int, **_: Any) -> FromPython:
    return FromPython(function, _vectorize(function), nin, nout)


@given(np.nditer, always=True)
def _nditer(op: Any, *args: Any, **kwargs: Any) -> Any:
    given = op if isinstance(op, list | tuple) else [op]
    if not any(isinstance(x, Stand) for x in given):
        return np.nditer(raw(op), *args, **kwargs)
    given = [x if x is None else array(x) for x in given]
    return ByElements(lambda *x: Stand(np.zeros(*x)), given, *args, **kwargs)


@given(np.fromiter, always=True)
def _fromiter(numbers: Any, dtype: Any, count: int = -1, **_: Any) -> Any:
    numbers = list(itertools.islice(numbers, count if count >= 0 else None))
    return array(numbers, dtype) if has_traced(numbers) else Stand(np.fromiter(raw(numbers), raw(dtype)))


@given(np.ndenumerate)
def _ndenumerate(x: Any) -> Any:
    return ((i, x[i]) for i in np.ndindex(x.shape))


_WITHOUT_ERRORS = {
    "atan", "atan2", "fabs", "copysign", "degrees", "radians", "erf", "erfc", "tanh", "asinh", "cbrt", "sin", "cos",
    "tan", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite",
}  # fmt: skip


def _from_math(name: str) -> Callable:
    home, _, known = MATH[name].rpartition(".")

    def function(*args: Any) -> Any:
        if name not in _WITHOUT_ERRORS:
            refuse_caught(f"math.{name}")
        return call(getattr(importlib.import_module("scipy.special" if home else "numpy"), known), args, {})

    return function


for _name in MATH:
    if hasattr(math, _name):
        given(getattr(math, _name))(_from_math(_name))


@given(math.log)
def _log(x: Any, *base: Any) -> Any:
    logarithm = _from_math("log")
    return logarithm(x) / logarithm(*base) if base else logarithm(x)


# ---- find the replacement of an object

PASSED = {
    "builtins", "operator", "_operator", "functools", "_functools", "itertools", "collections", "_collections", "copy",
}  # fmt: skip
CLOCKS = {"time", "random", "_random", "secrets", "os", "posix", "io", "_io", "socket", "datetime"}
COMPILED = KINDS | {"_ArrayFunctionDispatcher", "_Function", "MultiUFunc"}


OF_POINTS = {  # modules with classes whose methods are compiled
    "scipy.spatial._qhull",
    "scipy.spatial._kdtree",
    "scipy.spatial._ckdtree",
    "scipy.interpolate._interpnd",
    "scipy.interpolate._ndgriddata",
}


def _drawn(x: Any, args: tuple, kwargs: dict) -> Any:
    """A random number. Of NumPy's own generator it is a constant, once the code itself has seeded that."""
    if x.__self__ is np.random.mtrand._rand and current().seeded and not has_traced([args, kwargs]):
        return calls.by_numpy(x, args, kwargs)
    refuse(*RANDOM)


@given(np.random.seed, always=True)
def _seed(seed: Any = None) -> None:
    if seed is None or has_traced(seed):
        refuse(*RANDOM)
    np.random.seed(raw(seed))  # noqa: NPY002  # of the code that is traced
    current().seeded = True


def replaced(x: Any) -> Any:
    """The replacement of an object in traced code; the object itself if it is copied or stays as it is."""
    if (under := original(x)) is not x:
        return follow(under) if (found := replaced(under)) is under else found
    if isinstance(x, np.ndarray):
        return Stand(x, frozen=True) if x.dtype.kind in "biufc" else x
    if isinstance(x, np.random.Generator | np.random.RandomState):
        return _Refused(*RANDOM)
    if (like := stand_in(x) or of_normal(x)) is not None:
        return like
    if isinstance(x, np.generic | np.dtype | types.ModuleType) or not callable(x):
        return x
    if (like := in_numpy(x)) is not None:
        FUNCTIONS.setdefault(x, like)
    if hashable(x) and x in FUNCTIONS:
        return Twin(x, call)
    if type(x) is np.vectorize:
        return _by_elements(x, Vectorized.of(x, retargeted(x.pyfunc, replaced)))
    module = str(getattr(x, "__module__", None) or type(getattr(x, "__self__", None)).__module__)
    if isinstance(getattr(x, "__self__", None), np.random.RandomState | np.random.Generator):
        return Twin(x, _drawn)
    if isinstance(x, np.ufunc):
        return Twin(x, call)
    first = module.split(".")[0]
    if isinstance(x, type):
        compiled = first in ("numpy", "scipy") and (not x.__flags__ & 1 << 9 or module in OF_POINTS)
        return Twin(x, call) if compiled or x is np.errstate else x
    if first in ("jax", "jaxlib") or (first == "hostwrap" or type(x).__module__.startswith("hostwrap.")):
        return x if isinstance(x, Twin) else Twin(x, with_jax)
    if of_masked_arrays(x):
        return Twin(x, _masked)
    if asserts(x):
        return Twin(x, _asserted)
    if isinstance(x, types.FunctionType) and (known := IN_PYTHON.get(module)):
        return known.get(x.__qualname__) or known.get(x.__name__, x)
    if isinstance(x, types.FunctionType | types.MethodType):
        return x if calls.twin_of(x) is None or not calls.python_code(x) else Twin(x, call)
    if module in PASSED or isinstance(x, types.MethodWrapperType | types.WrapperDescriptorType):
        return x
    if first in CLOCKS:
        return Twin(x, lambda *_: refuse(*(RANDOM if "random" in module else OUTSIDE)))
    if isinstance(x, types.BuiltinFunctionType | types.BuiltinMethodType) or not hasattr(type(x), "__dict__"):
        return Twin(x, call)
    if hasattr(x, "_implementation") or type(x).__name__ in COMPILED:
        return Twin(x, call)
    return x


def with_jax(function: Any, args: tuple, kwargs: dict) -> Any:
    current().note(function, "itself")
    given = {k: calls.for_twin(v) for k, v in kwargs.items()}
    return box(function(*map(calls.for_twin, map(stacked, args)), **given))


def _asserted(function: Any, args: tuple, kwargs: dict) -> None:
    if not (has_traced(args) or has_traced(kwargs)):
        function(*map(raw, args), **{k: raw(v) for k, v in kwargs.items()})


def of_masked_arrays(x: Any) -> bool:
    """Whether it is a function for masked arrays. Functions that only ask for a mask find none in a traced array."""
    asks = getattr(x, "__name__", "") in ("isMaskedArray", "is_masked", "getmask")
    return (
        str(getattr(x, "__module__", "")).startswith("numpy.ma.")
        and callable(x)
        and not (asks or isinstance(x, type))
    )


def _masked(function: Any, args: tuple, kwargs: dict) -> Any:
    if has_traced(args) or has_traced(kwargs):
        refuse("masked arrays are not followed", "Use np.where, or x[mask] with a mask of truth values")
    return function(*map(raw, args), **{k: raw(v) for k, v in kwargs.items()})


class _Refused:
    def __init__(self, *why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("_bit_generator", "_seed_seq"):  # SciPy asks whether there was a seed
            return self
        return refuse(*self._why)


def follow(f: Callable, own: bool = False) -> Callable:
    """A copy of the function for stand-ins; with `own`, of its own code even if it has another replacement."""
    return retargeted(f, replaced, own)


IN_PYTHON.update(AROUND)
CALL.append(call)
calls.FOLLOW.append(follow)
