"""Which committed numbers Arb proves: `oracles.csv`, a row for each derivative of a table.

A number is proven when Arb's ball, no wider than 2**-106 of it, lies within 1e-18 of the committed digits; all others
rest on mpmath alone (two precisions that agree): functions and points that Arb does not serve, zeros and infinities.
`python -m tests.reference.arb` writes the file.
"""

from __future__ import annotations

import csv
import dataclasses
import pathlib
from typing import Any

import numpy as np

from tests.reference import tables
from tests.reference.entries import label

FILE = pathlib.Path(__file__).with_name("oracles.csv")

Key = tuple[str, str]  # function and derivative


@dataclasses.dataclass
class Row:
    """Of the numbers of a derivative, those that Arb proves."""

    numbers: int = 0
    proven: int = 0


def counts(function: Any) -> dict[Key, int]:
    """The numbers of each derivative in the table."""
    found: dict[Key, int] = {}
    for group in tables.load(function.name)[1]:
        for i, index in enumerate(group.indices):
            key = function.name, label(function, index, group.is_complex)
            found[key] = found.get(key, 0) + int((~np.isnan(group.high[i])).sum())
    return found


def is_current(function: Any, rows: dict[Key, Row]) -> bool:
    """Whether there is a row for each derivative, of as many numbers as the table has."""
    known = {key: row.numbers for key, row in rows.items() if key[0] == function.name}
    return known == counts(function)


def load() -> dict[Key, Row]:
    if not FILE.exists():
        return {}
    with FILE.open(newline="", encoding="utf-8") as file:
        return {
            (r["function"], r["derivative"]): Row(int(r["numbers"]), int(r["proven"]))
            for r in csv.DictReader(file)
        }


def save(rows: dict[Key, Row]) -> None:
    with FILE.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["function", "derivative", "numbers", "proven"])
        for key, row in sorted(rows.items()):
            out.writerow([*key, row.numbers, row.proven])


def totals() -> dict[str, Row]:
    """Of each function."""
    found: dict[str, Row] = {}
    for (name, _), row in load().items():
        total = found.setdefault(name, Row())
        total.numbers, total.proven = total.numbers + row.numbers, total.proven + row.proven
    return found


def enter(name: str, rows: dict[Key, Row]) -> None:
    save({key: row for key, row in load().items() if key[0] != name} | rows)
