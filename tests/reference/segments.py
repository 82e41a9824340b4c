"""Derivatives of any order over all doubles: along a segment, the integral of a derivative is a difference.

`python -m tests.reference.segments NAME --order 2 --complex --seed 7` draws segments at the points of
`tests.reference.sweep`, and compares the integral of a jitted derivative, by 15 points of Gauss and Kronrod, with the
difference of what it is the derivative of: SciPy's value, or our derivative of one order less. Differences at one point
lose half of the digits to the step, and an integral none; so this second eye sees 1e-6, where an argument is next to an
integer, in mixed derivatives, and at complex arguments along a path, on either side of a cut. It is sure of a segment
where the lower function is smooth on it, a polynomial of degree 9 to seven digits.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import time
from collections.abc import Callable, Iterator

import jax
import numpy as np

from hostwrap.special._function import Special
from tests.reference import ours, sweep
from tests.reference.entries import Index, catalogue, has_complex, is_integer, slots, statics
from tests.reference.given import in_time, on_host

SEGMENTS = 16  # at a time
LENGTHS, SHARES = (0.25, 0.03, 1e-3, 1e-5), (0.3, 0.3, 0.25, 0.15)  # relative to the distance from the anchor
SMOOTH, ROUGH = 1e-7, 1e-5  # what a polynomial leaves over: of the lower function, of the derivative
FAR_OFF = 1e-7
NOISE = 4e-15  # the error that the lower function may have
HUGE = 1e290
JUDGEMENT = 10.0  # seconds of mpmath's

# Gauss and Kronrod's rule, as in QUADPACK's qk15: half of its abscissae and weights, and those of Gauss.
_ABSCISSAE = (
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
    0.741531185599394439863864773280788, 0.586087235467691130294144691433013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
)  # fmt: skip
_KRONROD = (
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
)  # fmt: skip
_GAUSS = (
    0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
    0.381830050505118944950369775488975, 0.417959183673469387755102040816327,
)  # fmt: skip
ABSCISSAE = np.concatenate([-np.array(_ABSCISSAE[:-1]), _ABSCISSAE[::-1]])
KRONROD = np.concatenate([_KRONROD[:-1], _KRONROD[::-1]])
GAUSS = np.zeros(15)
GAUSS[1::2] = np.concatenate([_GAUSS[:-1], _GAUSS[::-1]])
NODES = np.concatenate([[0.0, 1.0], (ABSCISSAE + 1) / 2])  # the ends first
CENTRE = 2 + 7


def _leftover(places: np.ndarray, degree: int) -> np.ndarray:
    """The matrix that takes from numbers at these places their best polynomial."""
    basis, _ = np.linalg.qr(np.polynomial.legendre.legvander(places, degree))
    return np.eye(len(places)) - basis @ basis.T


LOWER, UPPER = _leftover(2 * NODES - 1, 9), _leftover(ABSCISSAE, 7)


@dataclasses.dataclass(frozen=True)
class Paths:
    """Segments in one argument: `points` is (node, segment, argument); the argument's own moves by `width`."""

    points: np.ndarray
    width: np.ndarray
    rounding: np.ndarray  # of its numbers, relative to the width

    def kept(self, which: np.ndarray | slice) -> Paths:
        return Paths(self.points[:, which], self.width[which], self.rounding[which])


def suspects(
    function: Special,
    count: int,
    seed: int,
    seconds: float = np.inf,
    order: int = 1,
    is_complex: bool = False,
) -> Iterator[sweep.Batch]:
    """For each argument of each batch of segments the sure integrals, and what contradicts them.

    A function that takes long to compile has one all the same.
    """
    generator, end = sweep.random_numbers(function, seed), np.inf
    low, high = derivatives_of(function, order - 1, is_complex), derivatives_of(function, order, is_complex)
    example = np.ones((len(NODES) * SEGMENTS, len(function.args)), complex if is_complex else float)
    kind = "complex128" if is_complex else "float64"
    above: dict[int, list[Index]] = {}  # for each argument that moves
    for h in high:
        for i in {i for (i, _), times in zip(slots(function, is_complex), h, strict=True) if times}:
            above.setdefault(i, []).append(h)

    @functools.cache
    def compiled(wanted: tuple[Index, ...]) -> Callable:
        together = ours.compiled(function, statics(function)[0], kind, wanted, example)
        return lambda paths: dict(zip(wanted, _numbers(function, together, paths, len(example)), strict=True))

    while count > 0 and high and time.monotonic() < end:
        count -= SEGMENTS
        points, slow = _finite(function, is_complex, generator)
        for i in sorted(above) if len(points) else ():
            if time.monotonic() > end:
                return
            paths = _smooth(segments(function, points, i, generator), compiled(tuple(low)))
            end = min(end, time.monotonic() + seconds)
            if paths:
                at = compiled((*low, *above[i]))(paths)
                end = min(end, time.monotonic() + seconds)
                compared = [_compared(function, index, i, at, paths, is_complex) for index in low]
                sure, found = sum(n for n, _ in compared), [s for _, some in compared for s in some]
                yield sweep.Batch(sure, found, slow)
                slow = 0


