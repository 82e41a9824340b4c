"""The signature of an entry: `"lambertw(z, k=0, *, tol=1e-8)"`, `"airy(z) -> ai, aip, bi, bip"`.

Arguments before the `*` are arrays and broadcast; those after it are static Python values. A default is a literal.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from typing import Any

REQUIRED = inspect.Parameter.empty  # stands for a missing default of a static


@dataclasses.dataclass(frozen=True)
class Notation:
    """A parsed signature; `defaults` are those of arguments, and `statics` maps all statics to their defaults."""

    name: str
    args: tuple[str, ...]
    defaults: dict[str, Any]
    statics: dict[str, Any]
    outs: tuple[str, ...]

    def signature(self) -> inspect.Signature:
        """The Python signature. Statics may be positional, too, as in SciPy: spherical_jn(n, z, True)."""
        kind = inspect.Parameter
        values = {**dict.fromkeys(self.args, REQUIRED), **self.defaults, **self.statics}
        return inspect.Signature(
            [kind(a, kind.POSITIONAL_OR_KEYWORD, default=value) for a, value in values.items()]
        )


def parse(text: str) -> Notation:
    """Parse a signature by Python's own parser; raises TypeError if it is none."""
    head, _, outs = text.partition("->")
    try:
        definition: Any = ast.parse(f"def {head.strip()}: pass").body[0]
        names = definition.args
        args = tuple(a.arg for a in names.args)
        first = len(args) - len(names.defaults)
        defaults = {a: ast.literal_eval(d) for a, d in zip(args[first:], names.defaults, strict=True)}
        statics = {
            s.arg: ast.literal_eval(d) if d else REQUIRED
            for s, d in zip(names.kwonlyargs, names.kw_defaults, strict=True)
        }
    except (SyntaxError, ValueError, AttributeError, IndexError):
        raise TypeError(f"{text!r} is no entry signature, such as 'airy(z) -> ai, aip, bi, bip'") from None
    results = tuple(o.strip() for o in outs.split(",")) if outs else ()
    if not args or not all(o.isidentifier() for o in results):
        raise TypeError(f"{text!r} is no entry signature, such as 'airy(z) -> ai, aip, bi, bip'")
    return Notation(definition.name, args, defaults, statics, results)
