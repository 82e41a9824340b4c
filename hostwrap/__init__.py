"""hostwrap: any NumPy/SciPy function as a JAX function, with derivatives.

`wrap` decorates a function of yours; `hostwrap.special` is `scipy.special`, differentiable.
"""

import importlib
from typing import TYPE_CHECKING, Any

from hostwrap._errors import (
    HostCallError,
    HostwrapError,
    MissingDerivative,
    ResultError,
    RuleError,
    SignatureError,
)
from hostwrap._host.resources import cached
from hostwrap._host.threads import threads
from hostwrap._lanes import lane, lanes
from hostwrap._lanes import lowering as _lowering  # noqa: F401 - registers how host calls are compiled
from hostwrap._lanes.export import deserialize, export
from hostwrap._lanes.runner import check_errors, last_error
from hostwrap._linear import linear
from hostwrap._numerical.estimate import numerical_error
from hostwrap._rules.base import discrete, unknown
from hostwrap._version import __version__
from hostwrap._wrap import Wrapped, wrap

if TYPE_CHECKING:  # for editors; at run time see __getattr__
    from hostwrap import compat as compat
    from hostwrap import integrate as integrate
    from hostwrap import interpolate as interpolate
    from hostwrap import linalg as linalg
    from hostwrap import ndimage as ndimage
    from hostwrap import optimize as optimize
    from hostwrap import sparse as sparse
    from hostwrap import special as special
    from hostwrap import stats as stats
    from hostwrap import testing as testing

_MODULES = (
    "compat",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "sparse",
    "special",
    "stats",
    "testing",
)


def __getattr__(name: str) -> Any:
    """Modules without an import of their own: they are loaded when they are wanted."""
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
    "check_errors",
    "compat",
    "deserialize",
    "discrete",
    "export",
    "lane",
    "lanes",
    "last_error",
    "linear",
    "numerical_error",
    "testing",
    "threads",
    "unknown",
    "wrap",
]
