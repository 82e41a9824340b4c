"""Replacements of functions in recorded code: those of Python, and those of NumPy without a protocol."""

from __future__ import annotations

import collections
import contextlib
import functools
import importlib
import itertools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._copies.retarget import retargeted
from hostwrap._tracing.compiled import in_numpy, is_compiled
from hostwrap._tracing.compiled.python import of_normal
from hostwrap._tracing.compiled.table import asserts, listed
from hostwrap._tracing.functions import of_masked_arrays
from hostwrap._tracing.iteration import ByElements, FromPython
from hostwrap._tracing.originals import ARRAY, ASARRAY, original
from hostwrap._tracing.tape import (
    arpack,
    boundary,
    decompositions,
    draws,
    factored,
    fourier,
    geometry,
    graphs,
    krylov,
    linalg,
    minima,
    products,
    roots,
    solvers,
    squares,
    statistics,
    sums,
    systems,
    trajectories,
)
from hostwrap._tracing.tape.array import FUNCTIONS, UFUNCS, Array, concrete, elementwise, holds, moves, raw
from hostwrap._tracing.tape.dispatch import OTHERWISE, apply, on_one_tape
from hostwrap._tracing.tape.integers import made
from hostwrap._tracing.tape.log import looked
from hostwrap._tracing.tape.methods import to_number
from hostwrap._tracing.tape.nodes import current_level, is_inexact, keys
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.special import IN_PYTHON, of_special
from hostwrap._tracing.tape.ufuncs import ufunc_of
from hostwrap._tracing.two_axes import as_matrix, holds_matrix, of_function
from hostwrap._tracing.values import calls_back, reaches, refuse_callbacks
from hostwrap._tracing.vectorized import Vectorized

__all__ = [
    "current_level", "decompositions", "fourier", "linalg", "products", "replaced", "statistics", "sums",
]  # fmt: skip


def replaced(x: Any) -> Any:
    """The replacement of an object in recorded code; see `retarget`."""
    x = original(x)
    if type(x) is np.ndarray:  # so that what is made of it records
        return Array(x, None, current_level.get(), foreign=True) if is_inexact(x) else made(x)
    if type(x) is np.ufunc:
        return ufunc_of(x)
    if (like := in_numpy(x)) is not None:
        return _Compiled(x, like)
    if (like := next(filter(None, (find(x) for find in _INSTEAD)), None)) is not None:
        return like
    if calls_back(x) and x not in _REPLACED:
        return _calling_back(x)
    if type(x) is np.vectorize:
        return _by_elements(Vectorized.of(x, _copied(x.pyfunc)))
    if asserts(x):
        return lambda *args, **kwargs: x(*concrete(args), **concrete(kwargs))
    if of_masked_arrays(x):
        return _not_recorded(x, "numpy.ma", "masked arrays are not recorded: use np.where, or x[mask]")
    if isinstance(x, types.FunctionType) and (known := IN_PYTHON.get(x.__module__)):
        return known.get(x.__qualname__) or known.get(x.__name__, x)
    try:
        found = _REPLACED.get(x, x)
    except TypeError:  # not hashable
        return x
    return _Compiled(x, None) if found is x and is_compiled(x) else found


def _copied(x: Any) -> Any:
    return retargeted(x, replaced)


_MODULES = boundary, solvers, systems, minima, squares, roots, draws, factored, trajectories, arpack, krylov
_INSTEAD = geometry.stand_in, *(m.instead for m in _MODULES), lambda x: graphs.instead(x, _copied), of_normal


def _not_recorded(function: Callable, what: str, why: str) -> Callable:
    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if reaches([args, kwargs], holds):
            raise refused(what, why)
        return function(*args, **kwargs)

    return call


