"""The sweep over every public function, by each of its eyes, and the table that it leaves.

The eyes are the differences of `tests.reference.sweep`, and the integrals of `tests.reference.segments` for first,
second and complex derivatives. `python -m tests.reference.sweep_all --seconds 3600` shares the time over functions and
eyes: a half of each part for points, a half for mpmath, which judges the suspects kind by kind, the silent ones first.
The seed is the date. Suspects are printed; `sweep.csv` keeps the counts, and the functions with the most open questions
go first the next time.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import dataclasses
import datetime
import functools
import multiprocessing
import pathlib
import sys
import time
from collections.abc import Callable, Iterator

import jax
import numpy as np

from tests.reference import segments, sweep
from tests.reference.entries import catalogue, has_complex, is_integer

FILE = pathlib.Path(__file__).with_name("sweep.csv")
FORKS = multiprocessing.get_context("fork")
PATIENCE = 3  # times its share of the time, and a function is given up
JUDGEMENT = 2.0  # seconds of mpmath's for a suspect
KINDS = ("zero", "sign", "off", "not finite")
EYES: dict[str, Callable[..., Iterator[sweep.Batch]]] = {
    "difference": sweep.suspects,
    "integral": segments.suspects,
    "integral of order 2": functools.partial(segments.suspects, order=2),
    "complex integral": functools.partial(segments.suspects, is_complex=True),
}


@dataclasses.dataclass
class Row:
    """What an eye found of a function."""

    function: str
    eye: str
    seed: int
    derivatives: int = 0  # of which the differences or integrals are sure
    zero: int = 0
    sign: int = 0
    off: int = 0
    not_finite: int = 0
    judged: int = 0  # of those flagged
    ours: int = 0  # wrong and finite, while SciPy's value is right
    ours_nan: int = 0
    scipy: int = 0  # SciPy's value is wrong, and the derivative right
    both: int = 0
    conditioned: int = 0
    quotient: int = 0
    unknown: int = 0
    slow: int = 0  # draws left out because SciPy takes long

    def count(self, field: str) -> None:
        setattr(self, field, getattr(self, field) + 1)

    @property
    def open(self) -> tuple[int, int]:
        return self.ours + self.ours_nan, self.zero + self.sign + self.off + self.not_finite


def load() -> dict[tuple[str, str], Row]:
    if not FILE.exists():
        return {}
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = [
            Row(row.pop("function"), row.pop("eye"), **{k: int(v) for k, v in row.items()})
            for row in csv.DictReader(file)
        ]
    return {(row.function, row.eye): row for row in rows}


def save(rows: dict[tuple[str, str], Row]) -> None:
    with FILE.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [f.name for f in dataclasses.fields(Row)], lineterminator="\n")
        table.writeheader()
        table.writerows(dataclasses.asdict(rows[key]) for key in sorted(rows))


def swept(name: str, eye: str, seed: int, seconds: float) -> Iterator[Row]:
    """What is known so far. Half of the time is for points, and half for mpmath."""
    row, suspects, start = Row(name, eye, seed), [], time.monotonic()
    for sure, new, slow in EYES[eye](catalogue()[name], sys.maxsize, seed, seconds / 2):
        row.derivatives += sure
        row.slow += slow
        suspects += new
        for suspect in new:
            row.count(suspect.kind.replace(" ", "_"))
        yield row
    for suspect in in_turn(suspects):
        if row.judged and time.monotonic() - start > seconds:
            break
        verdict = _judged(suspect)
        whose = {"SciPy's": "scipy"}.get(verdict.whose, verdict.whose)
        row.count("ours_nan" if whose == "ours" and np.isnan(suspect.got) else whose)
        row.count("judged")
        print(sweep.printed(suspect, verdict), flush=True)
        yield row


def _judged(suspect: sweep.Suspect) -> sweep.Verdict:
    """Definitions in mpmath are made for the entries' boxes, and may fail in any way beyond them."""
    try:
        return segments.judged(suspect, JUDGEMENT)
    except Exception:
        return sweep.Verdict("unknown", np.nan)


def apart(name: str, eye: str, seed: int, seconds: float) -> Row:
    """In a process of its own: SciPy and mpmath have loops that end after hours, and SciPy aborts."""

    def work() -> None:
        jax.config.update("jax_enable_x64", True)
        for row in swept(name, eye, seed, seconds):
            there.send(row)

    here, there = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=work)
    process.start()
    there.close()
    row, end = Row(name, eye, seed), time.monotonic() + PATIENCE * seconds
    with contextlib.suppress(EOFError):
        while here.poll(max(0.0, end - time.monotonic())):
            row = here.recv()
    process.kill()
    process.join()
    return row


def in_turn(suspects: list[sweep.Suspect]) -> list[sweep.Suspect]:
    """The silent kinds first; of each kind one of every argument and result, then a second one, and so on."""
    seen: collections.Counter = collections.Counter()
    keys = []
    for suspect in suspects:
        which = suspect.index, suspect.output, suspect.kind
        keys.append((seen[which], KINDS.index(suspect.kind)))
        seen[which] += 1
    return [suspects[k] for k in sorted(range(len(suspects)), key=keys.__getitem__)]


def names() -> list[str]:
    """Every public function with a derivative, those with open questions first."""
    known: dict[str, tuple[int, int]] = {}
    for row in load().values():
        known[row.function] = max(row.open, known.get(row.function, (0, 0)))
    public = [
        f.name for f in catalogue().values()
        if f.public and any(callable(f.rules[a]) and not is_integer(f, a) for a in f.args)
    ]  # fmt: skip
    return sorted(public, key=lambda name: known.get(name, (sys.maxsize, 0)), reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.sweep_all", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="all functions if there are none")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for all functions together")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--eye", choices=EYES, action="append", help="all of them if none is named")
    options = parser.parse_args()
    chosen = [
        (name, eye)
        for name in options.names or names()
        for eye in options.eye or EYES
        if "complex" not in eye or has_complex(catalogue()[name])
    ]
    for name, eye in chosen:
        row = apart(name, eye, options.seed, options.seconds / len(chosen))
        save({**load(), (name, eye): row})
        print(f"# {row}", flush=True)


if __name__ == "__main__":
    main()
