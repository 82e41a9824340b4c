"""hostwrap: any NumPy/SciPy function as a JAX function, with derivatives.

`wrap` decorates a function of yours; `hostwrap.special` is `scipy.special`, differentiable.
"""

import importlib
from typing import Any

from hostwrap import _lowering as _lowering
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
from hostwrap._runner import last_error
from hostwrap._threads import threads
from hostwrap._version import __version__
from hostwrap._wrap import Wrapped, wrap


def __getattr__(name: str) -> Any:
    """`hostwrap.special` and `hostwrap.testing` without an import of their own; they are loaded when wanted."""
    if name in ("special", "testing"):
        return importlib.import_module(f"hostwrap.{name}")
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
    "deserialize",
    "discrete",
    "export",
    "lane",
    "lanes",
    "last_error",
    "testing",
    "threads",
    "unknown",
    "wrap",
]
