"""Functions that cancel near 0, where their power series are used; real arguments."""

import numpy as np


def arccosh1p(excess):
    """arccosh(1 + excess) and its sinh, accurate for a small excess."""
    sinh = np.sqrt(excess * (2 + excess))
    return np.log1p(excess + sinh), sinh


def csc_excess(s):
    """s / sin s - 1."""
    small = np.abs(s) < 0.25
    t = np.where(small, s * s, 0.0)
    series = _horner(t, 1 / 6, 7 / 360, 31 / 15120, 127 / 604800, 73 / 3421440, 1414477 / 653837184000)
    return np.where(small, t * series, s / np.sin(s) - 1)


def sin_minus_s_cos(s):
    """sin s - s cos s."""
    small = np.abs(s) < 0.25
    t = np.where(small, s * s, 0.0)
    series = _horner(t, 1 / 3, -1 / 30, 1 / 840, -1 / 45360, 1 / 3991680)
    return np.where(small, s * t * series, np.sin(s) - s * np.cos(s))


def s_minus_sin(s):
    """s - sin s."""
    small = np.abs(s) < 0.3
    t = np.where(small, s * s, 0.0)
    series = _horner(t, 1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800)
    return np.where(small, s * t * series, s - np.sin(s))


def sinh_minus(a):
    """sinh a - a."""
    small = np.abs(a) < 0.3
    t = np.where(small, a * a, 0.0)
    series = _horner(t, 1 / 6, 1 / 120, 1 / 5040, 1 / 362880, 1 / 39916800)
    return np.where(small, a * t * series, np.sinh(a) - a)


def _horner(t, *coefficients):
    value = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = value * t + c
    return value
