"""What a function is: its symbol, SciPy's formula, the source, and the reference of the tests."""

from __future__ import annotations

import inspect
import re

import scipy.special

from docs.generate.site.notation import called
from docs.generate.site.sources import linked
from hostwrap.special._function import Special
from hostwrap.special._source import body

SCIPY = "https://docs.scipy.org/doc/scipy/reference/generated/scipy.special"
LATER = re.compile(r"^(?:See Also|References|Examples)\n-+$", re.MULTILINE)
# A paragraph, and the formula that follows it.
FORMULA = re.compile(r"((?:^\S.*\n)+)\n*^\.\. math::[ ]*(.*)\n((?:\s*\n|[ ]+.*\n?)*)", re.MULTILINE)
DEFINES = re.compile(
    r"\b(?:define[ds]?|[Ii]ntegrals?|Computes|Sum|such that|given by|symbol|loss|entropy|divergence)\b"
)


def definition(function: Special) -> str:
    name, parts = function.name, []
    if isinstance(function, Special):
        parts.append(f"In formulas it is written ${called(function)}$.")
    if formula := quoted(name):
        parts.append(f"SciPy's documentation defines it by\n\n```{{math}}\n{formula}\n```")
    parts.append(f"Source of the derivatives: {linked(function.see)}.")
    if isinstance(function, Special):
        parts.append(f"The tests compare it with mpmath's `{reference(function)}`.")
    return "\n\n".join(parts)


def reference(function: Special) -> str:
    """The function in mpmath; a name that was filled in is written as an attribute."""
    return re.sub(r"getattr\(mp, '(\w+)'\)", r"mp.\1", body(function.ref))


def scipys(name: str) -> str:
    """A link to SciPy's own page; nothing for a function that SciPy does not have."""
    if not hasattr(scipy.special, name):
        return ""
    return f"[`scipy.special.{name}`]({SCIPY}.{name}.html)"


def quoted(name: str) -> str:
    """The formula that SciPy's docstring gives as the definition; nothing where it gives none, or several."""
    text = inspect.cleandoc(getattr(getattr(scipy.special, name, None), "__doc__", None) or "") + "\n"
    found = FORMULA.findall(LATER.split(text)[0])
    if not found or not DEFINES.search(found[0][0]):
        return ""
    lines = "\n".join(filter(None, map(str.strip, [found[0][1], *found[0][2].splitlines()])))
    latex = lines.rstrip(".,;")
    if "&" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    return "" if r"\sim" in latex else latex
