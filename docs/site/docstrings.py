"""Signatures and docstrings as Markdown."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any


def signature(value: Any) -> str:
    """Names and defaults, without types."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


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
