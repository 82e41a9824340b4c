"""Replacements of functions of Python and NumPy that make, fill and inspect arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.axes import put_at
from hostwrap._tracing.calls import ALWAYS, FUNCTIONS, call
from hostwrap._tracing.standin import Stand, box, stacked
from hostwrap._tracing.traces import current
from hostwrap._tracing.values import LOOKED, raw


def given(*originals: Any, always: bool = False) -> Callable:
    """Register the replacement of these functions; with `always` it is also used if no argument is traced."""

    def noted(function: Callable) -> Callable:
        FUNCTIONS.update(dict.fromkeys(originals, function))
        if always:
            ALWAYS.add(function)
        return function

    return noted


# ---- make arrays


@given(np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite, np.require)
def array(x: Any, dtype: Any = None, *_: Any, ndmin: int = 0, copy: Any = None, **__: Any) -> Stand:
    x = stacked(x)
    if not isinstance(x, Stand):
        return Stand(np.asarray(raw(x), dtype))
    dtype = raw(dtype)
    if dtype is not None and np.dtype(dtype) not in (x.dtype, np.dtype(object)):
        x = x.astype(dtype)
    if ndmin > x.ndim:
        x = x.reshape((1,) * (ndmin - x.ndim) + x.shape)
    return Stand(x.value) if x.scalar else x


@given(np.array, np.copy)
def _copied(x: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, **_: Any) -> Stand:
    made = array(x, dtype, ndmin=ndmin)
    return made.copy() if made is x and copy in (True, np._CopyMode.ALWAYS) else made


@given(np.empty, always=True)
def _empty(*args: Any, **kwargs: Any) -> Any:
    return call(np.zeros, args, kwargs)


def _made_like(value: int) -> Callable:
    def like(
        x: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any
    ) -> Stand:
        x = x if isinstance(x, Stand) else array(x)
        made = raw(dtype) or x.dtype
        return Stand(np.full(x.value.shape if shape is None else raw(shape), value, made), mask=x.mask)

    return like


given(np.empty_like, np.zeros_like, always=True)(_made_like(0))
given(np.ones_like, always=True)(_made_like(1))


@given(np.full_like)
def _full_like(x: Any, fill_value: Any, dtype: Any = None, *_: Any, shape: Any = None, **__: Any) -> Stand:
    x = array(x)
    made = Stand(np.zeros(x.shape if shape is None else raw(shape), raw(dtype) or x.dtype))
    made[...] = fill_value
    return made


@given(np.full)
def _full(shape: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Stand:
    fill_value = array(fill_value)
    made = Stand(np.zeros(raw(shape), raw(dtype) or fill_value.dtype))
    made[...] = fill_value
    return made


class Converter:
    """Replaces the helper in NumPy's Python code that converts arguments to arrays."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = tuple(map(array, arrays))

    def __getitem__(self, i: int) -> Stand:
        return self.arrays[i]

    def as_arrays(self, **_: Any) -> tuple:
        return self.arrays

    def wrap(self, x: Any, **_: Any) -> Any:
        return x

    def result_type(self, *more: Any, **_: Any) -> Any:
        return np.result_type(*(x.dtype for x in self.arrays), *map(raw, more))


_umath = getattr(getattr(np, "_core", None), "_multiarray_umath", None)
if (_converter := getattr(_umath, "_array_converter", None)) is not None:
    given(_converter, always=True)(Converter)


# ---- ask arrays


@given(np.size)
def _size(x: Any, axis: Any = None) -> int:
    x = array(x)
    if x.mask is not None:
        raise Untraceable("the length of a selection x[mask] depends on numbers", LOOKED)
    return x.size if axis is None else x.shape[axis]


given(np.shape)(lambda x: array(x).shape)
given(np.ndim)(lambda x: array(x).ndim)
given(len)(lambda x: len(x))
given(np.iscomplexobj)(lambda x: array(x).dtype.kind == "c")
given(np.isrealobj)(lambda x: array(x).dtype.kind != "c")
given(np.isscalar)(lambda x: isinstance(x, Stand) and x.scalar)
given(np.iterable)(lambda x: not isinstance(x, Stand) or x.ndim > 0)
given(np.can_cast)(
    lambda x, to, *a, **k: np.can_cast(x.dtype if isinstance(x, Stand) else raw(x), raw(to), *a, **k)
)
given(np.shares_memory, np.may_share_memory)(lambda a, b, *_: a is b)


