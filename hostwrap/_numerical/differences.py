"""Numerical derivatives with an error estimate: Ridders' method. No JAX here.

Central differences with steps h, h/3, h/9, ... have an error in even powers of h, so Neville's scheme with
factors 9, 81, ... removes one power per column; one-sided ones have an error in all powers. Each entry of the triangle
is judged by its distance to its two neighbours, and by the rounding of the function values over the step; the best one
is taken, element by element (C. J. F. Ridders, Advances in Engineering Software 4, 75 (1982)).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_EPS = np.finfo(np.float64).eps


def slope(
    function: Callable[[float], np.ndarray],
    first: float = 0.05,
    factor: float = 3.0,
    steps: int = 12,
    direction: float = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """(d/dt function(t) at 0, estimate of its error); where all steps give NaN the error is inf.

    The sign of `direction` says on which side of 0 the steps are, 0: on both.
    """
    sides = (np.sign(direction), 0.0) if direction else (1.0, -1.0)
    power = 1 if direction else 2
    row: list[np.ndarray] = []
    best = error = np.zeros(0)
    with np.errstate(all="ignore"):
        for h in first * factor ** -np.arange(steps, dtype=float):
            one, other = (function(side * h) for side in sides)
            difference = (one - other) / ((sides[0] - sides[1]) * h)
            last, row = row, _extrapolated(difference, row, factor**power)
            if not last:
                best, error = row[0], np.full(row[0].shape, np.inf)
            noise = 2 * _EPS * np.maximum(np.abs(one), np.abs(other)) / h
            for j in range(1, len(row)):
                distance = np.maximum(np.abs(row[j] - row[j - 1]), np.abs(row[j] - last[j - 1])) + noise
                better = distance < error  # False for NaN
                best, error = np.where(better, row[j], best), np.where(better, distance, error)
    return best, np.where(np.isfinite(best), error, np.inf)


def _extrapolated(difference: np.ndarray, last: list[np.ndarray], ratio: float) -> list[np.ndarray]:
    """The next row of Neville's triangle."""
    row = [difference]
    for j, before in enumerate(last, start=1):
        row.append(row[-1] + (row[-1] - before) / (ratio**j - 1))
    return row
