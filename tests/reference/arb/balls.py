"""Derivatives of an expression in balls, with a proven radius.

Arb (python-flint) computes with balls: what it returns encloses the true value for every point of the arguments.
A derivative is a central difference of balls. Let f be analytic where each argument is within R of its point, |f| at
most M there, and c the Taylor coefficients of f; then |c[j]| <= M / R**j (Cauchy), and the n-th difference over steps
h, divided by h**n, misses n! c[n] by at most the sum over m = n + 2, n + 4, ... of |c[m]| h**(m - n) 2**n (n / 2)**m.
With h = q R that is M / R**n times the sum of q**(m - n) 2**n (n / 2)**m: for several arguments the bounds multiply,
less the product of their first terms. M is what Arb says of the ball of radius R itself; where the formula that Arb
uses has a removable singularity inside, M is taken on circles around it (the maximum principle).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import flint
import mpmath
from flint import acb, arb

Index = tuple[int, ...]

BITS = (480, 960, 1920, 3840, 7680)
PROVEN = 106  # bits: what two doubles hold
SECONDS = 0.3  # of processor time, after which no more digits are tried
PARTS = 60  # of the smaller one of a real and an imaginary part
ARCS = 16  # balls that cover a circle
FAILURES = (ZeroDivisionError, ValueError, OverflowError, ArithmeticError, NotImplementedError)


@dataclasses.dataclass(frozen=True)
class Problem:
    """An expression of complex balls at a point; integers among the arguments stay as they are."""

    expression: Callable  # gives a tuple of balls
    point: tuple[Any, ...]  # acb, or int where the argument is an integer
    removable: frozenset[int] = (
        frozenset()
    )  # arguments in which the expression may be singular, the function not
    real: bool = False  # whether values at real points are real


def derivatives(problem: Problem, indices: Sequence[Index], outputs: int) -> list[list[Any]]:
    """For each index the outputs as mpmath numbers, right to 106 bits; None where that cannot be shown."""
    found: list[list[Any]] = [[None] * outputs for _ in indices]
    end = time.process_time() + SECONDS
    highest = max(map(sum, indices))
    for bits in BITS:
        smaller, size = _scales(bits, highest)
        if 2 * smaller - highest * size < PROVEN and bits < BITS[-1]:
            continue  # the radius would be too large
        open_ = [n for n, row in enumerate(found) if None in row]
        if not open_:
            break
        for n, row in zip(
            open_, _enclosures(problem, [indices[n] for n in open_], outputs, bits), strict=True
        ):
            found[n] = [
                old if old is not None else number(ball, problem.real)
                for old, ball in zip(found[n], row, strict=True)
            ]
        nothing = all(x is None for row in found for x in row)
        if time.process_time() > end or (nothing and bits > BITS[1]):
            break  # more digits have not helped so far
    return found


def _scales(bits: int, highest: int) -> tuple[int, int]:
    """Of steps and of radii, for derivatives of this order: q is 2**-smaller, R is 2**-size of the argument."""
    return bits // max(6, highest + 2), max(20, bits // 32 if bits > BITS[1] else 0)


def _enclosures(
    problem: Problem, indices: Sequence[Index], outputs: int, bits: int
) -> list[list[acb | None]]:
    """Balls around the derivatives, from numbers of so many bits."""
    smaller, size = _scales(bits, max(map(sum, indices)))
    with flint.ctx.workprec(bits + bits // 2):
        radii = [radius(x, -size) for x in problem.point]
        steps = [r * arb(2) ** -smaller for r in radii]
        bounds = _remembered(lambda moved: sizes_around(problem, radii, moved, outputs))
        values = _remembered(lambda shift: _at(problem, shift, steps, outputs))
        real = all(isinstance(x, int) or x.imag.is_zero() for x in problem.point)
        return [_difference(index, values, bounds, radii, steps, smaller, outputs, real) for index in indices]


def radius(x: Any, size: int) -> arb:
    """A small part of the argument; of 1 at 0."""
    if isinstance(x, int):
        return arb(1)
    part = max(abs(float(x.real.mid())), abs(float(x.imag.mid()))) or 1.0
    return arb(2) ** (size + max(-1000, math.frexp(part)[1] - 1))


def _at(
    problem: Problem, shift: tuple[int, ...], steps: Sequence[arb], outputs: int
) -> tuple[acb, ...] | None:
    moved = tuple(
        x if not k else x + steps[i] * arb(k) / 2
        for i, (x, k) in enumerate(zip(problem.point, shift, strict=True))
    )
    return value(problem, moved, outputs)


def value(problem: Problem, arguments: tuple, outputs: int) -> tuple[acb, ...] | None:
    try:
        given = problem.expression(*arguments)
    except FAILURES:
        return None
    return tuple(acb(y) if y is not None else None for y in given)


def sizes_around(
    problem: Problem, radii: Sequence[arb], moved: Sequence[int], outputs: int
) -> list[arb | None]:
    """Of each output's size, where the arguments in `moved` are within their radii."""
    plain = _sizes(problem, [_around(problem, radii, moved, {})], outputs)
    circled = [i for i in moved if i in problem.removable]
    if None not in plain or len(circled) != 1:  # circles of several arguments take too many balls
        return plain
    turns = [acb(arb(2 * k) / ARCS).exp_pi_i() for k in range(ARCS)]
    covers = (_around(problem, radii, moved, {circled[0]: turn}) for turn in turns)
    circles = _sizes(problem, covers, outputs)
    return [a if a is not None else b for a, b in zip(plain, circles, strict=True)]


