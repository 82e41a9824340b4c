"""How the elementary functions that rules are written in appear in formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docs.generate.site.expression import (
    NAN,
    POWER,
    PRODUCT,
    SUM,
    Cases,
    Tex,
    Untranslatable,
    flat,
    known,
    lifted,
    tex,
)
from hostwrap.special import _known, _math
from hostwrap.special._entry import missing


class Elementary:
    """A function that is written in one way, whatever it is called with."""

    def __init__(self, write: Callable) -> None:
        self.write = write


def _applied(name: str) -> Callable:
    return lambda *a: Tex(rf"{name}\left({', '.join(map(str, map(tex, a)))}\right)")


def _is(what: str) -> Callable:
    return lambda a: Tex(f"{tex(a)} {what}", PRODUCT)


def where(condition: Any, chosen: Any, otherwise: Any) -> Any:
    """Cases. What only guards is left out: a number in place of an argument, NaN of NaN, an infinity of an infinity."""
    if isinstance(condition, bool):
        return chosen if condition else otherwise
    if isinstance(condition, Cases):
        raise Untranslatable("a condition with cases")
    for guard, argument in ((chosen, otherwise), (otherwise, chosen)):
        if guard in (1, 0.5, 2) and isinstance(argument, Tex) and len(argument.text) <= 2:
            return argument
    if isinstance(condition, Tex) and condition.text.endswith(r"\text{is NaN}"):
        return otherwise
    if isinstance(chosen, tuple) or isinstance(otherwise, tuple):
        raise Untranslatable("cases of several results")
    shown = tex(condition)
    infinite = shown.text.removesuffix(r" = \pm\infty")
    if infinite != shown.text and isinstance(chosen, Tex) and chosen.text in (infinite, f"-{infinite}"):
        return otherwise
    return flat(Cases(((known(chosen, shown, True), shown),), known(otherwise, shown, False)))


FUNCTIONS = {
    "abs": lambda a: Tex(rf"\left|{tex(a)}\right|"),
    "cbrt": lambda a: Tex(rf"\sqrt[3]{{{tex(a)}}}"),
    "conj": lambda a: Tex(rf"\overline{{{tex(a)}}}"),
    "exp": lambda a: Tex(rf"\mathrm{{e}}^{{{tex(a)}}}", POWER),
    "exp2": lambda a: Tex(rf"2^{{{tex(a)}}}", POWER),
    "expm1": lambda a: Tex(rf"\mathrm{{e}}^{{{tex(a)}}} - 1", SUM),
    "floor": lambda a: Tex(rf"\left\lfloor {tex(a)} \right\rfloor"),
    "ceil": lambda a: Tex(rf"\left\lceil {tex(a)} \right\rceil"),
    "imag": _applied(r"\operatorname{Im}"),
    "isinf": _is(r"= \pm\infty"),
    "isnan": _is(r"\text{is NaN}"),
    "log": _applied(r"\ln"),
    "log10": _applied(r"\log_{10}"),
    "log1p": lambda a: Tex(rf"\ln\left(1 + {tex(a)}\right)"),
    "log2": _applied(r"\log_2"),
    "maximum": _applied(r"\max"),
    "minimum": _applied(r"\min"),
    "missing": lambda why: Tex(rf"\text{{no derivative: {why}}}"),
    "re": _applied(r"\operatorname{Re}"),
    "round": _applied(r"\operatorname{round}"),
    "sign": _applied(r"\operatorname{sign}"),
    "sqrt": lambda a: Tex(rf"\sqrt{{{tex(a)}}}"),
    **{
        f: _applied(rf"\{f}")
        for f in ("cos", "cosh", "sin", "sinh", "tan", "tanh", "arccos", "arcsin", "arctan")
    },
    **{f"arc{f}": _applied(rf"\operatorname{{ar{f}}}") for f in ("sinh", "cosh", "tanh")},
}
KEPT: dict[str, Callable] = {
    **{name: (lambda *a, write=write: lifted(write, *a)) for name, write in FUNCTIONS.items()},
    "where": where,
    "known": lambda y, derivative: derivative,
    "all_known": lambda y, derivatives: derivatives,
    "with_phase": lambda z, derivative: derivative,
    "iscomplexobj": lambda a: Tex(rf"{tex(a)} \text{{ is complex}}", PRODUCT),
}
ELEMENTARY = {
    **{name: Elementary(write) for name, write in KEPT.items()},
    "pi": Tex(r"\pi"),
    "inf": Tex(r"\infty"),
    "nan": Tex(NAN),
}
# What these names stand for in a module of rules, unless it has something else under the name.
STANDARD = {**vars(_math), **vars(_known), "missing": missing}
