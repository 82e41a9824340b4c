"""Formulas as values: text with the strength of its outermost operation, and formulas in several cases."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

SUM, PRODUCT, POWER, ATOM = range(4)  # how strongly the outermost operation binds
MOST_CASES = 6
NAN = r"\text{NaN}"


class Untranslatable(Exception):
    """What has no formula; it is shown as code."""


@dataclasses.dataclass(frozen=True)
class Tex:
    """LaTeX, and what must happen to it before it is part of something larger."""

    text: str
    strength: int = ATOM

    def __str__(self) -> str:
        return self.text

    def at_least(self, strength: int) -> str:
        """The text, in brackets if it binds more weakly."""
        return self.text if self.strength >= strength else rf"\left({self.text}\right)"


class Opaque(Tex):
    """A name for what has no formula."""


@dataclasses.dataclass(frozen=True)
class Cases:
    """Values with conditions; the last one holds otherwise."""

    rows: tuple[tuple[Any, Tex], ...]
    otherwise: Any

    def __str__(self) -> str:
        rows = [rf"{tex(value)} & \text{{if }} {condition}" for value, condition in self.rows]
        rows.append(rf"{tex(self.otherwise)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def tex(value: Any) -> Tex:
    """A number, a formula or a tuple of them as a formula."""
    if isinstance(value, Tex):
        return value
    if isinstance(value, tuple):
        return Tex(rf"\left({',; '.join(map(str, map(tex, value)))}\right)".replace(",;", r",\;"))
    if isinstance(value, bool | str):
        return Tex(rf"\text{{{value}}}".replace("_", r"\_"))
    if isinstance(value, complex) and not value.real:
        return Tex(r"\mathrm{i}") if value.imag == 1 else Tex(rf"{value.imag:g}\,\mathrm{{i}}", PRODUCT)
    if isinstance(value, int | float):
        digits, _, exponent = (
            f"{value:g}".partition("e") if isinstance(value, float) else (str(value), "", "")
        )
        ten = rf"10^{{{int(exponent)}}}" if exponent else ""
        shown = ten if ten and digits == "1" else rf"{digits} \cdot {ten}" if ten else digits
        return Tex(shown, ATOM if value >= 0 and not ten else PRODUCT)
    raise Untranslatable(f"{value!r} in a formula")


def lifted(operation: Callable, *values: Any) -> Any:
    """An operation on formulas, done in each case of those that have cases; NaN stays NaN."""
    if any(isinstance(value, Tex) and value.text == NAN for value in values):
        return Tex(NAN)
    found = next((value for value in values if isinstance(value, Cases)), None)
    if found is None:
        return operation(*values)
    (chosen, condition), *rest = found.rows
    where_not = Cases(tuple(rest), found.otherwise) if rest else found.otherwise
    where_so = [chosen if v is found else known(v, condition, True) for v in values]
    elsewhere = [where_not if v is found else known(v, condition, False) for v in values]
    return flat(Cases(((lifted(operation, *where_so), condition),), lifted(operation, *elsewhere)))


def known(value: Any, condition: Tex, holds: bool) -> Any:
    """A value where it is known whether its first condition holds."""
    if not isinstance(value, Cases) or value.rows[0][1] != condition:
        return value
    (chosen, _), *rest = value.rows
    return chosen if holds else Cases(tuple(rest), value.otherwise) if rest else value.otherwise


def flat(cases: Cases) -> Cases:
    """Cases whose last one has cases itself, as one list; elsewhere conditions are joined."""
    rows: list = []
    for value, condition in cases.rows:
        rows += _joined(value, condition) if isinstance(value, Cases) else [(value, condition)]
    last = cases.otherwise
    while isinstance(last, Cases):
        rows, last = [*rows, *last.rows], last.otherwise
    if len(rows) >= MOST_CASES:
        raise Untranslatable("too many cases")
    unique = [next(group) for _, group in itertools.groupby(rows, key=lambda row: row[1].text)]
    return Cases(tuple(unique), last)


def _joined(inner: Cases, condition: Tex) -> list:
    return [*((value, both(condition, c)) for value, c in inner.rows), (inner.otherwise, condition)]


def both(left: Any, right: Any) -> Tex:
    """The condition that two conditions hold."""
    a, b = (tex(v).at_least(PRODUCT) if r"\lor" in tex(v).text else str(tex(v)) for v in (left, right))
    return Tex(rf"{a} \land {b}", SUM)


def sum_of(left: Any, right: Any, sign: str) -> Tex:
    a, b = tex(left), tex(right)
    if a.text == "0":
        return b if sign == "+" else negative(b)
    if b.text == "0":
        return a
    if _is_negative(b):
        return Tex(f"{a} {'-' if sign == '+' else '+'} {negative(b)}", SUM)
    return Tex(f"{a} {sign} {b.at_least(PRODUCT) if sign == '-' else b}", SUM)


def product(left: Any, right: Any) -> Tex:
    a, b = tex(left), tex(right)
    if "0" in (a.text, b.text):
        return Tex("0")
    if a.text == "1":
        return b
    if b.text == "1":
        return a
    if _is_negative(a):
        return negative(product(negative(a), b))
    dot = r" \cdot " if b.text[:1].isdigit() else r"\,"
    return Tex(f"{a.at_least(PRODUCT)}{dot}{b.at_least(POWER if _is_negative(b) else PRODUCT)}", PRODUCT)


def quotient(left: Any, right: Any) -> Tex:
    a, b = tex(left), tex(right)
    if _is_negative(a):
        return negative(quotient(negative(a), b))
    return Tex(rf"\frac{{{_unbracketed(a)}}}{{{_unbracketed(b)}}}", POWER)


def power(left: Any, right: Any) -> Tex:
    return Tex(f"{tex(left).at_least(ATOM)}^{{{tex(right)}}}", POWER)


def negative(value: Any) -> Tex:
    a = tex(value)
    if a.text == "0":
        return a
    return Tex(a.text[1:], PRODUCT) if _is_negative(a) else Tex(f"-{a.at_least(PRODUCT)}", PRODUCT)


def _is_negative(a: Tex) -> bool:
    """A product or a number with a minus in front."""
    return a.text.startswith("-") and a.strength == PRODUCT


def _unbracketed(a: Tex) -> str:
    """Without the one pair of brackets around all of it."""
    inner = a.text.removeprefix(r"\left(").removesuffix(r"\right)")
    one_pair = len(a.text) - len(inner) == 13 and r"\left(" not in inner and r"\right)" not in inner
    return inner if one_pair else a.text
