"""How many threads a call may use: a setting, and what it is when nobody sets it."""

from __future__ import annotations

import contextlib
import contextvars
import os
from collections.abc import Iterator

VARIABLES = ("HOSTWRAP_NUM_THREADS", "OMP_NUM_THREADS")
_set: contextvars.ContextVar[int | None] = contextvars.ContextVar("hostwrap_threads", default=None)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Use at most `count` threads for a call of what is *traced* inside: `with hostwrap.threads(1): jax.jit(f)(x)`.

    A function that jit has already compiled keeps its number. Without it the number is that of the environment
    variable HOSTWRAP_NUM_THREADS, or OMP_NUM_THREADS, or of the processors that this process may run on. Raises
    ValueError for a number below one.
    """
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"hostwrap.threads: count must be a positive integer, got {count!r}.")
    token = _set.set(count)
    try:
        yield
    finally:
        _set.reset(token)


def count() -> int:
    """The number for what is traced now."""
    chosen = _set.get()
    if chosen is not None:
        return chosen
    for variable in VARIABLES:
        value = os.environ.get(variable, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
