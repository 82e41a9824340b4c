"""Calls on arrays that record: NumPy's protocols, and Python's operators."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.axes import at_the_end
from hostwrap._tracing.originals import ARRAY
from hostwrap._tracing.tape import folds, partials
from hostwrap._tracing.tape.array import (
    FUNCTIONS,
    LATER,
    UFUNCS,
    Array,
    concrete,
    elementwise,
    frozen,
    holds,
    raw,
    stand_ins,
    valued,
    wrapped,
)
from hostwrap._tracing.tape.factors import Choice
from hostwrap._tracing.tape.log import compared, noted, unwatched
from hostwrap._tracing.tape.nodes import Step, current_level, kept, keys, unbroadcast
from hostwrap._tracing.tape.pairs import pair
from hostwrap._tracing.tape.refusals import NOT_SEEN, refused
from hostwrap._tracing.twins import OF_LISTS, WRITING
from hostwrap._tracing.values import rebuilt

__all__ = ["partials"]


def level_of(things: Any) -> int:
    """The number of the innermost tape of something in it."""
    return max([x.level for x in stand_ins(things)])


def on_one_tape(things: Any) -> tuple[Any, int]:
    """Treat arrays on outer tapes as constants of the innermost tape."""
    if type(things) is tuple and (known := level_of_plain(things)) is not None:
        return things, known
    found = stand_ins(things)
    level = found[0].level
    if all(x.level == level for x in found):
        return things, level
    level = max(x.level for x in found)
    return _lifted(things, level), level


_PLAIN = (float, int, np.float64, np.ndarray)


SINGLE = frozenset(u for u in UFUNCS if isinstance(u, np.ufunc) and u.nout == 1 and u not in FUNCTIONS)
"""Ufuncs of which there is no more to say than their partials."""


def level_of_plain(things: Sequence[Any]) -> int | None:
    """`level_of` for plain operands and one tape: a fast path, which runs at each operation."""
    level = None
    for x in things:
        if type(x) is Array:
            if level is None:
                level = x.level
            elif level != x.level:
                return None
        elif type(x) not in _PLAIN:
            return None
    return level


def _lifted(x: Any, level: int) -> Any:
    if isinstance(x, Array):
        return x if x.level == level else Array(x.now(), None, level)
    if isinstance(x, list | tuple):
        return rebuilt(x, (_lifted(v, level) for v in x))
    return {k: _lifted(v, level) for k, v in x.items()} if type(x) is dict else x


def below(function: Callable, args: Any, kwargs: Any = None) -> Any:
    """The value without this tape."""
    args, kwargs = raw(args), raw(kwargs or {})
    return apply(function, args, kwargs) if holds(args) or holds(kwargs) else function(*args, **kwargs)


def partials_of(ufunc: Any) -> Any:
    if ufunc not in UFUNCS:
        for source in LATER:
            found = source(ufunc)
            if found is not None:
                UFUNCS[ufunc] = found
                break
    return UFUNCS.get(ufunc)


_REDUCTIONS = {
    np.add: (np.sum, np.cumsum), np.multiply: (np.prod, np.cumprod), np.maximum: (np.max, None),
    np.minimum: (np.min, None), np.logical_and: (np.all, None), np.logical_or: (np.any, None),
}  # fmt: skip


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    if method == "__call__" and not options and ufunc in SINGLE:  # nearly all calls
        level = level_of_plain(inputs)
        if level is not None:
            value = ufunc(*[x.value if type(x) is Array else x for x in inputs])
            return elementwise(ufunc, UFUNCS[ufunc], inputs, value, level)
    out = options.pop("out", None)
    first = inputs[:1] if method == "at" else ()  # is written to
    inputs, options = (*first, *kept(tuple(inputs[len(first) :]))), kept(options)
    if method == "__call__":
        result = met(ufunc.__name__, _called(ufunc, inputs, options, out), inputs)
    elif (
        method in ("reduce", "accumulate") and ufunc in _REDUCTIONS and _REDUCTIONS[ufunc][method != "reduce"]
    ):
        if len(inputs) == 1:
            options.setdefault("axis", 0)
        result = _REDUCTIONS[ufunc][method != "reduce"](*inputs, **options)  # type: ignore[misc]
    elif method == "outer":
        result = folds.outer(ufunc, *inputs, **options)
    elif method == "at" and ufunc in (np.add, np.subtract) and isinstance(inputs[0], Array):
        return _added_at(ufunc, *inputs)
    elif method == "reduceat" and ufunc.reduceat in FUNCTIONS:
        result = FUNCTIONS[ufunc.reduceat](ufunc.reduceat, tuple(inputs), options)
    elif method == "at":
        return folds.at(ufunc, *inputs)
    else:
        (inputs, options), level = on_one_tape((tuple(inputs), options))
        value = unwatched(lambda: getattr(ufunc, method)(*raw(inputs), **raw(options)))
        result = valued(value, folds.FOLDS[method](ufunc, *inputs, **options), level)
    return given_out(out[0] if isinstance(out, tuple) and len(out) == 1 else out, result)


def met(name: str, found: Any, operands: Sequence[Any]) -> Any:
    """The result of a comparison. Note if it finds two numbers equal: code may look up a cached result in this way."""
    if name in _COMPARED:
        compared(_COMPARED[name], operands, found)
    if name in _ORDERS:
        if any(type(x) is Array and x.node is not None and _is_zero(concrete(x)) for x in operands):
            keys.get([]).append("a distance of 0")
        return found
    unequal = name in ("ne", "not_equal")
    if (unequal or name in ("eq", "equal")) and np.any(np.logical_not(found) if unequal else found):
        keys.get([]).append("==")
    return found


_COMPARED = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}  # fmt: skip
_COMPARED |= {name: name for name in _COMPARED.values()}
_ORDERS = frozenset(("lt", "le", "gt", "ge", "less", "less_equal", "greater", "greater_equal"))


def _is_zero(x: Any) -> bool:
    return x == 0 if type(x) is not np.ndarray else x.size > 0 and x.flat[0] == 0 and not x.any()


def given_out(out: Any, result: Any) -> Any:
    """Write the result to the array given as `out`."""
    if out is None:
        return result
    if isinstance(out, tuple):
        return tuple(given_out(o, r) for o, r in zip(out, result, strict=True))
    if not isinstance(out, Array):
        if holds(result):
            raise refused("out=", NOT_SEEN)
        out[...] = result
        return out
    if not np.can_cast(np.asarray(concrete(result)).dtype, out.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast output from {np.asarray(concrete(result)).dtype} to {out.dtype} with casting rule 'same_kind'"
        )
    out[...] = result
    return out


def _called(ufunc: np.ufunc, inputs: Sequence[Any], options: dict[str, Any], out: Any) -> Any:
    if out is None:
        inputs, level = on_one_tape(tuple(inputs))
    else:
        (inputs, out), level = on_one_tape((tuple(inputs), out))
    if ufunc.signature and set(options) & {"axis", "axes", "keepdims"}:
        inputs, placed = at_the_end(ufunc, inputs, options)
        return placed(_called(ufunc, inputs, options, None))
    where = concrete(options.pop("where", True))
    if where is not True:
        first = out[0] if isinstance(out, tuple) else out
        inputs = [
            np.where(where, x, 1.0) if isinstance(x, Array) and x.node is not None else x for x in inputs
        ]
        if not holds(inputs):  # but `out` records
            whole = ufunc(*inputs, where=where, out=np.array(concrete(first)), **options)
            return np.where(where, whole, first)
        whole = _called(ufunc, inputs, options, None)
        return whole if first is None else np.where(where, whole, first)
    values = [raw(x) for x in inputs]
    value = ufunc(*values, **options)
    moving = any(type(x) is Array and x.node is not None for x in inputs)
    if not moving or (ufunc.nout == 1 and getattr(value, "dtype", np.dtype(bool)).kind in "biu"):
        return noted(ufunc, inputs, wrapped(value, (), level))
    partials = partials_of(ufunc)
    if ufunc in FUNCTIONS:
        return FUNCTIONS[ufunc](ufunc, tuple(inputs), options)
    if partials is None:
        raise refused(f"numpy.{ufunc.__name__}", "the tape has no derivative for it")
    if ufunc.nout == 1:
        return elementwise(ufunc, partials, inputs, value, level)
    return tuple(elementwise(ufunc, p, inputs, v, level) for p, v in zip(partials, value, strict=True))


def _added_at(ufunc: np.ufunc, x: Array, key: Any, y: Any) -> None:
    """`x[key] += y`, where repeated places count repeatedly."""
    key = frozen(key)
    delta_like = np.zeros(x.shape, x.dtype)
    places, shape, y_shape = x.shape, np.shape(concrete(delta_like[key])), np.shape(y)
    if isinstance(y, Array):
        x.written_inside(y.level)
    value, added = raw(x), raw(y)
    value = (
        Array(value, None, added.level)
        if isinstance(added, Array) and not isinstance(value, Array)
        else value
    )
    value = value.copy()
    ufunc.at(value, key, added)
    sign = 1 if ufunc is np.add else -1

    def spread(t: Any) -> Any:
        z = np.zeros(places, t.dtype)
        np.add.at(z, key, np.broadcast_to(t, shape))
        return sign * z

    edges = [] if x.node is None else [Step(x.node, lambda t: t, lambda c: c)]
    if isinstance(y, Array) and y.node is not None:
        edges.append(Step(y.node, spread, lambda c: unbroadcast(sign * c[key], y_shape)))
    x[...] = wrapped(value, edges, x.level)


def apply(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call a function of NumPy or SciPy on arrays that record."""
    kwargs = {k: v for k, v in kwargs.items() if v is not np._NoValue and k != "like"}  # type: ignore[attr-defined]
    out = kwargs.pop("out", None)
    if function not in FUNCTIONS:
        if (again := followed(function)) is not None:
            return again(*args, **kwargs) if out is None else again(*args, out=out, **kwargs)
        where = getattr(function, "__module__", None) or "numpy"
        raise refused(f"{where}.{function.__name__}", "the tape has no derivative for it")
    if not holds(args) and not holds(kwargs):
        return given_out(out, function(*args, **kwargs))
    if function in WRITING and isinstance(args[0], Array):
        args[0].written_inside(max(x.level for x in stand_ins([args, kwargs])))
    (args, kwargs), _ = on_one_tape((args, kwargs))
    args, kwargs = _without_overwriting(function, args, kwargs)
    first = args[:1] if function in WRITING else ()
    args, kwargs = (*first, *kept(args[len(first) :])), kwargs if function in WRITING else kept(kwargs)
    if function.__name__ not in OF_LISTS or function is np.einsum:
        args = tuple(_joined(x, function) for x in args)
    return given_out(out, FUNCTIONS[function](function, args, kwargs))


