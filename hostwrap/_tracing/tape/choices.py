"""Notes of what functions decide that return places, an order, or truths; see `log.Way`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import concrete
from hostwrap._tracing.tape.log import chosen, compared, looked, noted, placed, watched
from hostwrap._tracing.tape.rules import bound_to, joined


def decided(function: Callable, args: tuple, kwargs: dict, value: Any) -> None:
    if (way := watched.get()) is None:
        return
    if isinstance(function, np.ufunc):
        way.decides(function.__name__, args)
    elif (note := _NOTES.get(function.__name__)) is not None:
        note(bound_to(function, args, kwargs), value)


def converted(x: Any, found: Any) -> Any:
    """Note the conversion to an array of integers or of truths; return it."""
    return compared("not_equal", (x, 0.0), found) if found.dtype.kind == "b" else looked("int", (x,), found)


def ordered(x: Any, order: Any, axis: int, kth: Any = None) -> None:
    """Note the order of the elements; with `kth` only which are these: the others may be in any order."""
    if watched.get() is not None:
        x, order = np.moveaxis(x, axis, -1), np.moveaxis(order, axis, -1)
        chosen(x, order if kth is None else order[..., np.ravel(kth)], kink=True)


def _extreme(given: dict[str, Any], value: Any) -> None:
    x, axis = joined(given["a"]), given.get("axis")
    if axis is None:
        chosen(np.ravel(x), np.reshape(value, 1))
    else:
        value = value if given.get("keepdims") else np.expand_dims(value, axis)
        chosen(np.moveaxis(x, axis, -1), np.moveaxis(value, axis, -1))


def _order(given: dict[str, Any], value: Any) -> None:
    x, axis = joined(given["a"]), given.get("axis", -1)
    x, axis = (np.ravel(x), -1) if axis is None else (x, axis)
    chosen(np.moveaxis(x, axis, -1), np.moveaxis(value, axis, -1))


def _axis(given: dict[str, Any]) -> Any:
    return given.get("axis", -1)


def _order_by_keys(given: dict[str, Any], value: Any) -> None:
    """Each key may decide, so the order of each is noted."""
    keys, axis = joined(given["keys"]), given.get("axis", -1)
    for x in keys if np.ndim(keys) > 1 else ():
        chosen(np.moveaxis(x, axis, -1), np.moveaxis(np.argsort(concrete(x), axis, "stable"), axis, -1))


def _searched(given: dict[str, Any], value: Any) -> None:
    knots, sorter = joined(given["a"]), given.get("sorter")
    placed(joined(given["v"]), knots if sorter is None else knots[sorter])


def _close(given: dict[str, Any], value: Any) -> None:
    a, b = joined(given["a"]), joined(given["b"])
    size = given.get("atol", 1e-8) + given.get("rtol", 1e-5) * np.abs(b)
    compared("less_equal", (np.abs(a - b), size), value)


_NOTES: dict[str, Callable[[dict[str, Any], Any], None]] = {
    **dict.fromkeys(("argmax", "argmin", "nanargmax", "nanargmin"), _extreme),
    "argsort": _order,
    "argpartition": lambda given, value: _order(
        given, np.argsort(concrete(joined(given["a"])), _axis(given))
    ),
    "fix": lambda given, value: noted(np.trunc, (joined(given["x"]),), value),
    "lexsort": _order_by_keys,
    "searchsorted": _searched,
    "digitize": lambda given, value: placed(joined(given["x"]), joined(given["bins"])),
    "isclose": _close,
}
