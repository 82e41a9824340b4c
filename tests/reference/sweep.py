"""Derivatives over all doubles, without a reference: beside differences of SciPy's own value.

`python -m tests.reference.sweep NAME --points 2000 --seed 7` draws points log-uniformly over all doubles, keeps those
at which SciPy's value is finite and not 0, and compares the jitted first derivatives with a difference quotient
wherever the estimate of its error says that it is sure. What disagrees is printed, as comma-separated values, with
mpmath's answer to the same question: the quotient has the errors of SciPy's value, and no last word.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import accuracy, far, oracle, ours, tables
from tests.reference.entries import Index, catalogue, columns, indices, is_integer, label, statics
from tests.reference.given import in_time

BATCH = 50
HALVINGS = np.arange(2, 46, 2)  # steps of the quotients, as powers of 1/2 of the argument
ULPS = np.array([-3, -2, -1, 1, 2, 3])
TRIES = (4, 16, 80)  # batches that are drawn until there are enough values
SURE, TINY = 1e-5, 1e-285  # below it digits are lost in the numbers themselves
FAR_OFF, TARGET = 1e-5, 1e-8
STEPS = (1e-7, 2.0**-43)  # relative, of an argument: the second one sees phases
DECADES = (300.0, 30.0, 12.0, 6.0, 3.0)


@dataclasses.dataclass(frozen=True)
class Suspect:
    """A first derivative that the difference of SciPy's value contradicts."""

    function: Special
    index: Index
    output: int
    point: np.ndarray
    got: complex
    quotient: complex
    error: float

    @property
    def kind(self) -> str:
        if not np.isfinite(self.got):
            return "not finite"
        if self.got == 0:
            return "zero"
        return "sign" if np.real(self.got * np.conj(np.sign(self.quotient))) < 0 else "off"


class Batch(NamedTuple):
    """What was found at some points."""

    sure: int  # derivatives of which the truth is known well enough
    suspects: list[Suspect]
    slow: int = 0  # draws that were left out because SciPy takes long there, or crashes


def draws(
    function: Special, count: int, generator: np.random.Generator, decades: Sequence[float] = DECADES
) -> np.ndarray:
    """Points, one a row: all arguments over the same decades, or each over its own; next to integers and to others."""
    names, sizes = function.args, np.array(decades)
    rows = np.empty((count, len(names)))
    common = generator.choice(sizes, count)
    for column, a in enumerate(names):
        box = function.boxes[a]
        own = np.where(generator.random(count) < 0.3, generator.choice(sizes, count), common)
        if is_integer(function, a):
            rows[:, column] = generator.integers(box.low, box.high + 1, count)
        elif (box.low, box.high) == (0, 1):
            rows[:, column] = _probabilities(count, own, generator)
        else:
            numbers = _numbers(count, own, box.low < 0, generator)
            rows[:, column] = _next_to_ends((box.low, box.high), numbers, generator)
    together = (generator.random(count) < 0.15)[:, None]  # all large together
    large = generator.choice([30.0, 300.0, 3000.0], count)[:, None]
    real = np.array([not is_integer(function, a) for a in names])
    scaled = np.sign(rows) * large * np.exp(0.7 * generator.normal(size=rows.shape))
    bounded = np.array([(function.boxes[a].low, function.boxes[a].high) == (0, 1) for a in names])
    rows = np.where(together & real & ~bounded, scaled, rows)
    return on_curve(function, _next_to_others(rows, real & ~bounded, generator))


def on_curve(function: Special, rows: np.ndarray) -> np.ndarray:
    """The rows, with the characteristic value where an argument is one: no other number solves the equation."""
    names = function.args
    if "cv" not in names:
        return rows
    value = catalogue()[f"{function.name[:3]}_cv"]
    at = [column for a, column in zip(names, columns(function, rows), strict=True) if a in value.args]
    return np.where(np.array(names) == "cv", np.asarray(value.on_host(*at))[:, None], rows)


