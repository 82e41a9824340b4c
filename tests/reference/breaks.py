"""Derivatives that break a law, with mpmath's verdict: `ours`, or `true` where the law does not hold, or `unknown`.

`tests.reference.ladders`, `rays` and `plane` find them.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import datetime
import multiprocessing
import time
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import oracle
from tests.reference.entries import Index, catalogue, label, slots, statics

CLOSE = 1e-8
JUDGED = 20  # of a function, one of each kind
SECONDS = 1.5  # of mpmath's for one
FORKS = multiprocessing.get_context("fork")


@dataclasses.dataclass(frozen=True)
class Break:
    """A derivative, and what the law expects of it."""

    kind: str
    index: Index
    output: int
    place: str  # where the law holds
    point: np.ndarray
    got: complex
    expected: str
    judgeable: bool = True  # mpmath knows no zeros with signs


def kind_of(got: complex) -> str:
    """Of a derivative that should be another number."""
    return "zero" if got == 0 else "off" if np.isfinite(got) else "nan" if np.isnan(got) else "inf"


def judged(function: Special, found: Break, seconds: float = SECONDS) -> tuple[str, complex]:
    """What mpmath says, in so many seconds: definitions are made for the entries' boxes, and may fail beyond them."""
    is_complex = np.iscomplexobj(found.point)
    value = (0,) * len(slots(function, is_complex))
    if not found.judgeable:
        return "unknown", np.nan
    try:
        numbers = oracle.derivatives(
            function, statics(function)[0], found.point.tolist(), [value, found.index], is_complex, seconds
        )
        truth = complex(numbers[1][found.output])
    except Exception:
        return "unknown", np.nan
    truth = truth if np.iscomplexobj(found.got) else truth.real
    is_true = found.got == truth or abs(found.got - truth) <= CLOSE * abs(truth)
    return ("true" if is_true else "ours"), truth


def report(name: str, breaks: Callable[..., Iterable[tuple[int, list[Break]]]], *options: Any) -> None:
    """Prints the first break of each kind, with a verdict, and counts them."""
    function, start = catalogue()[name], time.process_time()
    counts: collections.Counter = collections.Counter()
    total = 0
    for numbers, found in breaks(function, *options):
        total += numbers
        for b in found:
            which = b.index, b.output, b.kind, b.place
            counts[which] += 1
            if counts[which] == 1:
                whose, truth = judged(function, b) if len(counts) <= JUDGED else ("unknown", np.nan)
                derivative = label(function, b.index, np.iscomplexobj(b.point))
                print(
                    f"{whose} {name} {derivative} [{b.output}] {b.kind} ({b.place}) {b.point.tolist()}",
                    end=" ",
                )
                print(f"{b.got:.17g}, expected {b.expected}, {truth:.17g}", flush=True)
    print(f"# {name}: {sum(counts.values())} of {total} in {time.process_time() - start:.1f} s", flush=True)


def apart(seconds: float, name: str, *rest: Any) -> None:
    """`report` in another process, for so long by the clock: SciPy and mpmath have loops that end after hours."""
    process = FORKS.Process(target=report, args=(name, *rest))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        print(f"# {name}: not in {seconds:g} s", flush=True)


def options(module: str, doc: str, seconds: float, meaning: str) -> argparse.Namespace:
    """Of the command line; sets double precision."""
    parser = argparse.ArgumentParser(
        prog=f"python -m tests.reference.{module}", description=doc.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="all functions if there are none")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--order", type=int, default=1, help="of the derivatives")
    parser.add_argument("--seconds", type=float, default=seconds, help=meaning)
    jax.config.update("jax_enable_x64", True)
    return parser.parse_args()
