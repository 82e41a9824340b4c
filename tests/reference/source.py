"""The text of a definition with everything it uses: for fingerprints."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Iterator

from hostwrap.special._source import names_around, text


def full_text(function: Callable) -> str:
    """The source of a function with that of every function of ours that it uses, directly or indirectly."""
    found: dict[str, str] = {}
    todo = [function]
    while todo:
        current = todo.pop()
        key = f"{current.__module__}.{current.__qualname__}:{current.__code__.co_firstlineno}"
        if key not in found:
            found[key] = text(current)
            todo += [f for f in _globals(current) if isinstance(f, types.FunctionType) and _is_ours(f)]
    return "\n".join(found.values())


def names_of(code: types.CodeType) -> Iterator[str]:
    """Names that code looks up, in functions defined inside it too."""
    yield from code.co_names
    for inner in _inner(code):
        yield from names_of(inner)


def _global_names(code: types.CodeType) -> Iterator[str]:
    """Those of them that are no attributes: `definitions.density` is not the module `density`."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for inner in _inner(code):
        yield from _global_names(inner)


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def _globals(function: Callable) -> list:
    """What the names around it stand for; of `definitions.f`, the module's f."""
    names = sorted(set(names_of(function.__code__)))
    own = sorted({*_global_names(function.__code__), *function.__code__.co_freevars})
    around = names_around(function)
    found = [around[name] for name in own if name in around]
    modules = [m for m in found if isinstance(m, types.ModuleType) and m.__name__.startswith("hostwrap.")]
    return found + [getattr(m, name) for m in modules for name in names if hasattr(m, name)]


def _is_ours(function: Callable) -> bool:
    return function.__module__.split(".")[0] in ("hostwrap", "tests")
