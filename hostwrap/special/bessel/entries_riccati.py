"""Riccati-Bessel functions x j_k(x) and x y_k(x) of the orders 0..n, with their first derivatives in x."""

import jax.numpy as jnp

from hostwrap.special._numbers import of_numbers
from hostwrap.special.bessel.entries_derivatives import nonnegative
from hostwrap.special.bessel.entries_spherical import spherical_jn, spherical_yn

__all__ = ["riccati_jn", "riccati_yn"]


@of_numbers
def riccati_jn(n, x):
    """x j_k(x), k = 0..n, and their first derivatives: two arrays. n is a Python integer, x a scalar."""
    orders, x = _orders(n), _scalar(x)
    j = spherical_jn(orders, x)
    return x * j, j + x * spherical_jn(orders, x, derivative=True)


@of_numbers
def riccati_yn(n, x):
    """x y_k(x), k = 0..n, and their first derivatives: two arrays. n is a Python integer, x a scalar.

    At x = 0, and where they or their next derivatives overflow, the functions are -inf and the derivatives inf,
    for which SciPy has 1e300. Order 0 is -cos(x).
    """
    orders, x = _orders(n), _scalar(x)
    pole = (orders > 0) & (jnp.isinf(spherical_yn(orders + 2, x)) | (x == 0))
    safe = jnp.where(pole | (x == 0), 1, x)
    y = spherical_yn(jnp.where(pole, 1, orders), safe)
    slope = y + safe * spherical_yn(jnp.where(pole, 1, orders), safe, derivative=True)
    value = jnp.where(orders == 0, -jnp.cos(x), safe * y)
    return jnp.where(pole, -jnp.inf, value), jnp.where(
        pole, jnp.inf, jnp.where(orders == 0, jnp.sin(x), slope)
    )


def _orders(n):
    """0..n; as in SciPy, n may be a float that is an integer."""
    return jnp.arange(nonnegative(int(n) if n == int(n) else n) + 1)


def _scalar(x):
    if jnp.ndim(x):
        raise ValueError("arguments must be scalars.")
    return x if isinstance(x, float) else jnp.asarray(x, jnp.result_type(x, float))
