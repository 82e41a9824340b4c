"""Origins of host functions: names by which every process finds the same function.

An origin is a tuple of literals, such as `("wrap", "module", "function", ...)`; `find` returns the host function that
it names in this process. It looks into modules that are imported already: it imports no module outside of hostwrap,
and unpickles or evaluates nothing. Modules of higher layers that lower layers need by name are found here, too.
"""

from __future__ import annotations

import ast
import cmath
import importlib
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

Origin = tuple[Any, ...]
_finders: dict[str, Callable[..., Any]] = {}
# modules of higher layers, imported when an origin names them
_OWN = {
    "code": "hostwrap._tracing.code",
    "concrete": "hostwrap._tracing.numpys",
    "followed": "hostwrap._tracing.numpys",
    "numpys": "hostwrap._tracing.numpys",
    "special": "hostwrap.special",
    "softmax": "hostwrap.special",
    "stats": "hostwrap.stats",
    "wrap": "hostwrap._wrap",
}


def finder(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the lookup of origins `(kind, *rest)`: `function(*rest)`, which returns None if it finds nothing."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _finders[kind] = function
        return function

    return declare


def find(origin: Origin) -> Any:
    """The host function of this origin, or None."""
    kind, *rest = origin
    if kind in _OWN:
        importlib.import_module(_OWN[kind])
    return _finders[kind](*rest) if kind in _finders else None


_ATOMS = (type(None), bool, int, str, bytes)
_reading = threading.Lock()


def is_literal(value: Any) -> bool:
    """Whether `read(repr(value))` gives the value back."""
    if type(value) in (tuple, list):
        return all(map(is_literal, value))
    if type(value) is dict:
        return all(map(is_literal, [*value, *value.values()]))
    return type(value) in _ATOMS or (type(value) in (float, complex) and cmath.isfinite(value))


def read(text: str) -> Any:
    """The literal that this text stands for, or None. Runs no code."""
    try:
        with _reading:  # CPython 3.11 fails in several threads at once (SystemError: AST constructor ..)
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # the last two: nested too deep
        return None


def imported(module: str, qualname: str) -> Any:
    """The object of this name in an imported module, or None. Calls no property and no `__getattr__`."""
    value: Any = sys.modules.get(module)
    for part in qualname.split("."):
        value = vars(value).get(part) if isinstance(value, types.ModuleType | type) else None
    return value


# The programs of a derivative table are found through its function.


def of_program(function: Origin | None, *which: Any) -> Origin | None:
    return None if function is None else ("program", function, *which)


@finder("program")
def _program(function: Origin, indices: tuple, kinds: str) -> Any:
    table: Any = getattr(find(function), "table", None)
    return None if table is None else table.program(indices, kinds)
