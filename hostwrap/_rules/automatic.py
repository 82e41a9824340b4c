"""The rule of a function without a rule: differentiate its own code.

The package that traces code (`_tracing`) imports the modules that replace SciPy's, which are made with the rules of
this layer. So it is a higher layer, and this module finds it by name when a derivative is needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hostwrap._call.spec import Spec
from hostwrap._errors import SignatureError
from hostwrap._host.origins import find
from hostwrap._rules.rule import Function, NoRule
from hostwrap._table.partials import Unknown


def whole_arrays(spec: Spec) -> bool:
    """Whether the function gets the whole batch at once: then an argument without axes is an array, else a number."""
    return spec.elementwise and spec.options.vmap_method == "broadcast_all"


class Automatic(NoRule):
    """Differentiates the code of the function; `given` holds the arguments without a derivative."""

    def __init__(self, function: Callable, given: Mapping[str, Any], whole: bool, check: bool) -> None:
        self.function, self.given, self.whole, self.check_values = function, dict(given), whole, check

    @classmethod
    def of(cls, spec: Spec, function: Callable) -> NoRule:
        """The rule of a function without an attached rule, by its option `derivatives`."""
        said = spec.options.derivatives
        if said == "rules":
            return NoRule()
        given: dict[str, Any] = {}
        if isinstance(said, Mapping):
            for name, what in said.items():
                if name not in spec.names:
                    known = list(spec.names)
                    raise SignatureError(
                        f"{spec.name}: derivatives= names {name!r}; the arguments are {known}."
                    )
                if what != "auto" and not isinstance(what, Unknown):
                    raise SignatureError(
                        f"{spec.name}: derivatives={{{name!r}: {what!r}}} must be 'auto', hw.unknown('why') or "
                        "hw.discrete."
                    )
            rest = Unknown("derivatives= does not name it")
            given = {n: said.get(n, rest) for n in spec.names if said.get(n, rest) != "auto"}
        return cls(function, given, whole_arrays(spec), check=said != "unchecked")

    @functools.cached_property
    def code(self) -> Any:
        return find(("code", self))

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        if f.spec.kind:
            return super().jvp(f, primals, tangents)
        return self.code.jvp(f, primals, tangents)
