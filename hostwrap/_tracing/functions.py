"""What stands in place of Python's and NumPy's own functions that make, convert, fill and look at arrays."""

from __future__ import annotations

import importlib
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._tracing import calls
from hostwrap._tracing.calls import ALWAYS, FUNCTIONS, IN_PYTHON, call
from hostwrap._tracing.compiled import KINDS, in_numpy
from hostwrap._tracing.originals import original
from hostwrap._tracing.retarget import Untraceable, retargeted
from hostwrap._tracing.standin import Stand, _call, box, stacked
from hostwrap._tracing.traces import current
from hostwrap._tracing.twins import MATH, OUTSIDE, RANDOM
from hostwrap._tracing.values import LOOKED, Twin, has_traced, hashable, raw
from hostwrap._tracing.vectorized import Vectorized


def given(*originals: Any, always: bool = False) -> Callable:
    """Says what stands in place of these; with `always` also where nothing is traced."""

    def noted(function: Callable) -> Callable:
        FUNCTIONS.update(dict.fromkeys(originals, function))
        if always:
            ALWAYS.add(function)
        return function

    return noted


# ---- arrays are made


@given(np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite, np.require)
def array(x: Any, dtype: Any = None, *_: Any, ndmin: int = 0, copy: Any = None, **__: Any) -> Stand:
    x = stacked(x)
    if not isinstance(x, Stand):
        return Stand(np.asarray(raw(x), dtype))
    dtype = raw(dtype)
    if dtype is not None and np.dtype(dtype) not in (x.dtype, np.dtype(object)):
        x = x.astype(dtype)
    if ndmin > x.ndim:
        x = x.reshape((1,) * (ndmin - x.ndim) + x.shape)
    return Stand(x.value) if x.scalar else x


@given(np.array, np.copy)
def _copied(x: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, **_: Any) -> Stand:
    made = array(x, dtype, ndmin=ndmin)
    return made.copy() if made is x and copy in (True, np._CopyMode.ALWAYS) else made


@given(np.empty, always=True)
def _empty(*args: Any, **kwargs: Any) -> Any:
    return call(np.zeros, args, kwargs)


def _made_like(value: int) -> Callable:
    def like(
        x: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
    ) -> Stand:
        x = x if isinstance(x, Stand) else array(x)
        made = raw(dtype) or x.dtype
        return Stand(np.full(x.shape if shape is None else raw(shape), value, made), mask=x.mask)

    return like


given(np.empty_like, np.zeros_like, always=True)(_made_like(0))
given(np.ones_like, always=True)(_made_like(1))


@given(np.full_like)
def _full_like(x: Any, fill_value: Any, dtype: Any = None, *_: Any, shape: Any = None, **__: Any) -> Stand:
    x = array(x)
    made = Stand(np.zeros(x.shape if shape is None else raw(shape), raw(dtype) or x.dtype))
    made[...] = fill_value
    return made


