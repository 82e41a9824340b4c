"""Spherical Bessel functions: SciPy's ufuncs, which a program of C loops calls directly; and next to z = 0."""

import inspect

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.behind import ufunc_behind
from hostwrap.special._numerics.pointwise import in_python, piecewise, tape_of

SMALL = 1e-3  # z, up to which three terms have all digits


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


def regular(name, sign):
    """j_n or i_n, DLMF 10.53.1-2 next to z = 0, where SciPy's numbers are 0: the derivative of j_0 is -z / 3 there."""
    plain = spherical(name)

    def host(n, z):
        cases = [(np.abs(z) < SMALL, series), (None, lambda n, z: plain(n, z, derivative=False))]
        return piecewise([n, z], cases)

    def series(n, z):
        square = sign * z * z / 2
        terms = 1 + square / (2 * n + 3) * (1 + square / (2 * (2 * n + 5)))
        return (
            np.float_power(z, n) * (np.float_power(0.5, n + 1) * np.sqrt(np.pi) * sc.rgamma(n + 1.5)) * terms
        )  # over (2n + 1)!!

    return host
