"""Derivatives of a host function by differences, with an estimate of their error. No JAX here.

The method is Ridders'. Central differences with steps h, h/3, h/9, ... have an error in even powers of h, so Neville's
scheme with factors 9, 81, ... removes one power per column; one-sided ones have an error in all powers. The error of
an entry of the triangle is estimated by its distance to two neighbours, and by the rounding of the function values over
the step. Each element takes its best entry (C. J. F. Ridders, Advances in Engineering Software 4, 75 (1982)).

Each number of an argument moves by itself (a complex one along both axes), in all elements of a batch at once. The
steps start at a quarter of the number, so that they do not change its sign. If that is far from 1/4, steps from 1/4 are
tried, too, and the estimated errors decide.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hostwrap._errors import ResultError
from hostwrap._host.function import WIDE, HostFunction, HostOptions
from hostwrap._host.layout import Layout

_EPS = np.finfo(np.float64).eps
Arrays = Sequence[np.ndarray]
_NEAR = 4.0  # two first steps within this factor count as one


def slope(
    function: Callable[[float], np.ndarray], first: float = 0.05, factor: float = 3.0, steps: int = 12,
    direction: float = 0,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """(d/dt function(t) at 0, estimated error). If all steps give NaN, the error is inf.

    The sign of `direction` is the side of 0 on which the steps lie; 0 means both sides.
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


@dataclasses.dataclass(frozen=True)
class Steps:
    """How to take differences; `initial_step` and `step_direction` may be mappings from argument names.

    `rtol` is the estimated error that is accepted, relative to the derivative and to `value / step`.
    """

    initial_step: float | Mapping[str, float] | None = None
    step_factor: float = 3.0
    maxiter: int = 12
    step_direction: float | Mapping[str, float] = 0
    rtol: float = 1e-6

    def __post_init__(self) -> None:
        right = {
            "initial_step": ("> 0", all(map(_positive, _each(self.initial_step)))),
            "step_factor": ("> 1", _positive(self.step_factor) and self.step_factor > 1),
            "maxiter": ("an integer >= 2", isinstance(self.maxiter, int) and self.maxiter >= 2),
            "step_direction": (
                "a number",
                all(isinstance(d, float | int) for d in _each(self.step_direction)),
            ),
            "rtol": ("> 0", _positive(self.rtol)),
        }
        for name, (wanted, holds) in right.items():
            if not holds:
                raise ValueError(f"{name}={getattr(self, name)!r} must be {wanted}")

    def mentioned(self) -> set[str]:
        """The arguments that an option names."""
        given = (self.initial_step, self.step_direction)
        return {name for option in given if isinstance(option, Mapping) for name in option}

    def scales(self, name: str, x: np.ndarray) -> list[np.ndarray]:
        """The first step of each number; two of them, if they differ much."""
        given = self.initial_step
        given = given.get(argument(name)) if isinstance(given, Mapping) else given
        if given is not None:
            return [np.full(x.shape, float(given))]
        size = np.abs(x)
        own = np.where((size > 0) & np.isfinite(size), size, 1.0)
        clear = np.all((own < _NEAR) & (own > 1 / _NEAR))
        return [own / 4] if clear else [own / 4, np.full(x.shape, 0.25)]

    def direction(self, name: str) -> float:
        given = self.step_direction
        return given.get(argument(name), 0) if isinstance(given, Mapping) else given


def argument(leaf: str) -> str:
    """The argument of a leaf: `p` for `p['a']`."""
    return re.split(r"[\[.]", leaf)[0]


def _positive(value: object) -> bool:
    return isinstance(value, float | int) and value > 0


def _each(option: float | Mapping[str, float] | None) -> list[float]:
    if option is None:
        return []
    return list(option.values()) if isinstance(option, Mapping) else [option]


class Partial(NamedTuple):
    """The derivative of one result in one real direction of an argument, shaped `batch + result + argument`.

    `typical` is |result| / step, to which rounding errors are relative.
    """

    value: np.ndarray
    error: np.ndarray
    typical: np.ndarray


def _better(a: Partial, b: Partial) -> Partial:
    return Partial(*(np.where(b.error < a.error, v, u) for u, v in zip(a, b, strict=True)))


