"""Functions that only use shapes, only move elements, or make and fill arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.axes import put_at
from hostwrap._tracing.originals import ARRAY
from hostwrap._tracing.tape.array import Array, concrete, raw, stand_ins, valued, wrapped
from hostwrap._tracing.tape.choices import converted, decided, ordered
from hostwrap._tracing.tape.dispatch import below, followed, level_of
from hostwrap._tracing.tape.index import onto
from hostwrap._tracing.tape.nodes import DOUBLE, NUMBERS, Node, Step, is_inexact, keys
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import F, bound_to, linear, rule
from hostwrap._tracing.values import rebuilt

# ---- looks at shapes and numbers: no derivative


@rule(
    "shape ndim size argmax argmin argsort nanargmax nanargmin isclose allclose array_equal array_equiv searchsorted "
    "digitize count_nonzero nonzero argwhere flatnonzero any all iscomplexobj isrealobj iscomplex isreal isposinf "
    "isneginf result_type can_cast common_type min_scalar_type may_share_memory shares_memory lexsort argpartition "
    "isin signbit fix isscalar unravel_index ravel_multi_index zeros_like ones_like empty_like"
)
@rule("matrix_rank", np.linalg)
def discrete(function: F, args: tuple, kwargs: dict) -> Any:
    value = function(*concrete(args), **concrete(kwargs))
    if function.__name__ in _EQUALS and np.any(value):
        keys.get([]).append(function.__name__)
    decided(function, args, kwargs, value)
    return wrapped(value, (), level_of([args, kwargs])) if is_inexact(value) else value


_EQUALS = ("array_equal", "array_equiv", "allclose", "isclose", "isin")


@rule("array_repr array_str array2string")
def text(function: F, args: tuple, kwargs: dict) -> str:
    return args[0].unreadable(function(*concrete(args), **concrete(kwargs)))


def whole_numbers(value: np.ndarray, what: str) -> np.ndarray:
    """The derivative of an integer result is 0; that of a text, a date or an object is an error."""
    if value.dtype.kind not in "biu":
        raise refused(what, f"an array of {value.dtype} cannot hold what is being differentiated")
    return value


# ---- functions that only move elements


@rule(
    "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims flip fliplr flipud rot90 roll take "
    "take_along_axis repeat tile broadcast_to broadcast_arrays diag diagonal diagflat tril triu concatenate stack "
    "hstack vstack dstack column_stack block append insert delete where select choose compress extract split "
    "array_split hsplit vsplit dsplit resize atleast_1d atleast_2d atleast_3d meshgrid permute_dims concat "
    "matrix_transpose unstack copy"
)
@rule("diagonal matrix_transpose", np.linalg)
@rule("fftshift ifftshift", np.fft)
def moves(function: F, args: tuple, kwargs: dict) -> Any:
    """The rule of a function that only moves elements.

    Applied to indices, the function says where each element goes.
    """
    if function.__name__ in _CHOOSING:
        args = (concrete(args[0]), *args[1:])
    found = stand_ins([args, kwargs])
    if not found:
        return function(*args, **kwargs)
    level = level_of(found)
    if len(found) == 1:
        one = found[0]
        with_it = lambda z: function(*_replaced(args, one, z), **_replaced(kwargs, one, z))
        here = one._peek()
        if (value := with_it(here)) is here:
            return one
        if isinstance(value, list | tuple):
            parts = [one.as_view(v, lambda z, k=k: with_it(z)[k]) for k, v in enumerate(value)]
            if parts and all(p is not None for p in parts):
                return rebuilt(value, parts)
        elif (shared := one.as_view(value, with_it)) is not None:
            return shared
        value = with_it(one.value)
    else:
        value = below(function, args, kwargs)
    moving = [a for a in found if a.node is not None]

    @functools.cache
    def places() -> tuple[list, list]:
        """For each result, the source index of each element, counted through all arrays; -1 for a constant."""
        ends = np.cumsum([0] + [a.size for a in moving])

        def numbers(offset: int) -> list:
            number = {
                id(a): np.arange(start + offset, start + offset + a.size).reshape(a.shape)
                for a, start in zip(moving, ends[:-1], strict=True)
            }
            get = lambda a: number.get(id(a), concrete(a))
            return _parts(function(*_mapped(args, get), **_mapped(kwargs, get)))

        # what does not change with the offset is a constant that stands between the elements
        first, second = numbers(1), numbers(1 + _OFFSET)
        with np.errstate(all="ignore"):
            pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(first, second, strict=True)]
            fixed = [a.dtype == bool or b - a != _OFFSET for a, b in pairs]
        rows = [np.where(f, -1, a - 1).real.astype(np.int64) for f, (a, _) in zip(fixed, pairs, strict=True)]
        if [row.shape for row in rows] != [np.shape(v) for v in _parts(value)]:
            raise refused(f"numpy.{function.__name__}", "where it moves elements to depends on them")
        return rows, list(ends)

    def edges(k: int) -> list[Step]:
        return [_moved(a, i, lambda: (places()[0][k], places()[1])) for i, a in enumerate(moving)]

    if isinstance(value, list | tuple):
        every = enumerate(value)
        return rebuilt(value, [wrapped(v, edges(k) if is_inexact(v) else (), level) for k, v in every])
    return wrapped(value, edges(0), level)


_OFFSET = 2**40
_CHOOSING = ("where", "select", "choose", "compress", "extract")  # by the first argument, which does not move


def _moved(a: Array, i: int, places: Callable) -> Step:
    shape, size = a.shape, a.size

    @functools.cache
    def index() -> tuple[np.ndarray, Any]:
        at, ends = places()
        at = at - ends[i]
        inside = (at >= 0) & (at < size) & (at + ends[i] >= 0)
        return np.where(inside, at, 0), True if inside.all() else inside

    def to(t: Any) -> Any:
        at, inside = index()
        if not size:
            return np.zeros(at.shape)
        found = np.reshape(t, -1)[at]
        return found if inside is True else np.where(inside, found, 0)

    def back(c: Any) -> Any:
        at, inside = index()
        if inside is not True:
            at, c = at[inside], np.asarray(c)[inside]
        at, c = np.ravel(at), np.ravel(c)
        z = np.bincount(at, np.real(c), size)
        return (z + 1j * np.bincount(at, np.imag(c), size) if np.iscomplexobj(c) else z).reshape(shape)

    return Step(a.node, to, back)  # type: ignore[arg-type]


def _mapped(x: Any, get: Callable) -> Any:
    if isinstance(x, Array):
        return get(x)
    if isinstance(x, list | tuple):
        return rebuilt(x, (_mapped(v, get) for v in x))
    return {k: _mapped(v, get) for k, v in x.items()} if type(x) is dict else x


def _replaced(x: Any, old: Array, new: Any) -> Any:
    return _mapped(x, lambda a: new if a is old else a)


def _parts(x: Any) -> list:
    return list(x) if isinstance(x, list | tuple) else [x]


@rule("pad")
def pad(function: F, args: tuple, kwargs: dict) -> Any:
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "constant")
    if (
        mode not in ("constant", "edge", "wrap", "symmetric", "reflect", "empty")
        or kwargs.get("reflect_type") == "odd"
    ):
        return followed(function)(*args, **kwargs)  # type: ignore[misc]
    return moves(function, args, kwargs)


@rule("sliding_window_view", np.lib.stride_tricks)
def windows(function: F, args: tuple, kwargs: dict) -> Any:
    """Sliding windows. A write to overlapping elements is refused."""
    return moves(function, args, {k: v for k, v in kwargs.items() if k != "writeable"})


@rule("as_strided", np.lib.stride_tricks)
def strided(function: F, args: tuple, kwargs: dict) -> Any:
    """`as_strided`: positions in memory, which may lie outside of the array if it is part of another one."""
    x, part, root = args[0], onto(args[0]), args[0].root
    whole = concrete(root)
    if not (whole.flags.c_contiguous and whole.itemsize == 8 and whole.base is None):
        raise refused(
            "numpy.lib.stride_tricks.as_strided", "the tape takes it of contiguous arrays of 8 bytes a number"
        )

    @functools.wraps(function)
    def of_root(z: Any) -> Any:
        return below(function, (Array(part(z), None, x.level), *args[1:]), kwargs)

    return moves(of_root, (root,), {})


@rule("bincount")
def bincount(function: F, args: tuple, kwargs: dict) -> Any:
    bound = {**dict(zip(("x", "weights", "minlength"), args, strict=False)), **kwargs}
    x, weights = concrete(bound["x"]), bound.get("weights")
    value = below(function, args, kwargs)
    if not isinstance(weights, Array) or weights.node is None:
        return wrapped(value, (), level_of([args, kwargs])) if is_inexact(value) else value
    size = len(value)
    to = lambda t: np.bincount(x, t, size)
    return linear(weights, value, to, lambda c: np.asarray(c)[x])


@rule("sort partition")
def sort(function: F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    x, axis = bound.pop("a"), bound.pop("axis", -1)
    if axis is None:
        x, axis = np.ravel(x), -1
    find = np.argsort if function is np.sort else np.argpartition
    order = find(concrete(x), axis=axis, **({"kind": "stable"} if function is np.sort else bound))
    ordered(x, order, axis, bound.get("kth"))

    def back(c: Any) -> Any:
        z = np.zeros(order.shape, np.result_type(c, np.float64))
        np.put_along_axis(z, order, c, axis)
        return z

    value = below(function, (x,), {**bound, "axis": axis})
    return linear(x, value, lambda t: np.take_along_axis(t, order, axis), back)


@rule("unique")
def unique(function: F, args: tuple, kwargs: dict) -> Any:
    """The first of equal elements; the choice, and the count, are constant."""
    bound = bound_to(function, args, kwargs)
    x, axis = bound.pop("ar"), bound.get("axis")
    wanted = bound.pop("return_index", False)
    _, first, *rest = np.unique(concrete(x), return_index=True, **bound)
    found = np.ravel(x)[first] if axis is None else np.take(x, first, axis=axis)
    return (found, *([first] if wanted else []), *rest) if wanted or rest else found


@rule("arange")
def arange(function: F, args: tuple, kwargs: dict) -> Any:
    """start + i step, for the number of elements that NumPy computes."""
    value = function(*concrete(args), **concrete(kwargs))
    names = ("stop",) if len(args) == 1 and "stop" not in kwargs else ("start", "stop", "step")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    start, step = given.get("start", 0), given.get("step", 1)
    if not is_inexact(value):
        return whole_numbers(value, "numpy.arange")
    value, level = below(function, args, kwargs), level_of([args, kwargs])
    like = np.arange(len(value)) * step + start
    return valued(value, like, level) if isinstance(like, Array) else wrapped(value, (), level)


@rule("array asarray asanyarray asarray_chkfinite ascontiguousarray asfortranarray require")
def array(function: F, args: tuple, kwargs: dict) -> Any:
    """An array of nested lists, in the dtype that NumPy would choose."""
    x, kwargs = args[0], dict(kwargs)
    if len(args) > 1:
        kwargs["dtype"] = args[1]
    keeps = function is not ARRAY or kwargs.get("copy", True) in (None, False)
    plain = concrete(x)
    value = function(plain, **concrete(kwargs))
    if not is_inexact(value):
        return whole_numbers(value, f"numpy.{function.__name__}")
    if isinstance(x, Array):
        same = x.dtype == value.dtype and x.ndim == value.ndim and not x.is_scalar
        keeps = keeps and np.may_share_memory(plain, value)  # a copy in another order is a new array
        return x if same and keeps else shaped(x.astype(value.dtype), value, x.level)
    level = level_of(x)
    leaves = _leaves(x)
    if value.dtype is DOUBLE and len(leaves) <= _FEW and all(_is_number(v, level) for v in leaves):
        nodes = [v.node if type(v) is Array else None for v in leaves]
        return wrapped(value, [_put(n, i, value.shape) for i, n in enumerate(nodes) if n is not None], level)
    flat = [np.ravel(v) if np.ndim(v) else v for v in leaves]
    stacked = np.concatenate([np.reshape(v, -1) for v in flat])
    return shaped(cast(np.reshape(stacked, value.shape), value.dtype), value, level)


_FEW = 16


def _is_number(x: Any, level: int) -> bool:
    """Whether it is a plain number, not an array on an outer tape."""
    if type(x) is Array:
        return x.level == level and type(x._peek()) in NUMBERS
    return type(x) in (*NUMBERS, int)


def _put(node: Node, i: int, shape: tuple[int, ...]) -> Step:
    """Put a number into an array at index i."""

    def to(t: Any) -> np.ndarray:
        z = np.zeros(shape)
        z.reshape(-1)[i] = t
        return z

    return Step(node, to, lambda c: np.reshape(c, -1)[i])


def shaped(x: Array, value: np.ndarray, level: int) -> Array:
    """A new array; a number becomes an array without axes."""
    full = wrapped(np.empty(value.shape, value.dtype), (), level)
    full[...] = x
    return full


def _leaves(x: Any) -> list:
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, list | tuple) else [x]


@rule("full_like")
def full_like(function: F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    like, fill = concrete(bound.pop("a")), bound.pop("fill_value")
    out = wrapped(np.full_like(like, 0, **bound), (), level_of([args, kwargs]))
    if not isinstance(out, Array):
        return np.full_like(like, concrete(fill), **bound)
    out[...] = fill
    return out


@rule("full")
def full(function: F, args: tuple, kwargs: dict) -> Any:
    bound = bound_to(function, args, kwargs)
    fill = bound["fill_value"]
    value = function(**concrete(bound))
    return (
        shaped(fill, value, level_of([args, kwargs])) if is_inexact(value) else whole_numbers(value, "full")
    )


def _made_here(function: F, target: Any) -> None:
    if not isinstance(target, Array):
        raise refused(f"numpy.{function.__name__}", "it writes to an array that the tape saw nobody make")


@rule("copyto")
def copyto(function: F, args: tuple, kwargs: dict) -> None:
    target, source = args
    where = concrete(kwargs.get("where", True))
    _made_here(function, target)
    if where is True:
        target[...] = source
    else:
        where = np.broadcast_to(where, target.shape)
        target[where] = np.broadcast_to(source, target.shape)[where]


@rule("putmask place")
def put_where(function: F, args: tuple, kwargs: dict) -> None:
    target, mask, values = args
    _made_here(function, target)
    mask = np.broadcast_to(np.asarray(concrete(mask)).astype(bool), target.shape)
    values = np.ravel(values if isinstance(values, Array) else np.asarray(values))
    count = mask.size if function is np.putmask else int(mask.sum())
    repeated = np.take(values, np.arange(count) % max(np.size(values), 1))
    target[mask] = repeated[mask.ravel()] if function is np.putmask else repeated


@rule("put")
def put(function: F, args: tuple, kwargs: dict) -> None:
    target, index, values, *mode = bound_to(function, args, kwargs).values()
    _made_here(function, target)
    put_at(target, concrete(index), np.array(values, like=target), *mode)


@rule("fill_diagonal")
def fill_diagonal(function: F, args: tuple, kwargs: dict) -> None:
    places = np.arange(args[0].size).reshape(args[0].shape)
    mark = np.zeros(args[0].shape, bool)
    np.fill_diagonal(mark, True, *args[2:], **kwargs)
    args[0][np.unravel_index(places[mark], mark.shape)] = args[1]


@rule("astype")
def astype(function: F, args: tuple, kwargs: dict) -> Any:
    return cast(args[0], args[1])


def cast(x: Array, dtype: Any, *_: Any, **__: Any) -> Any:
    value = raw(x)
    if type(value) in (float, complex):
        value = np.asarray(value)
    value = cast(value, dtype) if isinstance(value, Array) else value.astype(dtype)
    if not is_inexact(value):
        return converted(x, whole_numbers(concrete(value), "astype"))
    if np.iscomplexobj(x) and not np.iscomplexobj(value):
        return valued(value, np.real(x), x.level)
    return wrapped(value, [] if x.node is None else [Step(x.node, lambda t: t, lambda c: c)], x.level)
