"""Functions that are called like SciPy's: by the same names, in the same order."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from hostwrap._errors import NotTaken, SignatureError
from hostwrap._recipes.elsewhere import is_without_effect, now, otherwise

F = TypeVar("F", bound=Callable[..., Any])
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def as_scipys(module: str) -> Callable[[F], F]:
    """`@as_scipys("scipy.linalg")`: the function takes what SciPy's function of its name takes.

    It may have fewer arguments, or further ones after SciPy's. Of SciPy's arguments that it lacks, some have no effect.
    Others, unless they have their default values, lead to SciPy's function, whose own code is differentiated. What the
    function itself says is `NotTaken`, SciPy's function computes where nothing is traced.
    """

    def decorate(function: F) -> F:
        name = function.__name__
        own = inspect.signature(function).parameters
        any_keyword = any(p.kind is p.VAR_KEYWORD for p in own.values())

        @functools.cache
        def theirs() -> tuple[inspect.Signature, int]:
            """SciPy's signature, and the number of arguments that have the same positions in both."""
            signature = inspect.signature(getattr(importlib.import_module(module), name))
            ours, scipys = (_places(s) for s in (own, signature.parameters))
            alike = [a == b for a, b in zip(ours, scipys, strict=False)]
            return signature, alike.index(False) if False in alike else len(alike)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return ours(*args, **kwargs)
            except NotTaken as refusal:
                return now(getattr(importlib.import_module(module), name), args, kwargs, refusal)

        def ours(*args: Any, **kwargs: Any) -> Any:
            if len(args) <= theirs()[1] and kwargs.keys() <= own.keys():
                return function(*args, **kwargs)
            signature = theirs()[0]
            given = {key: x for key, x in kwargs.items() if key in signature.parameters}
            try:
                bound = signature.bind(*args, **given).arguments
            except TypeError:
                return function(*args, **kwargs)  # this call raises the error
            more = bound.pop("kwargs", {}) if "kwargs" not in own else {}
            taken = {key: x for key, x in bound.items() if any_keyword or key in own}
            for key in bound.keys() - taken.keys():
                default = signature.parameters[key].default
                if not is_without_effect(key) and not _same(bound[key], default):
                    refusal = SignatureError(
                        f"{name}: hostwrap's has no argument `{key}`; leave it out, or as it is by default, "
                        f"{default!r:.40}."
                    )
                    return otherwise(getattr(importlib.import_module(module), name), args, kwargs, refusal)
            taken = {key: x for key, x in taken.items() if key in own or not is_without_effect(key)}
            return function(**taken, **more, **{key: x for key, x in kwargs.items() if key not in given})

        call.scipys = module  # type: ignore[attr-defined]  # for a test
        return cast(F, call)

    return decorate


def typed(function: Callable, names: Sequence[str]) -> inspect.Signature:
    """The signature of SciPy's function, which has no types, with types for the arrays."""

    def mark(p: inspect.Parameter) -> inspect.Parameter:
        optional = " | None" if p.default is None else ""
        return p.replace(annotation=f"ArrayLike{optional}") if p.name in names else p

    signature = inspect.signature(function)
    return signature.replace(parameters=[mark(p) for p in signature.parameters.values()])


def _places(parameters: Any) -> list[str]:
    return [p.name for p in parameters.values() if p.kind in POSITIONAL]


def _same(x: Any, default: Any) -> bool:
    if x is default:
        return True
    return np.ndim(x) == 0 and not callable(x) and type(x) in (bool, int, float, str) and x == default
