"""Derivatives of order 3 to 10 of the functions of the catalogue, one argument at a time, beside two oracles.

All orders of all points come by one `jax.experimental.jet`. What is true says Arb, which proves its coefficients, or
where it does not serve mpmath's `taylor`. An error is relative to the derivative and to its condition number: what a
relative change of the argument makes of it, which the next derivative says, and where that is not enough, what such
changes of the others make of it. That of a derivative that is 0 is relative to the largest term of the series.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import scipy.special
from jax.experimental.jet import jet

from hostwrap import MissingDerivative
from hostwrap.special._entry import integer
from hostwrap.special._families import public
from hostwrap.special._function import Special
from hostwrap.special._notation import REQUIRED
from tests._kit.clock import ending
from tests.reference.both import HAS_ARB

HIGHEST, FEWER = 10, (6, 4)
PLACES = (0.41, 0.07, 0.22, 0.63, 0.88)  # of the boxes
DIGITS = 40
SMALL = 1e-11  # an error that does not ask for the condition in the other arguments
CHANGE = 2.0**-24  # of an argument, relative
NOTHING = 1e-30  # of the largest term of a Taylor series: the derivative is 0
FAILURES = (TimeoutError, ArithmeticError, ValueError, TypeError, mpmath.libmp.NoConvergence)


@dataclasses.dataclass(frozen=True)
class Row:
    """`points` were compared, `proven` of them with Arb; `orders` is the highest that was measured, up to 10.

    Errors are the largest ones of orders 3 to 6 and 7 to 10, `nans` the derivatives that are NaN.
    """

    function: str
    argument: str
    points: int
    proven: int
    orders: int
    nans: int
    to_six: float
    to_ten: float


def arguments(function: Special) -> list[int]:
    """The places of those that are differentiated in."""
    boxes = function.boxes
    return [
        i
        for i, a in enumerate(function.args)
        if not isinstance(boxes[a], integer) and a in function.rules and a != "cv"
    ]


def functions() -> dict[str, Special]:
    """Those that mpmath's definitions are there for, without required statics."""
    return {
        name: f
        for name, f in public().items()
        if isinstance(f, Special) and REQUIRED not in f.statics.values()
    }


def measured(function: Special, i: int, seconds: float = 4.0) -> Row | None:
    """The errors at the points of `PLACES`; None where no oracle has an answer in that time for each.

    Of what takes mpmath longer there are fewer orders, at two points.
    """
    points = [point_of(function, place) for place in PLACES]
    exact = [_proven(function, i, point) for point in points]
    proven = sum(e is not None for e in exact)
    oracle = _proven if proven else functools.partial(_by_mpmath, seconds=seconds)
    if not proven:
        exact = [oracle(function, i, point) for point in points]
        for highest in FEWER:
            if not any(exact):
                points = points[:2]
                oracle = functools.partial(_by_mpmath, seconds=seconds, highest=highest)
                exact = [oracle(function, i, point) for point in points]
    known = [k for k, e in enumerate(exact) if e is not None]
    if not known:
        return None
    found = _ours(function, i, [points[k] for k in known])
    rows = []
    for column, k in enumerate(known):
        others = functools.cache(lambda k=k: _by_others(function, i, points[k], exact[k], oracle))
        shares = [max(abs(points[k][i]), 1.0) ** n / math.factorial(n) for n in range(HIGHEST + 2)]
        largest = max(abs(share * e) for share, e in zip(shares, exact[k], strict=False))  # type: ignore[arg-type]
        for n in range(3, min(len(found), len(exact[k]) - 2) + 1):  # type: ignore[arg-type]
            if shares[n] * abs(exact[k][n]) <= NOTHING * largest:  # type: ignore[index]
                rows.append((n, float(shares[n] * abs(found[n - 1][column]) / (largest or 1.0))))
                continue
            want, after = exact[k][n : n + 2]  # type: ignore[index]
            scale = abs(want) + abs(points[k][i] * after)
            if 1e-290 < scale < 1e290:
                error = abs(found[n - 1][column] - want)
                scale += others()[n] if error > SMALL * scale else 0.0
                rows.append((n, float(error / scale)))
    if not rows:
        return None
    worst = lambda orders: max((e for n, e in rows if n in orders and e == e), default=0.0)
    return Row(
        function.name,
        function.args[i],
        len(known),
        proven,
        max(n for n, _ in rows),
        sum(e != e for _, e in rows),
        worst(range(3, 7)),
        worst(range(7, HIGHEST + 1)),
    )