def _around(problem: Problem, radii: Sequence[arb], moved: Sequence[int], circled: dict[int, acb]) -> tuple:
    """Balls around the point; or around a point of the circle, large enough to hold its arc."""
    arguments = list(problem.point)
    for i in moved:
        center, radius = problem.point[i], radii[i]
        if i in circled:
            center, radius = center + circled[i] * radius, radius * 4 / ARCS
        arguments[i] = center + acb(arb(0, radius), arb(0, radius))
    return tuple(arguments)


def _sizes(problem: Problem, covers: Any, outputs: int) -> list[arb | None]:
    largest: list[arb | None] = [arb(0)] * outputs
    for arguments in covers:
        values = value(problem, arguments, outputs) or (None,) * outputs
        for k, y in enumerate(values):
            if largest[k] is not None:
                largest[k] = largest[k].max(y.abs_upper()) if y is not None and y.is_finite() else None
        if all(x is None for x in largest):
            break
    return largest


def _difference(
    index: Index,
    values: Callable,
    bounds: Callable,
    radii: Sequence[arb],
    steps: Sequence[arb],
    smaller: int,
    outputs: int,
    real: bool,
) -> list[acb | None]:
    """At a real point, what Arb calls real at all nodes (an imaginary part of exactly 0) is a real function."""
    stencils = [[(n - 2 * k, (-1) ** k * math.comb(n, k)) for k in range(n + 1)] for n in index]
    totals: list[Any] = [acb(0)] * outputs
    for nodes in itertools.product(*stencils):
        found, weight = values(tuple(k for k, _ in nodes)), math.prod(w for _, w in nodes)
        for k in range(outputs):
            y = found[k] if found else None
            totals[k] = totals[k] + y * weight if y is not None and totals[k] is not None else None
    if not any(index):
        return totals
    scale, cauchy = arb(1), arb(1)
    for n, r, h in zip(index, radii, steps, strict=True):
        scale, cauchy = scale * h**n, cauchy * r**n
    rest = _remainder(index, arb(2) ** -smaller)
    balls: list[acb | None] = []
    for total, most in zip(totals, bounds(tuple(i for i, n in enumerate(index) if n)), strict=True):
        if total is None or most is None:
            balls.append(None)
        else:
            error = (most / cauchy * rest).upper()
            turned = 0 if real and total.imag.is_zero() else error
            balls.append(total / scale + acb(arb(0, error), arb(0, turned)))
    return balls


def _remainder(index: Index, q: arb) -> arb:
    """What a product of differences leaves out, in units of M / R**n."""
    first, whole = arb(1), arb(1)
    for n in filter(None, index):
        term = arb(2) ** n * (arb(n) / 2) ** n
        ratio = (q * n / 2) ** 2
        first, whole = first * math.factorial(n), whole * (math.factorial(n) + term * ratio / (1 - ratio))
    return whole - first


def _remembered(function: Callable) -> Callable:
    known: dict = {}

    def call(key: Any) -> Any:
        if key not in known:
            known[key] = function(key)
        return known[key]

    return call


def number(ball: acb | None, real: bool) -> Any:
    """The middle of a ball that is small enough, as an mpmath number."""
    if ball is None or not ball.is_finite():
        return None
    if real:
        if not ball.imag.contains(0):
            return None
        ball = acb(ball.real)
    size = ball.abs_lower()
    if not size > 0 or not max_radius(ball) <= size * arb(2) ** -PROVEN:
        return None
    parts = [_part(x) for x in (ball.real, ball.imag)]
    if None in parts:
        return None
    with mpmath.workprec(BITS[-1] * 2):  # mpc rounds its parts
        return parts[0] if real else mpmath.mpc(*parts)


def max_radius(ball: acb) -> arb:
    return ball.real.rad().max(ball.imag.rad())


def _part(x: arb) -> Any:
    if x.is_zero():
        return mpmath.mpf(0)
    if not x.abs_lower() > 0 or not x.rad() <= x.abs_lower() * arb(2) ** -PARTS:
        return None
    mantissa, exponent = x.mid().man_exp()
    with mpmath.workprec(BITS[-1] * 2):
        return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))
