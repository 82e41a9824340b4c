"""The API reference: every public name of every public module, from its docstring."""

from __future__ import annotations

import importlib
import inspect
import types
from typing import Any

import hostwrap
from docs.generate.site.docstrings import markdown, signature
from docs.generate.site.groups import members, title
from hostwrap.special._rest import NOT_WRAPPED

MODULES = ("hostwrap", *(f"hostwrap.{m}" for m in hostwrap._MODULES if m not in ("sparse", "special")))
MODULES = tuple(
    sorted((*MODULES, "hostwrap.sparse.csgraph", "hostwrap.sparse.linalg", "hostwrap.spatial.distance"))
)
VALUES = {"__version__": "The version of this package, a string."}
HEAD = """# API reference

*Generated from the docstrings.* The functions of [`hostwrap.special`](#hostwrap-special) have pages of their own, by
family.
"""


def page() -> str:
    return "\n\n".join([HEAD, *map(_module, MODULES), _special()]) + "\n"


def public(module: str) -> dict[str, Any]:
    """The public names of a module that are no modules themselves."""
    loaded = importlib.import_module(module)
    found = {name: getattr(loaded, name) for name in loaded.__all__}
    return {name: value for name, value in found.items() if not isinstance(value, types.ModuleType)}


def documentation(name: str, value: Any) -> str:
    """What is said of a public name: its docstring, or for a value of a type of ours that of the type."""
    if name in VALUES:
        return VALUES[name]
    if inspect.isroutine(value) or isinstance(value, type):
        return inspect.getdoc(value) or ""
    kinds = [t for t in type(value).__mro__ if t.__module__.startswith("hostwrap")]
    return "\n\n".join(inspect.cleandoc(t.__doc__) for t in kinds if t.__doc__)


def _module(module: str) -> str:
    about = inspect.getdoc(importlib.import_module(module)) or ""
    parts = [f"## {module}", markdown(about)]
    return "\n\n".join([*parts, *(_entry(module, name, value) for name, value in public(module).items())])


def _entry(module: str, name: str, value: Any) -> str:
    place = "" if module == "hostwrap" else f"{module.removeprefix('hostwrap.')}."
    parts = [f"### {place}{name}".replace("__", r"\_\_")]
    if inspect.isroutine(value):
        parts.append(f"```python\n{name}{signature(value)}\n```")
    parts.append(markdown(documentation(name, value)))
    if not inspect.isroutine(value):
        members = [(n, getattr(value, n)) for n in _members(value)]
        parts += [
            f"**`{name}.{n}{signature(m)}`**\n\n{markdown(inspect.getdoc(m) or '')}" for n, m in members
        ]
    return "\n\n".join(parts)


def _members(value: Any) -> list[str]:
    """Public methods of a class of ours, its own and inherited; the functions of a distribution."""
    public = [(n, m) for n, m in inspect.getmembers(value, callable) if not n.startswith("_")]
    return [n for n, m in public if getattr(m, "__module__", None) and m.__module__.startswith("hostwrap")]


def _special() -> str:
    parts = [
        "(hostwrap-special)=\n## hostwrap.special",
        "Each name has a page with formulas, domain and accuracy.",
    ]
    for family, names in members().items():
        links = ", ".join(f"[`{name}`](special/{name}.md)" for name in names)
        if links:
            parts.append(f"* {title(family)}: {links}")
    names = "\n".join(f"* {what}: `{'`, `'.join(names.split())}`" for what, names in NOT_WRAPPED.items())
    return "\n\n".join([*parts, "These are SciPy's own, handed on as they are, for NumPy arrays:", names])
