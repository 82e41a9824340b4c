"""What is true: the value and partial derivatives of an entry's definition, from mpmath.

Derivatives are difference quotients at a precision where they cost nothing: with d digits and the step 10**(-d/4)
the truncation error is 10**(-d/2) relative to the third derivative, and the rounding error of a second derivative
10**(-d/2) relative to the value. A number counts when two precisions agree on it to 1e-18; one that goes on
shrinking with the step is a zero, one that goes on growing at the end of a domain is infinite, and otherwise, or
when mpmath has no answer in time, there is no reference.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import mpmath

from hostwrap.special._function import Special
from tests._kit.clock import ending
from tests.reference.entries import Index
from tests.reference.quotients import Quotients

DIGITS = (60, 80, 160, 480, 1200)
VERSION = 2  # part of the tables' fingerprints: raise it when the numbers below may change
AGREEMENT = mpmath.mpf("1e-18")
NOTHING = mpmath.mpf(
    "1e-330"
)  # 0 in double precision, but far more than the errors of an estimate from 1200 digits
MOST_BITS = 10**8
SECONDS, KERNEL_SECONDS = 10.0, 8.0  # of processor time, for one point, all derivatives together


class Late(Exception):
    """The point took longer than it may."""


def derivatives(
    function: Special,
    statics: dict,
    point: Sequence[complex],
    indices: Sequence[Index],
    is_complex: bool,
    seconds: float | None = None,
) -> list[list[Any]]:
    """For each index the outputs, as mpmath numbers; None where there is no reference."""
    problem = Quotients(function, statics, point, is_complex)
    numbers = [[_Number(problem, index) for _ in range(problem.outputs)] for index in indices]
    with time_limit(seconds or (SECONDS if function.public else KERNEL_SECONDS)):
        for digits in DIGITS:
            open_ = [i for i, outputs in enumerate(numbers) if not all(n.settled for n in outputs)]
            estimates = problem.estimate([indices[i] for i in open_], digits)
            for i, outputs in zip(open_, estimates, strict=True):
                for number, value in zip(numbers[i], outputs, strict=True):
                    number.add(value, digits)
    finite = [n.value is not None for n in numbers[0]]  # the first index is the function itself
    return [[n.value if ok else None for n, ok in zip(row, finite, strict=True)] for row in numbers]


class _Number:
    """One derivative, from estimates at growing precision."""

    def __init__(self, problem: Quotients, index: Index) -> None:
        self.settled, self.value = False, None
        self.estimates: list[Any] = []
        self.ends = problem.ends(index)
        self.oblique = problem.oblique

    def add(self, estimate: Any, digits: int) -> None:
        self.estimates.append(estimate)
        if self.settled or len(self.estimates) < 2:
            return
        a, b = self.estimates[-2:]
        last = digits == DIGITS[-1]
        if a is None or b is None:
            self._settle(None, len(self.estimates) > 2)
        elif not self._vanishes(b, last) and abs(a - b) <= AGREEMENT * abs(b):
            self._settle(b)
        elif last:
            self._settle(_limit([e for e in self.estimates if e is not None], self.ends))

    def _settle(self, value: Any, really: bool = True) -> None:
        if really:
            self.settled, self.value = True, value

    def _vanishes(self, b: Any, last: bool) -> bool:
        """0, or one part is 0 where none is expected to be: next to 1, what is tiny needs more digits to see."""
        return b == 0 or (self.oblique and not last and 0 in (mpmath.re(b), mpmath.im(b)))


def _limit(estimates: list, ends: int) -> Any:
    """What the estimates tend to: 0, an infinity at the end of a domain; in a corner it depends on the path."""
    if ends > 1 or len(estimates) < 3:
        return None
    if abs(estimates[-1]) < NOTHING or _shrinks(estimates):
        return mpmath.mpf(0)
    pairs = itertools.pairwise(estimates[-3:])
    if ends and all(_grows(mpmath.re(a), mpmath.re(b)) and mpmath.im(b) == 0 for a, b in pairs):
        return mpmath.inf if mpmath.re(estimates[-1]) > 0 else -mpmath.inf
    return None


def _shrinks(estimates: list) -> bool:
    known = [e for e in estimates if e is not None][-3:]
    return len(known) == 3 and all(
        b == 0 or abs(b) < abs(a) * mpmath.mpf("1e-4") for a, b in itertools.pairwise(known)
    )


def _grows(a: Any, b: Any) -> bool:
    return a * b > 0 and abs(b) > 1.5 * abs(a)


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Leaves the block when it takes longer, or when a definition wants more digits than there is memory for."""
    own = mpmath.mp.extraprec

    def bounded(bits: int, *args: Any, **kwargs: Any) -> Any:
        if bits > MOST_BITS:  # GMP ends the process
            raise Late
        return own(bits, *args, **kwargs)

    mpmath.mp.extraprec = bounded
    try:
        with contextlib.suppress(Late), ending(seconds, Late):
            yield
    finally:
        mpmath.mp.extraprec = own
