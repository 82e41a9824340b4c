"""How an entry says what a function is called with: `"lambertw(z, k=0, *, tol=1e-8)"`, `"airy(z) -> ai, aip, bi, bip"`.

Arguments before the `*` are arrays and broadcast; those after it are static Python values. A default is a literal.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from typing import Any

REQUIRED = inspect.Parameter.empty  # in place of the default of a static that has none


@dataclasses.dataclass(frozen=True)
class Notation:
    """What a signature says; `defaults` are those of arguments, `statics` maps all statics to theirs."""

    name: str
    args: tuple[str, ...]
    defaults: dict[str, Any]
    statics: dict[str, Any]
    outs: tuple[str, ...]

    def signature(self) -> inspect.Signature:
        """Python's, in which statics may be given by position too, as in SciPy: spherical_jn(n, z, True)."""
        kind = inspect.Parameter
        values = {**dict.fromkeys(self.args, REQUIRED), **self.defaults, **self.statics}
        return inspect.Signature(
            [kind(a, kind.POSITIONAL_OR_KEYWORD, default=value) for a, value in values.items()]
        )


def parse(text: str) -> Notation:
    """Read by Python's own parser; raises TypeError where it is no signature."""
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
