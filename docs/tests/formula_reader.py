"""LaTeX as the pages have it, read back and evaluated: `value(r"\\frac{x}{2}", {"x": 3.0})` is 1.5.

Functions must be written by their names, `\\operatorname{kv\\_order}_{n=1, m=0}(v, z)`: SciPy and the kernels compute
them in NumPy.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap.special._function import Special
from tests.reference.entries import catalogue

TOKEN = re.compile(
    r"\s*(\\(?:operatorname|mathrm|mathit|text)\{[^{}]*\}|\\(?:begin|end)\{cases\}|\\left(?:\\lfloor|\\lceil|.)"
    r"|\\right(?:\\rfloor|\\rceil|.)|\\\\|\\[a-zA-Z]+|\\[,;]|\d+(?:\.\d+)?|[a-zA-Z](?:_\d(?!\d))?|.)"
)
NAMED = {
    name: getattr(np, name)
    for name in ["cos", "sin", "tan", "cosh", "sinh", "tanh", "arccos", "arcsin", "arctan"]
}
NAMED |= {"ln": np.log, "max": np.maximum, "min": np.minimum}
UPRIGHT = {
    "arsinh": np.arcsinh,
    "arcosh": np.arccosh,
    "artanh": np.arctanh,
    "sign": np.sign,
    "round": np.round,
}
UPRIGHT |= {"Re": np.real, "Im": np.imag}
COMPARED: dict[str, Callable] = {
    "=": np.equal,
    "<": np.less,
    ">": np.greater,
    r"\le": np.less_equal,
    r"\ge": np.greater_equal,
    r"\neq": np.not_equal,
}
IS = {
    r"\text{is NaN}": np.isnan,
    r"\text{is complex}": np.iscomplexobj,
    r"\text{ is complex}": np.iscomplexobj,
}
CONSTANTS = {
    r"\pi": np.pi, r"\infty": np.inf, r"\mathrm{e}": np.e, r"\mathrm{i}": 1j,
    r"\text{NaN}": np.nan, r"\text{True}": True, r"\text{False}": False,
}  # fmt: skip
INSIDE = {
    r"\left|": (r"\right|", np.abs),
    r"\left\lfloor": (r"\right\rfloor", np.floor),
    r"\left\lceil": (r"\right\rceil", np.ceil),
}
FACTOR = re.compile(r"\\(operatorname|math|begin|left|frac|sqrt|overline|log|pi|infty|text\{[TFN])|[\w(]")


class HasHelper(Exception):
    """A name that stands for code, and is no function of the catalogue."""


def value(text: str, given: dict[str, Any]) -> Any:
    reader = _Reader(text, given)
    with np.errstate(all="ignore"):
        found = reader.condition()
    assert reader.done(), f"cannot read {reader.rest()!r} of {text}"
    return found


class _Reader:
    """Recursive descent, from `or` down to numbers; it evaluates as it reads."""

    def __init__(self, text: str, given: dict[str, Any]) -> None:
        self.tokens = [token for token in TOKEN.findall(text) if token.strip()]
        self.at, self.given = 0, given

    def done(self) -> bool:
        return self.at == len(self.tokens)

    def rest(self) -> str:
        return " ".join(self.tokens[self.at : self.at + 8])

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def took(self, token: str) -> bool:
        self.at += (found := self.peek() == token)
        return found

    def want(self, token: str) -> None:
        assert self.took(token), f"{token} is missing before {self.rest()!r}"

    # ---- conditions

    def condition(self) -> Any:
        found = self.both()
        while self.took(r"\lor"):
            found = bool(found) | bool(self.both())
        return found

    def both(self) -> Any:
        found = self.relation()
        while self.took(r"\land"):
            found = bool(found) & bool(self.relation())
        return found

    def relation(self) -> Any:
        if self.took(r"\text{not }"):
            return not self.relation()
        left, holds = self.sum(), None
        while True:
            if self.peek() == "=" and self.peek(1) == r"\pm":
                self.at += 3
                return np.isinf(left)
            if self.peek() in IS:
                return IS[self.next()](left)
            if self.peek() not in COMPARED:
                return left if holds is None else holds
            compare, right = COMPARED[self.next()], self.sum()
            left, holds = right, bool(compare(left, right)) and holds is not False

    # ---- numbers

    def sum(self) -> Any:
        total = self.signed()
        while self.peek() in ("+", "-", r"\bmod"):
            sign, term = self.next(), self.signed()
            total = total + term if sign == "+" else total - term if sign == "-" else np.mod(total, term)
        return total

    def signed(self) -> Any:
        return -self.product() if self.took("-") else self.product()

    def product(self) -> Any:
        total = self.power()
        while True:
            if self.took(r"\,") or self.took(r"\cdot"):
                total = total * (-self.power() if self.took("-") else self.power())
            elif FACTOR.match(self.peek()) or self.peek().lstrip("\\") in NAMED or self.peek() in self.given:
                total = total * self.power()
            else:
                return total

    def power(self) -> Any:
        base = self.atom()
        if self.peek() == "_" and self.peek(2).startswith(r"\text"):  # one of several results
            self.at += 2
            base = getattr(base, _plain(self.next()))
            self.want("}")
        return np.power(np.asarray(base) * 1.0, self.braced()) if self.took("^") else base

    def braced(self) -> Any:
        self.want("{")
        found = self.condition()
        self.want("}")
        return found

    def until(self, close: str) -> list[Any]:
        found = [] if self.peek() == close else [self.condition()]
        while self.took(","):
            self.took(r"\;")
            found.append(self.condition())
        self.want(close)
        return found

    def atom(self) -> Any:
        token = self.next()
        if token in self.given or token in CONSTANTS:
            return self.given[token] if token in self.given else CONSTANTS[token]
        if token[0].isdigit():
            return float(token) if "." in token else int(token)
        if token in INSIDE:
            close, function = INSIDE[token]
            return function(*self.until(close))
        if token in ("(", r"\left("):
            found = self.until(")" if token == "(" else r"\right)")
            return found[0] if len(found) == 1 else tuple(found)
        if token.startswith(r"\text{"):
            return _plain(token)
        if token == r"\frac":
            return np.divide(self.braced(), self.braced())
        if token == r"\overline":
            return np.conj(self.braced())
        if token == r"\sqrt":
            cube = self.took("[") and self.took("3") and self.took("]")
            return np.cbrt(self.braced()) if cube else np.sqrt(self.braced())
        if token == r"\log":
            self.want("_")
            base = self.braced() if self.peek() == "{" else int(self.next())
            self.want(r"\left(")
            return np.log(self.until(r"\right)")[0]) / np.log(base)
        if token == r"\begin{cases}":
            return self.cases()
        if token.startswith(r"\operatorname{"):
            return self.function(_plain(token))
        self.want(r"\left(")
        return NAMED[token[1:]](*self.until(r"\right)"))

    def cases(self) -> Any:
        rows = []
        while not rows or self.took(r"\\"):
            found = self.condition()
            self.want("&")
            holds = self.next() == r"\text{otherwise}" or bool(self.condition())
            rows.append((found, holds))
        self.want(r"\end{cases}")
        return next(found for found, holds in rows if holds)

    def function(self, name: str) -> Any:
        statics = {}
        if self.took("_"):
            self.want("{")
            while not self.took("}"):
                word = self.next()
                while not self.took("="):
                    word += self.next()
                statics[word.replace("\\", "")] = self.sum()
                self.took(",")
        arguments = self.until(r"\right)" if self.next() == r"\left(" else ")")
        if name in UPRIGHT:
            return UPRIGHT[name](*arguments)
        if name not in catalogue():
            raise HasHelper(name)
        return _computed(catalogue()[name], arguments, statics)


def _plain(token: str) -> str:
    return token.partition("{")[2][:-1].replace("\\", "")


def _computed(function: Special, arguments: list[Any], statics: dict[str, Any]) -> Any:
    found = function.host(*(x if np.iscomplexobj(x) else _number(x) for x in arguments), **statics)
    return collections.namedtuple("Results", function.outs)(*found) if function.outs else found


def _number(x: Any) -> Any:
    """A real number; an integer stays one, for polynomials of integer degree."""
    return int(x) if isinstance(x, int | np.integer) else np.float64(x)
