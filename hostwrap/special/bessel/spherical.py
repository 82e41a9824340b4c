"""SciPy's spherical Bessel functions without its Python, which looks at what it is given: made of loops alone."""

import numpy as np
from scipy.special import _ufuncs


def of_integer_order(name):
    """The function, or its derivative, by name."""
    value, slope = getattr(_ufuncs, f"_{name}"), getattr(_ufuncs, f"_{name}_d")
    return lambda n, z, *, derivative: (slope if derivative else value)(n.astype(np.int64), z)
