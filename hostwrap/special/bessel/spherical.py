"""Spherical Bessel functions: SciPy's ufuncs, which a program of C loops calls directly."""

import inspect

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.behind import ufunc_behind
from hostwrap.special._numerics.pointwise import in_python, piecewise, tape_of


def spherical(name):
    """SciPy's function of that name. For real z < 0 SciPy's Python code computes from -z, so a program calls Python."""
    function = getattr(sc, name)
    plain = inspect.unwrap(function)
    loops = {slope: ufunc_behind(lambda x, slope=slope: plain(0, x, slope)) for slope in (False, True)}

    def host(n, z, *, derivative):
        loop = loops[bool(derivative)]
        if tape_of(n, z) is None or loop is None:
            return function(n, z, derivative)
        value = lambda n, z: loop(n.astype(np.int64), z)
        if np.iscomplexobj(z):
            return value(n, z)
        below = in_python(lambda n, z: function(n, z, derivative))
        return piecewise([n, z], [(z >= 0, value), (None, below)])

    host.__name__ = host.__qualname__ = name
    return host
