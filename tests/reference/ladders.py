"""Derivatives along decades of one argument or two, the others ordinary: no reference, no difference.

`python -m tests.reference.ladders NAME --order 2 --seed 7` follows each derivative along paths: one argument goes from
1e-298 to 1e301, or two do, together or one as the other's reciprocal; or an argument comes next to an integer, a
half-integer, an end of its box, or another argument. The others are ordinary; or they are whole, half of an odd number,
or 0, where derivatives have factors that are 0, and a rounding of an argument excuses nothing. At the far end of a path
nearly all functions are a power of the distance, so the logarithm of a derivative is a line. Where it has been one for
some steps and the next derivative is 0, infinite, NaN or off the line, something underflows, overflows or cancels, as
1 / (a + b) - 1 / b does for large b. Differences of SciPy's values do not see what is so much smaller than they, and
mpmath takes long there. A function may go over into another power, so mpmath judges the first ones of each kind:
`ours`, or `true`, or `unknown`.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator

import numpy as np

from hostwrap.special._function import Special
from tests.reference import breaks as broken
from tests.reference import ours, segments, sweep
from tests.reference.breaks import Break, kind_of
from tests.reference.entries import is_integer, statics
from tests.reference.given import on_host
from tests.reference.points import points
from tests.reference.sweep_all import names

OUTWARDS = np.arange(7, 302, 6)  # decades
NEARER = np.arange(6, 52, 3)  # binary digits: such a distance from an integer is a double
MANTISSAS = 1.0937, 1.3361  # next to no integer, and no ratio of small ones
STRAIGHT, OFF, LOOSE = 3e-3, 1e-5, 10  # decades of a line's bends; of what is off it, in bends too
LEAST, MOST = -285, 300  # decades where a derivative is a number: `sweep.TINY`
TOGETHER = 2  # paths
BASES = 2  # of the other arguments
UNITS, LARGEST = (1.0, 0.5), 9  # whose multiples they are, too; and in size
PATIENCE = 20  # times the seconds, and a function is given up


@dataclasses.dataclass(frozen=True)
class Path:
    """Points, one a row, at equal steps of the logarithm of a distance."""

    name: str
    points: np.ndarray


def breaks(
    function: Special, seed: int, order: int = 1, seconds: float = np.inf
) -> Iterator[tuple[int, list[Break]]]:
    """Of all derivatives that there are, along as many paths as there is time for: how many numbers, and breaks.

    They are compiled together, as they share most of their work; that takes no part of the time.
    """
    static, generator = statics(function)[0], sweep.random_numbers(function, seed)
    found = list(paths(function, generator))
    found = [found[k] for k in generator.permutation(len(found))]
    indices, end = segments.derivatives_of(function, order, False), np.inf
    size = TOGETHER * max(len(OUTWARDS), len(NEARER))
    derivatives = ours.compiled(
        function, static, "float64", indices, np.resize(found[0].points, (size, len(function.args)))
    )
    for some in (found[k : k + TOGETHER] for k in range(0, len(found), TOGETHER)):
        rows = np.concatenate([path.points for path in some])
        with np.errstate(all="ignore"):
            given = np.abs(on_host(function, rows))
        known = np.isfinite(given) & (given > sweep.TINY)
        ends = np.cumsum([len(path.points) for path in some])[:-1]
        numbers = derivatives(_padded(rows, known.any(axis=0), size))
        end = min(end, time.process_time() + seconds)
        for index, outputs in zip(indices, numbers, strict=True):
            for k, y in enumerate(() if outputs is None else outputs):
                y = y[: len(rows)]
                parts = zip(some, np.split(y, ends), np.split(known[k], ends), strict=True)
                yield (
                    int(np.sum(known[k] & np.isfinite(y))),
                    [
                        Break(
                            kind_of(part[p]),
                            index,
                            k,
                            path.name,
                            path.points[p],
                            part[p].item(),
                            told(expected),
                        )
                        for path, part, there in parts
                        for p, expected in off_line(part, there)
                    ],
                )
        if time.process_time() > end:
            return


def _padded(rows: np.ndarray, asked: np.ndarray, size: int) -> np.ndarray:
    """So many rows; in place of each that nobody asks for, where NaN may take long, the one before."""
    last = np.maximum.accumulate(np.where(asked, np.arange(len(rows)), 0))
    return rows[np.resize(last, size)]


def paths(function: Special, generator: np.random.Generator) -> Iterator[Path]:
    drawn = generator.permutation(points(function, False))
    real = [i for i, a in enumerate(function.args) if not is_integer(function, a)]
    for base in _known(function, drawn):
        for i in real:
            yield from _along(function, base, i)
            yield from _next_to(function, base, i)
        for i, j in itertools.permutations(real, 2):
            yield from _along_both(function, base, i, j)
    for i, unit in itertools.product(real, UNITS if len(function.args) > 1 else ()):
        for base in _known(function, _multiples(function, drawn, i, unit)):
            yield from _along(function, base, i)
            yield from _next_to(function, base, i)


def _known(function: Special, rows: np.ndarray) -> np.ndarray:
    """The first of the rows at which SciPy has a number."""
    with np.errstate(all="ignore"):
        given = np.abs(on_host(function, rows))
    return rows[np.all(np.isfinite(given) & (given > sweep.TINY), axis=0)][:BASES]


def _multiples(function: Special, rows: np.ndarray, i: int, unit: float) -> np.ndarray:
    """The rows with small multiples of a unit, 0 among them, in place of all arguments but the one that moves."""
    low = [max(function.boxes[a].low, -LARGEST) for a in function.args]
    high = [min(function.boxes[a].high, LARGEST) for a in function.args]
    rounded = np.round(np.clip(rows, low, high) / unit) * unit
    stay = [k == i or _is_share(function, k) for k in range(len(function.args))]
    return np.where(stay, rows, rounded)


def _is_share(function: Special, i: int) -> bool:
    box = function.boxes[function.args[i]]
    return (box.low, box.high) == (0, 1)


def _path(name: str, base: np.ndarray, moved: dict[int, np.ndarray]) -> Path:
    rows = np.repeat(base[None], len(next(iter(moved.values()))), axis=0)
    for i, x in moved.items():
        rows[:, i] = x
    return Path(name, rows)


def _along(function: Special, base: np.ndarray, i: int) -> Iterator[Path]:
    a = function.args[i]
    for sign in (1, -1) if function.boxes[a].low < 0 else (1,):
        for way in (-1,) if _is_share(function, i) else (-1, 1):
            x = sign * MANTISSAS[0] * 10.0 ** (way * OUTWARDS)
            yield _path(f"{'-' * (sign < 0)}{a} -> {'inf' if way > 0 else '0'}", base, {i: x})


def _next_to(function: Special, base: np.ndarray, i: int) -> Iterator[Path]:
    """Integers and half-integers near the base, and the ends of the box."""
    a = function.args[i]
    box = function.boxes[a]
    places = {np.round(base[i]), np.floor(base[i]) + 0.5, 1.0, float(box.low), float(box.high)}
    for place in sorted(places - {0.0}):
        for way in (-1, 1):
            if abs(place) < 2**20 and not (_is_share(function, i) and place + way / 64 > 1):
                yield _path(f"{a} -> {place:g}{'-+'[way > 0]}", base, {i: place + way * 2.0**-NEARER})


def _along_both(function: Special, base: np.ndarray, i: int, j: int) -> Iterator[Path]:
    a, b = function.args[i], function.args[j]
    signs = [np.sign(base[k]) or 1.0 for k in (i, j)]
    far, other = (
        lambda way, s=s, m=m: s * m * 10.0 ** (way * OUTWARDS) for s, m in zip(signs, MANTISSAS, strict=True)
    )
    if not (_is_share(function, i) or _is_share(function, j)):
        yield _path(f"{a} -> inf, {b} -> 0", base, {i: far(1), j: other(-1)})
        if i < j:
            yield _path(f"{a}, {b} -> inf", base, {i: far(1), j: other(1)})
    if i < j:
        yield _path(f"{a}, {b} -> 0", base, {i: far(-1), j: other(-1)})
        middle = base[i] or 1.0
        unit = 2.0 ** (
            np.floor(np.log2(abs(middle))) - 9
        )  # of ten binary digits, so that the others are doubles
        middle = np.round(middle / unit) * unit
        near = 2.0 ** -NEARER[NEARER < 42]
        for way in (-1, 1):
            rows = {i: np.full(len(near), middle), j: middle * (1 + way * near)}
            yield _path(f"{b} -> {a}{'-+'[way > 0]}", base, rows)


def told(expected: float) -> str:
    """A logarithm to base 10."""
    return f"1e{expected:.4f}"


def off_line(derivative: np.ndarray, known: np.ndarray) -> Iterator[tuple[int, float]]:
    """Places from the path's start on, and what was expected of them."""
    line: list[float] = []
    for p, (y, ok) in enumerate(zip(derivative, known, strict=True)):
        log = np.log10(abs(y)) if 0 < abs(y) < np.inf else np.nan
        steps = np.diff(line[-4:])
        if ok and len(steps) == 3 and (bend := np.ptp(steps)) < STRAIGHT:
            expected = line[-1] + steps[-1]
            if log > LEAST:
                is_off = abs(log - expected) > max(OFF, LOOSE * bend)
            else:
                is_off = LEAST < expected < MOST
            if is_off:
                yield p, expected
        line = [*line, log] if ok and np.isfinite(log) else []


def main() -> None:
    options = broken.options("ladders", __doc__, 20.0, "of a processor, for a function's points")
    for name in options.names or sorted(names()):
        broken.apart(PATIENCE * options.seconds, name, breaks, options.seed, options.order, options.seconds)


if __name__ == "__main__":
    main()
