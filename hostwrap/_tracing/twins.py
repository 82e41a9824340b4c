"""Which function of JAX stands in place of which of NumPy and SciPy: what differs from its name.

A NumPy function has the twin of its name in `jax.numpy`, one of SciPy in `hostwrap` or `jax.scipy` (`MODULES`). A
function without a twin that is written in Python is followed; one in C is refused, unless nothing that it gets is
traced: then it is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable

# NumPy's names that jax.numpy does not have, or has another function under.
RENAMED = {
    "absolute": "abs",
    "divide": "true_divide",
    "row_stack": "vstack",
    "product": "prod",
    "trapz": "trapezoid",
}

# Functions of which jax.numpy takes a sequence of arrays; others get one array.
SEQUENCES = {
    "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack", "block", "broadcast_arrays", "select",
    "meshgrid", "multi_dot", "ix_", "lexsort", "broadcast_shapes", "einsum", "einsum_path",
    "cho_solve", "lu_solve",
}  # fmt: skip

# What a twin in JAX has no use for.
IGNORED = {
    "order", "subok", "casting", "like", "overwrite_input", "kind", "check_finite", "overwrite_a",
    "overwrite_b", "overwrite_x", "overwrite_ab", "overwrite_y",
}  # fmt: skip

# Private ufuncs of SciPy whose twin has another name than without the underscore.
UFUNCS = {"_riemann_zeta": "zeta"}

# Private ufuncs of SciPy that are made of public ones: of scipy.special, here `sc`.
COMPOSED: dict[str, Callable] = {
    "_beta_pdf": lambda sc, x, a, b: sc.exp10(
        (sc.xlogy(a - 1, x) + sc.xlog1py(b - 1, -x) - sc.betaln(a, b)) / math.log(10)
    ),
    "_beta_ppf": lambda sc, q, a, b: sc.betaincinv(a, b, q),
}

# Modules of SciPy, and where twins of their functions are.
MODULES = {
    "scipy.special": ("hostwrap.special",),
    "scipy.linalg": ("hostwrap.linalg", "jax.scipy.linalg"),
    "scipy.fft": ("jax.scipy.fft", "jax.numpy.fft"),
    "scipy.fftpack": ("jax.scipy.fft", "jax.numpy.fft"),
    "scipy.signal": ("jax.scipy.signal",),
    "scipy.ndimage": ("hostwrap.ndimage",),
    "scipy.sparse": ("hostwrap.sparse",),
    "scipy.interpolate": ("hostwrap.interpolate",),
    "numpy.linalg": ("jax.numpy.linalg",),
    "numpy.fft": ("jax.numpy.fft",),
    "numpy": ("jax.numpy",),
}
FOLLOWED = {
    "scipy.special.assoc_laguerre", "scipy.special.comb", "scipy.special.factorial", "scipy.special.lambertw",
    "numpy.apply_along_axis", "numpy.apply_over_axes", "numpy.piecewise",
    "numpy.fill_diagonal", "numpy.vectorize", "numpy.poly1d", "numpy.put_along_axis", "numpy.savetxt",
    "numpy.array2string", "numpy.array_repr", "numpy.array_str",
}  # fmt: skip

SAME = (
    "sin", "cos", "tan", "exp", "log", "log10", "log2", "log1p", "expm1", "sqrt", "sinh", "cosh", "tanh",
    "fabs", "hypot", "degrees", "radians", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "copysign",
    "fmod", "exp2", "cbrt",
)  # fmt: skip

# Functions of Python's math, by NumPy's names (and those of scipy.special).
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
