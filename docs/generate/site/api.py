"""The API reference: a page for each public module, which Sphinx's autodoc fills from signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
import types
from typing import Any

import hostwrap
from docs.generate.site import examples
from docs.generate.site.groups import members, title
from hostwrap.special._rest import NOT_WRAPPED
from hostwrap.stats._distribution import Distribution
from hostwrap.stats._joint import Joint

INSIDE = ("hostwrap.sparse.csgraph", "hostwrap.sparse.linalg", "hostwrap.spatial.distance")
MODULES = ("hostwrap", *(f"hostwrap.{m}" for m in hostwrap._MODULES if m not in ("sparse", "special")))
MODULES = tuple(sorted((*MODULES, *INSIDE)))
VALUES = {"__version__": "The version of this package, a string."}
INDEX = """# API reference

A page for each module. Its examples take `import jax, jax.numpy as jnp, numpy as np`, the names of the module, and
double precision, `jax.config.update("jax_enable_x64", True)`. The functions of
[`hostwrap.special`](api/hostwrap.special.md) have [pages of their own](families.md). Other
Sphinx sites can link to all names through `objects.inv`.

| module | |
|---|---|
{lines}

```{{toctree}}
:hidden:

{places}
```
"""
SPECIAL = """# hostwrap.special

```{{eval-rst}}
.. automodule:: hostwrap.special
```

Each name has a page with its definition, derivatives and accuracy.

{families}

## What stays with SciPy

These are SciPy's own functions, which take NumPy arrays:

{rest}
"""


def pages() -> dict[str, str]:
    """All pages by their modules."""
    return {module: _page(module) for module in MODULES} | {"hostwrap.special": _special()}


def index() -> str:
    modules = sorted([*MODULES, "hostwrap.special"])
    lines = [f"| [`{m}`](api/{m}.md) | {_summary(m)} |" for m in modules]
    return INDEX.format(lines="\n".join(lines), places="\n".join(f"api/{m}" for m in modules))


def public(module: str) -> dict[str, Any]:
    """The public names of a module that are no modules themselves."""
    loaded = importlib.import_module(module)
    found = {name: getattr(loaded, name) for name in loaded.__all__}
    return {name: value for name, value in found.items() if not isinstance(value, types.ModuleType)}


def _summary(module: str) -> str:
    first = (inspect.getdoc(importlib.import_module(module)) or "").partition("\n\n")[0]
    return " ".join(first.split()).replace("|", r"\|")


def _page(module: str) -> str:
    names = public(module)
    described = [name for name, value in names.items() if inspect.isroutine(value) or isinstance(value, type)]
    parts = [f".. automodule:: {module}", ".. autosummary::\n   :nosignatures:\n"]
    parts[1] += "".join(f"\n   {name}" for name in described)
    parts += [_directive(f"{module}.{name}", value) for name, value in names.items()]
    return f"# {module}\n\n```{{eval-rst}}\n" + "\n\n".join(parts) + "\n```\n"


def _directive(name: str, value: Any) -> str:
    if inspect.isroutine(value):
        return f".. autofunction:: {name}"
    if isinstance(value, type) and issubclass(value, BaseException):
        return f".. autoexception:: {name}"
    if isinstance(value, type):
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: object, tuple"
    text = data(name, value)
    if isinstance(value, Distribution):
        text += f"\n\n{examples.of_distribution(name.rpartition('.')[2])}"
    return f".. py:data:: {name}\n\n" + textwrap.indent(text, "   ")


def data(name: str, value: Any) -> str:
    """What is said of a value: a distribution says what its density says; others have the docstring of their class."""
    last = name.rpartition(".")[2]
    if isinstance(value, Distribution):
        density = value.methods[0]
        of_density = f"``{last}.{density}{getattr(value, density).__signature__}``"
        call = f"``{last}{value.signature()}`` has the methods {', '.join(value.methods)}."
        said = re.sub(
            r"_(?=[ ,)])", r"\\_", inspect.getdoc(getattr(value, density)) or ""
        )  # lambda_ is no link
        return f"{call}\n\n{of_density}: {said}"
    if isinstance(value, Joint):
        return f"As ``scipy.stats.{last}``. {inspect.cleandoc(str(value.__doc__))}"
    kinds = [t for t in type(value).__mro__ if t.__module__.startswith("hostwrap")]
    return VALUES.get(last) or "\n\n".join(inspect.cleandoc(t.__doc__) for t in kinds if t.__doc__)


def _special() -> str:
    families = [
        f"* {title(family)}: " + ", ".join(f"[`{name}`](../special/{name}.md)" for name in names)
        for family, names in members().items()
        if names
    ]
    rest = [f"* {what}: `{'`, `'.join(names.split())}`" for what, names in NOT_WRAPPED.items()]
    return SPECIAL.format(families="\n".join(families), rest="\n".join(rest))
