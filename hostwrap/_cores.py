"""Functions of JAX arrays with core axes, compiled once: what recipes made of several host calls have in common."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap import _signature


def batched(signature: str) -> Callable:
    """`@batched("(n,n),(n)->(n)")`: leading axes are batch axes and broadcast; all arguments get one floating type."""
    parsed = _signature.parse(signature)

    def decorate(function: Callable) -> Callable:
        names = list(inspect.signature(function).parameters)
        compiled = jax.jit(jnp.vectorize(function, signature=signature))

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            bound = inspect.signature(function).bind(*args, **kwargs)
            arrays = [jnp.asarray(x) for x in bound.args]
            parsed.bind(function.__name__, names, [x.shape for x in arrays])
            dtype = jnp.result_type(*arrays)
            dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(float)
            return compiled(*(x.astype(dtype) for x in arrays))

        return call

    return decorate