def _probabilities(count: int, decades: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    small = 10.0 ** -(decades * generator.random(count))
    return np.select(
        [np.arange(count) % 3 == 0, np.arange(count) % 3 == 1],
        [generator.random(count), small],
        1 - 10.0 ** -(16 * generator.random(count)),
    )


def _numbers(count: int, decades: np.ndarray, signed: bool, generator: np.random.Generator) -> np.ndarray:
    exponent = generator.uniform(-1, 1, count) * decades
    size = 10.0**exponent
    whole = np.round(2 * size) / 2 + generator.choice([-1, 0, 0, 1], count) * _tiny(count, generator)
    size = np.where((generator.random(count) < 0.15) & (size > 0.5), whole, size)
    size = np.where(generator.random(count) < 0.02, 0.0, size)  # of both signs, like all others
    negative = generator.random(count) < (0.5 if signed else 0.02)
    return np.where(negative, -size, size)


def _tiny(count: int, generator: np.random.Generator) -> np.ndarray:
    return 10.0 ** -generator.uniform(1, 12, count)


def _next_to_ends(
    ends: tuple[float, float], column: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """In some of the rows the argument is next to an end of the entry's box, on either side."""
    count = len(column)
    end = generator.choice(np.array(ends, float), count)
    near = end + generator.choice([-1, 1], count) * _tiny(count, generator) * np.maximum(1, np.abs(end))
    return np.where(generator.random(count) < 0.05, near, column)


def _next_to_others(rows: np.ndarray, movable: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """In a tenth of the rows two arguments are nearly the same."""
    places = np.flatnonzero(movable)
    if len(places) > 1:
        for row in np.flatnonzero(generator.random(len(rows)) < 0.1):
            one, other = generator.choice(places, 2, replace=False)
            rows[row, one] = rows[row, other] * (1 + 10.0 ** -generator.uniform(0.5, 9))
    return rows


def quotients(value: Callable, points: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
    """The derivative in argument i and an estimate of its error, each (output, point), by Richardson's extrapolation.

    Over each three steps, the best of which is the one with the least error: what the extrapolation changes,
    and the scatter of SciPy's value at neighbouring doubles.
    """
    x = points[:, i]
    unit = 2.0 ** np.floor(np.log2(np.where(x == 0, 1, np.abs(x))))
    shifts = np.concatenate([unit * 2.0 ** -HALVINGS[:, None], -unit * 2.0 ** -HALVINGS[:, None]])
    near = ULPS[:, None] * np.spacing(np.abs(x))
    moved = x + np.concatenate([shifts, near])
    table = np.repeat(points[None], len(moved), axis=0)
    table[:, :, i] = moved
    found = value(table.reshape(-1, points.shape[1])).reshape(-1, len(moved), len(points))
    steps = len(HALVINGS)
    up, down, around = found[:, :steps], found[:, steps : 2 * steps], found[:, 2 * steps :]
    slopes = (up - down) / (moved[:steps] - moved[steps : 2 * steps])
    once = (16 * slopes[:, 1:] - slopes[:, :-1]) / 15
    twice = (256 * once[:, 1:] - once[:, :-1]) / 255
    middle = around - around.mean(axis=1, keepdims=True)
    line = (ULPS[:, None] * middle).sum(axis=1, keepdims=True) / (ULPS**2).sum() * ULPS[:, None]
    noise = np.maximum(np.abs(middle - line).max(axis=1), 2.0**-52 * np.abs(up[:, -1]))
    error = np.abs(once[:, 1:] - once[:, :-1]) + 10 * noise[:, None] / np.abs(shifts[2:steps])
    smooth = np.abs(slopes[:, :-2] - slopes[:, 2:]) < 0.1 * np.abs(slopes[:, 2:])  # not by chance
    error = np.where(np.isfinite(error) & smooth, error, np.inf)
    order = np.argsort(error, axis=1)
    pick = lambda k, a: np.take_along_axis(a, order[:, k : k + 1], axis=1)[:, 0]
    best, second = pick(0, twice), pick(1, twice)
    return best, pick(0, error) + np.abs(best - second)


class Sure(NamedTuple):
    """Points at which the difference is sure in some argument; the differences are (index, output, point)."""

    points: np.ndarray
    quotient: np.ndarray
    error: np.ndarray

    @classmethod
    def at(cls, function: Special, first: list[Index], points: np.ndarray) -> Sure:
        value = lambda rows: in_time(function, on_curve(function, rows))[0]
        with np.errstate(all="ignore"):
            each = [quotients(value, points, index.index(1)) for index in first]
            quotient, error = (np.stack(numbers) for numbers in zip(*each, strict=True))
        all_of_them = cls(points, quotient, error)
        return all_of_them.kept(all_of_them.certain.any(axis=(0, 1)))

    @property
    def certain(self) -> np.ndarray:
        with np.errstate(all="ignore"):
            return (self.error < SURE * np.abs(self.quotient)) & (np.abs(self.quotient) > TINY)

    @classmethod
    def joined(cls, parts: list[Sure]) -> Sure:
        points, *differences = zip(*parts, strict=True)
        return cls(np.concatenate(points), *(np.concatenate(numbers, axis=-1) for numbers in differences))

    def kept(self, which: np.ndarray | slice) -> Sure:
        return Sure(self.points[which], self.quotient[..., which], self.error[..., which])


def suspects(function: Special, count: int, seed: int, seconds: float = np.inf) -> Iterator[Batch]:
    """The sure differences, and what contradicts them; no new batch after `seconds`."""
    generator = random_numbers(function, seed)
    static, start = statics(function)[0], time.monotonic()
    first, example = first_derivatives(function), np.ones((BATCH, len(function.args)))
    derivatives = ours.compiled(function, static, "float64", first, example)
    while count > 0 and first and time.monotonic() - start < seconds:
        known, slow = _differences(function, first, generator)
        count -= BATCH
        yield Batch(*(_compared(function, first, derivatives, known) if known else (0, [])), slow)


def _differences(
    function: Special, first: list[Index], generator: np.random.Generator
) -> tuple[Sure | None, int]:
    """At a batch of points, or as many as some tries find; and how many draws were left out.

    All that SciPy says of a point comes before our derivative, which may take a thousand times as long.
    """
    found, count, slow = [], 0, 0
    for batches in TRIES:
        rows = draws(function, batches * BATCH, generator)
        values, more = in_time(function, rows)
        slow += more
        good = np.all(np.isfinite(values), axis=0) & np.all(np.abs(values) > TINY, axis=0)
        rows = rows[good & np.all(np.isfinite(rows), axis=1)]
        for start in range(0, len(rows), BATCH):
            if count < BATCH:
                found.append(Sure.at(function, first, rows[start : start + BATCH]))
                count += len(found[-1].points)
        if count >= BATCH:
            break
    return (Sure.joined(found).kept(slice(BATCH)) if count else None), slow


def random_numbers(function: Special, seed: int) -> np.random.Generator:
    """Others for every function."""
    return np.random.default_rng([seed, zlib.crc32(function.name.encode())])


def first_derivatives(function: Special) -> list[Index]:
    """Which there are."""
    return [
        tuple(int(k == i) for k in range(len(function.args))) for i, a in enumerate(function.args)
        if not is_integer(function, a) and not ours.is_missing(function, a)
    ]  # fmt: skip


def _compared(
    function: Special, first: list[Index], derivatives: Callable, known: Sure
) -> tuple[int, list[Suspect]]:
    points, count = known.points, len(known.points)
    padded = np.concatenate([points, np.repeat(points[:1], BATCH - count, axis=0)])
    sure, found = 0, []
    for n, (index, got) in enumerate(zip(first, derivatives(padded), strict=True)):
        if got is None:
            continue
        got, quotient, error, certain = got[:, :count], known.quotient[n], known.error[n], known.certain[n]
        with np.errstate(all="ignore"):
            wrong = certain & ~(np.abs(got - quotient) <= np.maximum(10 * error, FAR_OFF * np.abs(quotient)))
        sure += int(certain.sum())
        found += [
            Suspect(function, index, k, points[p], got[k, p], quotient[k, p], error[k, p])
            for k, p in zip(*np.nonzero(wrong), strict=True)
        ]
    return sure, found


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What mpmath says to a suspect."""

    whose: str  # `ours`, `SciPy's`, `both`, `conditioned`, `quotient` where neither is wrong, `unknown`
    truth: complex


def judged(suspect: Suspect, seconds: float | None = None) -> Verdict:
    """In so many seconds, if mpmath has it by then."""
    function, index, point = suspect.function, suspect.index, suspect.point
    high = far.exact(function, False, point, seconds)[:, :, None]
    group = tables.Group(
        statics(function)[0], False, point[None], indices(function, False), high, np.zeros_like(high)
    )
    number, k = group.indices.index(index), suspect.output
    truth, value = high[number, k, 0], high[0, k, 0]
    if not np.iscomplexobj(suspect.got):  # a complex result stays one
        truth, value = truth.real, value.real
    if np.isnan(truth) or np.isnan(value):
        return Verdict("unknown", truth)
    given = ours.derivatives(function, group.statics, "float64", [group.indices[0]], group.points)[0][k, 0]
    condition = min(accuracy.condition(function, group, number, np.nan)[k, 0], 1e300)
    tolerance = max(TARGET, 1e3 * accuracy.EPS * np.nan_to_num(condition))
    is_wrong = not (suspect.got == truth or abs(suspect.got - truth) <= tolerance * abs(truth))  # or infinite
    if is_wrong and np.isnan(condition):  # second derivatives leave the doubles, or are not known
        nearby = moved(suspect, truth, seconds).whose
        if nearby == "unknown":
            return Verdict(nearby, truth)
        is_wrong = nearby == "ours"
    scipy_is = not abs(given - value) <= 1e-9 * abs(value) + abs(point[index.index(1)] * truth) * 1e-13
    is_close = suspect.got == truth or abs(suspect.got - truth) <= TARGET * abs(truth)
    whose = {
        (False, False): "quotient" if is_close else "conditioned",
        (True, False): "ours",
        (False, True): "SciPy's",
        (True, True): "both",
    }
    return Verdict(whose[is_wrong, scipy_is], truth)


def moved(suspect: Suspect, truth: complex, seconds: float | None) -> Verdict:
    """Of a derivative of any order, which is not the true one: its condition number is its change near the point."""
    change = 0.0
    for i, a in enumerate(suspect.function.args):
        if not is_integer(suspect.function, a):
            there = [suspect.point * (1 + step * (np.arange(len(suspect.point)) == i)) for step in STEPS]
            try:
                others = [exact(suspect, point, seconds)[1] for point in there]
            except Exception:  # definitions are made for the entries' boxes
                return Verdict("unknown", truth)
            change += max(
                abs(other - truth) / (step * abs(truth)) for other, step in zip(others, STEPS, strict=True)
            )
    if np.isnan(change):
        return Verdict("unknown", truth)
    tolerance = max(TARGET, 1e3 * accuracy.EPS * change)
    is_wrong = not abs(suspect.got - truth) <= tolerance * abs(truth)
    return Verdict("ours" if is_wrong else "conditioned", truth)


def exact(suspect: Suspect, point: np.ndarray, seconds: float | None) -> tuple[np.ndarray, complex]:
    """mpmath's values, and its derivative, at a point near the suspect's; real ones of a real result."""
    function, value, is_complex = suspect.function, (0,) * len(suspect.index), np.iscomplexobj(point)
    values, slopes = oracle.derivatives(
        function, statics(function)[0], point.tolist(), [value, suspect.index], is_complex, seconds
    )
    part = complex if np.iscomplexobj(suspect.got) else lambda y: complex(y).real
    return np.array([part(y) for y in values]), part(slopes[suspect.output])


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.sweep", description=__doc__.splitlines()[0]
    )
    add_options(parser)
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name in options.names:
        found = suspects(catalogue()[name], options.points, options.seed, options.seconds)
        report(name, found, judged if options.judge else nobody, options.show)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="+")
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="for the points of a function")
    parser.add_argument("--show", type=int, default=4, help="most suspects of a kind that are printed")
    parser.add_argument("--judge", action=argparse.BooleanOptionalAction, default=True, help="ask mpmath")


def report(name: str, batches: Iterator[Batch], judge: Callable[[Suspect], Verdict], show: int) -> None:
    """Prints some suspects of each kind, and counts."""
    batches = list(batches)
    total, found = sum(b.sure for b in batches), [s for b in batches for s in b.suspects]
    slow = sum(b.slow for b in batches)
    print(f"# {name}: {total} sure, {len(found)} contradicted, {slow} draws left out", flush=True)
    asked: collections.Counter = collections.Counter()
    for suspect in found:
        which = suspect.index, suspect.output, suspect.kind, np.iscomplexobj(suspect.point)
        asked[which] += 1
        if asked[which] <= show:
            print(printed(suspect, judge(suspect)), flush=True)
    for (index, output, kind, is_complex), count in asked.items():
        print(f"# {name} {label(catalogue()[name], index, is_complex)} [{output}]: {kind} {count}")


def nobody(suspect: Suspect) -> Verdict:
    return Verdict("unknown", np.nan)


def printed(suspect: Suspect, verdict: Verdict) -> str:
    is_complex = np.iscomplexobj(suspect.point)
    point = " ".join(repr(complex(x) if is_complex else float(x)) for x in suspect.point)
    numbers = f"{suspect.got:.17g},{suspect.quotient:.12g},{verdict.truth:.17g}"
    which = f"{label(suspect.function, suspect.index, is_complex)} [{suspect.output}]"
    return f"{suspect.function.name},{which},{suspect.kind},{point},{numbers},{verdict.whose}"


if __name__ == "__main__":
    main()
