"""The derivative rules of an entry on its page."""

from __future__ import annotations

import re
from collections.abc import Callable

from docs.generate.site.expression import Untranslatable
from docs.generate.site.groups import anchor
from docs.generate.site.latex import formulas
from docs.generate.site.notation import called, symbol
from hostwrap._table.partials import Unknown
from hostwrap.special._function import Special
from hostwrap.special._source import body
from tests.reference.entries import catalogue
from tests.reference.source import full_text

LONGEST = 70  # code in a line of text


def rules(function: Special) -> str:
    """The derivative in each argument: a formula if it has one, and the code."""
    given = [(symbol(a), rule) for a, rule in function.rules.items()]
    given += [(rf"\operatorname{{Im}}{symbol(a)}", rule) for a, rule in function.imaginary.items()]
    return "\n\n".join(_rule(function, by, rule) for by, rule in given if not isinstance(rule, Unknown))


def _rule(function: Special, by: str, rule: Callable) -> str:
    value = called(function)
    left = rf"\frac{{\partial}}{{\partial {by}}}\,{value}"
    try:
        found = formulas(function, rule)
    except Untranslatable:
        code = body(rule)
        how = f"`{code}`" if len(code) <= LONGEST else "the code below"
        return f"${left}$ is computed by {how}.\n\n{_code(rule)}"
    if _letters(found[0]) == _letters(rf"\partial_{by} {value}"):
        return f"A numerical method computes ${left}$: the kernel {_kernels(rule)}.\n\n{_code(rule)}"
    outs = [out.replace("_", r"\_") for out in function.outs]
    indices = [rf"_{{\text{{{out}}}}}" for out in outs] if len(found) > 1 else [""]
    lines = [
        f"```{{math}}\n{left}{index} = {right}\n```" for index, right in zip(indices, found, strict=True)
    ]
    return "\n\n".join([*lines, _code(rule)])


def _letters(formula: str) -> str:
    """A formula without spaces and braces."""
    return re.sub(r"[{}\s]|\\,", "", formula)


def _code(rule: Callable) -> str:
    code = full_text(rule).replace("\ndef ", "\n\n\ndef ")
    kernels = _kernels(rule)
    used = f"\n\nKernels: {kernels}." if kernels else ""
    return f":::{{dropdown}} Code\n```python\n{code}\n```{used}\n:::"


def _kernels(rule: Callable) -> str:
    """Links to the kernels that a rule calls, itself or in helpers of its module."""
    words = set(re.findall(r"\w+", full_text(rule)))
    used = [f for f in catalogue().values() if not f.public and f.name in words]
    return ", ".join(f"[`{f.name}`](../families/kernels.md#{anchor(f.name)})" for f in used)
