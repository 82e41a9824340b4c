"""First or second derivatives along decades of one argument, the others ordinary: no reference, no difference.

`python -m tests.reference.ladders NAME --order 2 --seed 7` goes from 1e-298 to 1e301. Far out nearly all functions are
a power of an argument, so the logarithm of a derivative is a line. Where it has been one for some decades and the next
derivative is 0, infinite or off the line, something underflows, overflows or cancels, as 1 / (a + b) - 1 / b does for
large b. Differences of SciPy's values do not see what is so much smaller than they, and mpmath takes long there. Some
of what is printed is true: a function may go over into another power.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import ours, segments, sweep
from tests.reference.entries import Index, catalogue, columns, is_integer, statics
from tests.reference.points import points
from tests.reference.sweep_all import names

DECADES = np.concatenate([np.arange(-298, 0, 6), np.arange(1, 302, 6)])
ASYMPTOTIC = 12  # decades from 1 on which a line is looked for
STRAIGHT, OFF = 3e-3, 0.03  # decades of the line's bends, and of what is off it
LEAST, MOST = -285, 300  # decades where a derivative is a number: `sweep.TINY`
BASES = 3  # of the other arguments


@dataclasses.dataclass(frozen=True)
class Break:
    """A derivative that does not go on as those before it."""

    index: Index
    output: int
    point: np.ndarray
    got: float
    expected: float  # the logarithm to base 10

    @property
    def kind(self) -> str:
        return "zero" if self.got == 0 else "infinite" if np.isinf(self.got) else "off"


def breaks(function: Special, seed: int, order: int = 1) -> Iterator[Break]:
    """Along both signs of each argument whose box has them."""
    static = statics(function)[0]
    computed = {i: ours.differentiated(function, static, i, False) for i in _indices(function, order)}
    for rows in _ladders(function, sweep.random_numbers(function, seed)):
        with np.errstate(all="ignore"):
            given = np.abs(sweep.on_host(function, rows))
            found = {i: f(*columns(function, rows)) for i, f in computed.items()}
        for index, outputs in found.items():
            for k, derivative in enumerate(outputs):
                known = np.isfinite(given[k]) & (given[k] > sweep.TINY)
                derivative = np.broadcast_to(np.asarray(derivative), (len(rows),))
                for side in (1, -1):
                    for p, expected in _off_line(derivative, known, side):
                        yield Break(index, k, rows[p], derivative[p].item(), expected)


def _indices(function: Special, order: int) -> list[Index]:
    return segments.derivatives_of(function, order, False)


def _ladders(function: Special, generator: np.random.Generator) -> Iterator[np.ndarray]:
    drawn = generator.permutation(points(function, False))
    with np.errstate(all="ignore"):
        given = np.abs(sweep.on_host(function, drawn))
    bases = drawn[np.all(np.isfinite(given) & (given > sweep.TINY), axis=0)][:BASES]
    for column, a in enumerate(function.args):
        if is_integer(function, a):
            continue
        box = function.boxes[a]
        decades = DECADES[DECADES < 0] if (box.low, box.high) == (0, 1) else DECADES
        for sign in (1, -1) if box.low < 0 else (1,):
            for base in bases:
                rows = np.repeat(base[None], len(decades), axis=0)
                rows[:, column] = sign * 1.0937 * 10.0**decades  # next to no integer
                yield rows


def _off_line(derivative: np.ndarray, known: np.ndarray, side: int) -> Iterator[tuple[int, float]]:
    """Places on one side of 1, from there outwards, and what was expected of them."""
    decades = DECADES[: len(derivative)]
    line: list[float] = []
    for p in np.flatnonzero(decades * side >= ASYMPTOTIC)[::side]:
        size = abs(derivative[p])
        if not known[p] or np.isnan(size):
            line = []
            continue
        steps = np.diff(line[-4:])
        log = np.log10(size) if 0 < size < np.inf else np.nan
        if len(steps) == 3 and np.ptp(steps) < STRAIGHT:
            expected = line[-1] + steps[-1]
            is_off = abs(log - expected) > OFF if np.isfinite(log) else LEAST < expected < MOST
            if is_off:
                yield int(p), expected
        line = [*line, log] if np.isfinite(log) else []


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.ladders", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="all functions if there are none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--order", type=int, default=1, help="of the derivatives")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name in options.names or sorted(names()):
        found = list(breaks(catalogue()[name], options.seed, options.order))
        print(f"# {name}: {len(found)}", flush=True)
        for b in found[:: max(1, len(found) // 10)]:
            print(name, b.index, b.output, b.kind, b.point.tolist(), b.got, f"expected 1e{b.expected:.1f}")


if __name__ == "__main__":
    main()
