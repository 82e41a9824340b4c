"""The floating-point environment around a host call.

XLA runs callbacks with "flush subnormals to zero" switched on. That changes SciPy's results in the *normal* range,
too: `scipy.special.binom(169.378, 0.19335)` becomes inf instead of 2.93. So this module sets the default environment
of C for the call, and restores XLA's after it. If it does not know the C library, it moves the call to a thread that
was started in the default environment.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import ctypes.util
import sys
from collections.abc import Callable
from typing import Any


def _c_library() -> tuple[Any, Any] | None:
    """(libm, FE_DFL_ENV), or None on a platform for which this module does not know them."""
    try:  # PyDLL keeps the GIL, which makes these tiny calls twice as fast
        libm = ctypes.PyDLL(ctypes.util.find_library("m"))
        libm.fesetenv.restype = libm.fegetenv.restype = None
        if sys.platform.startswith("linux"):  # glibc and musl: ((const fenv_t *) -1)
            return libm, ctypes.c_void_p(-1)
        if sys.platform == "darwin":  # a symbol: &_FE_DFL_ENV
            return libm, ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(libm, "_FE_DFL_ENV")))
    except (OSError, AttributeError, ValueError, TypeError):
        pass
    return None


_LIBRARY = _c_library()
_CLEAN_THREAD: concurrent.futures.ThreadPoolExecutor | None = None
if _LIBRARY is None:  # started at import, in the default environment
    _CLEAN_THREAD = concurrent.futures.ThreadPoolExecutor(1, "hostwrap-float-environment")
    _CLEAN_THREAD.submit(int).result()

_TINY = sys.float_info.min
# XLA's environment, saved at the first call: fenv_t has 32 bytes on x86-64, 8 to 16 elsewhere
_flushing: list[Any] = []


def flushed() -> bool:
    """Whether this thread turns subnormal results into zero."""
    return _TINY / 2 == 0.0


def call(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)` in the default floating-point environment."""
    if not flushed():
        return function(*args)
    if _LIBRARY is None:
        return _CLEAN_THREAD.submit(function, *args).result()  # type: ignore[union-attr]
    libm, default = _LIBRARY
    if not _flushing:
        saved = ctypes.create_string_buffer(64)
        libm.fegetenv(saved)
        _flushing.append(saved)
    libm.fesetenv(default)
    try:
        return function(*args)
    finally:
        libm.fesetenv(_flushing[0])
