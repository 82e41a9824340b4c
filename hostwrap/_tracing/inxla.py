"""Functions of scipy.special that XLA computes in traced code, by their twins.

The result of the function is the host's. In the program that is differentiated in its place no value needs SciPy's
bits, so it needs no host call where XLA is as accurate, and runs on every device.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._table.written import twin_of


@functools.cache
def in_xla(function: Any) -> Any:
    """The function of `hostwrap.special`; of real numbers in double precision by its twin, if it has one."""
    if getattr(function, "twin", None) is None:
        return function
    word = twin_of(function.twin)

    @jax.custom_jvp
    def written(*args: Any) -> Any:
        return word(*args)

    @written.defjvp
    def _jvp(primals: tuple, tangents: tuple) -> tuple:
        return written(*primals), jax.jvp(function, primals, tangents)[1]

    @functools.wraps(function, updated=())
    def call(*args: Any) -> Any:
        args = tuple(map(jnp.asarray, args))
        if any(x.dtype.kind == "c" for x in args) or jnp.result_type(float, *args) != jnp.float64:
            return function(*args)
        if any(x.dtype == jnp.float32 for x in args):
            return function(*args)
        shape = jnp.broadcast_shapes(*map(jnp.shape, args))
        return written(*(jnp.broadcast_to(x.astype(jnp.float64), shape) for x in args))

    call.__module__ = type(function).__module__
    return call
