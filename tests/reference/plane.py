"""Derivatives over the complex plane, beside differences of Arb's values.

`python -m tests.reference.plane NAME --order 2 --seed 7` draws complex arguments of any size: with any phase, or next
to an axis or another line at a multiple of 15 degrees, where a part may be tiny, or as large as an order. Where SciPy's
value is right, the derivatives are compared with differences over 2^-90 of the argument, or of its reciprocal where
that is smaller, because a function may oscillate as exp(z^2) does; Arb has as many digits as that takes. What the
arguments' own rounding may change does not count. mpmath judges the first of each kind once more.
"""

from __future__ import annotations

import functools
import itertools
import math
import time
from collections.abc import Iterator, Sequence

import flint
import numpy as np
from flint import acb, arb

from hostwrap.special._function import Special
from tests.reference import breaks as broken
from tests.reference import ours, segments, sweep
from tests.reference.arb import balls, oracle, plane
from tests.reference.breaks import Break, kind_of
from tests.reference.entries import Index, catalogue, has_complex, is_integer, slots, statics
from tests.reference.points import points
from tests.reference.sweep_all import names

BATCH = 100
DECADES = ((-300, 300), (-3, 3), (0, 12), (3, 60))  # of sizes
SHARES = (0.3, 0.3, 0.25, 0.15)
STEP = 90  # binary digits
SAME = 1e-9  # SciPy's values
ROUNDED = 1e3  # roundings of the arguments
TINY, HUGE = 1e-290, 1e290
LEAST_SHARE = 1e-13
POLYNOMIAL = 2  # decades of a degree and the parameters beside it: Arb sums so many terms
BESIDE = -2600  # binary digits of what stands for a zero with a sign


def breaks(
    function: Special, seed: int, order: int = 1, seconds: float = np.inf, count: int = 10**9
) -> Iterator[tuple[int, list[Break]]]:
    """For each batch the number of derivatives that were compared, and breaks."""
    if plane.of(function) is None:
        return
    static, generator = statics(function)[0], sweep.random_numbers(function, seed)
    value = (0,) * len(slots(function, True))
    indices = [i for n in range(1, order + 1) for i in segments.derivatives_of(function, n, True)]
    example = draws(function, BATCH, generator)
    compiled, end = ours.compiled(function, static, "complex128", [value, *indices], example), np.inf
    for _ in range(0, count, BATCH):
        rows = draws(function, BATCH, generator)
        numbers = compiled(rows)
        end, total, found = min(end, time.process_time() + seconds), 0, []
        for p, row in enumerate(rows):
            if time.process_time() > end:
                break
            at = [None if y is None else y[:, p] for y in numbers]
            compared, new = _compared(function, static, [value, *indices], row, at)
            total, found = total + compared, found + new
        yield total, found
        if time.process_time() > end:
            return


def draws(function: Special, count: int, g: np.random.Generator) -> np.ndarray:
    """Points, one a row."""
    base = points(function, False)[g.integers(0, len(points(function, False)), count)]
    rows = np.empty((count, len(function.args)), complex)
    signs = lambda: g.choice([-1, 1], count)
    common = g.choice(len(DECADES), count, p=SHARES)
    for column, a in enumerate(function.args):
        box = function.boxes[a]
        if getattr(box, "im", None):
            decades = np.where(g.random(count) < 0.5, common, g.choice(len(DECADES), count, p=SHARES))
            size = 10.0 ** g.uniform(*np.array(DECADES)[decades].T)
            if column and g.random() < 0.5:  # beside an order
                size = np.where(
                    g.random(count) < 0.3, np.abs(rows[:, 0]) * 10 ** g.uniform(-1, 4, count), size
                )
            line = g.integers(-12, 13, count) * np.pi / 12 + signs() * 10.0 ** -g.uniform(1, 17, count)
            z = size * np.exp(1j * np.where(g.random(count) < 0.4, g.uniform(-np.pi, np.pi, count), line))
            part = np.where(g.random(count) < 0.5, 0.0, signs() * 10.0 ** g.uniform(-20, 1.7, count))
            along, axis = (
                signs() * size,
                g.integers(0, 10, count),
            )  # the real one, the imaginary one, or neither
            rows[:, column].real = np.select([axis == 0, axis == 1], [along, part], z.real)
            rows[:, column].imag = np.select([axis == 0, axis == 1], [part, along], z.imag)
        elif is_integer(function, a):
            rows[:, column] = g.integers(box.low, box.high + 1, count)
        else:
            most = np.where(g.random(count) < 0.7, 3, 6) if function.args[0] != "n" else POLYNOMIAL
            wide = 10.0 ** g.uniform(-3, most, count)
            wide = wide * np.where(box.low < 0, signs(), 1)
            x = np.where(g.random(count) < 0.5, base[:, column].real, wide)
            rows[:, column] = np.where(g.random(count) < 0.2, np.round(2 * x) / 2, x)
    return rows


def _compared(
    function: Special, static: dict, indices: Sequence[Index], row: np.ndarray, at: list[np.ndarray | None]
) -> tuple[int, list[Break]]:
    """At one point, the first index being the function itself."""
    if 0 in row[_complex(function)] or _is_kink(function, row) or not np.any(_ordinary(at[0])):
        return 0, []
    differences = Differences(function, static, row)
    true = np.array(differences.derivative(indices[0]))
    right = _ordinary(at[0]) & (np.abs(at[0] - true) <= SAME * np.abs(true))
    if not right.any():
        return 0, []
    total, found = 0, []
    for index, got in zip(indices[1:], at[1:], strict=True):
        truth = np.array(differences.derivative(index)) if got is not None else true
        for k in np.flatnonzero(right & _ordinary(truth)) if got is not None else ():
            total += 1
            if not abs(got[k] - truth[k]) <= _tolerance(
                function, static, indices, index, row, at, k, truth[k]
            ):
                expected = f"{truth[k]:.17g}"
                found.append(
                    Break(kind_of(got[k]), index, int(k), "in the plane", row, got[k].item(), expected)
                )
    return total, found