class _Compiled:
    """A compiled function of SciPy: on recorded arrays it calls its NumPy version, if there is one."""

    def __init__(self, function: Any, like: Callable | None) -> None:
        self.function, self.like, self.__name__ = function, like, function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = listed(self.function, args)
        if not (holds(args) or holds(kwargs)):
            return self.function(*args, **kwargs)
        if moves([args, kwargs]) or any(getattr(x, "dtype", None) == np.dtype(object) for x in args):
            return self._moving(args, kwargs)
        results, written = self._on_numbers(args, kwargs)
        for x, numbers in written:
            x[...] = numbers
        return tuple(map(_ours, results)) if isinstance(results, tuple) else _ours(results)

    def _moving(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A function that counts or finds indices: its results are integers, which are constant."""
        if self.like is None and is_compiled(self.function):
            with contextlib.suppress(Exception):  # what it raises then, it raises of what moves, too
                results, written = self._on_numbers(args, kwargs)
                if not written and all(map(_is_whole, results if isinstance(results, tuple) else (results,))):
                    keys.get([]).append(self.__name__)
                    return results
        return (self.like or self.function)(*args, **kwargs)

    def _on_numbers(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, list]:
        """The results on concrete numbers, and what it wrote to its arguments. It gets copies of the arrays."""
        arrays = [x for x in (*args, *kwargs.values()) if isinstance(x, Array)]
        copies = {id(x): np.array(concrete(x), order="K") for x in arrays}
        plain = lambda x: copies[id(x)] if id(x) in copies else concrete(x)
        results = self.function(*map(plain, args), **{k: plain(x) for k, x in kwargs.items()})
        changed = [x for x in arrays if not np.array_equal(plain(x), concrete(x), equal_nan=True)]
        return results, [(x, plain(x)) for x in changed]

    def __getitem__(self, types: Any) -> Any:
        """Pick the function of one type, of a function with several types."""
        return _Compiled(self.function[types], self.like)

    __iter__ = None


def _is_whole(x: Any) -> bool:
    return isinstance(x, bool | int) or getattr(getattr(x, "dtype", None), "kind", "") in ("b", "i", "u")


def _ours(x: Any) -> Any:
    """Make writable copies of new arrays."""
    ours = type(x) is np.ndarray and is_inexact(x) and x.flags.writeable
    return Array(x, None, current_level.get()) if ours else x


def _calling_back(function: Callable) -> Callable:
    """Call a function that takes callbacks; refuse it if a callback returns recorded numbers."""

    @functools.wraps(function, ("__name__", "__doc__"), updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        refuse_callbacks(function, (*args, *kwargs.values()), moves)
        return function(*args, **kwargs)

    return call


def as_array(x: Any) -> Any:
    """The array, which may record, in what NumPy asks for one, such as numpy.poly1d or a Series of pandas."""
    if type(x) is collections.deque:
        return list(x)
    known = isinstance(x, np.ndarray | np.generic | Array | type) or not hasattr(type(x), "__array__")
    return x if known else x.__array__()


def _dispatched(function: Callable) -> Callable:
    """Dispatch a NumPy function also where NumPy does not call the protocol."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if holds_matrix(args):
            return of_function(function, args, kwargs)
        args = tuple(map(as_array, args))
        if holds(args) or holds(kwargs):
            return apply(function, args, kwargs)
        return made(function(*args, **kwargs))

    return call


def _scalar(ufunc: Any, function: Callable) -> Callable:
    """A function of `math`, on Python numbers."""
    given = UFUNCS[ufunc] if isinstance(ufunc, np.ufunc) else ufunc

    @functools.wraps(function, updated=())
    def call(*args: Any) -> Any:
        if len(args) == 1 and type(x := args[0]) is Array and type(number := x._peek()) is float:
            return elementwise(function, given, args, function(number), x.level)  # nearly all
        if not holds(args):
            return function(*args)
        args, level = on_one_tape(args)
        numbers = [to_number(x) if isinstance(x, Array) else x for x in args]
        value = call(*map(raw, numbers))
        return elementwise(function, given, numbers, value, level)

    return call


class _Kind:
    """Replaces float, numpy.float64, ..., which may be called on recorded numbers; as a dtype it is the original."""

    def __init__(self, kind: type) -> None:
        self.kind, self.dtype, self.__name__ = kind, np.dtype(kind), kind.__name__

    def __call__(self, *args: Any) -> Any:
        if not holds(args):
            return self.kind(*args)
        if self.kind is complex and len(args) == 2:
            return _scalar((1, 1j), complex)(*args)
        if self.kind in (float, complex):
            return to_number(args[0], self.kind)
        return _dispatched(ARRAY)(args[0], dtype=self.dtype)[()]

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return type

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array"):
            raise AttributeError(name)
        return getattr(self.kind, name)

    def __or__(self, other: Any) -> Any:
        return self.kind | getattr(other, "kind", other)

    def __ror__(self, other: Any) -> Any:
        return other | self.kind

    def __eq__(self, other: Any) -> bool:
        return other is self or other == self.kind

    def __hash__(self) -> int:
        return hash(self.kind)


def _of_scipy(name: str) -> Any:
    """The partial of a function of scipy.special, computed when needed."""

    def partial(y: Any, x: Any) -> Any:
        return of_special(getattr(importlib.import_module("scipy.special"), name))[0](y, x)

    return partial


def _vectorize(pyfunc: Any = None, *args: Any, **kwargs: Any) -> Callable:
    """`numpy.vectorize` in Python: its own arrays of objects cannot record."""
    if pyfunc is None or pyfunc is np._NoValue:  # type: ignore[attr-defined]  # of a decorator with options
        return lambda f: _vectorize(f, *args, **kwargs)
    return _by_elements(Vectorized(pyfunc, *args, **kwargs))


def _by_elements(vectorized: Vectorized) -> Callable:
    def call(*args: Any, **kwargs: Any) -> Any:
        arrays, function = vectorized.split(args, kwargs)
        ranks = vectorized.ranks(len(arrays))
        arrays = [x if isinstance(x, Array) else _array(x) for x in arrays]
        shape = np.broadcast_shapes(
            *(np.shape(x)[: np.ndim(x) - rank] for x, rank in zip(arrays, ranks, strict=True))
        )
        if vectorized.signature is None:
            rows = [np.ravel(np.broadcast_to(x, shape) if np.shape(x) != shape else x) for x in arrays]
        else:
            cores = [np.shape(x)[np.ndim(x) - rank :] for x, rank in zip(arrays, ranks, strict=True)]
            wide = [np.broadcast_to(x, shape + core) for x, core in zip(arrays, cores, strict=True)]
            rows = [np.reshape(x, (-1, *core)) for x, core in zip(wide, cores, strict=True)]
        found = [function(*values) for values in zip(*rows, strict=True)]
        put = lambda column: np.reshape(stacked := _array(list(column)), shape + np.shape(stacked)[1:])
        several = found and isinstance(found[0], tuple)
        return tuple(map(put, zip(*found, strict=True))) if several else put(found)

    return call


def _array(x: Any) -> Any:
    return _dispatched(ARRAY)(x)


def _fromiter(numbers: Any, dtype: Any, count: int = -1, **_: Any) -> Any:
    numbers = list(itertools.islice(numbers, count if count >= 0 else None))
    return _dispatched(ARRAY)(numbers, dtype=dtype) if holds(numbers) else made(np.fromiter(numbers, dtype))


class _Converter:
    """Replaces NumPy's converter, which is in C."""

    def __init__(self, *given: Any) -> None:
        self.given = given
        self.arrays = [
            x if isinstance(x, Array) and not x.is_scalar else _dispatched(ASARRAY)(x) for x in given
        ]
        self.scalar_input = tuple(not isinstance(x, list | tuple) and not np.ndim(x) for x in given)

    def __len__(self) -> int:
        return len(self.given)

    def __getitem__(self, i: int) -> Any:
        return self.arrays[i]

    def as_arrays(self, subok: bool = True, pyscalars: str = "convert_if_no_array") -> tuple:
        keep = pyscalars == "preserve" or (
            pyscalars == "convert_if_no_array" and len(self.given) > 1 and not all(self.scalar_input)
        )
        rows = zip(self.given, self.arrays, strict=True)
        return tuple(x if keep and type(x) in (int, float, complex) else a for x, a in rows)

    def result_type(self, extra_dtype: Any = None, ensure_inexact: bool = False) -> np.dtype:
        more = [] if extra_dtype is None else [extra_dtype]
        found = np.result_type(*concrete(list(self.given)), *more)
        return np.result_type(found, 1.0) if ensure_inexact and found.kind not in "fc" else found

    def wrap(self, x: Any, to_scalar: bool | None = None) -> Any:
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        return x[()] if to_scalar and not np.ndim(x) else x


_SAME = (
    "sin cos tan exp exp2 expm1 log2 log10 log1p sqrt cbrt sinh cosh tanh fabs hypot fmod degrees radians copysign "
    "ldexp nextafter"
)
_MATH: dict[str, Any] = {
    **{n: getattr(np, n) for n in _SAME.split() if hasattr(math, n)},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "pow": np.power,
    "erf": (lambda y, x: 2 / math.sqrt(math.pi) * np.exp(-x * x),),
    "erfc": (lambda y, x: -2 / math.sqrt(math.pi) * np.exp(-x * x),),
    "lgamma": (_of_scipy("gammaln"),), "gamma": (lambda y, x: y * _of_scipy("gammaln")(y, x),),
    "remainder": (1, lambda y, a, b: (y - a) / b),
}  # fmt: skip


def _looking(function: Callable) -> Callable:
    """A function of `math` with an integer or boolean result, on which code may depend."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if holds(args) and function not in (math.isnan, math.isinf, math.isfinite):
            keys.get([]).append(function.__name__)
            looked(function.__name__, args, concrete(args[0]))
        return function(*concrete(args), **concrete(kwargs))

    return call


def _log(x: Any, *base: Any) -> Any:
    natural = _scalar(np.log, math.log)
    if not base or not holds([x, *base]):
        return math.log(x, *base) if not holds([x, *base]) else natural(x)
    (b,) = base
    partials = (lambda y, x, b: 1 / (x * np.log(b)), lambda y, x, b: -y / (b * np.log(b)))
    return _scalar(partials, math.log)(x, b)


_CREATING = (
    "array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite zeros ones empty full linspace arange "
    "eye identity zeros_like ones_like empty_like full_like copy tri logspace geomspace frombuffer"
)
_REPLACED: dict[Any, Any] = {
    **{f: _dispatched(f) for f in FUNCTIONS if not isinstance(f, np.ufunc)},
    **{getattr(np, n): _dispatched(getattr(np, n)) for n in _CREATING.split()},
    **{getattr(math, n): _scalar(u, getattr(math, n)) for n, u in _MATH.items()},
    **{f: _looking(f) for f in (math.floor, math.ceil, math.trunc, math.isclose)},
    **{f: _looking(f) for f in (math.isnan, math.isinf, math.isfinite)},
    math.log: _log, math.fsum: sums.exact,
    np.vectorize: _vectorize,
    np.frompyfunc: lambda pyfunc, nin, nout, **_: FromPython(pyfunc, _vectorize(pyfunc), nin, nout),
    np.nditer: lambda op, *args, **kwargs: (
        ByElements(_dispatched(np.zeros), op, *args, **kwargs) if holds(op) else np.nditer(op, *args, **kwargs)
    ),
    np.fromiter: _fromiter, np.asmatrix: lambda x, *dtype: as_matrix(_dispatched(ASARRAY)(x, *dtype)),
    np.ndenumerate: lambda x: ((i, x[i]) for i in np.ndindex(np.shape(x))),
    np.broadcast: lambda *arrays: np.broadcast(*map(concrete, arrays)),
    getattr(importlib.import_module("numpy._core._multiarray_umath"), "_array_converter", None): _Converter,
    **{kind: _Kind(kind) for kind in (float, complex, np.float64, np.float32, np.complex128)},
}  # fmt: skip


def _own_code(function: Callable) -> Callable | None:
    """NumPy's own Python code of a function without a rule."""
    inner = getattr(function, "__wrapped__", None)
    return None if inner is None or not hasattr(inner, "__code__") else retargeted(inner, replaced)


OTHERWISE.append(_own_code)
