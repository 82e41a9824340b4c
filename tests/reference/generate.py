"""Making the tables: every point of every function, on a few processes."""

from __future__ import annotations

import functools
import multiprocessing
import random
import time
from collections.abc import Iterable, Iterator

import numpy as np

from hostwrap.special._function import Special
from tests.reference import both, tables
from tests.reference.composed import measured
from tests.reference.entries import indices, statics
from tests.reference.points import points


def stale(function: Special) -> bool:
    """The table is not there, or belongs to another definition or other points."""
    return not tables.is_current(function)


def make(functions: Iterable[Special], jobs: int) -> None:
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for function in functions:
            _make(function, pool)


def estimate(functions: Iterable[Special], count: int) -> None:
    """Prints the processor time of each table and of all, as so many of its points took, chosen by chance."""
    seconds = {}
    for function in functions:
        tasks = [(chosen, c, row) for chosen, c, rows in _groups(function) for row in rows.tolist()]
        drawn = random.Random(function.name).sample(tasks, min(count, len(tasks)))
        start = time.process_time()
        for task in drawn:
            _solve(function.name, *task)
        seconds[function.name] = (time.process_time() - start) * len(tasks) / len(drawn)
        print(f"{function.name:20} {len(tasks):4} points, {seconds[function.name]:7.1f} s", flush=True)
    print(f"{sum(seconds.values()) / 60:.0f} minutes of processor time for {len(seconds)} tables")


def _groups(function: Special) -> Iterator[tuple[dict, bool, np.ndarray]]:
    for chosen in statics(function):
        for is_complex in (False, True):
            rows = points(function, is_complex)
            if len(rows):
                yield chosen, is_complex, rows


def _make(function: Special, pool: multiprocessing.pool.Pool) -> None:
    start, groups = time.monotonic(), []
    for chosen, is_complex, rows in _groups(function):
        solve = functools.partial(_solve, function.name, chosen, is_complex)
        high, low = np.stack(pool.map(solve, rows.tolist(), chunksize=1), axis=-1)
        groups.append(tables.Group(chosen, is_complex, rows, indices(function, is_complex), high, low))
    tables.save(function, groups)
    missing = sum(int(np.isnan(g.high).sum()) for g in groups)
    count = sum(g.high.size for g in groups)
    print(
        f"{function.name:20} {time.monotonic() - start:6.1f} s, {count} numbers, {missing} without a reference",
        flush=True,
    )


def _solve(name: str, chosen: dict, is_complex: bool, row: list) -> np.ndarray:
    function = measured()[name]
    numbers = both.derivatives(function, chosen, row, indices(function, is_complex), is_complex)
    return tables.two_parts(numbers)
