"""Exact numbers to compare with: an mpmath function and its partial derivatives at floating-point numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import mpmath

from hostwrap._errors import SignatureError

DIGITS = (30, 45)  # two precisions have to agree, as far beyond double precision as matters
AGREEMENT = 1e-18
ROUGH = 20  # enough for a condition number

Orders = tuple[int, ...]


def reference_of(name: str, f: Any, given: Callable[..., Any] | None) -> Callable[..., Any]:
    """The definition in mpmath: the one given, or that of an entry of `hostwrap.special`."""
    if given is not None:
        return given
    if not hasattr(f, "ref"):
        raise SignatureError(
            f"plot_ulp: {name} has no definition in mpmath of its own; give reference=, a function of mpmath "
            "numbers that takes the same arguments."
        )
    if f.outs:
        raise SignatureError(
            f"plot_ulp: {name} has the results {', '.join(f.outs)}; give a function of one of them, such as "
            f"`lambda *x: {name}(*x).{f.outs[0]}`, and a reference= for it."
        )
    return functools.partial(f.ref, mpmath.mp)


def exact(reference: Callable[..., Any], point: Sequence[float], orders: Orders) -> Any:
    """The derivative of these orders (the value: zeros), a real mpmath number; None where mpmath has none."""
    rough, fine = (_at(reference, point, orders, digits) for digits in DIGITS)
    agree = rough is not None and fine is not None and abs(rough - fine) <= AGREEMENT * abs(fine)
    return fine if agree else None


def about(reference: Callable[..., Any], point: Sequence[float], orders: Orders) -> float:
    """The same to a few digits, NaN where there is none."""
    found = _at(reference, point, orders, ROUGH)
    return float("nan") if found is None else float(found)


def _at(reference: Callable[..., Any], point: Sequence[float], orders: Orders, digits: int) -> Any:
    """Differences of mpmath, which works with as many more digits as they cost."""
    with mpmath.workdps(digits):
        numbers = tuple(x if isinstance(x, int) else mpmath.mpf(x) for x in point)
        places = [i for i, order in enumerate(orders) if order]
        try:
            value = mpmath.mpmathify(_partial(reference, numbers, places, orders))
        except (ValueError, ArithmeticError, mpmath.libmp.NoConvergence):
            return None
        return value.real if value.imag == 0 and mpmath.isfinite(value) else None


def _partial(reference: Callable[..., Any], point: tuple, places: list[int], orders: Orders) -> Any:
    if not places:
        return reference(*point)

    def moved(*values: Any) -> Any:
        numbers = list(point)
        for i, value in zip(places, values, strict=True):
            numbers[i] = value
        return reference(*numbers)

    at, how_often = tuple(point[i] for i in places), tuple(orders[i] for i in places)
    one = len(places) == 1
    return mpmath.diff(moved, at[0] if one else at, how_often[0] if one else how_often)
