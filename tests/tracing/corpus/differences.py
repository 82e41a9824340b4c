"""First derivatives by differences, with an estimate of their error: the reference for functions that have no other."""

import dataclasses

import numpy as np

LEVELS = 6  # steps, each half of the one before
FIRST = 2.0**-5  # of the number


@dataclasses.dataclass(frozen=True)
class Jacobian:
    """(numbers of the result, numbers of the arguments), beside the absolute errors."""

    value: np.ndarray
    error: np.ndarray


def jacobian(function, point):
    """Of a function from a vector of numbers to one, by central differences extrapolated to step 0 (Ridders)."""
    point = np.asarray(point, float)
    columns = [_column(function, point, i) for i in range(point.size)]
    value, error = (np.stack(parts, axis=-1) for parts in zip(*columns, strict=True))
    return Jacobian(value, error)


def _column(function, point, i):
    """The derivative in one number. The error of central differences is even in the step, so Neville's rule removes
    h², h⁴, ...; of all entries of the table the one is taken that differs least from those it was made of."""
    size = abs(point[i]) or 0.1
    rows, steps = [], FIRST * size * 0.5 ** np.arange(LEVELS)
    best = worst = None
    for level, step in enumerate(steps):
        row = [_central(function, point, i, step)]
        for k in range(1, level + 1):
            row.append(row[-1] + (row[-1] - rows[-1][k - 1]) / (4.0**k - 1))
            error = np.maximum(abs(row[k] - row[k - 1]), abs(row[k] - rows[-1][k - 1]))
            if best is None:
                best, worst = row[k], error
            better = error < worst
            best, worst = np.where(better, row[k], best), np.where(better, error, worst)
        rows.append(row)
    return best, worst + 4 * np.finfo(float).eps * abs(np.asarray(function(point))) / steps[-1]


def _central(function, point, i, step):
    def at(x):
        moved = point.copy()
        moved[i] = x
        return np.asarray(function(moved), float)

    high, low = point[i] + step, point[i] - step
    return (at(high) - at(low)) / (high - low)
