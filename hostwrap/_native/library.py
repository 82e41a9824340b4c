"""The compiled library: found and checked. Where that fails, the reason why."""

from __future__ import annotations

import ctypes
import functools
import pathlib
from typing import Any

LOOPS = "hostwrap_loops"  # the target that runs programs of C loops,
HOST = "hostwrap_host"  # and the one that calls Python functions
FILE = pathlib.Path(__file__).with_name("libhostwrap.so")
MAX_OPERANDS = 64
MAX_SLOTS = 3 << 15  # a program of more takes longer to compile than it saves
CONSTANT = 16  # bytes
# XLA_FFI_DataType, by NumPy's name
TYPES = {
    "bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8, "uint64": 9,
    "float16": 10, "float32": 11, "float64": 12, "complex64": 15, "bfloat16": 16, "complex128": 18,
}  # fmt: skip


class Step(ctypes.Structure):
    """`hw_step` of registry.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("function", "data")]
    _fields_ += [
        (name, ctypes.c_int32)
        for name in ("inputs", "operands", "first", "body", "bound", "rows", "sums", "place", "own", "single")
    ]


_NUMBERS = ["inputs", "outputs", "constants", "slots", "steps", "uses"]
_NUMBERS += ["temporary", "bodies", "read", "may_raise"]


class Program(ctypes.Structure):
    """`hw_program` of registry.h."""

    _fields_ = [
        ("key", ctypes.c_uint64),
        *[(name, ctypes.c_int32) for name in _NUMBERS],
        *[(name, ctypes.POINTER(ctypes.c_int32)) for name in ("dtype", "slot")],
        ("step", ctypes.POINTER(Step)),
        ("use", ctypes.POINTER(ctypes.c_int32)),
        ("constant", ctypes.c_char_p),
        ("one", ctypes.c_void_p),
        ("grain", ctypes.c_int64),
    ]


def array(numbers: Any) -> Any:
    """Numbers as a C array of `int32_t`."""
    return (ctypes.c_int32 * len(numbers))(*numbers)


def problem() -> str | None:
    """Why the library cannot be used."""
    if not FILE.exists():
        return f"{FILE.name} was not built when hostwrap was installed (it needs a C compiler)"
    try:
        size = _loaded(FILE).hw_program_size()
    except (OSError, AttributeError) as error:
        return f"{FILE.name} cannot be loaded: {error}"
    if size != ctypes.sizeof(Program) + ctypes.sizeof(Step):
        return f"{FILE.name} is of another version of hostwrap; install it again"
    return None


def _loaded(file: pathlib.Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(file))
    library.hw_program_size.restype = ctypes.c_size_t
    library.hw_set_python.argtypes, library.hw_set_python.restype = [ctypes.c_void_p] * 4, None
    library.hw_set_grain.argtypes, library.hw_set_grain.restype = [ctypes.c_uint64, ctypes.c_int64], None
    library.hw_set_threads.argtypes, library.hw_set_threads.restype = [ctypes.c_int64], None
    library.hw_loop.argtypes, library.hw_loop.restype = [ctypes.c_char_p], ctypes.c_void_p
    library.hw_call.argtypes = [ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    library.hw_single.argtypes, library.hw_single.restype = [ctypes.c_char_p], ctypes.c_int32
    library.hw_again_number.argtypes, library.hw_again_number.restype = [ctypes.c_char_p], ctypes.c_int32
    rows, numbers = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64), ctypes.c_void_p
    library.hw_again_values.argtypes, library.hw_again_values.restype = (*rows, numbers), ctypes.c_int32
    for function in (library.hw_again_along, library.hw_again_back):
        function.argtypes, function.restype = (*rows, numbers, numbers), None
    return library


@functools.cache
def library() -> ctypes.CDLL:
    return _loaded(FILE)
