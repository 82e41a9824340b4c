"""Decorators that register the rules of NumPy and SciPy functions for recorded arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.originals import ARRAY
from hostwrap._tracing.tape.array import (
    FUNCTIONS,
    Array,
    concrete,
    stand_ins,
    valued,
    wrapped,
)
from hostwrap._tracing.tape.dispatch import below, level_of
from hostwrap._tracing.tape.log import noted, unwatched
from hostwrap._tracing.tape.nodes import Step

F = Callable[..., Any]


def functions(names: str, of: Any = np) -> list:
    return [getattr(of, name) for name in names.split() if hasattr(of, name)]


def rule(names: str, of: Any = np) -> Callable[[F], F]:
    """Register the decorated function as the rule of these functions."""

    def enter(handler: F) -> F:
        FUNCTIONS.update(dict.fromkeys(functions(names, of), handler))
        return handler

    return enter


def bound_to(function: F, args: tuple, kwargs: dict, **more: Any) -> dict[str, Any]:
    names, places, needed = _parameters(function)
    found = {**dict(zip(places, args, strict=False)), **kwargs}
    if len(found) == len(args) + len(kwargs) and needed <= found.keys() <= names:  # a tenth of the time
        return {**more, **found}
    return {**more, **_signature(function).bind(*args, **kwargs).arguments}


_signature = functools.cache(inspect.signature)


@functools.cache
def _parameters(function: F) -> tuple[frozenset[str], tuple[str, ...], frozenset[str]]:
    """The names of the parameters, of the positional ones, and of those without a default."""
    given = _signature(function).parameters.values()
    named = [p for p in given if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if len(named) < len(given):
        return frozenset(), (), frozenset()
    places = tuple(p.name for p in named if p.kind is p.POSITIONAL_OR_KEYWORD)
    return frozenset(p.name for p in named), places, frozenset(p.name for p in named if p.default is p.empty)


def linear(x: Array, value: Any, to: Callable, back: Callable) -> Any:
    return wrapped(value, [] if x.node is None else [Step(x.node, to, back)], x.level)


def expression(names: str, of: Any = np) -> Callable[[F], F]:
    """Register the decorated function as an expression in NumPy that equals these functions everywhere."""

    def enter(like: F) -> F:
        def handler(function: F, args: tuple, kwargs: dict) -> Any:
            written = like(*args, **kwargs)
            value = unwatched(lambda: below(function, args, kwargs))
            if isinstance(written, Array):
                bare = concrete(value), concrete(written)
                if np.any(lost := np.not_equal(bare[0], bare[0]) & np.equal(bare[1], bare[1])):
                    written = written * np.where(lost, np.nan, 1.0)
            result = valued(value, written, level_of([args, kwargs]))
            return noted(np.positive, (written,), result) if isinstance(result, Array) else result

        FUNCTIONS.update(dict.fromkeys(functions(names, of), handler))
        return like

    return enter


def joined(x: Any) -> Any:
    """Make an array of nested lists in which something may record; arrays stay as they are."""
    if isinstance(x, Array):
        return x
    found = stand_ins(x) if isinstance(x, list | tuple) else []
    return FUNCTIONS[ARRAY](ARRAY, (x,), {}) if found else np.asarray(x)
