"""The solution of an initial value problem by SciPy's steps, which end where its right-hand side may jump.

A step over a jump is as exact as SciPy's tolerance only; derivatives need both sides of the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

_BETWEEN = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of a step: where outcomes are looked at
_FIRST = np.append(2.0**-30, _BETWEEN[1:])  # the start may lie at the place of a jump
_MOST = 10_000


class Piece(NamedTuple):
    """The solution between two times, as SciPy's dense output of a step."""

    at: Callable[[float], np.ndarray]
    start: float
    end: float


def walk(
    stepper: Callable, find: Callable, behind: Callable, t: float, z: np.ndarray, last: float
) -> Iterator[Piece]:
    """The pieces of the solution from (t, z) up to the last time.

    Args:
        stepper: `stepper(t, z)` begins one of SciPy's solvers, a `scipy.integrate.OdeSolver`.
        find: `find(at, times, known)` is the first change of an outcome, or None, and the outcomes behind it, or at the
            last of the times. `at` is the solution, `known` are the outcomes at the first of the times, or None. A
            change begins with the last time before it.
        behind: `behind(at, change)` is the time and the solution behind it.
    """
    sign, looked, known = np.sign(last - t), _FIRST, None
    for _ in range(_MOST):
        if sign * (last - t) <= 8 * np.finfo(float).eps * abs(t):  # too short for a step
            yield Piece(_still(z), t, last)
            return
        solver, found = stepper(t, z), None
        while found is None:
            solver.step()
            if solver.status == "failed":
                raise RuntimeError(f"the integration stopped at t = {solver.t:.6g}.")
            at, start = solver.dense_output(), solver.t_old
            # a solution that begins behind a change may lie before it by a rounding: its outcomes are known
            found, known = find(at, list(start + (solver.t - start) * looked), known)
            looked = _BETWEEN
            yield Piece(at, start, solver.t if found is None else found[0])
            if found is None and solver.status == "finished":
                return
        t, z = behind(at, found)
    raise RuntimeError(f"the right-hand side jumps more than {_MOST} times, up to t = {t:.6g}.")


def _still(z: np.ndarray) -> Callable[[float], np.ndarray]:
    return lambda t: z
