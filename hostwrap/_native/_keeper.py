"""Keeps what a compiled program calls alive: as long as the program, and until its last run is over.

A program may go away while a run of it is still under way, as in `y = jax.jit(lambda x: f(x))(x)`: nobody holds the
jitted function, and y is not there yet. The run itself holds nothing of Python.
"""

from __future__ import annotations

from typing import Any

import jax

# What programs that are gone have called, and the arrays that were not there yet when this was looked at first.
_leaving: list[tuple[Any, list[jax.Array] | None]] = []


class Keeper:
    """Given to the compiled program, which holds it; `value` is what it calls."""

    def __init__(self, value: Any) -> None:
        self.value = value
        release()

    def __del__(self) -> None:
        # no look at JAX's arrays here: this may run while one of them is being taken apart
        _leaving.append((self.value, None))


def release() -> None:
    """Let go of what no run needs any more; called when the next program is made."""
    if not _leaving:
        return
    left, _leaving[:] = list(_leaving), []
    pending = [array for array in jax.live_arrays() if not _is_there(array)]
    for value, arrays in left:
        waiting = [array for array in (pending if arrays is None else arrays) if not _is_there(array)]
        if waiting:
            _leaving.append((value, waiting))


def _is_there(array: Any) -> bool:
    return bool(array.is_deleted() or array.is_ready())
