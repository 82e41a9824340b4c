"""Taylor coefficients of an expression in balls, along one argument: Cauchy's integral as a sum over a circle.

With N nodes on a circle of radius r the sum is c[k] + c[k + N] r**N + c[k + 2 N] r**(2 N) + ..., and where the
function is at most M within R of the point, |c[j]| <= M / R**j: so what is too much is at most M / R**k times q / (1 -
q), q = (r / R)**N.
"""

from __future__ import annotations

from typing import Any

import flint
from flint import acb, arb

from tests.reference.arb import balls

NODES = 64
SMALLER, SIZES = 6, (4, 10, 20)  # r is 2**-6 R, and R one of these powers of 1/2 times the argument
SPARE = 160  # bits, for what a function itself loses


def coefficients(problem: balls.Problem, slot: int, highest: int, outputs: int = 1) -> list[Any]:
    """Of the first output, order 0 to `highest`, as mpmath numbers right to 106 bits; None where that is not shown."""
    found: list[Any] = [None] * (highest + 1)
    for size in SIZES:
        for bits in (1, 2, 4):
            precision = bits * (SPARE + highest * (size + SMALLER))
            enclosed = _enclosures(problem, slot, highest, size, precision, outputs)
            found = [
                old if old is not None else balls.number(ball, problem.real)
                for old, ball in zip(found, enclosed, strict=True)
            ]
            if None not in found:
                return found
            if all(ball is None for ball in enclosed):
                break
    return found


def _enclosures(
    problem: balls.Problem, slot: int, highest: int, size: int, bits: int, outputs: int
) -> list[acb | None]:
    with flint.ctx.workprec(bits + balls.PROVEN):
        radii = [balls.radius(x, -size) for x in problem.point]
        most = balls.sizes_around(problem, radii, (slot,), outputs)[0]
        if most is None:
            return [None] * (highest + 1)
        large, small = radii[slot], radii[slot] * arb(2) ** -SMALLER
        turns = [acb(arb(2 * j) / NODES).exp_pi_i() for j in range(NODES)]
        values = []
        for turn in turns:
            moved = [*problem.point]
            moved[slot] = moved[slot] + turn * small
            given = balls.value(problem, tuple(moved), outputs)
            if given is None or given[0] is None:
                return [None] * (highest + 1)
            values.append(given[0])
        beyond = arb(2) ** (-SMALLER * NODES)
        rest = most * beyond / (1 - beyond)
        return [
            sum((y * turns[-j * k % NODES] for j, y in enumerate(values)), acb(0)) / NODES / small**k
            + _square((rest / large**k).upper())
            for k in range(highest + 1)
        ]


def _square(error: arb) -> acb:
    return acb(arb(0, error), arb(0, error))
