"""`orders=`: all derivatives of a function from one NumPy function.

    lpmv = special("lpmv(m, v, x)", orders=orders(associated.lpmv, x=real(-0.99, 0.99)), dm=discrete, ...)

`associated.lpmv(m, v, x, *, dv, dx)` is the derivative of lpmv, dv times in v and dx times in x. From it come

* the entry `lpmv_n(m, v, x, *, dv, dx)`, a kernel whose own rules raise an order by one. It is `lpmv.derivatives`. Its
  definition in mpmath is the mixed derivative of that of lpmv;
* the rules of lpmv: that kernel with one order 1 and the others 0, and NaN where lpmv is NaN. If the NumPy function is
  NaN there anyway (`guarded=True`), the rules do not use the value of lpmv, which may cost more than the derivative.

Boxes, `at=` and `complex_result=` of the kernel are arguments of `orders`; the default boxes are those of the function.
The rules are generated as text, which docstrings and pages show.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from hostwrap.special._entry import kernel
from hostwrap.special._known import all_known, known
from hostwrap.special._notation import REQUIRED, Notation
from hostwrap.special._numerics.mp_mixed import mixed, mixed_of_each


class orders:
    """The derivatives of an entry: a NumPy function with a keyword `dx`, the order, for each argument x."""

    def __init__(self, host: Callable, *, guarded: bool = False, **entry: Any) -> None:
        self.host, self.guarded, self.entry = host, guarded, entry
        self.keywords = {
            name: p.default
            for name, p in inspect.signature(host).parameters.items()
            if p.kind is inspect.Parameter.KEYWORD_ONLY
        }
        self.scope: dict[str, Any] = {"known": known, "all_known": all_known}

    def rules(self, notation: Notation, module: str) -> dict[str, Callable]:
        """The rules of the function, by argument."""
        self.notation, self.name = notation, f"{notation.name}_n"
        self.counts = {a: f"d{a}" for a in notation.args if f"d{a}" in self.keywords}
        self.statics = {s: default for s, default in notation.statics.items() if s in self.keywords}
        if not self.counts or set(self.keywords) != {*self.counts.values(), *self.statics}:
            raise TypeError(
                f"{notation.name}: orders= takes a function with a keyword d<argument> for each argument that it "
                f"counts, and statics {list(notation.statics)}; {self.host.__name__} has {list(self.keywords)}"
            )
        self.scope["__name__"] = module
        value = next(name for name in ("y", "value") if name not in notation.args)
        guard = f"all_known({value}, {{}})" if notation.outs else f"known({value}, {{}})"
        guard = "{}" if self.guarded else guard
        return {
            a: self._function(
                f"lambda {self._parameters(value, *notation.args, statics=notation.statics)}: "
                + guard.format(self._call({count: int(a == b) for b, count in self.counts.items()}))
            )
            for a in self.counts
        }

    def kernel(self, function: Any) -> Any:
        """The entry of the kernel."""
        notation, counts = self.notation, self.counts
        statics = {**self.statics, **{count: self.keywords[count] for count in counts.values()}}
        entry = {**function.boxes, "see": function.see, **self.entry}
        for a in notation.args:
            if a in counts:
                raised = self._call(
                    {count: f"{count} + 1" if b == a else count for b, count in counts.items()}
                )
                entry[f"d{a}"] = self._function(
                    f"lambda {self._parameters('y_', *notation.args, statics=statics)}: {raised}"
                )
            else:
                entry.setdefault(f"d{a}", function.rules[a])
        defaults = {s: s if s in self.statics else repr(default) for s, default in notation.statics.items()}
        given = ", ".join(["mp", *notation.args, *(f"{s}={value}" for s, value in defaults.items())])
        each, moving = "mixed_of_each" if notation.outs else "mixed", _tuple(counts)
        self.scope |= {"mixed": mixed, "mixed_of_each": mixed_of_each, "definition": function.ref}
        entry["ref"] = self._function(
            f"lambda {self._parameters('mp', *notation.args, statics=statics)}: "
            f"{each}(mp, lambda {', '.join(counts)}: definition({given}), {moving}, {_tuple(counts.values())})"
        )
        keywords = [s if default is REQUIRED else f"{s}={default!r}" for s, default in statics.items()]
        outs = f" -> {', '.join(notation.outs)}" if notation.outs else ""
        made = kernel(
            f"{self.name}({', '.join([*notation.args, '*', *keywords])}){outs}", host=self.host, **entry
        )
        self.scope[self.name] = made
        return made

    def _call(self, counts: dict[str, Any]) -> str:
        given = [*self.notation.args, *(f"{s}={s}" for s in self.statics)]
        return f"{self.name}({', '.join([*given, *(f'{name}={count}' for name, count in counts.items())])})"

    @staticmethod
    def _parameters(*names: str, statics: Any) -> str:
        return ", ".join([*names, *(["*", *statics] if statics else [])])

    def _function(self, text: str) -> Callable:
        function = eval(compile(text, f"<{self.name}>", "eval"), self.scope)
        function.text = text
        return function


def _tuple(names: Any) -> str:
    return f"({', '.join(names)},)"
