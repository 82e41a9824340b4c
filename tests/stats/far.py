"""First derivatives at shapes over decades and places far out, against the formulas on mpmath's numbers.

Each point is drawn: shapes around those of `cases`, times a power of ten, and in each third draw from 1e-6 to 1e9; a
location and a scale; and a place at which the probability below or above is between 1e-100 and 1. The truth is at the
arguments as they are in double precision, for a quantile at SciPy's own answer. An error counts if it is above 1e-9
and above what a change of the arguments in their last place makes of the derivative, which is their condition.
"""

import contextlib
import dataclasses
import time
import warnings
import zlib
from collections.abc import Iterator

import numpy as np
import scipy.stats
from mpmath import mp

from hostwrap import stats
from hostwrap._table.partials import Unknown
from tests._kit.clock import ending
from tests.reference.bindings import Unbound
from tests.stats import exact
from tests.stats.cases import SHAPES
from tests.stats.measure import methods, ours

DIGITS = 200  # a probability of 1e-100 may be a difference from 1
FEWER = 60  # of laws whose formulas are long sums then; their probabilities are not below 1e-20
SLOW = {
    "argus", "betabinom", "betanbinom", "ksone", "kstwobign", "nchypergeom_fisher", "ncf", "nct", "ncx2", "rice",
    "skellam", "zipfian",
}  # fmt: skip
LIMIT, PLACES = 1e-9, 16  # the error that is accepted, and how many last places of the arguments it may be
MANY = 400  # terms of a sum at many digits
WIDE = (-6.0, 9.0)  # decades of a shape in each third draw
# where a large integer is so many terms, steps of a recurrence or knots
FEW = {
    "irwinhall": 60,
    "ksone": 2000,
    "kstwo": 200,
    "nchypergeom_fisher": 500,
    "nchypergeom_wallenius": 100,
    "zipfian": 2000,
}
PATIENCE = 2.0  # seconds for a number at many digits
LONGER = 20.0  # for SciPy's values and our derivatives of one method; more than that is not measured
LEVELS = (1e-100, 1e-30, 1e-10, 1e-4, 0.2, 0.5)
STANDS_STILL = 1e-25  # the derivative of a logarithm, in its own measure
SMALLEST, LARGEST = 1e-290, 1e300
NO_TRUTH = (ArithmeticError, AttributeError, ValueError, NotImplementedError, TypeError, mp.NoConvergence)


@dataclasses.dataclass
class Far:
    """Of one distribution, method and argument."""

    name: str
    method: str
    argument: str
    points: int = 0
    wrong: int = 0
    zeros: int = 0
    nans: int = 0
    largest: float = 0.0
    at: tuple = ()


class OutOfTime(Exception):
    """A number at many digits takes too long."""


