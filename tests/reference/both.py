"""Derivatives by two oracles: Arb's where it proves them, mpmath's elsewhere.

mpmath confirms the value of the definition wherever Arb has one: then both speak of the same function, and Arb's
derivatives are proven. Where they differ, mpmath's numbers of the definition stand, and a warning says so.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from typing import Any

import mpmath

from hostwrap.special._function import Special
from tests.reference import oracle, proofs
from tests.reference.entries import Index

HAS_ARB = importlib.util.find_spec("flint") is not None


def derivatives(
    function: Special, statics: dict, point: Sequence[complex], indices: Sequence[Index], is_complex: bool
) -> list[list[Any]]:
    """As `oracle.derivatives` gives them; the first index is the function itself."""
    proven = _proven(function, statics, point, indices, is_complex)
    open_ = [n for n, row in enumerate(proven) if n == 0 or None in row]
    found = oracle.derivatives(function, statics, point, [indices[n] for n in open_], is_complex)
    if not _agree(found[0], proven[0]):
        warnings.warn(
            f"Arb has another {function.name}{tuple(point)}: {proven[0]}, not {found[0]}", stacklevel=2
        )
        return oracle.derivatives(function, statics, point, indices, is_complex)
    for n, row in zip(open_, found, strict=True):
        proven[n] = [
            ours if ours is not None else theirs for ours, theirs in zip(proven[n], row, strict=True)
        ]
    return proven


def _proven(*problem: Any) -> list[list[Any]]:
    if not HAS_ARB:
        return [[None] * max(1, len(problem[0].outs)) for _ in problem[3]]
    from tests.reference.arb import oracle as arb

    return arb.derivatives(*problem)


def _agree(ours: list[Any], theirs: list[Any]) -> bool:
    return all(
        a is None or b is None or abs(a - b) <= oracle.AGREEMENT * abs(b)
        for a, b in zip(ours, theirs, strict=True)
        if a is None or mpmath.isfinite(a)
    )


def prove(function: Any) -> None:
    """Enters into the list of proofs what Arb says of the function's table; nothing of it without python-flint."""
    rows = {key: proofs.Row(count) for key, count in proofs.counts(function).items()}
    if HAS_ARB:
        from tests.reference.arb import agreement

        rows, wrong = agreement.compared(function)
        for contradiction in wrong:
            warnings.warn(f"Arb contradicts the table: {contradiction}", stacklevel=2)
    proofs.enter(function.name, rows)
