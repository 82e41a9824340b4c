"""Functions of the catalogue, and helpers without a formula, as they appear in formulas."""

from __future__ import annotations

import re
from typing import Any

from docs.generate.site.expression import POWER, Opaque, Tex, lifted, tex
from docs.generate.site.notation import pattern, word
from hostwrap.special._function import Special


def written(function: Special, arguments: list, keywords: dict[str, Any]) -> Any:
    """A function of the catalogue in its notation."""
    defaults = {**function.defaults, **function.statics}
    given = {
        **defaults,
        **dict(zip([*function.args, *function.statics], arguments, strict=False)),
        **keywords,
    }
    text = pattern(function, given)
    return lifted(lambda *values: _filled(text, dict(zip(given, values, strict=True))), *given.values())


def opaque(name: str, arguments: tuple) -> Opaque:
    """A helper that is no formula, by its name."""
    return Opaque(rf"\operatorname{{{word(name)}}}({', '.join(map(str, map(tex, arguments)))})")


def _filled(text: str, given: dict[str, Any]) -> Tex:
    def part(match: re.Match) -> str:
        value = tex(given[match[1]])
        return value.at_least(POWER) if match[2] else str(value)

    filled = re.sub(r"<(\w+)(!?)>", part, text)
    filled = re.sub(r"\\partial_(\w|\{[^}]*\})\^\{0\}(\\,| )?", "", filled)  # no derivative, a first one
    return Tex(re.sub(r"(\\partial_(?:\w|\{[^}]*\}))\^\{1\}", r"\1", filled))
