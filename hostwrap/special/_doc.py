"""Docstrings of catalogue entries, generated from the entry when you read them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import scipy.special

from hostwrap._table.partials import Unknown
from hostwrap.special._source import body

_SCIPYS, _OURS = "`scipy.special.{name}` for JAX:", "SciPy has no such function. For JAX:"
_TEMPLATE = """{summary}

{scipys} arrays broadcast, float32 arguments give float32 results, and every transformation works.

Arguments:
{arguments}{results}
Derivatives, from {see}; y is the value, and functions that SciPy does not have are kernels of hostwrap:
{rules}
hostwrap differentiates these again, so mixed and higher derivatives work, too.

Raises:
    SignatureError: arguments are not numbers, do not broadcast, or have a type that SciPy does not accept.
    MissingDerivative: you asked for a derivative that does not exist or that hostwrap cannot compute.
{more}"""


def docstring(function: Any) -> str:
    """The docstring: arguments, domain of the accuracy table, derivatives, source."""
    return _TEMPLATE.format(
        summary=summary(function),
        scipys=_SCIPYS.format(name=function.name) if hasattr(scipy.special, function.name) else _OURS,
        arguments="".join(f"    {line}\n" for line in arguments(function)),
        results=f"\nReturns a namedtuple ({', '.join(function.outs)}).\n" if function.outs else "",
        rules="".join(f"    {line}\n" for line in formulas(function)),
        see=function.see,
        more=_more(function),
    )


def arguments(function: Any) -> list[str]:
    """`z: real or complex, tested in [0.1, 50] and at special points; differentiable.` for each argument."""
    lines = [f"{a}: {_argument(function, a)}" for a in function.args]
    return lines + [f"{s}: a Python value, a constant of the compiled program." for s in function.statics]


def formulas(function: Any) -> list[str]:
    """`d/dz: (jv(v - 1, z) - jv(v + 1, z)) / 2` for each rule."""
    rules = [(a, rule) for a, rule in function.rules.items() if not isinstance(rule, Unknown)]
    rules += [(f"Im {a}", rule) for a, rule in function.imaginary.items()]
    return [f"d/d{a}: {_formula(rule)}" for a, rule in rules]


def _formula(rule: Any) -> str:
    try:
        return body(rule)
    except (LookupError, OSError):  # the source is not installed
        return "a rule"


class Later:
    """An attribute that is computed at the first access to it on a function; the class has its own value."""

    def __init__(self, make: Callable[[Any], Any], of_the_class: Any) -> None:
        self.make, self.of_the_class = make, of_the_class

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, function: Any, owner: type) -> Any:
        if function is None:
            return self.of_the_class
        made = function.__dict__[self.name] = self.make(function)
        return made


def summary(function: Any) -> str:
    """The first line of SciPy's docstring, after the signature at the start of those of ufuncs."""
    lines = [line.strip() for line in (function.host.__doc__ or "").splitlines()]
    signatures = (f"{function.name}(", f"{getattr(function.host, '__name__', function.name)}(")  # jn is jv
    texts = [line for line in lines if line and not line.startswith(signatures)]
    return texts[0] if texts else f"{function.name}."


def _more(function: Any) -> str:
    """For a function that SciPy lacks: the docstring of its NumPy function, after the first line."""
    said = inspect.getdoc(function.host) or ""
    return "" if hasattr(scipy.special, function.name) else f"\n{said.partition(chr(10))[2].strip()}\n"


def _argument(function: Any, argument: str) -> str:
    box, rule = function.boxes[argument], function.rules[argument]
    if not hasattr(box, "im"):
        return f"integer order, tested in [{box.low:g}, {box.high:g}]; discrete."
    number = "real" if box.im is None else "real or complex"
    what = f"no derivative: {rule.why}" if isinstance(rule, Unknown) else "differentiable"
    return f"{number}, tested in [{box.low:g}, {box.high:g}] and at special points; {what}."
