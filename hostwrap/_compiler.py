"""The semi-private names of JAX that hostwrap uses: here and nowhere else, each with a way to do without."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.experimental
from jax.extend.core import Literal, Primitive
from jax.interpreters.batching import primitive_batchers
from jax.interpreters.mlir import lower_fun, register_lowering

from hostwrap import _lanes

emit_python_callback: Any
try:
    from jax.interpreters.mlir import emit_python_callback
except ImportError:  # a later jax moved it: the public lane goes on working
    emit_python_callback = None
    _lanes.close("callback", "jax.interpreters.mlir has no emit_python_callback in this version of jax")

dce_rules: Any
try:
    from jax.interpreters.partial_eval import dce_rules
except ImportError:  # results that nobody uses are then computed all the same
    dce_rules = {}

__all__ = [
    "Literal",
    "Primitive",
    "dce_rules",
    "double",
    "emit_python_callback",
    "lower_fun",
    "primitive_batchers",
    "register_lowering",
]


@contextlib.contextmanager
def double() -> Iterator[None]:
    """64-bit types, whatever the caller's setting."""
    home: Any = jax if hasattr(jax, "enable_x64") else jax.experimental
    with home.enable_x64(True):
        yield
