"""outcomes.csv: what came of each row when somebody looked last."""

import csv
import dataclasses
import pathlib

from tests.tracing.corpus.runner import Outcome, rows

FILE = pathlib.Path(__file__).with_name("outcomes.csv")
MADE_WITH = {"numpy": "2.4", "scipy": "1.17"}  # other versions have rows of their own
COLUMNS = ("row", *(field.name for field in dataclasses.fields(Outcome)))


def read() -> dict[str, Outcome]:
    if not FILE.exists():
        return {}
    with FILE.open(newline="", encoding="utf-8") as file:
        return {row.pop("row"): Outcome(**row) for row in csv.DictReader(file)}


def write(outcomes: dict[str, Outcome]) -> None:
    """In the order of the rows; of rows that are there no more, nothing."""
    with FILE.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows(
            [row.id, *dataclasses.astuple(outcomes[row.id])] for row in rows() if row.id in outcomes
        )
