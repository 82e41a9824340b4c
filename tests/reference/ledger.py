"""The ratchet: the measured error of every derivative, committed; it may only shrink.

`accuracy.csv` holds the errors, `exceptions.csv` the known failures, each with its reason.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import fcntl
import functools
import pathlib
from collections.abc import Iterable, Iterator

import numpy as np
import scipy

from hostwrap.special._function import Special
from tests.reference.accuracy import Errors, Key, measure

SCIPY = "1.17."  # what it was measured with: another SciPy has other values, and other worst points
LEDGER = pathlib.Path(__file__).parent / "accuracy.csv"
EXCEPTIONS = pathlib.Path(__file__).parent / "exceptions.csv"


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the ledger."""

    points: int
    share: float
    median: float
    max: float
    worst: str


def row(errors: Errors) -> Row:
    finite = np.where(np.isnan(errors.relative), np.inf, errors.relative)
    return Row(
        len(finite),
        float(errors.within.mean()),
        float(np.median(finite)),
        float(finite.max()),
        place(errors.points[errors.worst]),
    )


def read() -> dict[Key, Row]:
    if not LEDGER.exists():
        return {}
    with LEDGER.open(newline="", encoding="utf-8") as file:
        return {
            (r["function"], r["derivative"], r["dtype"]): Row(
                int(r["points"]), float(r["share"]), float(r["median"]), float(r["max"]), r["worst"]
            )
            for r in csv.DictReader(file)
        }


def write(rows: dict[Key, Row]) -> None:
    with LEDGER.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["function", "derivative", "dtype", "points", "share", "median", "max", "worst"])
        for key, r in sorted(rows.items()):
            out.writerow([*key, r.points, f"{r.share:.4f}", f"{r.median:.1e}", f"{r.max:.1e}", r.worst])


def of_another_scipy(
    measured: dict[Key, Row], committed: dict[Key, Row], version: str = scipy.__version__
) -> bool:
    """Whether another SciPy gives other values: then it answers for them, and for what is made of them."""
    if version.startswith(SCIPY):
        return False
    values = {key: row for key, row in measured.items() if key[1] == "value"}
    return any(
        row.points != committed[key].points or is_worse(row, committed[key], key[2])
        for key, row in values.items()
    )


def elsewhere(new: Row, old: Row, version: str = scipy.__version__) -> Row:
    """With another SciPy the one worst point may be another one."""
    return new if version.startswith(SCIPY) else dataclasses.replace(new, max=min(new.max, old.max))


def exception(key: Key, point: np.ndarray | None = None) -> str | None:
    """Why a derivative may miss its share (no point) or give no ordinary number at a point; `*` stands for any."""
    wanted = (*key, "share" if point is None else place(point))
    for r in exceptions():
        given = (r["function"], r["derivative"], r["dtype"], r["point"])
        if all(g in ("*", w) for g, w in zip(given, wanted, strict=True)):
            return r["reason"]
    return None


def bits_vary(name: str) -> bool:
    """Whether SciPy's own answers depend on what memory held before, at some points: the row's `point` is `bits`."""
    return any(r["function"] == name and r["point"] == "bits" for r in exceptions())


@functools.cache
def exceptions() -> list[dict[str, str]]:
    if not EXCEPTIONS.exists():
        return []
    with EXCEPTIONS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def place(point: np.ndarray) -> str:
    return ", ".join(f"{x:.17g}" for x in point)


def is_worse(new: Row, old: Row, kind: str) -> bool:
    """Beyond what other releases of SciPy and other processors change.

    The median hardly moves: a factor of 4 and four units in the last place. The largest error belongs to the one
    worst conditioned point, where SciPy's own last digits decide: a factor of 10, and 1e-12 (in float32 1e-6) is
    never called worse; nor is one point more outside the target.
    """
    single = kind == "float32"
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    if new.median > 4 * old.median + 4 * eps:
        return True
    fewer = 1.5 / max(new.points, 1)
    return new.max > max(10 * old.max, 1e-6 if single else 1e-12) or new.share < old.share - fewer


def update(functions: Iterable[Special], *, accept: bool) -> None:
    """Enter what is better, say what is worse; with `accept`, enter that too."""
    for function in functions:
        for problem in enter(function, dict(measure(function)), accept=accept):
            print(problem)


def enter(function: Special, measured: dict[Key, Errors], *, accept: bool) -> list[str]:
    """The same for errors that have been measured; what is not as it was is returned, a line for each derivative."""
    with _locked():
        rows = read()
        problems = _merge(rows, function.name, {key: row(errors) for key, errors in measured.items()}, accept)
        write(rows)
    return problems


def _merge(rows: dict[Key, Row], name: str, measured: dict[Key, Row], accept: bool) -> list[str]:
    problems = []
    for key in [k for k in rows if k[0].split()[0] == name and k not in measured]:
        problems += [] if accept else [f"gone: {' '.join(key)}"]
        if accept:
            del rows[key]
    for key, new in measured.items():
        old = rows.get(key)
        better = old and old.points == new.points and new.max < old.max and new.share >= old.share
        if old is None or accept or better:
            rows[key] = new
        elif old.points != new.points:
            problems.append(f"other points: {' '.join(key)}: {old.points} before, now {new.points}")
        elif is_worse(new, old, key[2]):
            now = f"{new.share:.4f} {new.max:.1e}"
            problems.append(f"worse: {' '.join(key)}: {old.share:.4f} {old.max:.1e}, now {now}")
    return problems


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """One process at a time: several may measure."""
    with (LEDGER.parent / "data" / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
