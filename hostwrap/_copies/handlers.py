"""Whether traced code would catch an exception. If so, tracing must not raise one: it may depend on numbers."""

from __future__ import annotations

import contextvars
import dis
import functools
import sys
import types
from collections.abc import Iterator
from typing import Any

from hostwrap._copies.lookups import Globals

caught: contextvars.ContextVar[list] = contextvars.ContextVar("hostwrap_caught")
"""The refusals of this run that the user's code was about to catch: they count nevertheless."""

OF_OTHER_THINGS = {
    "KeyError", "IndexError", "LookupError", "AttributeError", "TypeError", "NameError", "ImportError",
    "ModuleNotFoundError", "NotImplementedError", "StopIteration", "UnicodeError",
}  # fmt: skip
_MATCH = ("CHECK_EXC_MATCH", "CHECK_EG_MATCH")


def is_caught(numbers: bool = True) -> bool:
    """Whether the user's code is inside a `try` that catches the exception.

    With `numbers`, only a handler for errors of numbers counts, such as ValueError and ZeroDivisionError.
    """
    frame: Any = sys._getframe(1)
    while frame is not None:
        users = isinstance(frame.f_globals, Globals) and not is_library(frame.f_globals.original)
        if users and _catches(frame.f_code, frame.f_lasti, numbers):
            return True
        frame = frame.f_back
    return False


def is_library(namespace: dict[str, Any]) -> bool:
    return str(namespace.get("__name__")).split(".")[0] in ("numpy", "scipy", "hostwrap")


def _catches(code: types.CodeType, at: int, numbers: bool) -> bool:
    """Whether a handler around the instruction catches it.

    A handler that only cleans up raises again, into the outer one.
    """
    for start, end, names, again in _handlers(code):
        if start <= at < end:
            if names is None:
                return again > at and _catches(code, again, numbers)
            return not (numbers and names and names <= OF_OTHER_THINGS)
    return False


@functools.lru_cache(maxsize=1024)
def _handlers(code: types.CodeType) -> tuple[tuple[int, int, frozenset[str] | None, int], ...]:
    """The handlers of the code: (start, end, names of what it catches, where it raises again).

    No names mean that it catches everything, None that it only cleans up.
    """
    if not code.co_exceptiontable:
        return ()
    instructions = list(dis.get_instructions(code))
    numbers = {line.offset: k for k, line in enumerate(instructions)}
    rows = []
    for entry in getattr(dis.Bytecode(code), "exception_entries", ()):
        handler = instructions[numbers[entry.target] :]
        again = next((line.offset for line in handler if line.opname == "RERAISE"), -1)
        rows.append((entry.start, entry.end, _names(handler), again))
    return tuple(rows)


def _names(handler: list[dis.Instruction]) -> frozenset[str] | None:
    """The names of what a handler catches; None if it cleans up and raises again, like `with` and `finally`."""
    if handler[0].opname != "PUSH_EXC_INFO":
        return None
    if handler[1].opname == "POP_TOP":
        return frozenset()
    names = list(_up_to_match(handler[1:]))
    return frozenset(names[:-1]) if names and names[-1] in _MATCH else None


def _up_to_match(handler: list[dis.Instruction]) -> Iterator[str]:
    for line in handler:
        if line.opname in _MATCH:
            yield line.opname
            return
        if not line.opname.startswith(("LOAD_", "BUILD_TUPLE", "PUSH_NULL", "CACHE", "EXTENDED_ARG")):
            return
        if line.opname.startswith("LOAD_"):
            yield str(line.argval)
