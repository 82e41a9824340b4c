"""n-th derivatives of Bessel functions in the argument: finite sums of functions of other orders.

DLMF 10.6.7 and 10.29.5. They are made of entries of the catalogue, so their derivatives in order and argument are.
"""

import operator

import jax.numpy as jnp

from hostwrap.special.families.bessel import iv, jv, kv, yv
from hostwrap.special.families.bessel_hankel import hankel1, hankel2

__all__ = ["h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"]


def jvp(v, z, n=1):
    """The n-th derivative of `jv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(jv, v, z, n, -1)


def yvp(v, z, n=1):
    """The n-th derivative of `yv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(yv, v, z, n, -1)


def ivp(v, z, n=1):
    """The n-th derivative of `iv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(iv, v, z, n, 1)


def kvp(v, z, n=1):
    """The n-th derivative of `kv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return (-1) ** nonnegative(n) * _derivative(kv, v, z, n, 1)


def h1vp(v, z, n=1):
    """The n-th derivative of `hankel1(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(hankel1, v, z, n, -1)


def h2vp(v, z, n=1):
    """The n-th derivative of `hankel2(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(hankel2, v, z, n, -1)


def _derivative(function, v, z, n, phase):
    """2^-n sum over i of phase^i C(n, i) f_{v-n+2i}(z), in SciPy's order of summation."""
    n, v, coefficient = nonnegative(n), jnp.asarray(v), 1.0
    total = function(v - n, z)
    for i in range(1, n + 1):
        coefficient = phase * (coefficient * (n - i + 1)) / i
        total = total + coefficient * function(v - n + i * 2, z)
    return total / 2.0**n


def nonnegative(n):
    """`n` as an int, with SciPy's complaint if it is none or negative."""
    try:
        n = operator.index(n)
        if n < 0:
            raise ValueError
    except (TypeError, ValueError) as error:
        raise type(error)("n must be a non-negative integer") from error
    return n
