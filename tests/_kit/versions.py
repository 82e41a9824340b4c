"""Versions that tests ask for, as numbers that can be compared."""

import jax
import numpy
import scipy

JAX, NUMPY, SCIPY = (
    tuple(int(n) for n in package.__version__.split(".")[:2]) for package in (jax, numpy, scipy)
)
