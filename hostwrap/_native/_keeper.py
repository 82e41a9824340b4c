"""Keeps what a compiled program calls alive: as long as the program, and until its last run is over.

A program may go away while a run of it is still under way, as in `y = jax.jit(lambda x: f(x))(x)`: nobody holds the
jitted function, and y is not there yet. The run itself holds nothing of Python.
"""

from __future__ import annotations

import contextlib
from typing import Any

import jax

# What nobody needs when these arrays are there; looked through when the next program is made or goes away.
_leaving: list[tuple[Any, list[jax.Array]]] = []


class Keeper:
    """Given to the compiled program, which holds it; `value` is what it calls."""

    def __init__(self, value: Any) -> None:
        self.value = value
        release()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # Python may be ending
            release()
            pending = [array for array in jax.live_arrays() if not _is_there(array)]
            if pending:
                _leaving.append((self.value, pending))


def release() -> None:
    """Let go of what no run needs any more."""
    _leaving[:] = [(value, arrays) for value, arrays in _leaving if not all(map(_is_there, arrays))]


def _is_there(array: Any) -> bool:
    return array.is_deleted() or array.is_ready()
