"""The floating-point environment around a host call.

XLA runs callbacks with "flush subnormals to zero" switched on, and SciPy's answers in the *normal* range
change with it: `scipy.special.binom(169.378, 0.19335)` becomes inf instead of 2.93. So the environment is
saved, set to the C default, and restored. Where the C library is not known, the call is moved to a thread
that was started in the default environment.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import ctypes.util
import sys
from collections.abc import Callable
from typing import Any


def _c_library() -> tuple[Any, Any] | None:
    """(libm, FE_DFL_ENV), or None where the default environment has no name that we know."""
    if sys.platform.startswith("linux"):  # glibc and musl: ((const fenv_t *) -1)
        default = ctypes.c_void_p(-1)
    elif sys.platform == "darwin":  # a symbol, &_FE_DFL_ENV
        default = None
    else:
        return None
    try:
        libm = ctypes.CDLL(ctypes.util.find_library("m"))
        if default is None:
            default = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(libm, "_FE_DFL_ENV")))
        for name in ("fegetenv", "fesetenv"):
            getattr(libm, name).argtypes = [ctypes.c_void_p]
            getattr(libm, name).restype = None
        return libm, default
    except (OSError, AttributeError, ValueError, TypeError):
        return None


_LIBRARY = _c_library()
_CLEAN_THREAD: concurrent.futures.ThreadPoolExecutor | None = None
if _LIBRARY is None:  # started here, at import, where the environment is the default one
    _CLEAN_THREAD = concurrent.futures.ThreadPoolExecutor(1, "hostwrap-float-environment")
    _CLEAN_THREAD.submit(int).result()


_buffers: list[Any] = []  # as many as there were calls at once; making one costs as much as the call


def call(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` in the default floating-point environment."""
    if _LIBRARY is None:
        return _CLEAN_THREAD.submit(function, *args).result()  # type: ignore[union-attr]
    libm, default = _LIBRARY
    try:
        saved = _buffers.pop()
    except IndexError:
        saved = ctypes.create_string_buffer(64)  # fenv_t: 32 bytes on x86-64, 8 to 16 elsewhere
    libm.fegetenv(saved)
    libm.fesetenv(default)
    try:
        return function(*args)
    finally:
        libm.fesetenv(saved)
        _buffers.append(saved)
