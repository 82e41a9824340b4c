"""From a ufunc and the types of its operands to the C loop that a program may call."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import sys
from collections.abc import Sequence

import numpy as np

from hostwrap._native import _library

# of the types that XLA and NumPy both have, the characters of XLA's
_SHARED = "?bhilqBHILQfdFD"
_MODULES = ("scipy.special", "numpy")  # whose ufuncs a program may call
_TYPES: dict[int, str] = {np.dtype(c).num: c for c in "?bBhHiIlLqQefdgFDGO"}


class _UFunc(ctypes.Structure):
    """The head of PyUFuncObject behind PyObject_HEAD: public, and in one layout since NumPy 1.0."""

    _fields_ = [
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
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


def find(ufunc: np.ufunc, dtypes: Sequence[np.dtype]) -> Loop | None:
    """The loop for exactly these types, operands and results; None if there is none that a program may call."""
    return _find(ufunc, tuple(dtypes))


@functools.lru_cache(maxsize=4096)
def _find(ufunc: np.ufunc, dtypes: tuple) -> Loop | None:
    name = _name(ufunc)
    if name is None or any(d.char not in _SHARED for d in dtypes) or _truncates(name, ufunc, dtypes):
        return None
    struct = _struct(ufunc)
    types = "".join(d.char for d in dtypes)
    index = None if struct is None else _index(struct, types)
    if struct is None or index is None:
        return None
    data = struct.data[index] if struct.data else None
    return Loop(f"{name} {types}", ufunc.nin, dtypes, struct.functions[index], data, ufunc)


@functools.lru_cache(maxsize=4096)
def named(name: str) -> Loop | None:
    """The loop of this name: the library's own, such as "select d", or one of a ufunc, such as "numpy.add ddd"."""
    where, _, types = name.rpartition(" ")
    if "." not in where:
        return _own(name, where, types)
    module, _, attribute = where.rpartition(".")
    ufunc = getattr(sys.modules.get(module), attribute, None) if module in _MODULES else None
    if not isinstance(ufunc, np.ufunc) or len(types) != ufunc.nargs:
        return None
    loop = find(ufunc, [np.dtype(t) for t in types])
    return loop if loop is not None and loop.name == name else None


def _own(name: str, kind: str, types: str) -> Loop | None:
    function = _library.library().hw_loop(name.encode())
    if not function:
        return None
    real, double = {"F": "f", "D": "d"}, {"f": "F", "d": "D"}
    operands = {
        "select": lambda t: "?" + t * 3,
        "cast": lambda t: t,
        "real": lambda t: t + real[t],
        "imag": lambda t: t + real[t],
        "complex": lambda t: t * 2 + double[t],
    }[kind](types)
    return Loop(name, len(operands) - 1, tuple(map(np.dtype, operands)), function)


def _truncates(name: str, ufunc: np.ufunc, dtypes: tuple) -> bool:
    """A loop for floats beside one for integers: SciPy's warn in Python when they truncate, as kn(2.5, x) does.

    Those of orthogonal polynomials have a real degree, and truncate nothing.
    """
    return (
        name.startswith("scipy.")
        and not ufunc.__name__.startswith("eval_")
        and any(
            types[i] in "ilq" and d.kind == "f"
            for types in ufunc.types
            for i, d in enumerate(dtypes[: ufunc.nin])
        )
    )


def _name(ufunc: np.ufunc) -> str | None:
    """Where another process finds the same ufunc: a key made of it means the same there."""
    for module in _MODULES:
        if getattr(sys.modules.get(module), ufunc.__name__, None) is ufunc:
            return f"{module}.{ufunc.__name__}"
    return None


def _struct(ufunc: np.ufunc) -> _UFunc | None:
    """The C structure, if what Python shows of it agrees."""
    found = _UFunc.from_address(id(ufunc) + object.__basicsize__)
    counts = (found.nin, found.nout, found.nargs, found.ntypes)
    if counts != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes) or ufunc.signature:
        return None
    return found if (found.name or b"").decode() == ufunc.__name__ else None


def _index(struct: _UFunc, types: str) -> int | None:
    if not struct.types:
        return None
    raw = ctypes.string_at(struct.types, struct.nargs * struct.ntypes)
    for i in range(struct.ntypes):
        if "".join(_TYPES.get(c, "!") for c in raw[i * struct.nargs : (i + 1) * struct.nargs]) == types:
            return i if struct.functions[i] else None
    return None
