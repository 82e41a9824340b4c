"""Functions of SciPy whose own Python code is differentiated (docs/automatic.md); here they get their shapes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from hostwrap._recipes.hosted import hosted
from hostwrap._recipes.scipys import typed


def followed(
    function: Callable, names: str, doc: str, like: Callable[[str, tuple], Any] | None = None
) -> Callable:
    """A function of SciPy in JAX, differentiable in these arguments, first and second order.

    Args:
        names: the arguments that are arrays.
        doc: what is differentiable, and an example. It goes behind SciPy's name.
        like: a harmless value of an argument with this name and shape, to learn shapes with; 0.5 by default.
    """

    def out(**given: Any) -> Any:
        values = {
            name: _typed((like or _half)(name, x.shape), x) if isinstance(x, jax.ShapeDtypeStruct) else x
            for name, x in given.items()
        }
        result = host(**values)
        single = any(x.dtype in (np.float32, np.complex64) for x in given.values() if hasattr(x, "dtype"))
        return jax.tree.map(
            lambda y: _shaped(np.asarray(y), single), tuple(result) if type(result) is tuple else result
        )

    @functools.wraps(function)
    def host(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    host.__signature__ = typed(function, names.split())  # type: ignore[attr-defined]
    call: Any = hosted(names, lambda *args, **kwargs: out(**_bound(host, names, args, kwargs)))(host)
    call.__doc__ = f"`{_public(function)}`, {doc}"
    call.__module__ = __name__
    call.follows = function
    return call


def _typed(harmless: Any, x: jax.ShapeDtypeStruct) -> Any:
    return harmless.astype(complex) if np.issubdtype(x.dtype, np.complexfloating) else harmless


def _half(name: str, shape: tuple) -> Any:
    return np.full(shape, 0.5)


def _bound(host: Callable, names: str, args: tuple, kwargs: dict) -> dict:
    """The arguments for learning shapes: arrays by position, Python values by name."""
    wanted = [name for name in inspect.signature(host).parameters if name in names.split()]
    return {**dict(zip(wanted, args, strict=False)), **kwargs}


def _shaped(y: np.ndarray, single: bool) -> jax.ShapeDtypeStruct:
    dtype = jax.dtypes.canonicalize_dtype(y.dtype)
    narrow = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
    return jax.ShapeDtypeStruct(y.shape, narrow.get(dtype, dtype) if single else dtype)


def _public(function: Callable) -> str:
    return ".".join([*function.__module__.split(".")[:2], function.__name__])
