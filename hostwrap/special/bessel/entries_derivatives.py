"""n-th derivatives of Bessel functions in the argument: finite sums of functions of other orders.

DLMF 10.6.7 and 10.29.5. The terms are entries of the catalogue, which know their derivatives in order and argument.
"""

import functools
import operator

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from hostwrap._lanes.primitive import along
from hostwrap._lanes.taylor import is_jet
from hostwrap.special._numbers import of_numbers
from hostwrap.special.bessel.entries import iv, iv_order, jv, kv, kv_order, yv
from hostwrap.special.bessel.entries_hankel import hankel1, hankel2

__all__ = ["h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"]

NEAR = 1e-4
MIXED = {iv: iv_order, kv: kv_order}


@of_numbers
def jvp(v, z, n=1):
    """The n-th derivative of `jv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(jv, v, z, n, -1)


@of_numbers
def yvp(v, z, n=1):
    """The n-th derivative of `yv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(yv, v, z, n, -1)


@of_numbers
def ivp(v, z, n=1):
    """The n-th derivative of `iv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(iv, v, z, n, 1)


@of_numbers
def kvp(v, z, n=1):
    """The n-th derivative of `kv(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return (-1) ** nonnegative(n) * _derivative(kv, v, z, n, 1)


@of_numbers
def h1vp(v, z, n=1):
    """The n-th derivative of `hankel1(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(hankel1, v, z, n, -1)


@of_numbers
def h2vp(v, z, n=1):
    """The n-th derivative of `hankel2(v, z)` in z; differentiable in v and z, n = 0, 1, 2, ... is a Python integer."""
    return _derivative(hankel2, v, z, n, -1)


def _derivative(function, v, z, n, phase):
    n, v, z = nonnegative(n), jnp.asarray(v), jnp.asarray(z)
    if n > 0 and function in MIXED and jnp.issubdtype(v.dtype, jnp.inexact):
        return _with_mixed(function, n, phase)(v, z)
    return _sum(function, v, z, n, phase)


def _sum(function, v, z, n, phase):
    """2^-n sum over i of phase^i C(n, i) f_{v-n+2i}(z), with SciPy's roundings.

    XLA cannot foresee the choice. So it neither adds 2i to -n before v nor fuses a product and a sum;
    `lax.optimization_barrier` and `lax.reduce_precision` prevent the former only.
    """
    coefficient = 1.0
    rounded = lambda x: jnp.where(jnp.isnan(v), jnp.nan, x)
    lowest = rounded(v - n)
    total = function(lowest, z)
    for i in range(1, n + 1):
        coefficient = phase * (coefficient * (n - i + 1)) / i
        total = total + rounded(coefficient * function(lowest + i * 2, z))
    return total / 2.0**n


@functools.cache
def _with_mixed(function, n, phase):
    """The sum for I or K. Next to v = 0 its derivatives come from the entries of the mixed derivatives.

    There K is even in v, and I nearly so for large z. The derivative in v is then as small as v, and the doubles v - n
    and v + n have lost the digits of v.
    """
    mixed = MIXED[function]
    sign = (-1.0) ** n if function is kv else 1.0

    def rule(primals, tangents):
        near = (jnp.abs(primals[0]) <= NEAR) & (primals[1] != 0)
        v, z = (jnp.where(near, x, jnp.nan) for x in primals)
        live = [i for i, t in enumerate(tangents) if not isinstance(t, SymbolicZero)]
        (value,), (change,) = along(lambda v, z: (plain(v, z),), primals, tangents)
        slopes = {0: {"n": 1, "m": n}, 1: {"n": 0, "m": n + 1}}
        there = sum(jnp.where(near, sign * mixed(v, z, **slopes[i]), 0) * tangents[i] for i in live)
        return value, (there + jnp.where(near, 0, change)).astype(value.dtype)

    plain = lambda v, z: _sum(function, v, z, n, phase)
    wrapped = jax.custom_jvp(plain)
    wrapped.defjvp(rule, symbolic_zeros=True)
    # jet evaluates the body of a custom_jvp, but (JAX 0.10) without its trace
    return lambda v, z: plain(v, z) if is_jet((v, z)) else wrapped(v, z)


def nonnegative(n):
    """`n` as an int; SciPy's error if it is not an integer or is negative."""
    try:
        n = operator.index(n)
        if n < 0:
            raise ValueError
    except (TypeError, ValueError) as error:
        raise type(error)("n must be a non-negative integer") from error
    return n
