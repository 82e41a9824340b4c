"""The second oracle: derivatives of the catalogue's functions by Arb, beside mpmath's of their definitions."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import mpmath
from flint import acb

from tests.reference.arb import (
    balls,
    series,
    table_bessel,
    table_elementary,
    table_gamma,
    table_hypergeometric,
)
from tests.reference.arb.expressions import Expression, Slopes
from tests.reference.entries import Index, is_integer

TABLE: dict[str, Expression | Slopes] = (
    table_gamma.TABLE | table_bessel.TABLE | table_hypergeometric.TABLE | table_elementary.TABLE
)


def expression(function: Any) -> Expression | Slopes | None:
    """The table's; of a kernel `NAME_n(..., *, dx, ...)` the derivative of NAME's."""
    found = TABLE.get(function.name)
    base = TABLE.get(function.name.removesuffix("_n"))
    if found is None and isinstance(base, Expression):
        orders = {s[1:]: s for s in function.statics if s[:1] == "d"}
        if orders and set(orders) <= set(function.args):
            found = Slopes(base, orders)
    return found


def derivatives(
    function: Any, statics: dict, point: Sequence[complex], indices: Sequence[Index], is_complex: bool
) -> list[list[Any]]:
    """For each index the outputs, as mpmath numbers; None where Arb does not serve."""
    outputs, names = max(1, len(function.outs)), function.args
    nothing: list[list[Any]] = [[None] * outputs for _ in indices]
    found = expression(function)
    if found is None or (is_complex and function.imaginary):
        return nothing
    slopes = found if isinstance(found, Slopes) else Slopes(found, {})
    of = slopes.of.on(is_complex)
    shifts = slopes.shifts(names, statics)
    wanted = [[tuple(map(sum, zip(index, s, strict=True))) for s in shifts] for index in indices]
    each = sorted({w for row in wanted for w in row})
    base_outputs = outputs if len(shifts) == 1 else 1
    problem = _problem(function, of, statics, point, is_complex)
    known = dict(zip(each, balls.derivatives(problem, each, base_outputs), strict=True))
    if len(shifts) == 1:
        return [known[row[0]] for row in wanted]
    return [[known[w][0] for w in row] for row in wanted]


def taylor(function: Any, point: Sequence[float], slot: int, highest: int) -> list[Any]:
    """The derivatives of order 0 to `highest` of the first output in one argument; None where Arb does not serve."""
    found = expression(function)
    nothing = [None] * (highest + 1)
    if found is None:
        return nothing
    slopes = found if isinstance(found, Slopes) else Slopes(found, {})
    shifts = slopes.shifts(function.args, function.statics)
    if sum(shifts[0]) != shifts[0][slot]:
        return nothing
    problem = _problem(function, slopes.of.on(False), function.statics, point, False)
    outputs = max(1, len(function.outs)) if len(shifts) == 1 else 1
    terms = series.coefficients(problem, slot, highest + shifts[0][slot], outputs)
    with mpmath.workprec(2 * balls.PROVEN):
        numbers = [None if c is None else c * math.factorial(k) for k, c in enumerate(terms)]
    return numbers[shifts[0][slot] :]


def _problem(
    function: Any, of: Expression, statics: dict, point: Sequence[complex], is_complex: bool
) -> balls.Problem:
    names = function.args
    return balls.Problem(
        functools.partial(of, **used(of, statics)),
        tuple(
            int(complex(x).real) if is_integer(function, a) else acb(complex(x).real, complex(x).imag)
            for a, x in zip(names, point, strict=True)
        ),
        frozenset(names.index(a) for a in of.removable if a in names),
        not (is_complex or of.oblique or getattr(function, "complex_result", False)),
    )


def used(of: Expression, statics: dict) -> dict:
    """Those of the statics that the expression asks for."""
    return {name: value for name, value in statics.items() if of.takes(name)}
