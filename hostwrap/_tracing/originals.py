"""The original functions behind `hostwrap.patch`: tracing identifies functions by the originals."""

from __future__ import annotations

import importlib
import types
from typing import Any


def original(function: Any) -> Any:
    """The original function."""
    return getattr(function, "patched", function) if type(function) is types.FunctionType else function


def named(module: str, name: str) -> Any:
    """The attribute of a module without the patch."""
    return original(getattr(importlib.import_module(module), name, None))
