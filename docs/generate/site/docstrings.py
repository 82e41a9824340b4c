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
    """A docstring with sections of indented `name: text` as Markdown; code stays as it is."""
    lines: list[str] = []
    in_section = False
    for line in docstring.splitlines():
        heading, entry = re.fullmatch(r"(\w+):", line), re.fullmatch(r"    ([\w*][\w, *]*): (.*)", line)
        in_section = bool(heading) or (in_section and line[:1] in ("", " "))
        if heading:
            lines += ["", f"**{heading[1]}**", ""]
        elif entry and in_section:
            lines.append(f"* `{entry[1]}`: {_escaped(entry[2])}")
        elif in_section:
            lines.append(_escaped(textwrap.dedent(line)))
        else:
            lines.append(line if line.startswith("    ") else _escaped(line))  # indented: code
    return "\n".join(lines)


def _escaped(line: str) -> str:
    """Without a meaning for Markdown, but for code and *emphasis*."""
    parts = re.split(r"(`[^`]*`|\*\w[\w ]*\*)", line)
    return "".join(p if i % 2 else re.sub(r"([*_<$|\[])", r"\\\1", p) for i, p in enumerate(parts))
