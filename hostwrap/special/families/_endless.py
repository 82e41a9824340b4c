"""Where SciPy's loops do not come to an end."""

import functools

import numpy as np

LONGEST = 1e6


def endless(*args):
    """SciPy's 2F1 of complex x takes as many steps as its largest parameter says: a minute at 1e9."""
    *parameters, x = args
    return np.iscomplexobj(x) & (functools.reduce(np.fmax, map(np.abs, parameters)) > LONGEST)
