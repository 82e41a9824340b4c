"""A derivative rule in NumPy: how it is called, and the host function made of it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hostwrap._elementwise.partials import Unknown
from hostwrap._errors import RuleError, missing
from hostwrap._host.function import VMAP_METHODS
from hostwrap._rules.base import check_arity

EXTRAS = ("ans", "needed")


@dataclasses.dataclass(frozen=True)
class HostRule:
    """A NumPy function; `ans` (the answer) and `needed` (a flag per argument) go to one that names them."""

    what: str
    function: Callable
    extras: tuple[str, ...]

    def __call__(self, *args: Any, statics: Mapping[str, Any], ans: Any = None, needed: Any = None) -> Any:
        given = {"ans": ans, "needed": needed}
        return self.function(*args, **statics, **{k: given[k] for k in self.extras})

    @property
    def wants_answer(self) -> bool:
        return "ans" in self.extras


def host_rule(
    function: str, what: str, rule: Any, positional: Sequence[str], statics: Sequence[str]
) -> HostRule:
    """Refuse what cannot be called as a rule, when it is attached."""
    extras: tuple[str, ...] = ()
    try:
        parameters = inspect.signature(rule).parameters
        extras = tuple(e for e in EXTRAS if e in parameters and e not in (*statics, *positional))
    except (TypeError, ValueError):  # not callable, or one of the builtins without a signature
        pass
    check_arity(function, what, rule, positional, (*statics, *extras))
    return HostRule(what, rule, extras)


@dataclasses.dataclass(frozen=True)
class Owner:
    """The function that rules belong to: its name and arguments; how a call is declared, and host functions are made.

    `vmap_method` is what the rules see of batch axes, `own_method` what the function itself sees.
    """

    name: str
    names: tuple[str, ...]
    declare: Callable
    hosted: Callable
    own_method: str
    vmap_method: str


class Excluded:
    """Arguments in which there is no derivative, and why: said with hw.unknown or hw.discrete."""

    def __init__(self, function: str, names: Sequence[str], given: Mapping[str, Any]) -> None:
        strangers = sorted(set(given) - set(names))
        if strangers:
            raise RuleError(
                f"{function}: {', '.join(strangers)} given by keyword; the arguments are {list(names)}."
            )
        for name, value in given.items():
            if not isinstance(value, Unknown):
                raise RuleError(
                    f"{function}: `{name}=` is for hw.unknown(why) or hw.discrete, got {type(value).__name__}."
                )
        self.given = dict(given)

    def refuse(self, function: str, argument: str) -> None:
        """A derivative in one of them is missing."""
        if argument in self.given:
            raise missing(function, argument, self.given[argument].why)


def check_method(function: str, vmap_method: str | None) -> None:
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise RuleError(f"{function}: vmap_method={vmap_method!r} must be one of {', '.join(VMAP_METHODS)}.")
