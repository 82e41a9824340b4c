"""Find, check and load the compiled library. `problem()` says why it cannot be used."""

from __future__ import annotations

import ctypes
import functools
import pathlib
import sys
from typing import Any

LOOPS = "hostwrap_loops"  # XLA's name of the target that runs programs of C loops
HOST = "hostwrap_host"  # and of the target that calls Python functions
FILE = pathlib.Path(__file__).with_name("libhostwrap.so")
MAX_OPERANDS = 64
MAX_SLOTS = 3 << 15  # a larger program takes longer to compile than it saves
CONSTANT = 16  # bytes of a constant: a complex128
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


_ROWS = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
# the result type of each function of the library, then its argument types
_FUNCTIONS: dict[str, tuple] = {
    "hw_program_size": (ctypes.c_size_t,),
    "hw_register": (ctypes.c_int, ctypes.POINTER(Program)),
    "hw_call": (ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p),
    "hw_set_python": (None, *[ctypes.c_void_p] * 4),
    "hw_set_grain": (None, ctypes.c_uint64, ctypes.c_int64),
    "hw_set_threads": (None, ctypes.c_int64),
    "hw_loop": (ctypes.c_void_p, ctypes.c_char_p),
    "hw_single": (ctypes.c_int32, ctypes.c_char_p),
    "hw_again_number": (ctypes.c_int32, ctypes.c_char_p),
    "hw_again_values": (ctypes.c_int32, *_ROWS, ctypes.c_void_p),
    "hw_again_along": (None, *_ROWS, ctypes.c_void_p, ctypes.c_void_p),
    "hw_again_back": (None, *_ROWS, ctypes.c_void_p, ctypes.c_void_p),
    "hw_spline_slopes": (None, *[ctypes.c_void_p] * 3),
    "hw_spline_spread": (None, *[ctypes.c_void_p] * 3),
    "hw_pairs_back": (None, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 6),
}


def array(numbers: Any) -> Any:
    """Numbers as a C array of `int32_t`."""
    return (ctypes.c_int32 * len(numbers))(*numbers)


def problem() -> str | None:
    """Why the library cannot be used."""
    if not FILE.exists():
        if folder := _hidden():
            return (
                f"this is the source, without {FILE.name}; the installed package is in {folder}: change the folder, or "
                "start Python with -P"
            )
        return f"{FILE.name} was not built when hostwrap was installed (it needs a C compiler)"
    try:
        size = _loaded(FILE).hw_program_size()
    except (OSError, AttributeError) as error:
        return f"{FILE.name} cannot be loaded: {error}"
    if size != ctypes.sizeof(Program) + ctypes.sizeof(Step):
        return f"{FILE.name} is of another version of hostwrap; install it again"
    return None


def _hidden() -> str | None:
    """Where a package with the library is that this one hides: Python looks into the current folder first."""
    return next((folder for folder in sys.path if pathlib.Path(folder, *FILE.parts[-3:]).exists()), None)


def _loaded(file: pathlib.Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(file))
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


@functools.cache
def library() -> ctypes.CDLL:
    return _loaded(FILE)