def _numbers(function: Special, together: Callable, paths: Paths, size: int) -> list[np.ndarray | None]:
    """What was compiled for so many rows, at all nodes of the paths."""
    rows = sweep.on_curve(function, paths.points.reshape(-1, len(function.args)))
    padded = np.concatenate([rows, np.repeat(rows[:1], size - len(rows), axis=0)])
    return [None if y is None else y[:, : len(rows)] for y in together(padded)]


def _smooth(paths: Paths, lower: Callable) -> Paths | None:
    """Those on which a lower function says enough, at most `SEGMENTS`; the derivative costs more than that one."""
    found = np.zeros(len(paths.width), bool)
    for start in range(0, len(found), SEGMENTS):
        if found.sum() < SEGMENTS:
            part = slice(start, start + SEGMENTS)
            some = paths.kept(part)
            for numbers in lower(some).values():
                for one in [] if numbers is None else numbers.reshape(-1, len(NODES), len(some.width)):
                    found[part] |= _is_sure(one, some)
    return paths.kept(np.flatnonzero(found)[:SEGMENTS]) if found.any() else None


def derivatives_of(function: Special, order: int, is_complex: bool) -> list[Index]:
    """Those of this order in all arguments that have a derivative."""
    places = slots(function, is_complex)
    smooth = [
        s for s, (i, _) in enumerate(places)
        if not is_integer(function, function.args[i]) and not ours.is_missing(function, function.args[i])
    ]  # fmt: skip
    chosen = itertools.combinations_with_replacement(smooth, order)
    return [tuple(some.count(s) for s in range(len(places))) for some in chosen]


def _finite(function: Special, is_complex: bool, generator: np.random.Generator) -> tuple[np.ndarray, int]:
    """Points where SciPy has a value, and how many draws were left out."""
    rows = sweep.draws(function, 8 * SEGMENTS, generator)
    rows = turned(function, rows, generator) if is_complex else rows
    with np.errstate(all="ignore"):
        values, slow = in_time(function, rows)
        value = np.abs(values)
    good = np.all((value < HUGE) & (value > sweep.TINY), axis=0) & np.all(np.isfinite(rows), axis=1)
    return rows[good], slow


