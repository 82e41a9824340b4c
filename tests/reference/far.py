"""Points outside an entry's boxes at which derivatives were once wrong, or that are there to see that they are not.

`python -m tests.reference.far NAME 300,150 1e6,52` adds points, given as their arguments; without points it computes
the table anew. A point with a `j` goes into the table of complex arguments.

A table is a text, `far/NAME.csv` or `far/NAME-complex.csv`: the arguments, then the value and the derivatives of the
entry's own definition, by the oracle of the reference tables. Second derivatives are there for the condition number
of the first ones. A cell is empty where mpmath has no answer.
"""

from __future__ import annotations

import argparse
import csv
import pathlib

import numpy as np

from hostwrap.special._function import Special
from tests.reference import accuracy, oracle, ours, tables
from tests.reference.entries import catalogue, indices, label, statics

FOLDER = pathlib.Path(__file__).parent / "far"
TARGET = 1e-9  # or a thousand roundings of the arguments, where these cost more


def path(function: Special, is_complex: bool) -> pathlib.Path:
    return FOLDER / f"{function.name}{'-complex' * is_complex}.csv"


def all_tables() -> list[tuple[Special, bool]]:
    """(function, complex?) of every table, by name."""
    names = sorted(file.stem for file in FOLDER.glob("*.csv"))
    return [(catalogue()[name.removesuffix("-complex")], name.endswith("-complex")) for name in names]


def load(function: Special, is_complex: bool) -> tables.Group:
    """The table as a group of references; empty where there is none."""
    chosen, outputs = indices(function, is_complex), max(1, len(function.outs))
    rows = []
    if path(function, is_complex).exists():
        with path(function, is_complex).open(newline="", encoding="utf-8") as file:
            rows = [[_number(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    width = len(function.args)
    cells = np.array(rows, complex).reshape(len(rows), width + len(chosen) * outputs)
    points = cells[:, :width] if is_complex else cells[:, :width].real
    high = np.moveaxis(cells[:, width:].reshape(len(rows), len(chosen), outputs), 0, 2)
    return tables.Group(statics(function)[0], is_complex, points, chosen, high, np.zeros_like(high))


def _number(cell: str) -> complex:
    return complex(cell) if cell else complex("nan")


def exact(function: Special, is_complex: bool, point: np.ndarray, seconds: float | None = None) -> np.ndarray:
    """What stands in the table at a point, (index, output)."""
    numbers = oracle.derivatives(
        function, statics(function)[0], point.tolist(), indices(function, is_complex), is_complex, seconds
    )
    return tables.two_parts(numbers)[0]


def write(function: Special, is_complex: bool, points: np.ndarray) -> None:
    chosen = indices(function, is_complex)
    outs = function.outs or ("",)
    names = [f"{label(function, i, is_complex)} {out}".strip() for i in chosen for out in outs]
    FOLDER.mkdir(exist_ok=True)
    with path(function, is_complex).open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*function.args, *(f"d {name}".replace("d value", "value") for name in names)])
        for point in points:
            numbers = exact(function, is_complex, point).ravel()
            rows.writerow([*map(_text, point), *map(_text, numbers)])


def _text(x: complex) -> str:
    if np.isnan(x):
        return ""
    # repr of a complex number keeps the sign of a zero, which decides the side of a cut
    x = complex(x)
    return repr(x.real) if x.imag == 0 and not np.signbit(x.imag) else repr(x).strip("()")


def wrong(function: Special, is_complex: bool) -> list[str]:
    """A line for each first derivative that is not right."""
    group = load(function, is_complex)
    first = [number for number, index in enumerate(group.indices) if sum(index) == 1]
    kind = "complex128" if is_complex else "float64"
    got = ours.derivatives(
        function, group.statics, kind, [group.indices[0], *(group.indices[n] for n in first)], group.points
    )
    lines = []
    for number, numbers in zip(first, got[1:], strict=True):
        if numbers is None:
            continue
        want = group.high[number] if is_complex else group.high[number].real
        relative = accuracy.relative_error(numbers, want, got[0])
        condition = np.nan_to_num(accuracy.condition(function, group, number), posinf=1e300)
        ordinary = ~np.isnan(want) & ((want == 0) | (np.abs(want) > np.finfo(float).smallest_normal))
        bad = ordinary & (relative > np.maximum(TARGET, 1e3 * accuracy.EPS * condition))
        name = label(function, group.indices[number], is_complex)
        lines += [
            f"d {function.name}/d {name} at {group.points[p]}, result {k}: {numbers[k, p]}, true {want[k, p]}"
            for k, p in zip(*np.nonzero(bad), strict=True)
        ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.far", description=__doc__.splitlines()[0]
    )
    parser.add_argument("name")
    parser.add_argument("points", nargs="*")
    options = parser.parse_args()
    function = catalogue()[options.name]
    for is_complex in (False, True):
        given = [point.split(",") for point in options.points if ("j" in point) == is_complex]
        new = [[complex(x) for x in point] for point in given]
        old = load(function, is_complex).points.tolist()
        rows = [*old, *(row for row in new if row not in old)]
        if rows:
            points = np.array(rows, complex)
            write(function, is_complex, points if is_complex else points.real)


if __name__ == "__main__":
    main()
