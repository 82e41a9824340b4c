"""Derivatives where one argument is extreme and the others are not, beside mpmath's.

`python -m tests.reference.extremes NAME --points 100 --seed 7 --order 2` asks mpmath at every point, which takes longer
than the differences of `tests.reference.sweep` and sees what they cannot: a derivative that is small beside the value,
such as one in b that has a tiny a as a factor. Without names it goes through all functions of two arguments and more.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import time
from collections.abc import Iterator

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import oracle, ours, sweep, tables
from tests.reference.entries import Index, catalogue, is_integer, statics
from tests.reference.sweep_all import names

# of the value: a smaller derivative may come from the precision in which mpmath takes differences
FLAT = 1e-60


def draws(function: Special, count: int, generator: np.random.Generator) -> np.ndarray:
    """Points, one a row: ordinary numbers, of which one is tiny, small, large or next to an integer."""
    rows = np.empty((count, len(function.args)))
    extreme = generator.integers(len(function.args), size=count)
    for column, a in enumerate(function.args):
        box, special = function.boxes[a], extreme == column
        if is_integer(function, a):
            rows[:, column] = generator.integers(box.low, box.high + 1, count)
        elif (box.low, box.high) == (0, 1):
            small = 10.0 ** -np.where(
                special, generator.uniform(6, 22, count), generator.uniform(0, 6, count)
            )
            rows[:, column] = np.where(generator.random(count) < 0.5, small, 1 - small)
        else:
            sign = np.where(generator.random(count) < 0.5 * (box.low < 0), -1, 1)
            rows[:, column] = sign * np.where(
                special, _extreme(count, generator), _ordinary(count, generator)
            )
    return rows


def _ordinary(count: int, generator: np.random.Generator) -> np.ndarray:
    return 10.0 ** generator.uniform(-1.5, 1.7, count)


def _extreme(count: int, generator: np.random.Generator) -> np.ndarray:
    nearby = np.round(_ordinary(count, generator)) + generator.choice(
        [-1, 1], count
    ) * 10.0 ** -generator.uniform(5, 12, count)
    size = 10.0 ** generator.choice([-22, -14, -8, -4, -2, 2, 3, 4], count).astype(float)
    return np.where(generator.random(count) < 0.25, nearby, size * generator.uniform(0.3, 3, count))


def indices(function: Special, order: int) -> list[Index]:
    """Of the derivatives of this order: sums of `order` first ones."""
    first = sweep.first_derivatives(function)
    return [
        tuple(map(sum, zip(*some, strict=True)))
        for some in itertools.combinations_with_replacement(first, order)
    ]


def suspects(
    function: Special, count: int, seed: int, seconds: float = np.inf, order: int = 1
) -> Iterator[tuple[int, list[sweep.Suspect]]]:
    """For each point the number of derivatives that mpmath has, and those that are others; none after `seconds`."""
    static, points = statics(function)[0], draws(function, count, sweep.random_numbers(function, seed))
    value, asked = (0,) * len(function.args), indices(function, order)
    got = ours.derivatives(function, static, "float64", [value, *asked], points)
    start = time.monotonic()
    for p in np.flatnonzero(np.isfinite(got[0]).all(axis=0)):
        if time.monotonic() - start > seconds:
            break
        point, true = points[p], None
        with contextlib.suppress(Exception):  # the definitions are made for the entries' boxes
            numbers = oracle.derivatives(function, static, point.tolist(), [value, *asked], False, 2.0)
            true = tables.two_parts(numbers)[0].real
        if true is not None:
            here = [None if x is None else x[:, p] for x in got]
            yield _compared(function, asked, here, true, point)


def _compared(
    function: Special, asked: list, got: list, true: np.ndarray, point: np.ndarray
) -> tuple[int, list[sweep.Suspect]]:
    known, found = 0, []
    for index, numbers, truths in zip(asked, got[1:], true[1:], strict=True):
        for k, y in enumerate(truths if numbers is not None else ()):
            size = abs(true[0, k])
            same = abs(got[0][k] - true[0, k]) <= 1e-8 * size  # else SciPy's value is wrong, or another's
            if same and np.isfinite(y) and abs(y) > max(FLAT * size, sweep.TINY):
                known += 1
                if not abs(numbers[k] - y) <= sweep.TARGET * abs(y):
                    found.append(sweep.Suspect(function, index, k, point, numbers[k], y, 0.0))
    return known, found


def verdict(suspect: sweep.Suspect, seconds: float) -> sweep.Verdict:
    """As `sweep.judged`, which has condition numbers of first derivatives only."""
    return (
        sweep.judged(suspect, seconds)
        if sum(suspect.index) == 1
        else sweep.moved(suspect, suspect.quotient, seconds)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.extremes", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=30.0, help="of mpmath's for a function")
    parser.add_argument("--order", type=int, default=1, help="of the derivatives")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name in options.names or [n for n in names() if len(catalogue()[n].args) > 1]:
        total, found = 0, []
        for known, new in suspects(
            catalogue()[name], options.points, options.seed, options.seconds, options.order
        ):
            total, found = total + known, found + new
        lost = sum(bool(np.isnan(suspect.got)) for suspect in found)
        print(f"# {name}: {total} derivatives, {len(found) - lost} others, {lost} NaN", flush=True)
        for suspect in found:
            if not np.isnan(suspect.got):
                print(sweep.printed(suspect, verdict(suspect, 20.0)), flush=True)


if __name__ == "__main__":
    main()
