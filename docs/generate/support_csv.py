"""`python -m docs.generate.support_csv` writes docs/support.csv: support.md for machines, a row per argument."""

from __future__ import annotations

import csv
import io
import itertools
import types
from typing import Any

from docs.generate import DOCS
from hostwrap.special._function import Special
from hostwrap.special._source import names_around
from tests.reference import ledger, ours
from tests.reference.composed import Composed, measured
from tests.reference.entries import has_complex, is_integer
from tests.reference.points import points
from tests.reference.source import names_of

TABLE = DOCS / "support.csv"
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
    for function in measured().values():
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
    """`discrete`, `missing` and why, `composed` of other functions, `kernel` if the rule calls one, else `partial`."""
    rule = function.rules[argument]
    if is_integer(function, argument):
        return "discrete", ""
    if ours.is_missing(function, argument):
        return "missing", rule.why
    if isinstance(function, Composed):
        return "composed", ""
    return ("kernel" if any(not f.public for f in _entries(rule, set())) else "partial"), ""


def kernels(function: Special) -> list[Special]:
    """The kernels that the rules of an entry call, and those that these call in turn."""
    found: dict[str, Special] = {}
    todo = [function]
    while todo:
        current = todo.pop()
        rules = [rule for rule in [*current.rules.values(), *current.imaginary.values()] if callable(rule)]
        new = {f.name: f for rule in rules for f in _entries(rule, set()) if not f.public}
        todo += [f for name, f in new.items() if name not in found]
        found |= new
    return list(found.values())


def _entries(rule: Any, seen: set) -> list[Special]:
    """The entries that a rule calls, directly or in a helper of its module."""
    seen.add(rule)
    around = names_around(rule)
    used = [around[n] for n in sorted({*names_of(rule.__code__), *rule.__code__.co_freevars}) if n in around]
    helpers = [v for v in used if isinstance(v, types.FunctionType) and v not in seen and _is_ours(v)]
    direct = [value for value in used if isinstance(value, Special)]
    return direct + [f for helper in helpers if helper not in seen for f in _entries(helper, seen)]


def _is_ours(function: types.FunctionType) -> bool:
    return function.__module__.startswith("hostwrap.special.")


if __name__ == "__main__":
    main()