def turned(function: Special, rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Arguments that may be complex get an angle: any, one next to an axis, or an axis with a zero of either sign."""
    turned = rows.astype(complex)
    for column, a in enumerate(function.args):
        if getattr(function.boxes[a], "im", None):
            count, choice = len(rows), generator.integers(0, 8, len(rows))
            near = generator.choice([0, 0.5, 1, -0.5], count) * np.pi
            near += generator.choice([-1, 1], count) * 10.0 ** -generator.uniform(1, 14, count)
            angle = np.where(choice < 4, generator.uniform(-np.pi, np.pi, count), near)
            z = np.abs(rows[:, column]) * np.exp(1j * angle)
            zero = np.where(generator.random(count) < 0.5, -0.0, 0.0)
            turned[:, column].real = np.where(
                choice == 7, zero, np.where(choice == 6, rows[:, column], z.real)
            )
            turned[:, column].imag = np.where(
                choice == 6, zero, np.where(choice == 7, rows[:, column], z.imag)
            )
    return turned


def segments(function: Special, points: np.ndarray, i: int, generator: np.random.Generator) -> Paths:
    """From each point, a part of the distance to an anchor: 0, a half-integer or another argument, the nearest.

    So a segment reaches no place where functions are singular, and most digits of its numbers are distance.
    """
    x = points[:, i]
    others = [points[:, k].real for k in range(points.shape[1]) if k != i]
    anchors = np.stack([np.zeros(len(x)), np.round(2 * x.real) / 2, *others])
    apart = np.where(anchors == x, np.inf, np.abs(x - anchors))
    anchor = np.take_along_axis(anchors, np.argmin(apart, axis=0)[None], axis=0)[0]
    length = generator.choice(LENGTHS, len(x), p=SHARES)
    distance, towards = x - anchor, length * (x - anchor)
    if np.iscomplexobj(x) and getattr(function.boxes[function.args[i]], "im", None):
        any_way = towards * np.exp(1j * generator.uniform(-np.pi, np.pi, len(x)))
        towards = np.where((x.real == 0) | (x.imag == 0), towards, any_way)
    moved = np.repeat(points[None], len(NODES), axis=0)
    real = anchor + (distance.real + NODES[:, None] * towards.real)
    moved[:, :, i].real = np.where(x.real == 0, x.real, real)  # a zero keeps its sign
    if np.iscomplexobj(x):
        moved[:, :, i].imag = np.where(x.imag == 0, x.imag, x.imag + NODES[:, None] * towards.imag)
    width = moved[1, :, i] - moved[0, :, i]
    with np.errstate(all="ignore"):
        return Paths(moved, width, np.spacing(np.abs(x)) / np.abs(width))


def _compared(
    function: Special, index: Index, i: int, at: dict, paths: Paths, is_complex: bool
) -> tuple[int, list[sweep.Suspect]]:
    """The derivative of one of the lower functions in argument i, in each of the results."""
    places = slots(function, is_complex)
    above = {c: tuple(n + (places[s] == (i, c)) for s, n in enumerate(index)) for c in (False, True)}
    slopes = [(above[False], paths.width)]
    if (i, True) in places:
        slopes = [(above[False], paths.width.real), (above[True], paths.width.imag)]
    if at[index] is None or any(at[a] is None for a, _ in slopes):
        return 0, []
    shape = (-1, len(NODES), len(paths.width))
    sure, found = 0, []
    for k, lower in enumerate(at[index].reshape(shape)):
        with np.errstate(all="ignore"):
            along = sum(at[a].reshape(shape)[k] * width for a, width in slopes)
            certain, (wrong, node) = _is_sure(lower, paths), _judgement(lower, along, paths)
        sure += int(certain.sum())
        for p in np.flatnonzero(certain & wrong):
            got = at[slopes[0][0]].reshape(shape)[k, node[p], p]
            mean = (lower[1, p] - lower[0, p]) / paths.width[p]
            point = paths.points[node[p], p]
            found.append(sweep.Suspect(function, slopes[0][0], k, point, got, mean, 0.0))
    return sure, found


def _is_sure(lower: np.ndarray, paths: Paths) -> np.ndarray:
    """Is the lower function smooth on a segment, and does its change there have digits?"""
    with np.errstate(all="ignore"):
        change, size = lower[1] - lower[0], np.max(np.abs(lower), axis=0)
        smooth = _left(lower) < SMOOTH * np.max(np.abs(lower - lower.mean(axis=0)), axis=0)
        digits = (size < HUGE) & (size > sweep.TINY) & (NOISE * size < 1e-5 * np.abs(change))
        slope = np.abs(change / paths.width)
        digits &= (slope < HUGE) & (slope > 1 / HUGE) & (paths.rounding < 1e-3)
        return smooth & digits & np.all(np.isfinite(paths.points), axis=(0, 2))


def _left(lower: np.ndarray) -> np.ndarray:
    """What a polynomial leaves over."""
    return np.max(np.abs(LOWER @ lower), axis=0)


def _judgement(lower: np.ndarray, along: np.ndarray, paths: Paths) -> tuple[np.ndarray, np.ndarray]:
    """Of each segment: is the derivative wrong, if the lower function is sure, and at which node?

    `along` is the derivative times the width, at all nodes.
    """
    change, size = lower[1] - lower[0], np.max(np.abs(lower), axis=0)
    inner = along[2:]
    integral, coarse = (KRONROD @ inner) / 2, (GAUSS @ inner) / 2
    tolerance = np.maximum(FAR_OFF * np.abs(integral), 100 * NOISE * size)
    tolerance += 3 * np.abs(integral - coarse) + 20 * paths.rounding * np.abs(integral)
    finite = np.all(np.isfinite(inner), axis=0)
    rest = np.abs(UPPER @ inner)
    is_rough = (_left(lower) < SMOOTH / 10 * np.abs(change)) & (paths.rounding < 1e-9)
    is_rough &= np.max(rest, axis=0) > ROUGH * np.max(np.abs(inner), axis=0)
    zero = np.any(inner == 0, axis=0)
    wrong = ~finite | zero | is_rough | ~(np.abs(integral - change) <= tolerance)
    worst = np.select(
        [~finite, zero, is_rough],
        [np.argmax(~np.isfinite(inner), axis=0), np.argmax(inner == 0, axis=0), np.argmax(rest, axis=0)],
        CENTRE - 2,
    )
    return wrong, 2 + worst


def judged(suspect: sweep.Suspect, seconds: float) -> sweep.Verdict:
    """As `sweep.judged`, which has condition numbers of real first derivatives only."""
    if sum(suspect.index) == 1 and not np.iscomplexobj(suspect.point):
        return sweep.judged(suspect, seconds)
    values, truth = sweep.exact(suspect, suspect.point, seconds)
    if not np.isfinite(truth):
        return sweep.Verdict("unknown", truth)
    value, given = values[suspect.output], on_host(suspect.function, suspect.point[None])
    scipy_is = not abs(given[suspect.output, 0] - value) <= sweep.TARGET * abs(value)
    whose = "quotient"
    if not abs(suspect.got - truth) <= sweep.TARGET * abs(truth):
        whose = sweep.moved(suspect, truth, seconds).whose
    of_both = {"quotient": "SciPy's", "conditioned": "SciPy's", "ours": "both"}
    return sweep.Verdict(of_both.get(whose, whose) if scipy_is else whose, truth)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.segments", description=__doc__.splitlines()[0]
    )
    sweep.add_options(parser)
    parser.add_argument("--order", type=int, default=1, help="of the derivatives")
    parser.add_argument("--complex", action="store_true", help="along paths in the plane")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for name in options.names:
        if has_complex(catalogue()[name]) or not options.complex:
            limits = options.points, options.seed, options.seconds
            found = suspects(catalogue()[name], *limits, options.order, options.complex)
            judge = functools.partial(judged, seconds=JUDGEMENT) if options.judge else sweep.nobody
            sweep.report(name, found, judge, options.show)


if __name__ == "__main__":
    main()
