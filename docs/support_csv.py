"""`python -m docs.support_csv` writes docs/support.csv: what support.md shows, a row per argument, for machines."""

from __future__ import annotations

import csv
import io
import itertools
import pathlib
import types
from typing import Any

from hostwrap.special._function import Special
from tests.reference import ledger, ours
from tests.reference.entries import catalogue, has_complex, is_integer
from tests.reference.points import points
from tests.reference.source import names_of

TABLE = pathlib.Path(__file__).parent / "support.csv"
DTYPES = ("float64", "complex128", "float32")
ORDERS = ("value", "first", "second")
HEAD = ["function", "argument", "kind", "reason", "complex", "orders", "points", "complex_points"]
HEAD += [
    f"{order}_{what}_{dtype}" for dtype in DTYPES for order in ORDERS for what in ("max", "median", "share")
]
HEAD += ["source"]


def main() -> None:
    TABLE.write_text(text(), encoding="utf-8")


def text() -> str:
    """The whole table, of the public functions; errors are relative, as in the ledger."""
    rows, file = ledger.read(), io.StringIO()
    out = csv.writer(file, lineterminator="\n")
    out.writerow(HEAD)
    for function in catalogue().values():
        if function.public:
            mine = {key: row for key, row in rows.items() if key[0].split()[0] == function.name}
            out.writerows(_row(function, argument, mine) for argument in function.args)
    return file.getvalue()


def _row(function: Special, argument: str, rows: dict) -> list:
    slots = {key: [] if key[1] == "value" else [s.rstrip("*") for s in key[1].split()] for key in rows}
    orders = sorted({len(names) for names in slots.values() if set(names) == {argument}})
    errors: list = []
    for dtype, order in itertools.product(DTYPES, range(len(ORDERS))):
        errors += _errors(
            [
                rows[key]
                for key, names in slots.items()
                if key[2] == dtype and len(names) == order and (not names or argument in names)
            ]
        )
    is_complex = bool(getattr(function.boxes[argument], "im", None))
    about = [function.name, argument, *_kind(function, argument), is_complex, " ".join(map(str, orders))]
    counts = [len(points(function, False)), len(points(function, True)) if has_complex(function) else 0]
    return [*about, *counts, *errors, function.see]


def _errors(rows: list) -> list:
    """The largest error and the largest median of several derivatives, and the smallest share within the target."""
    if not rows:
        return ["", "", ""]
    worst, median, share = max(r.max for r in rows), max(r.median for r in rows), min(r.share for r in rows)
    return [f"{worst:.1e}", f"{median:.1e}", f"{share:.4f}"]


def _kind(function: Special, argument: str) -> tuple[str, str]:
    """`discrete`, `missing` and why, `kernel` if the rule calls a numerical method of ours, else `partial`."""
    rule = function.rules[argument]
    if is_integer(function, argument):
        return "discrete", ""
    if ours.is_missing(function, argument):
        return "missing", rule.why
    return ("kernel" if _calls_a_kernel(rule, set()) else "partial"), ""


def _calls_a_kernel(rule: Any, seen: set) -> bool:
    """Directly, or in a helper of its module."""
    seen.add(rule)
    used = [rule.__globals__[n] for n in set(names_of(rule.__code__)) if n in rule.__globals__]
    if any(isinstance(value, Special) and not value.public for value in used):
        return True
    helpers = [v for v in used if isinstance(v, types.FunctionType) and v not in seen and _is_ours(v)]
    return any(_calls_a_kernel(helper, seen) for helper in helpers)


def _is_ours(function: types.FunctionType) -> bool:
    return function.__module__.startswith("hostwrap.special.families")


if __name__ == "__main__":
    main()
