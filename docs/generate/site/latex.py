"""A derivative rule as a formula: its Python code is evaluated on formulas in place of numbers.

Helpers of the family's module are followed, kernels are not: they are written as the functions that they are. Guards,
numbers put in where another case holds, are left out, and so is "NaN where the function is NaN".
"""

from __future__ import annotations

from collections.abc import Callable

from docs.generate.site.expression import Cases, Opaque, Tex, Untranslatable, tex
from docs.generate.site.notation import symbol
from docs.generate.site.scope import returned
from hostwrap.special._function import Special

LONGEST = 700


def formulas(function: Special, rule: Callable) -> list[str]:
    """The LaTeX of a rule's results, statics having their defaults; Untranslatable where there is none."""
    code = rule.__code__
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    names = {name: Tex(symbol(name)) for name in arguments}
    names |= {s: value for s, value in function.statics.items() if isinstance(value, bool | str)}
    value = returned(rule, names, 0)
    found = [
        str(v if isinstance(v, Cases) else tex(v)) for v in (value if isinstance(value, tuple) else [value])
    ]
    if isinstance(value, Opaque) or max(map(len, found)) > LONGEST:
        raise Untranslatable("it is better read as code")
    return found
