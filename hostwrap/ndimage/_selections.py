"""Functions whose results are some of the numbers of their arguments: SciPy chooses them, and JAX takes them.

Filters by rank, and erosions, commute with increasing maps: they do the same to the ranks 0, 1, 2, ... of the numbers
as to the numbers. So SciPy filters the ranks, and its result is a list of places. The values are SciPy's to the bit;
the derivative of a result is that of the chosen number, one of those that are equal to it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.arguments import as_called
from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.scipys import typed
from hostwrap._wrap import wrap

OUTSIDE = -1  # in place of a number: the result is the value outside of the array


@wrap(
    out=lambda x, **_: jax.ShapeDtypeStruct(x.shape, jnp.result_type(int)),
    static=("function", "constant", "options"),
    copy=False,
)
def _places(x: np.ndarray, *, function: Callable, constant: float, options: tuple) -> np.ndarray:
    """The place of the number that each result is.

    Ranks are shifted so that `constant` has rank 0, which no number has: SciPy's own constant is 0.
    """
    if np.isnan(x).any():
        return _places_of(_by_scipy(x, function, constant, options), x)
    order = np.argsort(x, axis=None)
    ranks = np.empty(x.size)
    ranks[order] = np.arange(x.size)
    below = np.searchsorted(x.ravel()[order], constant) - 0.5
    found = function((ranks - below).reshape(x.shape), **{name: _array(value) for name, value in options})
    return np.where(found == 0, OUTSIDE, order[np.where(found == 0, 0, found + below).astype(int)])


def _places_of(values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A place of each value. What SciPy chooses among NaNs depends on the order in which it compares, not on ranks."""
    order = np.argsort(x, axis=None)
    ordered = x.ravel()[order]
    at = np.minimum(np.searchsorted(ordered, values), x.size - 1)
    return np.where((ordered[at] == values) | np.isnan(values), order[at], OUTSIDE)


def _by_scipy(x: np.ndarray, function: Callable, constant: float, options: tuple) -> np.ndarray:
    given = {name: _array(value) for name, value in options}
    if "cval" in inspect.signature(function).parameters:
        given["cval"] = constant
    return function(x, **given)


@wrap(
    out=lambda x, **_: jax.ShapeDtypeStruct(x.shape, x.dtype),
    static=("function", "constant", "options"),
    copy=False,
)
def _chosen(x: np.ndarray, *, function: Callable, constant: float, options: tuple) -> np.ndarray:
    return _by_scipy(x, function, constant, options)


@_chosen.defjvp
def _chosen_jvp(primals: tuple, tangents: tuple, *, constant: float, **how: Any) -> tuple:
    """With the derivative, the value comes from the places, too, so SciPy is asked for these only."""
    (x,), (dx,) = primals, tangents
    at = _places(jax.lax.stop_gradient(x), constant=constant, **how)
    take = lambda x, outside: jnp.where(at == OUTSIDE, jnp.asarray(outside, x.dtype), jnp.ravel(x)[at])
    return take(x, constant), take(dx, 0)


def _array(value: Any) -> Any:
    """Convert a footprint back to an array."""
    return np.asarray(value) if isinstance(value, tuple) and value and isinstance(value[0], tuple) else value


def _static(value: Any) -> Any:
    """A Python value that can be a key."""
    if isinstance(value, np.ndarray | np.generic | jax.Array) and not isinstance(value, jax.core.Tracer):
        value = value.tolist()
    return tuple(map(_static, value)) if isinstance(value, list | tuple) else value


def selecting(function: Callable, doc: str, without: tuple[str, ...] = ()) -> Callable:
    """A function of SciPy whose results are numbers of its first argument, or a constant outside, in JAX.

    Args:
        doc: what it is, and an example.
        without: arguments of SciPy's that it does not take, beside `output`.
    """
    own = typed(function, ["input"])
    kept = [p for p in own.parameters.values() if p.name not in ("output", *without)]
    signature = own.replace(parameters=kept)
    first = kept[0].name

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> jax.Array:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise SignatureError(f"{function.__name__}{as_called(signature)}: {error}.") from None
        x = bound.arguments.pop(first)
        given = {name: _static(value) for name, value in bound.arguments.items()}
        (x,) = arrays(function.__name__, **{first: np.asarray(x) if isinstance(x, list | tuple) else x})
        if jnp.iscomplexobj(x):
            raise SignatureError(
                f"{function.__name__}: `{first}` must be real, got {x.dtype}: complex numbers have no order."
            )
        x = x.astype(inexact(x))
        constant = float(given.pop("cval", 0.0))
        return _chosen(x, function=function, constant=constant, options=tuple(given.items()))

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__module__ = __name__
    call.__doc__ = f"`{'.'.join([*function.__module__.split('.')[:2], function.__name__])}`: {doc}"
    return call