def _complex(function: Special) -> list[int]:
    return [i for i, a in enumerate(function.args) if getattr(function.boxes[a], "im", None)]


def _ordinary(y: np.ndarray) -> np.ndarray:
    return np.isfinite(y) & (np.abs(y) > TINY) & (np.abs(y) < HUGE)


def _is_kink(function: Special, row: np.ndarray) -> bool:
    """Next to a line where the sign of a part changes, by which a function that is not holomorphic is scaled."""
    angle = np.angle(row[-1])
    part = {"jve": np.sin(angle), "yve": np.sin(angle), "ive": np.cos(angle), "airye": np.cos(1.5 * angle)}
    return abs(part.get(function.name, 1.0)) < LEAST_SHARE


def _tolerance(function, static, indices, index, row, at, k, truth) -> float:
    """Of a derivative; the roundings of the arguments are looked at where it is off by more than its own."""
    got = at[indices.index(index)][k]
    tolerance = broken.CLOSE * abs(truth)
    if abs(got - truth) <= tolerance:
        return tolerance
    finer = Differences(function, static, row, STEP + 20).derivative(index)[k]
    if not abs(finer - truth) <= tolerance:
        return np.inf  # a difference of what does not change, as next to a zero of the derivative
    if got == 0 or not np.isfinite(got):
        return tolerance
    for i, a in enumerate(function.args):
        parts = (1, 1j) if getattr(function.boxes[a], "im", None) else (1,)
        for part in () if is_integer(function, a) else parts:
            moved = row.copy()
            moved[i] += part * np.spacing(abs((row[i] / part).real))
            there = Differences(function, static, moved).derivative(index)[k]
            tolerance += ROUNDED * abs(there - truth)
    return tolerance


class Differences:
    """Derivatives at one point by differences of Arb's values."""

    def __init__(self, function: Special, static: dict, row: np.ndarray, step: int = STEP) -> None:
        self.slopes, self.step = plane.of(function), step
        self.call = functools.partial(self.slopes.of, **oracle.used(self.slopes.of, static))
        self.shifts = self.slopes.shifts(function.args, static)
        self.outputs = max(1, len(function.outs))
        self.row = [row[i] for i, _ in slots(function, True)]
        self.arguments = [
            int(x.real)
            if is_integer(function, function.args[i])
            else _beside(x, function.boxes[function.args[i]])
            for x, (i, _) in zip(self.row, slots(function, True), strict=True)
        ]
        self.arguments[len(function.args) :] = [acb(0)] * (len(self.arguments) - len(function.args))
        self.far = max([abs(math.log2(abs(x))) for x in self.row if x] or [0.0])

    def derivative(self, index: Index) -> list[complex]:
        """Each output's; NaN where Arb does not serve."""
        rest = (0,) * (len(index) - len(self.shifts[0]))
        whole = [tuple(map(sum, zip(index, (*s, *rest), strict=True))) for s in self.shifts]
        if len(whole) == 1:
            return self._of(whole[0])
        return [self._of(orders)[0] for orders in whole]

    def _of(self, orders: Index) -> list[complex]:
        more, found = int((sum(orders) + 1) * (self.step + self.far)), [math.nan] * self.outputs
        for bits in (320 + more, 640 + 2 * more, 9000):
            with flint.ctx.workprec(bits):
                numbers = self._difference(orders)
            if numbers is None:
                break
            found = [_double(y) for y in numbers]
            if not any(np.isnan(found)):
                break
        return found

    def _difference(self, orders: Index) -> list[acb] | None:
        steps = [arb(2) ** (-self.step - int(abs(math.log2(abs(x)) if x else 0))) for x in self.row]
        stencils = [[(n - 2 * k, (-1) ** k * math.comb(n, k)) for k in range(n + 1)] for n in orders]
        totals: list[acb] = []
        for nodes in itertools.product(*stencils):
            moved = [
                x + h * k / 2 if k else x for x, h, (k, _) in zip(self.arguments, steps, nodes, strict=True)
            ]
            try:
                values = [acb(y) * math.prod(w for _, w in nodes) for y in self.call(*moved)]
            except balls.FAILURES:
                return None
            totals = [a + b for a, b in zip(totals, values, strict=True)] if totals else values
        scale = math.prod((h**n for h, n in zip(steps, orders, strict=True)), start=arb(1))
        return [y / scale for y in totals]


def _beside(x: complex, box: object) -> acb:
    """A complex argument's zero is a number of its sign: on that side of a cut."""
    if not getattr(box, "im", None):
        return acb(x.real)
    parts = [arb(t) if t else arb(2) ** BESIDE * math.copysign(1, t) for t in (x.real, x.imag)]
    return acb(*parts)


def _double(ball: acb) -> complex:
    """NaN where the radius is too large; an infinity or a zero where it is out of range."""
    size = ball.abs_lower()
    if not ball.is_finite() or not balls.max_radius(ball) <= size * arb(2) ** -40:
        return math.nan
    if size > HUGE or size < TINY:
        return math.inf if size > 1 else 0.0
    return complex(float(ball.real.mid()), float(ball.imag.mid()))


def main() -> None:
    options = broken.options("plane", __doc__, 10.0, "of a processor, for a function's points")
    for name in filter(lambda n: has_complex(catalogue()[n]), options.names or sorted(names())):
        limit = 20 * options.seconds + 100
        broken.apart(limit, name, breaks, options.seed, options.order, options.seconds)


if __name__ == "__main__":
    main()
