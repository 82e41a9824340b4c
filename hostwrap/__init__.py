"""hostwrap: any NumPy/SciPy function as a JAX function, with derivatives.

`wrap` decorates a function of yours; `hostwrap.special` is `scipy.special`, differentiable.
"""

import importlib
from typing import Any

from hostwrap import _lowering as _lowering
from hostwrap import testing
from hostwrap._errors import (
    HostCallError,
    HostwrapError,
    MissingDerivative,
    ResultError,
    RuleError,
    SignatureError,
)
from hostwrap._export import deserialize, export
from hostwrap._lanes import lane, lanes
from hostwrap._rules.base import discrete, unknown
from hostwrap._runner import check_errors, last_error
from hostwrap._version import __version__
from hostwrap._wrap import Wrapped, wrap


def __getattr__(name: str) -> Any:
    """`hostwrap.special` without an import of its own; scipy.special's catalogue is loaded when it is wanted."""
    if name == "special":
        return importlib.import_module("hostwrap.special")
    raise AttributeError(f"module 'hostwrap' has no attribute {name!r}")


__all__ = [
    "HostCallError",
    "HostwrapError",
    "MissingDerivative",
    "ResultError",
    "RuleError",
    "SignatureError",
    "Wrapped",
    "__version__",
    "check_errors",
    "deserialize",
    "discrete",
    "export",
    "lane",
    "lanes",
    "last_error",
    "testing",
    "unknown",
    "wrap",
]
