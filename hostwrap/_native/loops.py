"""Find the C loop of a ufunc for given dtypes, under a name that means the same in every process."""

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

# NumPy's type characters of the dtypes that XLA has, too
SHARED = "?bhilqBHILQfdFD"
_TYPES: dict[int, np.dtype] = {np.dtype(c).num: np.dtype(c) for c in "?bBhHiIlLqQefdgFDGO"}
_OURS = ("numpy", "scipy.special")
# private ufuncs that the distributions of scipy.stats call, such as `_nct_pdf`
_OF_LAWS = re.compile(
    r"scipy\.special\._ufuncs\._([a-z0-9]+_(pdf|pmf|cdf|sf|ppf|isf)|kolmog[cp]|smirnov[cp]|(normalized_)?gen_harmonic)"
)
_PROCESS, _unnamed = os.urandom(16).hex(), itertools.count()


class _UFunc(ctypes.Structure):
    """PyUFuncObject after PyObject_HEAD. The layout is public, and the same since NumPy 1.0."""

    _fields_ = [
        *[(name, ctypes.c_int) for name in ("nin", "nout", "nargs", "identity")],
        *[(name, ctypes.POINTER(ctypes.c_void_p)) for name in ("functions", "data")],
        *[(name, ctypes.c_int) for name in ("ntypes", "reserved")],
        ("name", ctypes.c_char_p),
        ("types", ctypes.c_void_p),
    ]


@dataclasses.dataclass(frozen=True)
class Loop:
    """A C loop: its name, which means the same in every process, its dtypes, and its address in this process."""

    name: str
    inputs: int
    types: tuple[np.dtype, ...]
    function: int
    data: int | None = None
    ufunc: np.ufunc | None = None
    may_raise: bool = False
    shared: bool = True  # whether a program that comes from a file may name it


_found: dict[str, Loop] = {}  # kept: a program may outlive the function that it was made from


@functools.lru_cache(maxsize=4096)
def find(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> Loop | None:
    """The loop for exactly these dtypes of operands and results; None if a program may call no such loop."""
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

    A `foreign` name comes from a file. It may name a loop of NumPy or SciPy only, and never makes Python import another
    module: else a file could choose what code this process runs.
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
    """Ufuncs that the Python functions of scipy.special call: `zeta` and `lambertw` call ones without a public name."""
    found = set()
    for name, f in vars(importlib.import_module("scipy.special")).items():
        if isinstance(f, FunctionType) and not name.startswith("_"):
            f = inspect.unwrap(f)  # `spherical_jn` has a decorator
            used = f.__code__.co_names
            modules = [m for m in map(f.__globals__.get, used) if isinstance(m, ModuleType)]
            own = [vars(m) for m in modules if m.__name__.startswith("scipy.special.")]
            found |= {ufunc_of(names.get(n)) for names in (f.__globals__, *own) for n in used}
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
    """Whether the loop would truncate a float to an integer, as kn(2.5, x) does: then SciPy warns, which needs Python.

    SciPy has such a loop beside one for integers. Orthogonal polynomials have a real degree and truncate nothing. The
    distributions check their integers before they call the loop.
    """
    if not _is_scipys(name) or ufunc.__name__.startswith("eval_"):
        return False
    given = list(enumerate(dtypes[: ufunc.nin]))
    return any(types[i] in "ilq" and d.kind == "f" for types in ufunc.types for i, d in given)


def _is_scipys(name: str) -> bool:
    """Whether the loop is SciPy's own code, not one of Boost's distributions."""
    return name.startswith("scipy.special.") and not _OF_LAWS.fullmatch(name)


@functools.lru_cache(maxsize=4096)
def _name(ufunc: np.ufunc) -> str:
    """The path of the ufunc, by which another process finds the same one; else a name that holds in this process alone.

    This looks into loaded modules and imports none. The likely modules come first, because there are thousands.
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
    """Whether the loop may raise: SciPy's only under errstate, NumPy's only in 2 ** -1 of integers; Boost's may."""
    if name.startswith("numpy.") and all(d.kind in "biufc" for d in dtypes):
        return name == "numpy.power" and any(d.kind in "iu" for d in dtypes)
    return not _is_scipys(name)


def _struct(ufunc: np.ufunc) -> _UFunc | None:
    """The C structure of the ufunc; None if it disagrees with what Python shows of the ufunc."""
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
        if types == list(dtypes):  # `long` and `long long` compare equal where they have one size
            return i if struct.functions[i] else None
    return None
