"""What is done to a function of the matrix, in the first argument that is sharded.

Each takes the function, and whether each argument has the `axes` batch axes or is shared. All but the loss keep the
batch axes, so nothing needs to travel between devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

Shared = Sequence[bool]


def _total(f: Callable) -> Callable:
    return lambda *args: sum(jnp.sum(y) for y in jax.tree.leaves(f(*args)))


def _in_one(f: Callable, shared: Shared, args: Sequence[Any]) -> tuple[Callable, Any]:
    """The function of the first argument that is not shared, and the argument."""
    i = shared.index(False)
    return lambda x: f(*args[:i], x, *args[i + 1 :]), args[i]


def value(f: Callable, shared: Shared, axes: int) -> Callable:
    return f


def grad(f: Callable, shared: Shared, axes: int) -> Callable:
    return jax.grad(_total(f), shared.index(False))


def jvp(f: Callable, shared: Shared, axes: int) -> Callable:
    return lambda *args: jax.jvp(f, args, tuple(map(jnp.ones_like, args)))


def vmap(f: Callable, shared: Shared, axes: int) -> Callable:
    """Over a new axis, which every device has whole; in the result it comes after the batch axes."""

    def mapped(*args: Any) -> Any:
        g, x = _in_one(f, shared, args)
        scales = jnp.array([1.0, 1.25, 1.5], x.dtype)
        return jax.vmap(lambda s: g(s * x), out_axes=axes)(scales)

    return mapped


def hvp(f: Callable, shared: Shared, axes: int) -> Callable:
    def product(*args: Any) -> Any:
        g, x = _in_one(_total(f), shared, args)
        return jax.jvp(jax.grad(g), (x,), (jnp.ones_like(x),))[1]

    return product


def hessian(f: Callable, shared: Shared, axes: int) -> Callable:
    """Of each batch element by itself."""
    single = jax.hessian(_total(f), shared.index(False))
    for _ in range(axes):
        single = jax.vmap(single, [None if s else 0 for s in shared])
    return lambda *args: single(
        *(a.reshape(a.shape[axes:]) if s else a for a, s in zip(args, shared, strict=True))
    )


TRANSFORMATIONS = {"value": value, "grad": grad, "jvp": jvp, "vmap": vmap, "hvp": hvp, "hessian": hessian}