@given(np.full)
def _full(shape: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Stand:
    fill_value = array(fill_value)
    made = Stand(np.zeros(raw(shape), raw(dtype) or fill_value.dtype))
    made[...] = fill_value
    return made


class Converter:
    """In place of the helper of NumPy's own Python code that makes arrays of its arguments."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = tuple(map(array, arrays))

    def __getitem__(self, i: int) -> Stand:
        return self.arrays[i]

    def as_arrays(self, **_: Any) -> tuple:
        return self.arrays

    def wrap(self, x: Any, **_: Any) -> Any:
        return x

    def result_type(self, *more: Any, **_: Any) -> Any:
        return np.result_type(*(x.dtype for x in self.arrays), *map(raw, more))


_umath = getattr(getattr(np, "_core", None), "_multiarray_umath", None)
if (_converter := getattr(_umath, "_array_converter", None)) is not None:
    given(_converter, always=True)(Converter)


# ---- arrays are asked


@given(np.size)
def _size(x: Any, axis: Any = None) -> int:
    x = array(x)
    if x.mask is not None:
        raise Untraceable("the length of a selection x[mask] depends on numbers", LOOKED)
    return x.size if axis is None else x.shape[axis]


given(np.shape)(lambda x: array(x).shape)
given(np.ndim)(lambda x: array(x).ndim)
given(len)(lambda x: len(x))
given(np.iscomplexobj)(lambda x: array(x).dtype.kind == "c")
given(np.isrealobj)(lambda x: array(x).dtype.kind != "c")
given(np.isscalar)(lambda x: isinstance(x, Stand) and x.scalar)
given(np.iterable)(lambda x: not isinstance(x, Stand) or x.ndim > 0)
given(np.can_cast)(
    lambda x, to, *a, **k: np.can_cast(x.dtype if isinstance(x, Stand) else raw(x), raw(to), *a, **k)
)
given(np.shares_memory, np.may_share_memory)(lambda a, b, *_: a is b)


@given(np.result_type, np.common_type)
def _result_type(*args: Any) -> Any:
    return np.result_type(*(x.dtype if isinstance(x, Stand) else raw(x) for x in args))


@given(np.where)
def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        raise Untraceable("np.where(condition) asks where numbers are", LOOKED)
    arrays = [stacked(x) for x in (condition, *choices)]
    masks = [x.mask for x in arrays if isinstance(x, Stand) and x.mask is not None]
    values = [x.value if isinstance(x, Stand) else raw(x) for x in arrays]
    result = jnp.where(*(np.asarray(v) if isinstance(v, list) else v for v in values))
    return Stand(result, scalar=False, mask=masks[0] if masks else None)


for _function in (np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.extract, np.compress):
    _words = f"np.{_function.__name__}: a length that depends on numbers"
    given(_function)(lambda *_, _words=_words, **__: _refuse(_words))


def _refuse(reason: str, way_out: str = LOOKED) -> Any:
    raise Untraceable(reason, way_out)


@given(np.extract)
def _extract(condition: Any, x: Any) -> Any:
    mask = _mask(condition)
    return Stand(jnp.broadcast_to(jnp.asarray(raw(stacked(x))), mask.shape))[mask]


def _mask(x: Any) -> Stand:
    """Integers that stand for truth values; of one array always the same."""
    x = array(x)
    if x.dtype == bool:
        return x
    return Stand(current().masks.setdefault(id(x.value), (jnp.asarray(x.value, bool), x.value))[0])


# ---- arrays are written


@given(np.copyto)
def _copyto(dst: Any, src: Any, casting: Any = None, where: Any = True) -> None:
    _refuse_foreign(dst)
    if where is True:
        dst[...] = src
    else:
        dst.set(jnp.where(raw(where), raw(stacked(src)), dst.value))


@given(np.putmask, np.place)
def _putmask(dst: Any, mask: Any, values: Any) -> None:
    _refuse_foreign(dst)
    values = stacked(values)
    if isinstance(values, Stand) and values.mask is not None:
        dst[_mask(mask)] = values
        return
    value = raw(values)
    if np.size(value) != 1 and np.shape(value) != dst.shape:
        raise Untraceable("np.place: the places depend on numbers", LOOKED)
    shape = () if np.size(value) == 1 else dst.shape
    dst.set(jnp.where(raw(_mask(mask)), jnp.reshape(jnp.asarray(value), shape), dst.value))


def _refuse_foreign(dst: Any) -> None:
    if not isinstance(dst, Stand):
        raise Untraceable("an array is written to that the function did not make", "Write to a copy of it")


@given(np.fill_diagonal)
def _fill_diagonal(a: Any, value: Any, wrap: bool = False) -> None:
    _refuse_foreign(a)
    numbers = np.arange(min(a.shape))
    a[(numbers,) * a.ndim] = value


@given(np.put)
def _put(a: Any, index: Any, values: Any, mode: str = "raise") -> None:
    _refuse_foreign(a)
    a.ravel()[np.asarray(raw(index))] = values


@given(np.piecewise)
def _piecewise(x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Stand:
    """All branches are computed, and where a branch does not hold it gets a number from where it does."""
    x = array(x)
    conditions = conditions if isinstance(conditions, list | tuple) else [conditions]
    conditions = [jnp.asarray(raw(stacked(c))) for c in conditions]
    if len(functions) == len(conditions) + 1:
        conditions.append(~jnp.any(jnp.stack(jnp.broadcast_arrays(*conditions)), axis=0))
    result = jnp.zeros(x.shape, x.dtype)
    for condition, function in zip(conditions, functions, strict=True):
        given = x[Stand(condition)] if x.ndim else x
        part = function(given, *args, **kwargs) if callable(function) else function
        part = part.value if isinstance(part, Stand) else part
        result = jnp.where(condition, jnp.asarray(part).astype(result.dtype), result)
    return Stand(result)


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
given(divmod)(lambda a, b: (a // b, a % b))
given(print, always=True)(lambda *_, **__: None)
for _outside in (open, input):
    given(_outside, always=True)(lambda *_, **__: _refuse(*OUTSIDE))


@given(np.vectorize, always=True)
def _vectorize(function: Any = None, *args: Any, **kwargs: Any) -> Callable:
    if function is None or function is np._NoValue:  # of a decorator with options
        return lambda f: _vectorize(f, *args, **kwargs)
    return _by_elements(np.vectorize(function, *args, **kwargs), Vectorized(function, *args, **kwargs))


def _by_elements(x: np.vectorize, vectorized: Vectorized) -> Callable:
    """NumPy calls the function for each element: JAX does, with a batch axis."""

    def act(original: Any, args: tuple, kwargs: dict) -> Any:
        arrays, function = vectorized.split(args, kwargs)

        def of_elements(*xs: Any) -> Any:
            result = function(*(Stand(x, scalar=not x.ndim) for x in xs))
            value = lambda y: raw(stacked(y))
            return tuple(map(value, result)) if isinstance(result, tuple) else value(result)

        arrays = [jnp.asarray(raw(stacked(a))) for a in arrays]
        return box(jnp.vectorize(of_elements, signature=vectorized.signature)(*arrays))

    return Twin(x, act)


@given(np.fromiter, always=True)
def _fromiter(numbers: Any, dtype: Any, count: int = -1, **_: Any) -> Any:
    numbers = [x for _, x in zip(range(count), numbers, strict=False)] if count >= 0 else list(numbers)
    return array(numbers, dtype) if has_traced(numbers) else Stand(np.fromiter(raw(numbers), raw(dtype)))


@given(np.ndenumerate)
def _ndenumerate(x: Any) -> Any:
    return ((i, x[i]) for i in np.ndindex(x.shape))


def _from_math(name: str) -> Callable:
    home, _, known = MATH[name].rpartition(".")

    def function(*args: Any) -> Any:
        return call(getattr(importlib.import_module("scipy.special" if home else "numpy"), known), args, {})

    return function


for _name in MATH:
    if hasattr(math, _name):
        given(getattr(math, _name))(_from_math(_name))


# ---- what is put in place of what

PASSED = {
    "builtins", "operator", "_operator", "functools", "_functools", "itertools", "collections", "_collections", "copy",
}  # fmt: skip
CLOCKS = {"time", "random", "_random", "secrets", "os", "posix", "io", "_io", "socket", "datetime"}
COMPILED = KINDS | {"_ArrayFunctionDispatcher", "_Function"}


def replaced(x: Any) -> Any:
    """What stands in place of an object that the user's code reaches; itself, where it is followed or left alone."""
    if (under := original(x)) is not x:
        return follow(under) if (found := replaced(under)) is under else found
    if isinstance(x, np.ndarray):
        return Stand(x, frozen=True) if x.dtype.kind in "biufc" else x
    if isinstance(x, np.random.Generator | np.random.RandomState):
        return _Refused(*RANDOM)
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
        return Twin(x, lambda *_: _refuse(*RANDOM))
    if isinstance(x, np.ufunc):
        return Twin(x, call)
    first = module.split(".")[0]
    if isinstance(x, type):
        compiled = not x.__flags__ & 1 << 9 and first in ("numpy", "scipy")
        return Twin(x, call) if compiled or x is np.errstate else x
    if first in ("jax", "jaxlib") or (first == "hostwrap" or type(x).__module__.startswith("hostwrap.")):
        return x if isinstance(x, Twin) else Twin(x, with_jax)
    if isinstance(x, types.FunctionType) and (known := IN_PYTHON.get(module)):
        return known.get(x.__qualname__) or known.get(x.__name__, x)
    if isinstance(x, types.FunctionType | types.MethodType):
        return x if calls.twin_of(x) is None or not calls._in_python(x) else Twin(x, call)
    if module in PASSED or isinstance(x, types.MethodWrapperType | types.WrapperDescriptorType):
        return x
    if first in CLOCKS:
        return Twin(x, lambda *_: _refuse(*(RANDOM if "random" in module else OUTSIDE)))
    if isinstance(x, types.BuiltinFunctionType | types.BuiltinMethodType) or not hasattr(type(x), "__dict__"):
        return Twin(x, call)
    if hasattr(x, "_implementation") or type(x).__name__ in COMPILED:
        return Twin(x, call)
    return x


def with_jax(function: Any, args: tuple, kwargs: dict) -> Any:
    current().note(function, "itself")
    given = {k: calls._given(v) for k, v in kwargs.items()}
    return box(function(*map(calls._given, map(stacked, args)), **given))


class _Refused:
    def __init__(self, *why: str) -> None:
        self._why = why

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _refuse(*self._why)


def follow(f: Callable, own: bool = False) -> Callable:
    """The function on stand-ins; with `own` by its own code, whatever else stands in its place."""
    return retargeted(f, replaced, own)


_call.append(call)
calls.FOLLOW.append(follow)
