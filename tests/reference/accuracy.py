"""Our results against the tables: the relative error at each point, and whether it is within the target."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from hostwrap.special._function import Special
from tests.reference import ours, tables
from tests.reference.composed import Composed
from tests.reference.entries import label, slots

EPS = float(np.finfo(np.float64).eps)
FIRST, SECOND, SINGLE = 1e-10, 1e-8, float(np.finfo(np.float32).eps)
SMALL, LARGE = 1e-290, 1e290  # beyond these the formulas may underflow or overflow before the result does
SINGLE_SMALL, SINGLE_LARGE = 1e-36, 1e37

Key = tuple[str, str, str]  # function with its statics, derivative, dtype


@dataclasses.dataclass(frozen=True)
class Errors:
    """Relative errors at the points of one derivative, and which points are within the target.

    The condition number is of the derivative, in all arguments together.
    """

    order: int
    points: np.ndarray
    got: np.ndarray
    want: np.ndarray
    relative: np.ndarray
    within: np.ndarray
    condition: np.ndarray

    @property
    def worst(self) -> int:
        return int(np.argmax(np.where(np.isnan(self.relative), np.inf, self.relative)))

    def bad(self) -> np.ndarray:
        """NaN, an infinity or a zero where the derivative is an ordinary number."""
        ordinary = np.isfinite(self.want) & (self.want != 0)
        return ordinary & (~np.isfinite(self.got) | (self.got == 0))


@dataclasses.dataclass(frozen=True)
class Results:
    """Ours at the rows of a table of references: for each derivative an array (output, point), or None.

    `numbers` are those of the derivatives in the table; the first is the value.
    """

    group: tables.Group
    kind: str
    rows: np.ndarray
    numbers: list[int]
    got: list[np.ndarray | None]


def measure(function: Special, most: int = 2, single: bool = True) -> Iterator[tuple[Key, Errors]]:
    """For every derivative that there is, up to this order, in each dtype."""
    for results in computed(function, most, single):
        yield from errors(function, results)


def computed(function: Special, most: int = 2, single: bool = True) -> Iterator[Results]:
    for group in tables.load(function.name)[1]:
        real = ("float64", "float32") if single and not isinstance(function, Composed) else ("float64",)
        numbers = [number for number, index in enumerate(group.indices) if sum(index) <= most]
        indices = [group.indices[number] for number in numbers]
        for kind in ("complex128",) if group.is_complex else real:
            every = np.full(len(group.points), True)
            rows = _representable(group.points) if kind == "float32" else every
            got = ours.derivatives(function, group.statics, kind, indices, group.points[rows])
            yield Results(group, kind, rows, numbers, got)


def errors(function: Special, results: Results) -> Iterator[tuple[Key, Errors]]:
    group, kind, value = results.group, results.kind, results.got[0]
    name = function.name + "".join(f" {k}={v}" for k, v in group.statics.items())
    for number, got in zip(results.numbers, results.got, strict=True):
        if got is None:
            continue
        found = compared(function, group, number, results.rows, got, value, kind)
        if len(found.points):
            yield (name, label(function, group.indices[number], group.is_complex), kind), found


def compared(
    function: Special,
    group: tables.Group,
    number: int,
    rows: np.ndarray,
    got: np.ndarray,
    value: np.ndarray,
    kind: str,
) -> Errors:
    """What was got at these rows of the points, (output, point), beside the reference of this number."""
    want = group.high[number][:, rows]
    is_real = not np.iscomplexobj(got)
    counted = ~np.isnan(want) & ~np.isnan(value) & _in_range(want, kind)
    if is_real:
        counted &= np.abs(want.imag) <= 1e-14 * np.abs(want)
        want = want.real
    order = sum(group.indices[number])
    target = {0: FIRST, 1: FIRST, 2: SECOND}[order]
    conditions = condition(function, group, number)[:, rows]
    tolerance = np.maximum(target, 100 * EPS * np.nan_to_num(conditions, posinf=1e300))
    if kind == "float32":
        tolerance = np.maximum(tolerance, SINGLE)
    relative = relative_error(got, want, value)
    outputs, columns = np.nonzero(counted)
    pick = (outputs, columns)
    return Errors(
        order,
        group.points[rows][columns],
        got[pick],
        want[pick],
        relative[pick],
        relative[pick] <= tolerance[pick],
        conditions[pick],
    )


def relative_error(got: np.ndarray, want: np.ndarray, value: np.ndarray) -> np.ndarray:
    """|got / want - 1|, relative to the function where the derivative is 0; NaN is infinitely wrong."""
    scale = np.where(want == 0, np.maximum(np.abs(value), np.finfo(np.float64).smallest_normal), np.abs(want))
    with np.errstate(all="ignore"):
        relative = np.abs(got - want) / scale
    relative = np.where(np.isnan(relative) | np.isinf(want), np.inf, relative)
    return np.where(got == want, 0.0, relative)


def _in_range(want: np.ndarray, kind: str) -> np.ndarray:
    small, large = (SINGLE_SMALL, SINGLE_LARGE) if kind == "float32" else (SMALL, LARGE)
    size = np.abs(want)
    return (size == 0) | np.isinf(want) | ((size > small) & (size < large))


def condition(function: Special, group: tables.Group, number: int, unknown: float = 0.0) -> np.ndarray:
    """sum over j of |x_j (d_j g) / g|, the condition number of the derivative g, from the derivatives one order up.

    A term that is no number, because a derivative leaves the doubles, counts as `unknown`.
    """
    g, total = group.high[number], np.zeros(group.high[number].shape)
    for s, (i, _) in enumerate(slots(function, group.is_complex)):
        above = tuple(o + (k == s) for k, o in enumerate(group.indices[number]))
        if above in group.indices:
            with np.errstate(all="ignore"):
                term = np.abs(group.points[:, i] * group.high[group.indices.index(above)] / g)
                total += np.nan_to_num(term, nan=unknown)
    return total


def _representable(points: np.ndarray) -> np.ndarray:
    """Rows of float32 numbers."""
    with np.errstate(over="ignore"):
        return np.all(points.astype(np.float32) == points, axis=1)