def _by_others(function: Special, i: int, point: list, terms: Any, oracle: Callable) -> np.ndarray:
    """What relative changes of the other real arguments make of each derivative, together."""
    total = np.zeros(len(terms))
    for j, x in enumerate(point):
        if j != i and isinstance(x, float):
            near = [*point[:j], x * (1 + CHANGE), *point[j + 1 :]]
            moved = oracle(function, i, near)
            if moved is not None:
                total += np.abs(np.subtract(moved, terms)) / CHANGE
    return total


def point_of(function: Special, place: float) -> list:
    point = [_at(box, place) for box in function.boxes.values()]
    if "cv" in function.args:  # a spheroidal function only where it is the characteristic value of m, n and c
        k = function.args.index("cv")
        point[k] = float(getattr(scipy.special, f"{function.name.partition('_')[0]}_cv")(*point[:k]))
    return point


def _at(box: Any, place: float) -> float | int:
    if isinstance(box, integer):
        return min(box.high, box.low + 2)
    if box.low > 0 and box.high > 20 * box.low:  # in the middle of the decades
        return float(box.low ** (1 - place) * box.high**place)
    return float(box.low + place * (box.high - box.low))


def _proven(function: Special, i: int, point: list) -> list[complex] | None:
    if not HAS_ARB:
        return None
    from tests.reference.arb import oracle

    terms = oracle.taylor(function, point, i, HIGHEST + 1)
    return None if None in terms else list(map(_double, terms))


def _by_mpmath(
    function: Special, i: int, point: list, seconds: float = 4.0, highest: int = HIGHEST
) -> list[complex] | None:
    with contextlib.suppress(*FAILURES), mpmath.workdps(DIGITS), ending(seconds):
        exact = [mpmath.mpf(x) if isinstance(x, float) else x for x in point]

        def along(t: Any) -> Any:
            value = function.ref(mpmath.mp, *exact[:i], t, *exact[i + 1 :], **function.statics)
            return value[0] if isinstance(value, tuple | list) else value

        terms = mpmath.taylor(along, exact[i], highest + 1)
        return [_double(c * mpmath.factorial(n)) for n, c in enumerate(terms)]
    return None


def _double(x: Any) -> complex:
    """Infinite beyond the doubles."""
    try:
        return complex(x)
    except OverflowError:
        return complex(np.inf)


def _ours(function: Special, i: int, points: list[list]) -> list[np.ndarray]:
    """The derivatives from the first on, as many as there are, each at all points."""
    columns = [jnp.asarray(column) for column in zip(*points, strict=True)]

    def along(t: Any) -> Any:
        return jax.tree.leaves(function(*columns[:i], t, *columns[i + 1 :]))[0]

    for order in (HIGHEST, 6, 4):
        with contextlib.suppress(MissingDerivative):
            return [np.asarray(t) for t in _series(along, columns[i], order)]
    return []


def _series(f: Callable, x: Any, order: int) -> list:
    return jet(f, (x,), ([jnp.ones_like(x), *[jnp.zeros_like(x)] * (order - 1)],))[1]


def highest(function: Special, i: int, most: int = 4) -> int:
    """How often the first result can be differentiated in an argument, asked up to so many times."""
    point = [_at(box, 0.5) for box in function.boxes.values()]
    slope: Callable = lambda t: jax.tree.leaves(function(*point[:i], t, *point[i + 1 :]))[0]
    for order in range(most):
        slope = _slope(slope)
        try:
            jax.eval_shape(slope, jax.ShapeDtypeStruct((), jnp.float64))
        except MissingDerivative:
            return order
    return most


def _slope(f: Callable) -> Callable:
    return lambda t: jax.jvp(f, (t,), (jnp.ones_like(t),))[1]
