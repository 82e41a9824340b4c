"""From a ufunc and the types of its operands to the C loop that a program may call."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import importlib
import inspect
import itertools
import os
import re
import sys
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from hostwrap._host.numpy_ops import ufunc_of
from hostwrap._native.library import library

# of the types that XLA and NumPy both have, the characters of XLA's
SHARED = "?bhilqBHILQfdFD"
_TYPES: dict[int, np.dtype] = {np.dtype(c).num: np.dtype(c) for c in "?bBhHiIlLqQefdgFDGO"}
_OURS = ("numpy", "scipy.special")
# what the methods of scipy.stats call, such as `_nct_pdf`: functions of numbers, without a public name
_OF_LAWS = re.compile(
    r"scipy\.special\._ufuncs\._([a-z0-9]+_(pdf|pmf|cdf|sf|ppf|isf)|kolmog[cp]|smirnov[cp]|(normalized_)?gen_harmonic)"
)
_PROCESS, _unnamed = os.urandom(16).hex(), itertools.count()


class _UFunc(ctypes.Structure):
    """The head of PyUFuncObject behind PyObject_HEAD: public, and in one layout since NumPy 1.0."""

    _fields_ = [
        *[(name, ctypes.c_int) for name in ("nin", "nout", "nargs", "identity")],
        *[(name, ctypes.POINTER(ctypes.c_void_p)) for name in ("functions", "data")],
        *[(name, ctypes.c_int) for name in ("ntypes", "reserved")],
        ("name", ctypes.c_char_p),
        ("types", ctypes.c_void_p),
    ]


@dataclasses.dataclass(frozen=True)
class Loop:
    """A loop by a name that means the same in every process, its types, and where it is in this one."""

    name: str
    inputs: int
    types: tuple[np.dtype, ...]
    function: int
    data: int | None = None
    ufunc: np.ufunc | None = None
    may_raise: bool = False
    shared: bool = True  # whether a program from a file may name it


_found: dict[str, Loop] = {}  # kept: a program may outlive the function that it was made from


@functools.lru_cache(maxsize=4096)
def find(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> Loop | None:
    """The loop for exactly these types, operands and results; None if there is none that a program may call."""
    name = _name(ufunc)
    if ufunc.signature or any(d.char not in SHARED for d in dtypes) or _truncates(name, ufunc, dtypes):
        return None
    struct = _struct(ufunc)
    index = None if struct is None else _index(struct, dtypes)
    if struct is None or index is None:
        return None
    full = f"{name} {''.join(d.char for d in dtypes)}"
    data = struct.data[index] if struct.data else None
    address, shared = struct.functions[index], _is_shared(name.rpartition(".")[0], ufunc)
    _found[full] = Loop(full, ufunc.nin, dtypes, address, data, ufunc, _may_raise(name, dtypes), shared)
    return _found[full]


def named(name: str, foreign: bool = False) -> Loop | None:
    """The loop of this name: the library's own, such as "select d", or one of a ufunc, such as "numpy.add ddd".

    A `foreign` text comes from a file, and has no say in what else this process calls.
    """
    where, _, types = name.rpartition(" ")
    if name in _found and not foreign:
        return _found[name]
    if "." not in where:
        return _own(name, where, types)
    module, _, attribute = where.rpartition(".")
    if module not in _OURS and not (module.startswith("scipy.special.") and module in sys.modules):
        return None
    ufunc = ufunc_of(_attribute(importlib.import_module(module), attribute))
    if ufunc is None or not _is_shared(module, ufunc):
        return None
    if len(types) != ufunc.nargs or not set(types) <= set(SHARED):
        return None
    loop = find(ufunc, tuple(map(np.dtype, types)))
    return loop if loop is not None and loop.name == name else None


def _is_shared(module: str, ufunc: np.ufunc) -> bool:
    if module in _OURS or _OF_LAWS.fullmatch(f"{module}.{ufunc.__name__}"):
        return True
    return module.startswith("scipy.special.") and ufunc in _behind()


@functools.cache
def _behind() -> frozenset[np.ufunc]:
    """What the Python functions of scipy.special call: `zeta` and `lambertw` end in ufuncs without a public name."""
    found = set()
    for name, f in vars(importlib.import_module("scipy.special")).items():
        if isinstance(f, FunctionType) and not name.startswith("_"):
            f = inspect.unwrap(f)  # `spherical_jn` has a decorator
            spoken = f.__code__.co_names
            modules = [m for m in map(f.__globals__.get, spoken) if isinstance(m, ModuleType)]
            own = [vars(m) for m in modules if m.__name__.startswith("scipy.special.")]
            found |= {ufunc_of(names.get(n)) for names in (f.__globals__, *own) for n in spoken}
    return frozenset(ufunc for ufunc in found if ufunc is not None)


@functools.lru_cache(maxsize=1024)
def _own(name: str, kind: str, types: str) -> Loop | None:
    function = library().hw_loop(name.encode())
    if not function:
        return None
    # F and D are the complex types of f and d
    operands = {
        "select": "?" + types * 3,
        "cast": types,
        "real": types + types.lower(),
        "imag": types + types.lower(),
        "complex": types * 2 + types.upper(),
    }[kind]
    return Loop(name, len(operands) - 1, tuple(map(np.dtype, operands)), function)


def _truncates(name: str, ufunc: np.ufunc, dtypes: tuple) -> bool:
    """A loop for floats beside one for integers: SciPy's warn in Python when they truncate, as kn(2.5, x) does.

    Those of orthogonal polynomials have a real degree, and truncate nothing; a law looks at its integers before.
    """
    if not _is_scipys(name) or ufunc.__name__.startswith("eval_"):
        return False
    given = list(enumerate(dtypes[: ufunc.nin]))
    return any(types[i] in "ilq" and d.kind == "f" for types in ufunc.types for i, d in given)


def _is_scipys(name: str) -> bool:
    """Of SciPy's own, and not of Boost's distributions."""
    return name.startswith("scipy.special.") and not _OF_LAWS.fullmatch(name)


@functools.lru_cache(maxsize=4096)
def _name(ufunc: np.ufunc) -> str:
    """Where another process finds the same ufunc, so that a key means the same there; or a name for this process alone.

    Modules are asked for what they hold already; first the one that it says it is from, for there are thousands.
    """
    name = ufunc.__name__
    own: list[Any] = [getattr(ufunc, "__module__", None), "scipy.special", "numpy"]
    holds = lambda module: ufunc_of(_attribute(sys.modules.get(module), name)) is ufunc
    for modules in own, list(sys.modules):
        found = [m for m in modules if m != "__main__" and holds(m)]
        if found:
            return f"{min(found, key=lambda m: ('._' in f'.{m}', len(m), m))}.{name}"
    return f"{_PROCESS} {next(_unnamed)} {name}"


def _attribute(module: Any, name: str) -> Any:
    return getattr(module, "__dict__", {}).get(name)


def _may_raise(name: str, dtypes: tuple) -> bool:
    """SciPy's loops raise only if scipy.special.errstate says so, NumPy's only on integers (2 ** -1).

    Those of distributions, which are Boost's, raise an OverflowError.
    """
    return not (_is_scipys(name) or (name.startswith("numpy.") and all(d.kind in "bfc" for d in dtypes)))


def _struct(ufunc: np.ufunc) -> _UFunc | None:
    """The C structure, if what Python shows of it agrees."""
    found = _UFunc.from_address(id(ufunc) + object.__basicsize__)
    counts = (found.nin, found.nout, found.nargs, found.ntypes)
    if counts != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes):
        return None
    return found if (found.name or b"").decode() == ufunc.__name__ else None


def _index(struct: _UFunc, dtypes: tuple) -> int | None:
    if not struct.types:
        return None
    raw = ctypes.string_at(struct.types, struct.nargs * struct.ntypes)
    for i in range(struct.ntypes):
        types = [_TYPES.get(c) for c in raw[i * struct.nargs : (i + 1) * struct.nargs]]
        if types == list(dtypes):  # long and long long are one type here, where they are in C
            return i if struct.functions[i] else None
    return None
