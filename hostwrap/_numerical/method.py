"""Jacobians of a host function by differences, with an estimate of their error. No JAX here.

Each number of an argument moves by itself (a complex one along both axes), all elements of a batch at once. Its steps
start at a quarter of the number, so that they do not change its sign, and, where that is far from 1, at a quarter too:
which of the two is better is told by the estimated errors.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from hostwrap._numerical.differences import slope

Arrays = Sequence[np.ndarray]
_NEAR = 4.0  # steps that differ by less than this factor are one


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
        """The arguments that are named in an option."""
        given = (self.initial_step, self.step_direction)
        return {name for option in given if isinstance(option, Mapping) for name in option}

    def scales(self, name: str, x: np.ndarray) -> list[np.ndarray]:
        """The first step of each number; two of them, if it is not clear how large it should be."""
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
    """The argument that a leaf belongs to: `p` of `p['a']`."""
    return re.split(r"[\[.]", leaf)[0]


def _positive(value: object) -> bool:
    return isinstance(value, float | int) and value > 0


def _each(option: float | Mapping[str, float] | None) -> list[float]:
    if option is None:
        return []
    return list(option.values()) if isinstance(option, Mapping) else [option]


@dataclasses.dataclass(frozen=True)
class Partial:
    """The derivative of one result in one real direction of an argument, shaped `batch + result + argument`.

    `typical` is the size of the result over that of the step, to which rounding is relative.
    """

    value: np.ndarray
    error: np.ndarray
    typical: np.ndarray


def partials(
    function: Callable[[list], list], arrays: Arrays, i: int, core: int, name: str, steps: Steps
) -> Iterator:
    """The partials of each result in argument i; for a complex argument its real part's, then the imaginary part's.

    `function` takes arrays `batch + core` and returns a list of them.
    """
    x = arrays[i]
    for unit in (1.0, 1j) if x.dtype.kind == "c" else (1.0,):
        tries = [
            _along(function, arrays, i, core, np.asarray(unit * scale), steps.direction(name), steps)
            for scale in steps.scales(name, x)
        ]
        yield [_better(*candidates) for candidates in zip(*tries, strict=True)]


def _better(a: Partial, b: Partial | None = None) -> Partial:
    if b is None:
        return a
    second = b.error < a.error
    pairs = ((a.value, b.value), (a.error, b.error), (a.typical, b.typical))
    return Partial(*(np.where(second, v, u) for u, v in pairs))


def _along(
    function: Callable[[list], list],
    arrays: Arrays,
    i: int,
    core: int,
    step: np.ndarray,
    direction: float,
    steps: Steps,
) -> list[Partial]:
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
