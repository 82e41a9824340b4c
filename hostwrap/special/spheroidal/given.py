"""Functions that are given the characteristic value, and which derivatives of a function are wanted."""

import numpy as np

from hostwrap.special._numerics.taylor import derivative

TOLERANCE = 1e-4  # what cv may be off the curve, relative to 1 + |cv|: it may come from single precision


def is_near(cv, value):
    return np.abs(cv - value) < TOLERANCE * (1 + np.abs(value))


def one_order(i, j):
    """(d/dc)^i (d/dx)^j and the next derivative in x, of rows by their order in x, which are jets in c."""
    return lambda rows: [derivative(row, i) for row in rows[j : j + 2]]


def both_first(rows):
    """The first derivatives in c and in x, of the function and of its derivative in x."""
    return [rows[0][1], rows[1][1], rows[1][0], rows[2][0]]
