"""Functions of JAX arrays, compiled once: what recipes of several host calls have in common."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp

from hostwrap._call import signature as _signature
from hostwrap._call.arguments import Parameters
from hostwrap._call.dtypes import check_number

F = TypeVar("F", bound=Callable[..., Any])


def batched(signature: str) -> Callable[[F], F]:
    """`@batched("(n,n),(n)->(n)")`: leading axes are batch axes and broadcast; all arguments get one floating type."""
    parsed = _signature.parse(signature)

    def decorate(function: F) -> F:
        name = function.__name__
        parameters = Parameters(name, inspect.signature(function))
        compiled = jax.jit(jnp.vectorize(function, signature=signature))

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            values, _ = parameters.bound(args, kwargs)
            given = arrays(name, **dict(zip(parameters.names, values, strict=True)))
            parsed.broadcast(name, parameters.names, [x.shape for x in given])
            dtype = inexact(*given)
            return compiled(*(x.astype(dtype) for x in given))

        return cast(F, call)

    return decorate


def as_one(*statics: str) -> Callable[[F], F]:
    """`@as_one("k")`: a function of arrays, compiled as a whole also outside of `jit`; inside it is inlined.

    Else JAX would compile each operation alone, which takes seconds.
    """
    return cast(Any, functools.partial(jax.jit, static_argnames=statics, inline=True))


def arrays(function: str, **values: Any) -> list[jax.Array]:
    """The arguments as JAX arrays; the error names an argument that is none."""
    values = {name: listed(value) for name, value in values.items()}
    for name, value in values.items():
        check_number(function, name, value)
    return [jnp.asarray(value) for value in values.values()]


def listed(x: Any) -> Any:
    """Lists of numbers as arrays, as in SciPy; other values stay, and raise the error later."""
    try:
        return jnp.asarray(x) if isinstance(x, list | tuple) else x
    except (TypeError, ValueError):
        return x


def coordinates(x: Any) -> Any:
    """Points as one array [..., d]; SciPy also takes a tuple of d arrays that broadcast."""
    return jnp.stack(jnp.broadcast_arrays(*map(listed, x)), -1) if isinstance(x, tuple) else x


def inexact(*given: jax.Array) -> Any:
    """The common type of all; integers alone become the default floating-point type."""
    dtype = jnp.result_type(*given)
    return dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(float)


def interval(breaks: jax.Array, x: jax.Array, first: int = 0, last: Any = None) -> jax.Array:
    """The number of the interval between breaks with x, from `first` to `last` (by default all); constant in
    derivatives."""
    found = jnp.searchsorted(breaks, jax.lax.stop_gradient(x), side="right") - 1
    return jnp.clip(found, first, breaks.shape[0] - 2 if last is None else last)


def or_as_scipys(solve: Callable, *starts: str) -> Callable[[Callable], Any]:
    """With a start value the function solves, like SciPy's; with functions alone it makes a solver."""

    def decorate(make: Callable) -> Any:
        first = next(iter(inspect.signature(make).parameters))

        @functools.wraps(make)
        def call(*args: Any, **options: Any) -> Any:
            if not args and first not in options:
                return make(**options)  # this call raises the error
            f, *given = args or (options.pop(first),)
            started = any(x is not None and not callable(x) for x in given[:1]) or options.keys() & set(
                starts
            )
            return (solve if started else make)(f, *given, **options)

        return call

    return decorate
