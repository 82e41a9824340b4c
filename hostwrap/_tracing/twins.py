"""The table of twins: the JAX functions in place of those of NumPy and SciPy, where the names differ.

The twin of a NumPy function is the function of the same name in `jax.numpy`; that of a SciPy function is in `hostwrap`
or `jax.scipy` (`MODULES`). A Python function without a twin is traced. A C function without a twin is refused, unless
no argument is traced: then it is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

# Names of NumPy that jax.numpy lacks, or gives to another function.
RENAMED = {
    "absolute": "abs",
    "divide": "true_divide",
    "row_stack": "vstack",
    "product": "prod",
    "trapz": "trapezoid",
}

# Functions of jax.numpy that take a sequence of arrays; others get one array.
SEQUENCES = {
    "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack", "block", "broadcast_arrays", "select",
    "meshgrid", "multi_dot", "ix_", "lexsort", "broadcast_shapes", "einsum", "einsum_path",
    "cho_solve", "lu_solve",
}  # fmt: skip
# Functions to which a list is more than one array of numbers.
OF_LISTS = SEQUENCES | {
    "array", "asarray", "asanyarray", "ascontiguousarray", "choose", "piecewise", "require",
}  # fmt: skip

# Functions of NumPy that write to their first argument.
WRITING = frozenset((np.copyto, np.place, np.putmask, np.put, np.fill_diagonal, np.put_along_axis))


def written_by(function: Any, args: tuple) -> tuple:
    """The arguments that the function writes to, apart from `out`."""
    first = function in WRITING or getattr(function, "__name__", "") == "at"
    return args[:1] if first else args[function.nin :] if isinstance(function, np.ufunc) else ()


# Options that a twin in JAX ignores. Functions of SciPy have an `order` and a `kind` with another meaning.
IGNORED = {
    "check_finite",
    "overwrite_a",
    "overwrite_b",
    "overwrite_x",
    "overwrite_ab",
    "overwrite_y",
    "workers",
    "plan",
}
IGNORED_OF_NUMPY = IGNORED | {"order", "subok", "casting", "like", "overwrite_input", "kind"}


def ignored_of(name: str) -> set[str]:
    """The options that a twin ignores; for some functions the order of elements depends on `order`."""
    whole = not name.startswith("numpy.") or name in ("numpy.reshape", "numpy.ravel")
    return IGNORED if whole else IGNORED_OF_NUMPY


# Twins of private ufuncs of SciPy whose name is not the one without the underscore.
UFUNCS = {"_riemann_zeta": "zeta"}

# Private ufuncs of SciPy as expressions in public ones; `sc` is scipy.special.
COMPOSED: dict[str, Callable] = {
    "_beta_pdf": lambda sc, x, a, b: sc.exp10(
        (sc.xlogy(a - 1, x) + sc.xlog1py(b - 1, -x) - sc.betaln(a, b)) / math.log(10)
    ),
    "_beta_ppf": lambda sc, q, a, b: sc.betaincinv(a, b, q),
}

# Modules of SciPy, and the modules with twins of their functions.
MODULES = {
    "scipy.special": ("hostwrap.special",),
    "scipy.linalg": ("hostwrap.linalg", "jax.scipy.linalg"),
    "scipy.fft": ("hostwrap.fft", "jax.numpy.fft"),
    "scipy.fftpack": ("jax.scipy.fft", "jax.numpy.fft"),
    "scipy.signal.windows": ("hostwrap.signal._windows",),
    "scipy.signal": ("jax.scipy.signal", "hostwrap.signal"),
    "scipy.ndimage": ("hostwrap.ndimage",),
    "scipy.sparse.csgraph": ("hostwrap.sparse.csgraph",),
    "scipy.spatial.distance": ("hostwrap.spatial.distance",),
    "scipy.spatial": ("hostwrap.spatial",),
    "scipy.interpolate": ("hostwrap.interpolate",),
    "scipy.optimize": (
        "hostwrap._recipes.equations",
        *(
            f"hostwrap.optimize.{place}"
            for place in ("_bounded", "_choices", "_iterative", "_minima", "_minimizers", "_squares")
        ),
    ),
    "scipy.stats": tuple(
        f"hostwrap.stats.{place}" for place in ("_dunnett", "_fit", "_powers", "_transport")
    ),
    "scipy.integrate": tuple(
        f"hostwrap.integrate.{place}" for place in ("_boundary", "_quadrature", "_trajectories")
    ),
    "numpy.linalg": ("jax.numpy.linalg",),
    "numpy.fft": ("jax.numpy.fft",),
    "numpy": ("hostwrap._tracing.safer", "jax.numpy"),
}
# The modules of twins, by the beginning of a module's name.
HOMES = {
    "hostwrap._tracing.safer": "jax.numpy", "hostwrap.special": "hostwrap.special", "jax._src.numpy": "jax.numpy",
    "jax._src.scipy": "jax.scipy",
}  # fmt: skip

# Solvers stop at a tolerance: by how much two answers may differ (relative to the largest) if only rounding differs.
SOLVERS = {"scipy.optimize": 1e-5, "scipy.integrate": 1e-7}
FOLLOWED = {
    "scipy.special.assoc_laguerre", "scipy.special.comb", "scipy.special.factorial", "scipy.special.lambertw",
    "numpy.apply_along_axis", "numpy.apply_over_axes", "numpy.piecewise",
    "numpy.fill_diagonal", "numpy.vectorize", "numpy.poly1d", "numpy.put_along_axis", "numpy.savetxt",
    "numpy.array2string", "numpy.array_repr", "numpy.array_str",
}  # fmt: skip

SAME = (
    "sin", "cos", "tan", "exp", "log", "log10", "log2", "log1p", "expm1", "sqrt", "sinh", "cosh", "tanh",
    "fabs", "degrees", "radians", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "copysign",
    "fmod", "exp2", "cbrt",
)  # fmt: skip

# Functions of Python's math by their names in NumPy and scipy.special.
MATH = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "pow": "power", "lgamma": "scipy.gammaln", "gamma": "scipy.gamma", "erf": "scipy.erf",
    "erfc": "scipy.erfc",
} | dict(zip(SAME, SAME, strict=True))  # fmt: skip

RANDOM = ("a random number", "Pass the random numbers as an argument")
OUTSIDE = ("a look at the world outside: a file, a clock, the user", "Pass what it reads as an argument")

COMPARISONS = {
    "less", "greater", "less_equal", "greater_equal", "equal", "not_equal", "isnan", "isfinite", "logical_and",
    "logical_or", "logical_not", "bitwise_and", "bitwise_or", "invert",
}  # fmt: skip