@given(np.result_type, np.common_type)
def _result_type(*args: Any) -> Any:
    return np.result_type(*(x.dtype if isinstance(x, Stand) else raw(x) for x in args))


@given(np.where)
def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        raise Untraceable("np.where(condition) asks where numbers are", LOOKED)
    arrays = [stacked(x) for x in (condition, *choices)]
    masks = [x.mask for x in arrays if isinstance(x, Stand) and x.mask is not None]
    values = [x.value if isinstance(x, Stand) else raw(x) for x in arrays]
    result = jnp.where(*(np.asarray(v) if isinstance(v, list) else v for v in values))
    return Stand(result, scalar=False, mask=masks[0] if masks else None)


for _function in (np.nonzero, np.flatnonzero, np.argwhere, np.unique, np.compress):
    _words = f"np.{_function.__name__}: a length that depends on numbers"
    given(_function)(lambda *_, _words=_words, **__: refuse(_words))


def refuse(reason: str, way_out: str = LOOKED) -> Any:
    raise Untraceable(reason, way_out)


@given(np.extract)
def _extract(condition: Any, x: Any) -> Any:
    mask = _mask(condition)
    return Stand(jnp.broadcast_to(jnp.asarray(raw(stacked(x))), mask.shape))[mask]


def _mask(x: Any) -> Stand:
    """A mask from integers that stand for truth values; one array always gives the same mask."""
    x = array(x)
    if x.dtype == bool:
        return x
    return Stand(current().masks.setdefault(id(x.value), (jnp.asarray(x.value, bool), x.value))[0])


@given(np.round, np.around)
def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """`numpy.round`. To integers the derivative is 0. To decimals it is refused: hardly anybody wants a derivative of
    0."""
    if raw(decimals):
        refuse("rounding to decimals: its derivative would be 0 everywhere", "Leave it out")
    found = box(jnp.round(jnp.asarray(raw(stacked(a)))))
    if out is None:
        return found
    out[...] = found
    return out


# ---- write to arrays


@given(np.copyto)
def _copyto(dst: Any, src: Any, casting: Any = None, where: Any = True) -> None:
    _refuse_foreign(dst)
    if where is True:
        dst[...] = src
    else:
        dst.set(jnp.where(raw(where), raw(stacked(src)), dst.value))


@given(np.putmask, np.place)
def _putmask(dst: Any, mask: Any, values: Any) -> None:
    _refuse_foreign(dst)
    values = stacked(values)
    if isinstance(values, Stand) and values.mask is not None:
        dst[_mask(mask)] = values
        return
    value = raw(values)
    if np.size(value) != 1 and np.shape(value) != dst.shape:
        raise Untraceable("np.place: the places depend on numbers", LOOKED)
    shape = () if np.size(value) == 1 else dst.shape
    dst.set(jnp.where(raw(_mask(mask)), jnp.reshape(jnp.asarray(value), shape), dst.value))


def _refuse_foreign(dst: Any) -> None:
    if not isinstance(dst, Stand):
        raise Untraceable("an array is written to that the function did not make", "Write to a copy of it")


@given(np.fill_diagonal)
def _fill_diagonal(a: Any, value: Any, wrap: bool = False) -> None:
    _refuse_foreign(a)
    numbers = np.arange(min(a.shape))
    a[(numbers,) * a.ndim] = value


@given(np.put)
def _put(a: Any, index: Any, values: Any, mode: str = "raise") -> None:
    _refuse_foreign(a)
    put_at(a, raw(stacked(index)), stacked(values), mode)


@given(np.piecewise)
def _piecewise(x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Stand:
    """`numpy.piecewise`. All branches are computed; outside of its condition a branch gets a number from inside."""
    x = array(x)
    conditions = conditions if isinstance(conditions, list | tuple) else [conditions]
    conditions = [jnp.asarray(raw(stacked(c))) for c in conditions]
    if len(functions) == len(conditions) + 1:
        conditions.append(~jnp.any(jnp.stack(jnp.broadcast_arrays(*conditions)), axis=0))
    result = jnp.zeros(x.shape, x.dtype)
    for condition, function in zip(conditions, functions, strict=True):
        given = x[Stand(condition)] if x.ndim else x
        part = function(given, *args, **kwargs) if callable(function) else function
        part = part.value if isinstance(part, Stand) else part
        result = jnp.where(condition, jnp.asarray(part).astype(result.dtype), result)
    return Stand(result)
