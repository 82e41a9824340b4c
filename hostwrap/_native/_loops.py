"""From a ufunc and the types of its operands to a loop that a program may call, by a key that says what it is."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._native import _library

# XLA_FFI_DataType of the types that both sides have
_XLA = {"?": 1, "b": 2, "h": 3, "i": 4, "l": 5, "q": 5, "B": 6, "H": 7, "I": 8, "L": 9, "Q": 9}
_XLA |= {"f": 11, "d": 12, "F": 15, "D": 18}
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


def find(ufunc: np.ufunc, operands: Sequence[Any], results: Sequence[Any]) -> int | None:
    """The key of the loop for exactly these types, registered; None if the ufunc would convert, or has no such loop."""
    return _find(ufunc, tuple(map(np.dtype, operands)), tuple(map(np.dtype, results)))


@functools.lru_cache(maxsize=4096)
def _find(ufunc: np.ufunc, operands: tuple, results: tuple) -> int | None:
    dtypes = (*operands, *results)
    try:
        chosen = ufunc.resolve_dtypes((*operands, *[None] * ufunc.nout))
    except TypeError:
        return None
    name = _name(ufunc)
    if chosen != dtypes or name is None or any(d.char not in _XLA for d in dtypes):
        return None
    if _truncates(ufunc, dtypes):
        return None
    struct = _struct(ufunc)
    if struct is None:
        return None
    index = _index(struct, "".join(d.char for d in dtypes))
    return None if index is None else _register(struct, index, name, dtypes)


def _truncates(ufunc: np.ufunc, dtypes: tuple) -> bool:
    """A loop for floats beside one for integers: SciPy's warn in Python when they truncate, as kn(2.5, x) does."""
    return any(
        types[i] in "ilq" and d.kind == "f"
        for types in ufunc.types
        for i, d in enumerate(dtypes[: ufunc.nin])
    )


def _name(ufunc: np.ufunc) -> str | None:
    """Where another process finds the same ufunc: a key made of it means the same there."""
    for module in ("scipy.special", "numpy"):
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


def _register(struct: _UFunc, index: int, name: str, dtypes: tuple) -> int | None:
    text = f"{name} {np.dtype(np.intp).itemsize} {''.join(d.char for d in dtypes)}"
    loop = _library.Loop(inputs=struct.nin, outputs=struct.nout)
    loop.key = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1  # a positive int64
    loop.function, loop.data = struct.functions[index], struct.data[index] if struct.data else None
    for k, d in enumerate(dtypes):
        loop.dtype[k], loop.itemsize[k] = _XLA[d.char], d.itemsize
    return loop.key if _library.library().hw_register(ctypes.byref(loop)) == 0 else None