def _joined(x: Any, function: Any = None) -> Any:
    """Make an array of a list in which something records; to SciPy a tuple may be a pair of arrays."""
    if not isinstance(x, list | tuple) or not holds(x) or len({np.shape(v) for v in concrete(x)}) > 1:
        return x
    pair = isinstance(x, tuple) and str(getattr(function, "__module__", None)).startswith("scipy")
    return x if pair else FUNCTIONS[ARRAY](ARRAY, (x,), {})


def _without_overwriting(function: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Turn off options that overwrite an argument: the derivative needs its numbers."""
    places = _overwriting(function)
    others = {k: v for k, v in kwargs.items() if not k.startswith(OVERWRITE)}
    return tuple(False if i in places else x for i, x in enumerate(args)), others


OVERWRITE = "overwrite_"


@functools.cache
def _overwriting(function: Callable) -> frozenset[int]:
    """The positions of such parameters."""
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(i for i, name in enumerate(names) if name.startswith(OVERWRITE))


def followed(function: Callable) -> Callable | None:
    """Run the function's own Python code; its results are on the tape of its arguments."""
    code = OTHERWISE[0](function)
    if code is None:
        return None

    @functools.wraps(function)
    def follow(*args: Any, **kwargs: Any) -> Any:
        found = stand_ins([args, kwargs])
        token = current_level.set(max(x.level for x in found) if found else current_level.get())
        try:
            return code(*args, **kwargs)
        finally:
            current_level.reset(token)

    return follow


OTHERWISE: list[Callable[[Callable], Callable | None]] = []
"""What to do with a function that has no rule: its own Python code, retargeted."""


# ---- operators and methods

_BINARY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
_COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")


_OPERANDS = (np.ndarray, np.generic, int, float, complex, list, tuple)


def _binary(name: str, ufunc: np.ufunc) -> None:
    perform = getattr(operator, name)

    given: Any = None if ufunc is np.matmul else UFUNCS[ufunc]
    single = (Choice(given[0]), Choice(given[1])) if ufunc is np.multiply else given

    def combined(a: Any, b: Any) -> Any:
        if type(a) is Array:
            level = a.level if (b.level == a.level if type(b) is Array else type(b) in _PLAIN) else None
        else:
            level = b.level if type(a) in _PLAIN else None
        if level is not None and given is not None:  # nearly all
            return pair(perform, given, single, a, b, level)
        if not all(type(x) is Array or isinstance(x, _OPERANDS) for x in (a, b)):
            return NotImplemented  # of a class of its own, which may know more
        a, b = kept(_joined(a)), kept(_joined(b))
        (a, b), level = on_one_tape((a, b))
        value = perform(raw(a), raw(b))
        if ufunc is np.matmul:
            return FUNCTIONS[ufunc](ufunc, (a, b), {})
        return elementwise(ufunc, UFUNCS[ufunc], (a, b), value, level)

    def inplace(a: Any, b: Any) -> Any:
        result = combined(a, b)
        return result if a.is_scalar or result is NotImplemented else given_out(a, result)

    setattr(Array, f"__{name}__", lambda a, b: combined(a, b))
    setattr(Array, f"__r{name}__", lambda a, b: combined(b, a))
    setattr(Array, f"__i{name}__", inplace)


def _comparison(name: str) -> None:
    perform = getattr(operator, name)
    setattr(Array, f"__{name}__", lambda a, b: met(name, perform(concrete(a), concrete(b)), (a, b)))


def _unary(name: str, ufunc: np.ufunc) -> None:
    perform = getattr(operator, name)
    setattr(Array, f"__{name}__", lambda a: elementwise(ufunc, UFUNCS[ufunc], (a,), perform(raw(a)), a.level))


def _method(name: str) -> None:
    function = getattr(np, name)
    setattr(Array, name, lambda a, *args, **kwargs: function(a, *args, **kwargs))


for _name, _ufunc in _BINARY.items():
    _binary(_name, _ufunc)
for _name, _ufunc in _UNARY.items():
    _unary(_name, _ufunc)
for _name in _COMPARISONS:
    _comparison(_name)
_AS_FUNCTIONS = (
    "sum prod mean std var cumsum cumprod min max argmin argmax argsort any all "
    "dot trace ravel squeeze swapaxes take repeat diagonal clip round nonzero searchsorted choose conj conjugate"
)
for _name in _AS_FUNCTIONS.split():
    _method(_name)
Array.__name__ = "recorded array"  # in errors of C code, which name the class of what they got
Array.__divmod__ = lambda a, b: (a // b, a % b)  # type: ignore[attr-defined]
Array.__rdivmod__ = lambda a, b: (b // a, b % a)  # type: ignore[attr-defined]
Array.__array_ufunc__ = lambda self, ufunc, method, *inputs, **options: apply_ufunc(
    ufunc, method, inputs, options
)  # type: ignore[attr-defined]
Array.__array_function__ = lambda self, function, types, args, kwargs: apply(function, args, kwargs)  # type: ignore[attr-defined]
Array.__array_wrap__ = lambda self, array, *_: array  # type: ignore[attr-defined]