def _along(
    function: Callable[[list], list], arrays: Arrays, i: int, core: int,
    step: np.ndarray, direction: float, steps: Steps,
) -> list[Partial]:  # fmt: skip
    """All numbers of argument i, each on its turn, on an axis of their own behind the batch."""
    shape = step.shape
    batch, own = shape[: len(shape) - core], shape[len(shape) - core :]
    size = int(np.prod(own))
    center = arrays[i].reshape((*batch, 1, size))
    moves = np.eye(size) * step.reshape((*batch, 1, size))
    others = [np.expand_dims(a, len(batch)) for a in arrays]
    shapes: list[tuple[int, ...]] = []

    def moved(t: float) -> np.ndarray:
        points = (center + t * moves).reshape((*batch, size, *own))
        results = function([points if k == i else a for k, a in enumerate(others)])
        shapes[:] = [r.shape[len(batch) + 1 :] for r in results]
        return np.concatenate([r.reshape((*batch, size, -1)) for r in results], axis=-1)

    slopes, errors = slope(moved, 1.0, steps.step_factor, steps.maxiter, direction)
    sizes = np.abs(step).reshape((*batch, size, 1))
    largest = np.fmax(np.abs(moved(0.0)), np.abs(moved(float(np.sign(direction) or 1.0))))
    ends = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]

    def split(entries: np.ndarray) -> list[np.ndarray]:
        columns = np.split(np.swapaxes(entries / sizes, -1, -2), ends, axis=-2)
        return [c.reshape((*batch, *s, *own)) for c, s in zip(columns, shapes, strict=True)]

    return [Partial(*parts) for parts in zip(split(slopes), split(errors), split(largest), strict=True)]


# ---- as a host function


@dataclasses.dataclass(eq=False)
class NumericalHost(HostFunction):
    """Raises an error for a derivative whose estimated error is too large; `lenient` gives NaN there instead."""

    lenient: Callable[..., tuple] | None = None


def numerical_host(host: HostFunction, layout: Layout, leaves: Sequence[int], steps: Steps) -> NumericalHost:
    """The host function of the Jacobians: of each inexact result in each of these leaves, or part of a complex one."""

    def checked(*arrays: np.ndarray) -> tuple:
        return by_result(arrays, lambda name, part: _checked(host.name, name, part, steps))

    def lenient(*arrays: np.ndarray) -> tuple:
        return by_result(arrays, lambda _, part: np.where(_doubtful(part, steps), np.nan, part.value))

    def by_result(arrays: Arrays, value: Callable[[str, Partial], np.ndarray]) -> tuple:
        rows = jacobians(host, layout, leaves, steps, arrays)
        columns = zip(*([value(name, part) for part in row] for name, row in rows), strict=True)
        return tuple(itertools.chain(*columns))

    own = host.options
    options = HostOptions(widen=own.widen or host.trusted, allow_jax=own.allow_jax, on_error=own.on_error)
    same = {"name": host.name, "argnames": host.argnames, "lock": host.lock}
    return NumericalHost(checked, lenient=lenient, options=options, **same)


def jacobians(
    host: HostFunction, layout: Layout, leaves: Sequence[int], steps: Steps, arrays: Sequence[np.ndarray]
) -> Iterator[tuple[str, list[Partial]]]:
    """For each real part of these leaves: (its name, the partial of each result). All arrays have the whole batch."""
    if isinstance(host, NumericalHost) and host.lenient:
        host = dataclasses.replace(host, function=host.lenient)
    if host.options.widen or host.trusted:  # results, too: in single precision differences have no digits
        wide = [dataclasses.replace(out, dtype=WIDE.get(out.dtype.kind, WIDE["f"])) for out in layout.outs]
        layout = dataclasses.replace(layout, outs=tuple(wide))

    def function(points: Sequence[np.ndarray]) -> list[np.ndarray]:
        types = [p.shape for p in points], [p.dtype for p in points]
        return host.bind(*types, layout, inexact_of(layout))(points)

    for i in leaves:
        name, core, x = host.argnames[i], layout.in_core[i], arrays[i]
        for unit in (1.0, 1j) if x.dtype.kind == "c" else (1.0,):
            directions = [np.asarray(unit * scale) for scale in steps.scales(name, x)]
            tries = [_along(function, arrays, i, core, d, steps.direction(name), steps) for d in directions]
            yield name, [functools.reduce(_better, candidates) for candidates in zip(*tries, strict=True)]


def inexact_of(layout: Layout) -> list[int]:
    """The indices of the results that are not integers, and so have derivatives."""
    return [k for k, out in enumerate(layout.outs) if out.dtype.kind not in "biu"]


def _doubtful(part: Partial, steps: Steps) -> np.ndarray:
    """Where the estimated error is larger than accepted, although the function has a value."""
    return ~(part.error <= steps.rtol * (np.abs(part.value) + part.typical)) & np.isfinite(part.typical)


def _checked(function: str, name: str, part: Partial, steps: Steps) -> np.ndarray:
    doubtful = _doubtful(part, steps)
    if np.any(doubtful):
        worst = np.argmax(np.where(doubtful, part.error, -1))
        raise ResultError(
            f"{function}: the numerical derivative with respect to `{name}` cannot be trusted: it is "
            f"{part.value.flat[worst]:.3g}, with an estimated error of {part.error.flat[worst]:.2g}. Give steps inside "
            "of the domain and as large as the function is smooth, numerical={'initial_step': ...}, on one side of an "
            "edge with 'step_direction'; or accept the error of a noisy function with a larger 'rtol'; or give a rule."
        )
    return part.value
