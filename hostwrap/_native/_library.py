"""The compiled library: found, checked, and its handler registered with XLA. Where that fails, the reason why."""

from __future__ import annotations

import atexit
import ctypes
import functools
import pathlib
from collections.abc import Callable
from typing import Any

import jax

LOOPS = "hostwrap_loops"  # the target that runs programs of C loops,
HOST = "hostwrap_host"  # and the one that calls Python functions
FILE = pathlib.Path(__file__).with_name("libhostwrap.so")
MAX_OPERANDS = 64
MAX_SLOTS = 1 << 14  # a program of more takes longer to compile than it saves
CONSTANT = 16  # bytes
# XLA_FFI_DataType, by NumPy's name
TYPES = {
    "bool": 1,
    "int8": 2,
    "int16": 3,
    "int32": 4,
    "int64": 5,
    "uint8": 6,
    "uint16": 7,
    "uint32": 8,
    "uint64": 9,
}
TYPES |= {"float16": 10, "float32": 11, "float64": 12, "complex64": 15, "bfloat16": 16, "complex128": 18}


class Step(ctypes.Structure):
    """`hw_step` of registry.h."""

    _fields_ = [
        ("function", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("inputs", ctypes.c_int32),
        ("operands", ctypes.c_int32),
        ("first", ctypes.c_int32),
        ("spare", ctypes.c_int32),
    ]


class Program(ctypes.Structure):
    """`hw_program` of registry.h."""

    _fields_ = [
        ("key", ctypes.c_uint64),
        ("inputs", ctypes.c_int32),
        ("outputs", ctypes.c_int32),
        ("constants", ctypes.c_int32),
        ("slots", ctypes.c_int32),
        ("steps", ctypes.c_int32),
        ("uses", ctypes.c_int32),
        ("temporary", ctypes.c_int32),
        ("may_raise", ctypes.c_int32),
        ("dtype", ctypes.POINTER(ctypes.c_int32)),
        ("itemsize", ctypes.POINTER(ctypes.c_int32)),
        ("place", ctypes.POINTER(ctypes.c_int32)),
        ("step", ctypes.POINTER(Step)),
        ("use", ctypes.POINTER(ctypes.c_int32)),
        ("constant", ctypes.c_char_p),
    ]


def array(numbers: Any) -> Any:
    """Numbers as a C array of `int32_t`."""
    return (ctypes.c_int32 * len(numbers))(*numbers)


def problem() -> str | None:
    """Why the library cannot be used, without touching JAX's backends."""
    if not FILE.exists():
        return f"{FILE.name} was not built when hostwrap was installed (it needs a C compiler)"
    try:
        size = _loaded(FILE).hw_program_size()
    except (OSError, AttributeError) as error:
        return f"{FILE.name} cannot be loaded: {error}"
    if size != ctypes.sizeof(Program):
        return f"{FILE.name} is of another version of hostwrap; install it again"
    return None


def _loaded(file: pathlib.Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(file))
    library.hw_program_size.restype = ctypes.c_size_t
    library.hw_loop.argtypes, library.hw_loop.restype = [ctypes.c_char_p], ctypes.c_void_p
    return library


@functools.cache
def library() -> ctypes.CDLL:
    """The library with its handlers registered: only once the CPU backend is there, which a refusal would end."""
    jax.devices("cpu")
    loaded = _loaded(FILE)
    for target in (LOOPS, HOST):
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(getattr(loaded, target)), platform="cpu")
        jax.ffi.register_ffi_target_as_batch_partitionable(target)
    loaded.hw_set_python(*_python)
    atexit.register(loaded.hw_set_python, None, None)
    return loaded


_python: list[Any] = [None, None]


def answer(host: Callable[[int], int], learn: Callable[[int, int, int], int]) -> None:
    """Say which Python functions the library calls: with a host call, and with a program it does not know."""
    _python[:] = [_HOST_FUNCTION(host), _LEARN_FUNCTION(learn)]


_HOST_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_LEARN_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
