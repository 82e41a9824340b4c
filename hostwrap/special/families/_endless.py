"""Where SciPy's loops do not come to an end: their steps are as many as a number says."""

import functools

import numpy as np

LONGEST = 1e6
HIGHEST_DEGREE = 10**8  # a second


def long_recurrence(n, *_):
    """Polynomials of integer degree (of the loops for integers) by recurrence from degree 0: at 2^62, for ever."""
    return (n > HIGHEST_DEGREE) | (n < -HIGHEST_DEGREE) if n.dtype.kind == "i" else np.False_


def endless(*args):
    """2F1 of complex x takes as many steps as its largest parameter says: a minute at 1e9."""
    *parameters, x = args
    large = functools.reduce(np.fmax, map(np.abs, parameters)) > LONGEST
    return np.iscomplexobj(x) & large | long_recurrence(parameters[0])
