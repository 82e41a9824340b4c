"""What the pages of docs/ have that is computed: `python -m docs.generate.NAME` writes it, `make table` all of it."""

import csv
import pathlib
from collections.abc import Iterable, Mapping, Sequence

DOCS = pathlib.Path(__file__).resolve().parents[1]
ROOT = DOCS.parent


def with_part(text: str, begin: str, part: str, end: str) -> str:
    """A page with this between two marks, in place of what stands there."""
    before, _, rest = text.partition(begin)
    return before + begin + part + end + rest.partition(end)[2]


def read_rows(table: pathlib.Path) -> list[dict[str, str]]:
    """Of a committed table."""
    with table.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(table: pathlib.Path, fields: Sequence[str], given: Iterable[Mapping[str, str]]) -> None:
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        writer.writeheader()
        writer.writerows(given)
