"""`python -m docs.generate.orders [NAME ...]` measures derivatives of order 3 to 10: docs/orders.csv.

It takes a quarter of an hour; with names it measures these functions, and keeps the other rows.
"""

from __future__ import annotations

import dataclasses
import sys

import jax

from docs.generate import DOCS, read_rows, write_rows
from tests.reference import orders

TABLE = DOCS / "orders.csv"
FIELDS = [field.name for field in dataclasses.fields(orders.Row)]


def committed() -> list[dict[str, str]]:
    return read_rows(TABLE)


def write(table: list[dict[str, str]]) -> None:
    write_rows(TABLE, FIELDS, sorted(table, key=lambda row: (row["function"], row["argument"])))


def row(measured: orders.Row) -> dict[str, str]:
    texts = {name: str(value) for name, value in dataclasses.asdict(measured).items()}
    return {**texts, "to_six": f"{measured.to_six:.0e}", "to_ten": f"{measured.to_ten:.0e}"}


def main(names: list[str]) -> None:
    jax.config.update("jax_enable_x64", True)
    rows = committed() if names and TABLE.exists() else []
    for name in names or orders.functions():
        function = orders.functions()[name]
        found = [orders.measured(function, i) for i in orders.arguments(function)]
        rows = [r for r in rows if r["function"] != name] + [row(r) for r in found if r]
        write(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
