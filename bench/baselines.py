"""What people write by hand today: `pure_callback` around SciPy, and the Bessel example of JAX's documentation."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special

calls = 0  # of the host, by `counted` functions


def counted(function: Callable) -> Callable:
    """The host function, counting its calls."""

    @functools.wraps(function)
    def counting(*args):
        global calls
        calls += 1
        return function(*args)

    return counting


def by_hand(host: Callable) -> Callable:
    """A SciPy ufunc through `jax.pure_callback`; made once, as it should be."""

    def on_host(*args):
        return np.asarray(host(*map(np.asarray, args)))

    def f(*args):
        args = tuple(jnp.asarray(x, float) for x in args)
        shape = jnp.broadcast_shapes(*(x.shape for x in args))
        return jax.pure_callback(
            on_host, jax.ShapeDtypeStruct(shape, args[0].dtype), *args, vmap_method="broadcast_all"
        )

    return f


@counted
def host_jv(v, z):
    return scipy.special.jv(np.asarray(v), np.asarray(z)).astype(z.dtype)


@jax.custom_jvp
def documented_jv(v, z):
    """`jv` of JAX's page "External callbacks", with `vmap_method` in place of the `vectorized` that JAX removed."""
    v, z = jnp.asarray(v), jnp.asarray(z)
    assert jnp.issubdtype(v.dtype, jnp.integer)
    z = z.astype(jnp.result_type(float, z.dtype))
    result = jax.ShapeDtypeStruct(jnp.broadcast_shapes(v.shape, z.shape), z.dtype)
    return jax.pure_callback(host_jv, result, v, z, vmap_method="broadcast_all")


@documented_jv.defjvp
def _documented_rule(primals, tangents):
    v, z = primals
    _, z_dot = tangents  # the tangent of v is zero: v is an integer
    before, after = documented_jv(v - 1, z), documented_jv(v + 1, z)
    slope = jnp.where(v == 0, -after, 0.5 * (before - after))
    return documented_jv(v, z), z_dot * slope
