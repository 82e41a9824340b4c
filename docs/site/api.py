"""The API reference: every public name of every public module, from its docstring."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
import types
from typing import Any

import hostwrap
from docs.site.groups import anchor, families, family
from hostwrap.special._function import Special
from hostwrap.special._rest import NOT_WRAPPED

MODULES = ("hostwrap", *(f"hostwrap.{m}" for m in hostwrap._MODULES if m not in ("sparse", "special")))
MODULES = tuple(sorted((*MODULES, "hostwrap.sparse.linalg")))
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
    ours = (
        inspect.isroutine(value) or isinstance(value, type) or type(value).__module__.startswith("hostwrap")
    )
    return (inspect.getdoc(value) or "") if ours else ""


def _module(module: str) -> str:
    about = inspect.getdoc(importlib.import_module(module)) or ""
    parts = [f"## {module}", markdown(about)]
    return "\n\n".join([*parts, *(_entry(module, name, value) for name, value in public(module).items())])


def _entry(module: str, name: str, value: Any) -> str:
    parts = [f"### {name}" if module == "hostwrap" else f"### {module.removeprefix('hostwrap.')}.{name}"]
    if inspect.isroutine(value):
        parts.append(f"```python\n{name}{_signature(value)}\n```")
    parts.append(markdown(documentation(name, value)))
    if not inspect.isroutine(value):
        members = [(n, getattr(value, n)) for n in _members(value)]
        parts += [
            f"**`{name}.{n}{_signature(m)}`**\n\n{markdown(inspect.getdoc(m) or '')}" for n, m in members
        ]
    return "\n\n".join(parts)


def _members(value: Any) -> list[str]:
    """Public methods of a class of ours; the functions of a distribution."""
    if isinstance(value, type):
        return [n for n, m in vars(value).items() if inspect.isroutine(m) and not n.startswith("_")]
    return [n for n, m in getattr(value, "__dict__", {}).items() if callable(m) and not n.startswith("_")]


def _signature(value: Any) -> str:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def markdown(docstring: str) -> str:
    """A docstring with sections of indented `name: text` as Markdown; code in backticks stays as it is."""
    lines: list[str] = []
    for line in docstring.splitlines():
        section, entry = re.fullmatch(r"(\w+):", line), re.fullmatch(r"    ([\w, *]+): (.*)", line)
        if section:
            lines += ["", f"**{section[1]}**", ""]
        elif entry:
            lines.append(f"* `{entry[1]}`: {_escaped(entry[2])}")
        else:
            lines.append(_escaped(textwrap.dedent(line) if line.startswith("    ") else line))
    return "\n".join(lines)


def _escaped(line: str) -> str:
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(p if p.startswith("`") else re.sub(r"([*_<$|\[])", r"\\\1", p) for p in parts)


def _special() -> str:
    parts = [
        "(hostwrap-special)=\n## hostwrap.special",
        "Each name has a page with formulas, domain and accuracy.",
    ]
    for name, members in families().items():
        links = ", ".join(_link(f) for f in members if f.public)
        if links:
            parts.append(f"* {name.replace('_', ' ')}: {links}")
    names = "\n".join(f"* {what}: `{'`, `'.join(names.split())}`" for what, names in NOT_WRAPPED.items())
    return "\n\n".join([*parts, "These are SciPy's own, handed on as they are, for NumPy arrays:", names])


def _link(function: Special) -> str:
    return f"[`{function.name}`](families/{family(function)}.md#{anchor(function)})"
