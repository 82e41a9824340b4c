"""The committed tables beside Arb, number by number."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import mpmath
import numpy as np

from tests.reference import tables
from tests.reference.arb import oracle
from tests.reference.entries import label
from tests.reference.proofs import Key, Row, counts

AGREEMENT = mpmath.mpf("1e-18")
NOTHING = mpmath.mpf("1e-305")  # below it doubles have fewer digits
HUGE = mpmath.mpf(2) ** 1024


@dataclasses.dataclass(frozen=True)
class Contradiction:
    """A committed number that Arb says is another one."""

    function: str
    derivative: str
    output: int
    point: tuple
    committed: Any
    proven: Any


def compared(
    function: Any, chosen: Iterable[tuple[int, int]] | None = None
) -> tuple[dict[Key, Row], list[Contradiction]]:
    """The table of a function beside Arb; of all points, or of these (group, point)."""
    if oracle.expression(function) is None:
        return {key: Row(count) for key, count in counts(function).items()}, []
    rows: dict[Key, Row] = {}
    wrong = []
    groups = tables.load(function.name)[1]
    everything = [(g, p) for g, group in enumerate(groups) for p in range(len(group.points))]
    with mpmath.workdps(60):
        for g, p in everything if chosen is None else chosen:
            for derivative, output, committed, proven in _numbers(function, groups[g], p):
                row = rows.setdefault((function.name, derivative), Row())
                row.numbers += committed is not None
                if committed is None or proven is None:
                    continue
                if agree(committed, proven):
                    row.proven += 1
                else:
                    point = tuple(groups[g].points[p].tolist())
                    wrong.append(Contradiction(function.name, derivative, output, point, committed, proven))
    return rows, wrong


def _numbers(function: Any, group: tables.Group, p: int) -> Iterator[tuple[str, int, Any, Any]]:
    point = group.points[p].tolist()
    found = oracle.derivatives(function, group.statics, point, group.indices, group.is_complex)
    for i, index in enumerate(group.indices):
        for k, proven in enumerate(found[i]):
            known = not np.isnan(group.high[i, k, p])
            committed = group.exact(i, k, p) if known else None
            yield label(function, index, group.is_complex), k, committed, proven


def agree(committed: Any, proven: Any) -> bool:
    if not mpmath.isfinite(committed):
        return abs(proven) > HUGE * (1 - mpmath.mpf("1e-15"))
    return abs(committed - proven) <= max(AGREEMENT * abs(proven), NOTHING)
