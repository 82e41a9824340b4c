"""Functions of scipy.special that XLA computes in traced code, by their twins.

The host computes the value of the user's function. The program that is differentiated needs no bits of SciPy. So where
XLA is as accurate, it needs no host call, and runs on every device.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._table.written import twin_of
from hostwrap.special._math import shortened
from hostwrap.special.error import twins

GONE = 64.0  # exp(-GONE^2 / 2) is zero


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def bell(z: Any, c: float) -> Any:
    """exp(c z^2 / 2) for c < 0, from the head of z, whose square is exact, and the rest.

    XLA computes a quotient once for all operations that read it, but sums and products in each of them.
    """
    z = jnp.clip(z, -GONE, GONE)
    head = shortened(z, 26)
    rest = c / 2 * (z - head) * (z + head)  # at most 2^-25 GONE^2
    return jnp.exp(c / 2 * (head * head)) / (1 - rest * (1 - rest * (1 / 2 - rest * (1 / 6))))


@bell.defjvp
def _slope_of_bell(c: float, primals: tuple, tangents: tuple) -> tuple:
    ((z,), (t,)), value = (primals, tangents), bell(primals[0], c)
    return value, c * z * value * t


MORE_EXACT = {"erfc": twins.erfc, "ndtr": twins.ndtr}
"""Twins that do not have SciPy's last bits: SciPy loses three digits in the tails."""
SLOPES = {
    "erf": lambda x: 2 / math.sqrt(math.pi) * bell(x, -2.0),
    "erfc": lambda x: -2 / math.sqrt(math.pi) * bell(x, -2.0),
    "ndtr": lambda x: 1 / math.sqrt(2 * math.pi) * bell(x, -1.0),
}


@functools.cache
def in_xla(function: Any) -> Any:
    """The function of `hostwrap.special`; for real numbers in double precision its twin, if it has one."""
    twin = MORE_EXACT.get(function.name) or function.twin
    if twin is None or function.outs:
        return function
    word = twin_of(twin)

    @jax.custom_jvp
    def written(*args: Any) -> Any:
        (result,) = jax.tree.leaves(word(*args))
        return result

    @written.defjvp
    def _jvp(primals: tuple, tangents: tuple) -> tuple:
        if function.name in SLOPES:
            return written(*primals), SLOPES[function.name](primals[0]) * tangents[0]
        return written(*primals), jax.jvp(function, primals, tangents)[1]

    @functools.wraps(function, updated=())
    def call(*args: Any) -> Any:
        args = tuple(map(jnp.asarray, args))
        if jnp.result_type(float, *args) != jnp.float64 or any(x.dtype == jnp.float32 for x in args):
            return function(*args)
        shape = jnp.broadcast_shapes(*map(jnp.shape, args))
        return written(*(jnp.broadcast_to(x.astype(jnp.float64), shape) for x in args))

    call.__module__ = type(function).__module__
    return call
