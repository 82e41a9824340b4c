"""Where SciPy's loops would not come back: their cost grows with these numbers, or they recurse without end."""

import numpy as np
import scipy

LARGEST_PARAMETER = 1e6
OLD = np.bool_(tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17))


def bessel(v, z):
    """For 0F1, which divides by the order v - 1 of an I_0 that overflows."""
    return (v == 1) & (np.real(z) > 127000) & (not np.iscomplexobj(z))


def kummer(a, b, z):
    """For 1F1."""
    return (np.abs(a) > LARGEST_PARAMETER) | (np.abs(b) > 1e10) | (np.abs(z) > 1e9)


def tricomi(a, b, x):
    """For U, before SciPy 1.17."""
    return OLD & ((np.abs(a) > LARGEST_PARAMETER) | (np.abs(b) > LARGEST_PARAMETER))


def gauss(a, b, c, z):
    """For 2F1: of complex argument only."""
    large = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.abs(c)) > LARGEST_PARAMETER
    unsure = np.isnan(a) | np.isnan(b) | np.isnan(c)
    return np.iscomplexobj(z) & (large | unsure)


def weber(v, x):
    """For the parabolic cylinder functions, which reserve memory for all orders from 0 to v."""
    return ~(np.abs(v) <= 1e5)
