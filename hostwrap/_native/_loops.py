"""From a ufunc and the types of its operands to a loop that a program may call, by a key that says what it is."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._native import _library
from hostwrap._ufunc import ufunc_of

# XLA_FFI_DataType of the types that both sides have
_XLA = {"?": 1, "b": 2, "h": 3, "i": 4, "l": 5, "q": 5, "B": 6, "H": 7, "I": 8, "L": 9, "Q": 9}
_XLA |= {"f": 11, "d": 12, "F": 15, "D": 18}
_TYPES: dict[int, np.dtype] = {np.dtype(c).num: np.dtype(c) for c in "?bBhHiIlLqQefdgFDGO"}

# A program may outlive the function that it was made from, so what has given it a loop stays.
_kept: list[Any] = []
_PROCESS, _unnamed = os.urandom(16).hex(), itertools.count()


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


def find(function: Any, operands: Sequence[Any], results: Sequence[Any]) -> int | None:
    """The key of the loop for exactly these types, registered; None if the ufunc would convert, or has no such loop."""
    return _find(function, tuple(map(np.dtype, operands)), tuple(map(np.dtype, results)))


@functools.lru_cache(maxsize=4096)
def _find(function: Any, operands: tuple, results: tuple) -> int | None:
    ufunc, dtypes = ufunc_of(function), (*operands, *results)
    if ufunc is None or ufunc.signature or len(dtypes) != ufunc.nargs:
        return None
    try:
        chosen = ufunc.resolve_dtypes((*operands, *[None] * ufunc.nout))
    except TypeError:
        return None
    name = _name(function)
    if chosen != dtypes or any(d.char not in _XLA for d in dtypes) or _truncates(name, ufunc, dtypes):
        return None
    struct = _struct(ufunc)
    index = None if struct is None else _index(struct, dtypes)
    if struct is None or index is None:
        return None
    _kept.append(function)
    return _register(struct, index, name, dtypes)


def _truncates(name: str, ufunc: np.ufunc, dtypes: tuple) -> bool:
    """A loop for floats beside one for integers: SciPy's warn in Python when they truncate, as kn(2.5, x) does."""
    return name.startswith("scipy.special.") and any(
        types[i] in "ilq" and d.kind == "f"
        for types in ufunc.types
        for i, d in enumerate(dtypes[: ufunc.nin])
    )


@functools.lru_cache(maxsize=4096)
def _name(function: Any) -> str:
    """Where another process finds the same ufunc, so that a key means the same there; or a name for this process alone.

    Modules are asked for what they hold already. Several may hold it: first comes the one that it says it is from.
    """
    name = function.__name__
    own = (getattr(function, "__module__", None), "scipy.special", "numpy")
    holders = [m for m, module in list(sys.modules.items()) if _attribute(module, name) is function]
    holders.sort(key=lambda m: (m not in own, "._" in f".{m}", len(m), m))
    return next((f"{m}.{name}" for m in holders if m != "__main__"), f"{_PROCESS} {next(_unnamed)} {name}")


def _attribute(module: Any, name: str) -> Any:
    return getattr(module, "__dict__", {}).get(name)


def _may_raise(name: str, dtypes: tuple) -> bool:
    """SciPy's loops raise only if scipy.special.errstate says so, NumPy's only on integers (2 ** -1)."""
    quiet = name.startswith("scipy.special.")
    return not (quiet or (name.startswith("numpy.") and all(d.kind in "bfc" for d in dtypes)))


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


def _register(struct: _UFunc, index: int, name: str, dtypes: tuple) -> int | None:
    text = f"{name} {np.dtype(np.intp).itemsize} {''.join(d.char for d in dtypes)}"
    loop = _library.Loop(inputs=struct.nin, outputs=struct.nout, may_raise=_may_raise(name, dtypes))
    loop.key = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1  # a positive int64
    loop.function, loop.data = struct.functions[index], struct.data[index] if struct.data else None
    for k, d in enumerate(dtypes):
        loop.dtype[k], loop.itemsize[k] = _XLA[d.char], d.itemsize
    return loop.key if _library.library().hw_register(ctypes.byref(loop)) == 0 else None
