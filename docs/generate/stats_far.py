"""`python -m docs.generate.stats_far [NAME ...]` measures derivatives of distributions far out: docs/stats_far.csv.

It takes half an hour; with names it measures these, and keeps the other rows. `docs.generate.stats` writes the
share of good ones into its page.
"""

from __future__ import annotations

import sys

import jax

from docs.generate import DOCS, read_rows, write_rows
from hostwrap.stats import _catalogue
from tests.stats import far
from tests.stats.measure import methods

TABLE = DOCS / "stats_far.csv"
FIELDS = ("distribution", "method", "argument", "points", "wrong", "zeros", "nans", "largest")
# SciPy's quantiles of these take minutes
SLOW = {"levy_stable", "studentized_range"}


def measured(name: str) -> list[dict[str, str]]:
    """The rows of a distribution."""
    found = far.measure(name, seconds=6.0)
    texts = [
        (r.name, r.method, r.argument, r.points, r.wrong, r.zeros, r.nans, f"{r.largest:.1e}") for r in found
    ]
    return [dict(zip(FIELDS, map(str, row), strict=True)) for row in texts if row[3]]


def committed() -> list[dict[str, str]]:
    return read_rows(TABLE)


def summary() -> str:
    """For the page."""
    table = committed()
    good = sum(row["wrong"] == "0" for row in table)
    points, wrong = (sum(int(row[column]) for row in table) for column in ("points", "wrong"))
    listed = sorted({row["distribution"] for row in table if row["wrong"] != "0"})
    have = (
        f"{wrong} are not. Those are of {', '.join(f'`{name}`' for name in listed)}."
        if listed
        else "all are."
    )
    count, names = len(table), len({row["distribution"] for row in table})
    return f"""Far out, {good} of {count} combinations of {names} distributions ({good / count:.1%}) are accurate at all
their points: the error is below 1e-9, or below what a change of 16 last places in the arguments makes. Of the {points}
points {have}"""


def main(names: list[str]) -> None:
    jax.config.update("jax_enable_x64", True)
    old = committed() if names and TABLE.exists() else []
    for name in names or [name for name in _catalogue.names() if name not in SLOW and methods(name)]:
        old = [row for row in old if row["distribution"] != name] + measured(name)
        write_rows(TABLE, FIELDS, sorted(old, key=lambda row: row["distribution"]))


if __name__ == "__main__":
    main(sys.argv[1:])
