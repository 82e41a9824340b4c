"""What `make stress`, `make fuzz` and others that run for long have counted: a row of docs/stress.csv each."""

from __future__ import annotations

import csv
import datetime
import pathlib
import platform

import jax
import numpy
import scipy

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "stress.csv"
COUNTS = ("seconds", "cases", "errors", "wrong", "hangs", "crashes", "memory")
COLUMNS = ("what", "lane", "date", "versions", *COUNTS)


def record(what: str, lane: str, **counts: float) -> None:
    """Write the row of a run in place of the one before; `python -m docs.generate.stress` shows it on the page."""
    versions = {"Python": platform.python_version(), "jax": jax.__version__}
    versions |= {"numpy": numpy.__version__, "scipy": scipy.__version__}
    row = {"what": what, "lane": lane, "date": datetime.date.today().isoformat()}
    row |= {"versions": ", ".join(f"{name} {version}" for name, version in versions.items())}
    row |= {name: f"{counts[name]:.0f}" if name in counts else "" for name in COUNTS}
    kept = [r for r in rows() if (r["what"], r["lane"]) != (what, lane)]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*kept, row], key=lambda r: (r["what"], r["lane"])))


def rows() -> list[dict[str, str]]:
    if not FILE.exists():
        return []
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
