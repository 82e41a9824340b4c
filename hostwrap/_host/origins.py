"""Where a host function comes from, in words that mean the same in every process.

An origin is a tuple of literals, such as `("wrap", "module", "function", ...)`; `find` gives the host that
it means in this process. It looks among what has been imported: no module but ours is imported for it, and nothing is
unpickled or evaluated. What differentiates code without a rule is found here, too: it stands in a layer above.
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
# Modules in layers above, of which the layers below find something by name: loaded when it is wanted.
_OWN = {
    "code": "hostwrap._tracing.code",
    "numpys": "hostwrap._tracing.numpys",
    "special": "hostwrap.special",
    "softmax": "hostwrap.special",
    "stats": "hostwrap.stats",
    "wrap": "hostwrap._wrap",
}


def finder(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare how origins `(kind, *rest)` are looked up: `function(*rest)`, None where there is nothing."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _finders[kind] = function
        return function

    return declare


def find(origin: Origin) -> Any:
    """The host of this origin, or None."""
    kind, *rest = origin
    if kind in _OWN:
        importlib.import_module(_OWN[kind])
    return _finders[kind](*rest) if kind in _finders else None


_ATOMS = (type(None), bool, int, str, bytes)
_reading = threading.Lock()


def is_literal(value: Any) -> bool:
    """Whether the value can be read again from its text."""
    if type(value) in (tuple, list):
        return all(map(is_literal, value))
    if type(value) is dict:
        return all(map(is_literal, [*value, *value.values()]))
    return type(value) in _ATOMS or (type(value) in (float, complex) and cmath.isfinite(value))


def read(text: str) -> Any:
    """The literal of this text, or None; no code is run."""
    try:
        with _reading:  # CPython 3.11 fails in several threads at once (SystemError: AST constructor ..)
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # the last two: nested too deep
        return None


def imported(module: str, qualname: str) -> Any:
    """What has this name in a module that has been imported, or None; no property or `__getattr__` is asked."""
    value: Any = sys.modules.get(module)
    for part in qualname.split("."):
        value = vars(value).get(part) if isinstance(value, types.ModuleType | type) else None
    return value


# A table's programs come from where its function does.


def of_program(function: Origin | None, *which: Any) -> Origin | None:
    return None if function is None else ("program", function, *which)


@finder("program")
def _program(function: Origin, indices: tuple, kinds: str, count: int | None = None) -> Any:
    host = find(function)
    table: Any = getattr(host, "table", None)
    if table is None:
        return None
    program = table.program(indices, kinds)
    return program if count is None else table.beside(host, count, program)
