"""A rule's own code with another meaning of its names: mpmath's instead of JAX's.

The rule is rebuilt from its code object. Names of `_math` become functions of mpmath numbers, entries become their
definitions, helper functions of the module are rebuilt in turn, numbers stay. So the formula that runs in double
precision is checked as it stands, at fifty digits.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable
from typing import Any

import mpmath
from mpmath import mp

from hostwrap.special import _entry, _math
from hostwrap.special._function import Special
from hostwrap.special._source import names_around
from tests.reference import quotients
from tests.reference.source import names_of


class Unbound(LookupError):
    """A rule uses a name that has no meaning in mpmath."""


def where(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


def is_complex(x: Any) -> bool:
    return isinstance(x, mpmath.mpc | complex)


def sign(x: Any) -> Any:
    return x / abs(x) if x != 0 else mpmath.mpf(0)


_SAME = (
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "log",
    "log1p",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
)
MATH: dict[str, Callable | Any] = {
    "abs": abs,
    "arccos": mp.acos,
    "arccosh": mp.acosh,
    "arcsin": mp.asin,
    "arcsinh": mp.asinh,
    "arctan": mp.atan,
    "arctan2": mp.atan2,
    "arctanh": mp.atanh,
    "conj": mp.conj,
    "exp2": lambda x: mp.mpf(2) ** x,
    "imag": mp.im,
    "inf": mp.inf,
    "iscomplexobj": is_complex,
    "isinf": mp.isinf,
    "isnan": mp.isnan,
    "log10": mp.log10,
    "log2": lambda x: mp.log(x, 2),
    "maximum": max,
    "minimum": min,
    "nan": mp.nan,
    "pi": mp.pi,
    "re": mp.re,
    "round": mp.nint,
    "sign": sign,
    "where": where,
    **{name: getattr(mp, name) for name in _SAME},
}


OTHERS: dict[type, Callable] = {}  # what else has a meaning in mpmath: of an object, the function


def bound(function: Callable) -> Callable:
    """The function for mpmath numbers; raises Unbound where one of its names has no such meaning."""
    return _bound(function, {})


def _bound(function: Callable, done: dict[int, Callable]) -> Callable:
    if id(function) not in done:
        scope: dict[str, Any] = {"__builtins__": __builtins__}
        cells = tuple(types.CellType() for _ in function.__code__.co_freevars)
        copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
        copy.__kwdefaults__ = function.__kwdefaults__
        done[id(function)] = copy  # before its names, which may be its own
        around = names_around(function)
        for name in {*names_of(function.__code__), *function.__code__.co_freevars} & set(around):
            scope[name] = _meaning(name, around[name], done)
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            cell.cell_contents = scope[name]
    return done[id(function)]


def _meaning(name: str, value: Any, done: dict[int, Callable]) -> Any:
    math = next((n for n in MATH if getattr(_math, n) is value), None)
    if math is not None:
        return MATH[math]
    if isinstance(value, Special):
        return functools.partial(definition, value)
    if type(value) in OTHERS:
        return OTHERS[type(value)](value)
    if isinstance(value, types.FunctionType):
        return value if value is _entry.missing else _bound(value, done)
    if isinstance(value, int | float | complex | str | tuple):
        return value
    raise Unbound(f"`{name}` = {value!r} has no meaning in mpmath: import it from hostwrap.special._math")


def looks_at_y(rule: Callable) -> bool:
    """Whether a rule uses its first argument, the value of the function: many are functions of the others alone."""
    first = rule.__code__.co_varnames[0]
    used = (i.argval for i in dis.get_instructions(rule.__code__))  # since Python 3.13 two names at a time
    return any(first in name if isinstance(name, tuple) else name == first for name in used)


def definition(function: Special, *args: Any, **statics: Any) -> Any:
    """An entry as its definition, called as the entry is."""
    given = function.__signature__.bind(*args, **statics).arguments
    values = {**function.statics, **given}
    outputs = quotients.value(
        function, {s: values[s] for s in function.statics}, [values[a] for a in function.args]
    )
    return function.Out(*outputs) if function.outs else outputs[0]
