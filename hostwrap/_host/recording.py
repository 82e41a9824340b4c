"""A function made of loops, on stand-ins for arrays that write down which loops are called (see `_native/_tape`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop


@dataclasses.dataclass(frozen=True)
class Unsafe:
    """Arguments that a loop must not be given: `bad(*arrays)` is true of them. `instead` it takes these numbers."""

    bad: Callable[..., Any]
    instead: tuple[float, ...]


def record(name: str, loops: Callable[..., Any] | None, unsafe: Unsafe | None, arrays: Sequence[Any]) -> list:
    """All results; NaN where the arguments are unsafe, which the loops do not get to see."""
    if loops is None:
        raise NoLoop(name)
    if unsafe is None:
        return _as_list(loops(*arrays))
    bad = unsafe.bad(*arrays)
    harmless = [np.where(bad, a.dtype.type(x), a) for a, x in zip(arrays, unsafe.instead, strict=True)]
    return [np.where(bad, y.dtype.type(np.nan), y) for y in _as_list(loops(*harmless))]


def _as_list(results: Any) -> list:
    return list(results) if isinstance(results, tuple) else [results]
