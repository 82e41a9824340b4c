"""A function of SciPy on traced JAX arrays whose code looks at numbers: called on the host, and recorded there.

A host call has to know the shape of its result. The function is called to learn it: with the numbers that it got, where
they are known, as under `jax.grad`; else with several others, which must lead to one shape.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from hostwrap._copies.results import as_tree
from hostwrap._copies.retarget import Untraceable
from hostwrap._wrap import wrap


@dataclasses.dataclass(frozen=True)
class _Place:
    """Where a traced array stands among the arguments."""

    number: int


def tried(function: Callable, args: tuple, kwargs: dict) -> Any:
    """`function(*args, **kwargs)`, where some of the arguments, or of the elements of lists in them, are traced.

    Raises:
        Untraceable: the shape of the result depends on numbers that are not known, or is not that of arrays.
    """
    arrays: list[Any] = []

    def placed(x: Any) -> Any:
        if isinstance(x, jax.core.Tracer):
            arrays.append(x)
            return _Place(len(arrays) - 1)
        if type(x) in (list, tuple):
            return type(x)(map(placed, x))
        return np.asarray(x) if isinstance(x, jax.Array) else x

    args = placed(args)
    kwargs = {key: placed(x) for key, x in kwargs.items()}

    def call(*given: Any) -> Any:
        def filled(x: Any) -> Any:
            if type(x) is _Place:
                return given[x.number]
            if type(x) is list:
                return [filled(e) for e in x]
            return tuple([filled(e) for e in x]) if type(x) is tuple else x

        return function(*[filled(x) for x in args], **{key: filled(x) for key, x in kwargs.items()})

    call.__name__ = call.__qualname__ = function.__name__
    single = any(x.dtype in (np.float32, np.complex64) for x in arrays)
    omits = kwargs.get("nan_policy") == "omit"
    return wrap(call, out=_shapes(call, arrays, single, omits))(*arrays)


def _shapes(call: Callable, arrays: list, single: bool, omits: bool) -> Any:
    known = [_known(x) for x in arrays]
    points = _points(arrays, known)
    if omits and len(points) > 1:
        # SciPy counts in integers, but in floating-point numbers where one is omitted
        points.append(
            [_with_nan(x) if number is None else x for x, number in zip(points[0], known, strict=True)]
        )
    found, why = [], "it could not be called"
    for point in points:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = call(*(x.copy() for x in point))
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        else:
            found.append(jax.tree.map(lambda y: _shape(y, single), as_tree(result)))
    if not found:
        raise Untraceable(f"the shape of its result is not known before it is called ({why})")
    trees = [jax.tree.structure(f) for f in found]
    results = list(zip(*map(jax.tree.leaves, found), strict=True)) if len(set(trees)) == 1 else None
    if results is None or any(len({x.shape for x in same}) > 1 for same in results):
        raise Untraceable("the shape of its result depends on numbers")
    wide = [jax.ShapeDtypeStruct(same[0].shape, np.result_type(*[x.dtype for x in same])) for same in results]
    return jax.tree.unflatten(trees[0], wide)


def _with_nan(x: np.ndarray) -> np.ndarray:
    """x with a NaN in place of its first number, unless it is an array of integers or has no other number."""
    if x.dtype.kind not in "fc" or x.size < 2:
        return x
    x = x.copy()
    x.flat[0] = np.nan
    return x


def _shape(y: Any, single: bool) -> jax.ShapeDtypeStruct:
    y = np.asarray(y)
    if y.dtype.kind not in "biufc":
        raise Untraceable(f"its result holds an object that is no array: {y.dtype}")
    dtype = jax.dtypes.canonicalize_dtype(y.dtype)
    narrow = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
    return jax.ShapeDtypeStruct(y.shape, narrow.get(dtype, dtype) if single else dtype)


def _points(arrays: list, known: list) -> list[list[Any]]:
    """The numbers if all are known, else several harmless ones in their places."""
    if all(x is not None for x in known):
        return [known]
    random = np.random.default_rng(0)
    makers: tuple[Callable, ...] = (
        lambda shape: np.sort(random.uniform(0.2, 0.9, int(np.prod(shape)))).reshape(shape),
        lambda shape: random.uniform(0.2, 0.9, shape),
        lambda shape: random.uniform(-1.0, 1.0, shape),
    )
    return [
        [
            made(x.shape).astype(x.dtype) if number is None else number
            for x, number in zip(arrays, known, strict=True)
        ]
        for made in makers
    ]


def _known(x: Any) -> np.ndarray | None:
    """The numbers of a traced array, of one element of the batch under vmap; None where they are not there yet."""
    while isinstance(x, jax.core.Tracer):
        if (batched := getattr(x, "batch_dim", None)) is not None and hasattr(x, "val"):
            inner = x.val
            x = jax.lax.index_in_dim(inner, 0, batched, keepdims=False) if isinstance(batched, int) else inner
        else:
            x = getattr(x, "primal", None)
    return None if x is None else np.asarray(x)
