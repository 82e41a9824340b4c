"""The original functions behind `hostwrap.patch`: tracing identifies functions by the originals."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

_LIBRARIES = {"scipy", "numpy", "jax", "jaxlib", "hostwrap", *sys.stdlib_module_names} - {"__main__"}
ARRAY, ASARRAY = np.array, np.asarray  # in code that may run while they are patched
# modules, and how many names they had when none of SciPy's was among them
_without: set[tuple[str, int]] = set()


def original(function: Any) -> Any:
    """The original function."""
    return getattr(function, "patched", function) if type(function) is types.FunctionType else function


def named(module: str, name: str) -> Any:
    """The attribute of a module without the patch."""
    return original(getattr(importlib.import_module(module), name, None))


def imported(fronts: Mapping[int, Any]) -> Iterator[tuple[types.ModuleType, str, Any]]:
    """Where modules of others hold an object that has this `id`: the module, the name, and what is put in front."""
    for path, module in list(sys.modules.items()):
        if type(module) is not types.ModuleType or path.split(".")[0] in _LIBRARIES:
            continue
        state = path, len(vars(module))
        if state in _without:
            continue
        found = [name for name, value in list(vars(module).items()) if id(value) in fronts]
        yield from ((module, name, fronts[id(vars(module)[name])]) for name in found)
        if not found and path != "__main__":  # there names change from line to line
            _without.add(state)
