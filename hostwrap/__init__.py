"""hostwrap: any NumPy/SciPy function as a JAX function, with derivatives.

`wrap` decorates a function of yours; `hostwrap.special` is `scipy.special`, differentiable.
"""

import importlib
import types
from typing import TYPE_CHECKING

from hostwrap._errors import (
    HostCallError,
    HostwrapError,
    MissingDerivative,
    ResultError,
    RuleError,
    SignatureError,
)
from hostwrap._host.parallel import threads
from hostwrap._lanes import lane, lanes
from hostwrap._lanes.export import deserialize, export
from hostwrap._lanes.faults import check_errors, last_error
from hostwrap._recipes.cached import cached
from hostwrap._table.partials import discrete, unknown
from hostwrap._tracing.explain import Explanation, explain, to_jax
from hostwrap._tracing.patch import patch
from hostwrap._version import __version__
from hostwrap._wrap import Wrapped, linear, numerical_error, wrap

if TYPE_CHECKING:  # for editors; at run time see __getattr__
    from hostwrap import compat as compat
    from hostwrap import fft as fft
    from hostwrap import integrate as integrate
    from hostwrap import interpolate as interpolate
    from hostwrap import linalg as linalg
    from hostwrap import ndimage as ndimage
    from hostwrap import optimize as optimize
    from hostwrap import signal as signal
    from hostwrap import sparse as sparse
    from hostwrap import spatial as spatial
    from hostwrap import special as special
    from hostwrap import stats as stats
    from hostwrap import testing as testing

_MODULES = (
    "compat", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial",
    "special", "stats", "testing",
)  # fmt: skip


if not TYPE_CHECKING:  # to checkers a name that is not above is an error

    def __getattr__(name: str) -> types.ModuleType:
        """Import a submodule when it is used for the first time."""
        if name in _MODULES:
            return importlib.import_module(f"hostwrap.{name}")
        raise AttributeError(f"module 'hostwrap' has no attribute {name!r}")


__all__ = [
    "Explanation",
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
    "explain",
    "export",
    "lane",
    "lanes",
    "last_error",
    "linear",
    "numerical_error",
    "patch",
    "testing",
    "threads",
    "to_jax",
    "unknown",
    "wrap",
]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted({*__all__, *_MODULES})
