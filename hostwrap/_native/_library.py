"""The compiled library: found, checked, and its handler registered with XLA. Where that fails, the reason why."""

from __future__ import annotations

import ctypes
import functools
import pathlib

import jax

TARGET = "hostwrap_ufunc"
FILE = pathlib.Path(__file__).with_name("libhostwrap.so")
MAX_OPERANDS = 32


class Loop(ctypes.Structure):
    """`hw_loop` of registry.h."""

    _fields_ = [
        ("key", ctypes.c_uint64),
        ("inputs", ctypes.c_int32),
        ("outputs", ctypes.c_int32),
        ("function", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32 * MAX_OPERANDS),
        ("itemsize", ctypes.c_int32 * MAX_OPERANDS),
        ("may_raise", ctypes.c_int32),
    ]


def problem() -> str | None:
    """Why the library cannot be used, without touching JAX's backends."""
    if not FILE.exists():
        return f"{FILE.name} was not built when hostwrap was installed (it needs a C compiler)"
    try:
        library = ctypes.CDLL(str(FILE))
        library.hw_loop_size.restype = ctypes.c_size_t
        size = library.hw_loop_size()
    except (OSError, AttributeError) as error:
        return f"{FILE.name} cannot be loaded: {error}"
    if size != ctypes.sizeof(Loop):
        return f"{FILE.name} is of another version of hostwrap; install it again"
    return None


@functools.cache
def library() -> ctypes.CDLL:
    """The library with its handler registered: only once the CPU backend is there, which a refusal would end."""
    jax.devices("cpu")
    loaded = ctypes.CDLL(str(FILE))
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(loaded.hostwrap_ufunc), platform="cpu")
    return loaded
