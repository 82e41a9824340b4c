"""hostwrap: any NumPy/SciPy function as a JAX function, with derivatives.

`wrap` decorates a function of yours; `hostwrap.special` is `scipy.special`, differentiable.
"""

import importlib
from typing import Any

from hostwrap import testing
from hostwrap._errors import (
    HostCallError,
    HostwrapError,
    MissingDerivative,
    ResultError,
    RuleError,
    SignatureError,
)
from hostwrap._estimate import numerical_error
from hostwrap._lanes import lane, lanes
from hostwrap._linear import linear
from hostwrap._lowering import last_error
from hostwrap._resources import cached
from hostwrap._rules.base import discrete, unknown
from hostwrap._version import __version__
from hostwrap._wrap import Wrapped, wrap

_MODULES = ("interpolate", "linalg", "optimize", "sparse", "special")


def __getattr__(name: str) -> Any:
    """`hostwrap.special` without an import of its own: what is SciPy's is loaded when it is wanted."""
    if name in _MODULES:
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
    "cached",
    "discrete",
    "lane",
    "lanes",
    "last_error",
    "linear",
    "numerical_error",
    "testing",
    "unknown",
    "wrap",
]