def drawn_shapes(name: str, count: int, seed: int = 0) -> Iterator[tuple[float, ...]]:
    """Allowed ones: those of the cases, times powers of ten, or some of many decades; a few with the other sign."""
    rng = np.random.default_rng(zlib.crc32(name.encode()) + 2 * seed)
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    whole = [shape in family.law.integers for shape in family.shapes]
    for turn in range(count):
        base = SHAPES[name][(turn + turn // 3) % len(SHAPES[name])]
        for _ in range(300):
            factors = 10 ** rng.uniform(-2, 1 if name in SLOW else 2, len(base))
            if turn % 3 == 2:
                far = 10 ** rng.uniform(*WIDE, len(base)) / np.abs(np.where(base, base, 1.0))
                factors = np.where(rng.uniform(size=len(base)) < 0.6, far, 1.0)
            factors = factors * rng.choice([1, 1, 1, -1], len(base))
            drawn = [float((b or 1.0) * f) for b, f in zip(base, factors, strict=True)]
            most = FEW.get(name, 1e9)
            shapes = tuple(
                min(most, max(1.0, round(abs(d)))) if w else d for d, w in zip(drawn, whole, strict=True)
            )
            if np.all(scipys._argcheck(*shapes)):
                yield shapes
                break


def digits(name: str) -> int:
    return FEWER if name in SLOW else DIGITS


def by_steps(scipys: object) -> bool:
    """Whether SciPy adds up masses to find a quantile: far out these are too many."""
    return isinstance(scipys, scipy.stats.rv_discrete) and type(scipys)._ppf is scipy.stats.rv_discrete._ppf


def drawn_points(name: str, count: int, seed: int = 0) -> np.ndarray:
    """Rows (x, *shapes, loc, scale), or (k, *shapes, loc)."""
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    rng = np.random.default_rng(zlib.crc32(name.encode()) + 1 + 2 * seed)
    rows = []
    for turn, shapes in enumerate(drawn_shapes(name, count, seed)):
        after = (0.0, 1.0) if turn % 2 else (rng.normal(), 10 ** rng.uniform(-3, 3))
        after = after if family.continuous else (0.0,)
        with (
            np.errstate(all="ignore"),
            warnings.catch_warnings(),
            contextlib.suppress(RuntimeError, ValueError, OverflowError, OutOfTime),
            ending(LONGER, OutOfTime),
        ):
            warnings.simplefilter("ignore")  # of SciPy's searches, which may find nothing
            places: list[float] = []
            low, high = scipys.support(*shapes, *after)
            levels = [level * 10 ** -rng.uniform(0, 1) for level in LEVELS]
            levels = [level for level in levels if level > 10 ** (-digits(name) / 3)]
            if np.isfinite(low) and by_steps(scipys):
                places = list(low + np.floor(10 ** rng.uniform(0, np.log10(MANY), 8)) - 1)
            else:
                places = [*scipys.ppf(levels, *shapes, *after), *scipys.isf(levels, *shapes, *after)]
        limits = (low < x < high if family.continuous else low <= x <= min(high, MANY) for x in places)
        inside = {x for x, allowed in zip(places, limits, strict=True) if np.isfinite(x) and allowed}
        rows += [(x, *shapes, *after) for x in sorted(inside)]
    return np.array(rows)


class Truth:
    """The methods of a law at many digits; `None` where it has no formula of one, or only an integral."""

    def __init__(self, name: str) -> None:
        self.family = getattr(stats, name)
        law = self.family.law
        self.formulas = {}
        for kind in ("logpdf" if self.family.continuous else "logpmf", "cdf", "sf"):
            if getattr(law, kind) is not None and not exact.needs_quadrature(law, kind):
                try:
                    self.formulas[kind] = exact.standard(law, kind)
                except Unbound:
                    continue

    def covers(self, method: str) -> bool:
        """Whether there is a formula behind the method; a density may be the slope of a probability."""
        probability = bool({"cdf", "sf"} & set(self.formulas))
        if method in ("pdf", "logpdf", "pmf", "logpmf"):
            return probability or bool({"logpdf", "logpmf"} & set(self.formulas))
        return probability

    def value(self, kind: str, y: object, shapes: list) -> object:
        """Of the logarithm of the density, of the cdf or the sf."""
        if kind in self.formulas:
            return mp.re(self.formulas[kind](y, *shapes))
        if kind == "logpdf":
            return mp.log(self.slope("cdf", 0, y, shapes))
        return 1 - mp.re(self.formulas["sf" if kind == "cdf" else "cdf"](y, *shapes))

    def slope(self, kind: str, i: int, y: object, shapes: list) -> object:
        """In y (0) or a shape."""
        values = [y, *shapes]
        step = (abs(values[i]) or mp.mpf(1)) * mp.mpf(10) ** (-mp.dps // 3)
        up, down = ([*values[:i], values[i] + s * step, *values[i + 1 :]] for s in (1, -1))
        return (self.value(kind, up[0], up[1:]) - self.value(kind, down[0], down[1:])) / (2 * step)

    def derivative(self, kind: str, i: int, args: list) -> object:
        """Of a method in its i-th argument; of a quantile at its answer, which is the first of the arguments."""
        count = len(self.family.shapes)
        loc, scale = (args[-2], args[-1]) if self.family.continuous else (args[-1], mp.mpf(1))
        y, shapes = (args[0] - loc) / scale, args[1 : 1 + count]
        chain = {0: 1 / scale, 1 + count: -1 / scale, 2 + count: -y / scale}
        density = "logpdf" if self.family.continuous else "logpmf"
        if kind in (density, density[3:]):
            inner = (
                self.slope(density, i, y, shapes)
                if 0 < i <= count
                else self.slope(density, 0, y, shapes) * chain[i]
            )
            inner -= 1 / scale if i == 2 + count else 0
            return inner if kind == density else inner * mp.exp(self.value(density, y, shapes)) / scale
        side = kind.removeprefix("log")
        if kind in ("ppf", "isf"):
            sign = 1 if kind == "ppf" else -1
            if i > count:
                return mp.mpf(1) if i == 1 + count else y
            f = mp.exp(self.value(density, y, shapes))
            return sign * scale / f if i == 0 else -scale * self.slope("cdf", i, y, shapes) / f
        if 0 < i <= count:
            inner = self.slope(side, i, y, shapes)
        else:
            f = mp.exp(self.value(density, y, shapes))
            inner = (1 if side == "cdf" else -1) * f * chain[i]
        return inner if kind == side else inner / self.value(side, y, shapes)


def measure(name: str, count: int = 6, seconds: float = 20.0, seed: int = 0) -> list[Far]:
    """Each method and argument that has a derivative and a truth; the last points are left out if time is up."""
    family, truth = getattr(stats, name), Truth(name)
    points, found = drawn_points(name, count, seed), []
    if not len(points):
        return found
    for kind in filter(truth.covers, methods(name)):
        method = getattr(family, kind)
        for argument in method.__signature__.parameters:
            if not isinstance(method.rules[argument], Unknown):
                found.append(Far(name, kind, argument))
    columns = tuple(points.T.copy())
    order = np.random.default_rng(0).permutation(len(points))
    if name in SLOW:
        # sums over large parameters take minutes
        order = np.argsort(np.max(np.abs(points[:, 1 : 1 + len(family.shapes)]), axis=1, initial=0))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = {}
        for kind in methods(name):
            try:
                with ending(LONGER, OutOfTime):
                    got[kind] = _measured(kind, columns, [row for row in found if row.method == kind])
            except (
                RuntimeError,
                ValueError,
                OverflowError,
                OutOfTime,
            ):  # a search of SciPy's that finds nothing
                found = [row for row in found if row.method != kind]
    ends = time.process_time() + seconds
    with mp.workdps(digits(name)):
        for j in order:
            for row in found:
                if time.process_time() > ends:
                    break
                args, answer, names, slopes = got[row.method]
                at = [float(a[j]) for a in args]
                got_here, i = float(slopes[row.argument][j]), names.index(row.argument)
                with contextlib.suppress(OutOfTime), ending(PATIENCE, OutOfTime):
                    _judge(row, truth, at, float(answer[j]), i, got_here)
                mp.dps = digits(name)  # where it was interrupted
    return found


def _measured(kind: str, columns: tuple, rows: list[Far]) -> tuple:
    """(arguments, SciPy's answers, the names of the arguments, our derivatives by these) of one method."""
    if not rows:
        return columns, columns[0], [], {}
    method, scipys = getattr(getattr(stats, rows[0].name), kind), getattr(scipy.stats, rows[0].name)
    args = columns
    if kind in ("ppf", "isf"):
        args = ((scipys.cdf if kind == "ppf" else scipys.sf)(*columns), *columns[1:])
    names = list(method.__signature__.parameters)
    slopes = {row.argument: ours(method, args, names.index(row.argument)) for row in rows}
    return args, getattr(scipys, kind)(*args), names, slopes


def _judge(row: Far, truth: Truth, args: list[float], answer: float, i: int, got: float) -> None:
    quantile = row.method in ("ppf", "isf")
    if not np.isfinite(answer) or (answer == 0 and "log" not in row.method and not quantile):
        return
    if quantile and not SMALLEST < args[0] < 1:
        return
    at = list(map(mp.mpf, [answer, *args[1:]] if quantile else args))
    try:
        ends = truth.family.scipys.support(*args[1:])
        if truth.family.continuous and not ends[0] < at[0] < ends[1]:
            return
        if row.method.endswith(("cdf", "sf")) and not at[0] < ends[1]:
            return
        right = truth.derivative(row.method, i, at)
        if not SMALLEST < abs(right) < LARGEST:
            return
        if row.method in ("pdf", "logpdf", "pmf", "logpmf") and abs(right) * abs(args[i]) < STANDS_STILL * (
            1 if row.method.startswith("log") else abs(answer)
        ):
            return  # as in scale, of a density that does not depend on it
        error = float(abs(mp.mpf(got) - right) / abs(right)) if np.isfinite(got) else np.inf
        condition = 0.0
        if error > LIMIT:
            moved = [
                truth.derivative(row.method, i, [*at[:k], x * (1 + mp.mpf(2) ** -52), *at[k + 1 :]])
                for k, x in enumerate(at)
            ]
            condition = float(sum(abs(m - right) for m in moved) / abs(right))
        row.points += 1
        if error > LIMIT:
            if error <= PLACES * condition:
                return
            row.wrong += 1
            row.zeros += got == 0
            row.nans += not np.isfinite(got)
        if error > row.largest:
            row.largest, row.at = error, (*args, got, float(right))
    except NO_TRUTH:
        return
