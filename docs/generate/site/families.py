"""A page for each family of special functions, which lists them; one page for the numerical methods behind them."""

from __future__ import annotations

import inspect

from docs.generate.site.definition import reference
from docs.generate.site.functions import one_line
from docs.generate.site.groups import about, families, members, title
from docs.generate.site.pages import escaped
from docs.generate.site.rules import rules
from docs.generate.site.sources import linked
from hostwrap.special._function import Special

INDEX = """# Special functions by family

Each function has a page with its definition, a plot, an example, its derivatives and their accuracy.
[How to read these pages](../reading.md) explains the tables and pictures. [The table of all functions](functions.md)
finds a name.

{}

```{{toctree}}
:hidden:

{}
```
"""
KERNELS = """# Numerical methods behind the derivatives

Some derivatives have no closed form that keeps its digits. hostwrap computes them by numerical methods of its own, the
*kernels*: functions of NumPy arrays that stand in the catalogue beside the public functions and have derivative rules
too. You do not call them. This page is for those who work on hostwrap.
"""


def index() -> str:
    """All families with all names."""
    shown = [name for name in members() if members()[name]]
    parts = [f"[{title(f)}](families/{f}.md)\n: {_names(members()[f], 'special')}" for f in shown]
    places = [f"{title(name)} <families/{name}>" for name in shown]
    return INDEX.format("\n\n".join(parts), "\n".join(places))


def page(name: str) -> str:
    """The page of a family: a line for each of its functions."""
    names = members()[name]
    lines = ["| function | |", "|---|---|"]
    lines += [f"| [`{f}`](../special/{f}.md) | {one_line(f)} |" for f in names]
    tree = "\n".join(f"{f} <../special/{f}>" for f in names)
    parts = [f"# {title(name)}", escaped(about(name)), "\n".join(lines)]
    if any(not f.public for f in families().get(name, [])):
        parts.append("[The numerical methods](kernels.md) behind their derivatives.")
    return "\n\n".join(filter(None, [*parts, f"```{{toctree}}\n:hidden:\n\n{tree}\n```"])) + "\n"


def kernels() -> str:
    """All kernels, by family."""
    parts = [KERNELS]
    for name, entries in families().items():
        if mine := [f for f in entries if not f.public]:
            parts += [f"## {title(name)}", *map(_kernel, mine)]
    return "\n\n".join(parts) + "\n"


def _names(names: list[str], folder: str) -> str:
    return ", ".join(f"[`{name}`]({folder}/{name}.md)" for name in names)


def _kernel(function: Special) -> str:
    said = inspect.getdoc(function.host) or inspect.getdoc(inspect.getmodule(function.host)) or ""
    what = said.split("\n\n")[0].replace("\n", " ")
    parts = [
        f"### {function.name}",
        f"`{function.name}{function.__signature__}`",
        f"`{what}`" if what else "",
    ]
    parts += [f"The tests compare it with mpmath's `{reference(function)}`.", rules(function)]
    return "\n\n".join(filter(None, [*parts, f"Source: {linked(function.see)}."]))
