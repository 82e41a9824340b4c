"""Difference quotients of a definition at high precision: the estimates from which the oracle finds derivatives."""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath

from hostwrap.special._function import Special
from tests.reference.entries import Index, is_integer, slots

CENTRAL = {0: {0: 1.0}, 1: {-1: -0.5, 1: 0.5}, 2: {-1: 1.0, 0: -2.0, 1: 1.0}}
FORWARD = {0: {0: 6}, 1: {0: -11, 1: 18, 2: -9, 3: 2}, 2: {0: 12, 1: -30, 2: 24, 3: -6}}  # sixths
LARGE = 20  # decades of an argument, up to which steps are the same
NO_ANSWER = (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.NoConvergence)


class Quotients:
    """One point of one function. A coordinate is a real direction: an argument, or its real or imaginary part."""

    def __init__(self, function: Special, statics: dict, point: Sequence[complex], is_complex: bool) -> None:
        self.function, self.statics, self.point, self.is_complex = function, statics, point, is_complex
        self.outputs = max(1, len(function.outs))
        self.coordinates = [(i, 1j if imaginary else 1) for i, imaginary in slots(function, is_complex)]
        self.sides = [self._side(i, direction) for i, direction in self.coordinates]

    @property
    def oblique(self) -> bool:
        """At a complex point that is neither real nor imaginary, where no part of a result is expected to vanish."""
        return self.is_complex and any(complex(x).real and complex(x).imag for x in self.point)

    def ends(self, index: Index) -> int:
        """The number of coordinates that are differentiated in at an end of the domain."""
        return sum(bool(o and s) for o, s in zip(index, self.sides, strict=True))

    def _side(self, i: int, direction: complex) -> int:
        """1 at the lower end of a domain, -1 at the upper end, 0 inside."""
        box, x = self.function.boxes[self.function.args[i]], self.point[i]
        if direction != 1 or complex(x).imag:
            return 0
        return int(x == box.low or (x == 0 and box.low >= 0)) or -int(x == box.high)

    def estimate(self, indices: Sequence[Index], digits: int) -> list[list[Any]]:
        """With steps of 10^(-digits/4), and smaller ones beside another argument that is large.

        A phase turns as often as that one says, and over many turns a difference is an average slope.
        """
        decades = [self._decades(i) for i, _ in self.coordinates]
        with mpmath.workdps(digits + 2 * max(decades)):
            steps = [mpmath.mpf(10) ** (-digits // 4 - more) for more in decades]
            values = _Memory(lambda shift: self._value(shift, steps))
            return [
                [self._quotient(index, k, values, steps) for k in range(self.outputs)] for index in indices
            ]

    def _decades(self, i: int) -> int:
        """Of the largest other argument, beyond `LARGE`."""
        others = [abs(complex(x)) for k, x in enumerate(self.point) if k != i and cmath.isfinite(x)]
        largest = max(others, default=0.0)
        return max(0, math.ceil(math.log10(largest)) - LARGE) if largest else 0

    def _quotient(self, orders: Index, output: int, values: Callable, steps: Sequence[Any]) -> Any:
        stencils = [_stencil(order, side) for order, side in zip(orders, self.sides, strict=True)]
        total = mpmath.mpf(0)
        for nodes in itertools.product(*(s.items() for s in stencils)):
            outputs = values(tuple(shift for shift, _ in nodes))
            if outputs is None:
                return None
            total += outputs[output] * math.prod(weight for _, weight in nodes)
        scale = math.prod(6 if side and order else 1 for order, side in zip(orders, self.sides, strict=True))
        total = total / scale / math.prod(step**order for step, order in zip(steps, orders, strict=True))
        return total if mpmath.isfinite(total) else None

    def _value(self, shift: tuple[int, ...], steps: Sequence[Any]) -> tuple | None:
        args = self._arguments()
        for (i, direction), count, step in zip(self.coordinates, shift, steps, strict=True):
            if count:
                args[i] = args[i] + count * step * direction
        try:
            return value(self.function, self.statics, args)
        except NO_ANSWER:
            return None

    def _arguments(self) -> list:
        return arguments(self.function, self.point, self.is_complex)


def value(function: Special, statics: dict, args: Sequence[Any]) -> tuple:
    """The definition's outputs, as a tuple."""
    y = function.ref(mpmath.mp, *args, **statics)
    outputs = tuple(y) if function.outs else (y,)
    return tuple(mpmath.mpmathify(u) for u in outputs)


def arguments(function: Special, point: Sequence[complex], is_complex: bool) -> list:
    """The point as mpmath numbers; integer orders as ints."""
    args = []
    for a, x in zip(function.args, point, strict=True):
        if is_integer(function, a):
            args.append(int(complex(x).real))
        elif is_complex and function.boxes[a].im:
            args.append(mpmath.mpc(complex(x)))
        else:
            args.append(mpmath.mpf(complex(x).real))
    return args


def _stencil(order: int, side: int) -> dict[int, float]:
    if not side or not order:
        return CENTRAL[order]
    return {side * node: weight * side**order for node, weight in FORWARD[order].items()}


class _Memory(dict):
    """A function that remembers."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def __call__(self, key: Any) -> Any:
        if key not in self:
            self[key] = self.function(key)
        return self[key]
