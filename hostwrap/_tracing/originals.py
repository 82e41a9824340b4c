"""What `hostwrap.patch` has put functions in front of: tracing knows functions by what they are."""

from __future__ import annotations

import importlib
import types
from typing import Any


def original(function: Any) -> Any:
    """The function that stood there before."""
    return getattr(function, "patched", function) if type(function) is types.FunctionType else function


def named(module: str, name: str) -> Any:
    """What a module has under a name, without the patch."""
    return original(getattr(importlib.import_module(module), name, None))
