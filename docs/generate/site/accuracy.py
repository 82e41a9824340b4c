"""The measured errors of docs/support.csv, as tables."""

from __future__ import annotations

import csv
import functools

from docs.generate import DOCS
from hostwrap.special._function import Special
from tests.reference import proofs

SUPPORT = DOCS / "support.csv"
DTYPES = ("float64", "complex128", "float32")
ORDERS = ("value", "first", "second")


@functools.cache
def rows() -> dict[str, list[dict[str, str]]]:
    """The rows of each function."""
    found: dict[str, list] = {}
    with SUPPORT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["function"], []).append(row)
    return found


def error(row: dict[str, str], order: str, dtype: str) -> str:
    """`3e-16 (1e-16)`, largest and median; what share is within the target if not all of it."""
    largest = row[f"{order}_max_{dtype}"]
    if not largest:
        return ""
    share = float(row[f"{order}_share_{dtype}"])
    text = f"{float(largest):.0e} ({float(row[f'{order}_median_{dtype}']):.0e})"
    return text + (f", {100 * share:.1f} %" if share < 1 else "")


def table(function: Special) -> str:
    """Relative errors of the value and the derivatives in each argument, largest (median)."""
    mine = rows().get(function.name, [])
    used = [d for d in DTYPES if any(row[f"value_max_{d}"] for row in mine)]
    if not used:
        return ""
    lines = ["| argument | numbers | value | first derivative | second derivative |", "|---|---|---|---|---|"]
    for row in mine:
        for dtype in used:
            cells = " | ".join(error(row, order, dtype) for order in ORDERS)
            lines.append(f"| `{row['argument']}` | {dtype} | {cells} |")
    return "\n".join(lines)


def oracles(function: Special) -> str:
    """Whose the references are."""
    total = proofs.totals().get(function.name, proofs.Row())
    if not total.proven:
        return "mpmath alone computed the references."
    rest = "mpmath alone computed the others, which include zeros and infinities."
    return f"Arb proves {total.proven} of the {total.numbers} references. {rest}"
