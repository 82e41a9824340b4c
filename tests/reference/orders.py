"""Derivatives of order 3 to 10 of the functions of the catalogue, one argument at a time, beside mpmath's `taylor`.

All orders come by one `jax.experimental.jet`. An error is relative to the derivative and to its condition number: what
a relative change of the argument makes of it, which the next derivative says.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
from jax.experimental.jet import jet

from hostwrap import MissingDerivative
from hostwrap.special._entry import integer
from hostwrap.special._families import public
from hostwrap.special._function import Special
from hostwrap.special._notation import REQUIRED
from tests._kit.clock import ending

HIGHEST = 10
PLACES = (0.41,)  # of the boxes
DIGITS = 40


@dataclasses.dataclass(frozen=True)
class Row:
    """`orders` is the highest that was measured, up to 10; errors are the largest ones of orders 3 to 6 and 7 to 10."""

    function: str
    argument: str
    points: int
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
    """The errors at the points of `PLACES`; None where nothing came of it in that time for each."""
    found, rows = [], []
    for place in PLACES:
        point = [_at(box, place) for box in function.boxes.values()]
        with contextlib.suppress(TimeoutError, ArithmeticError, ValueError, mpmath.libmp.NoConvergence):
            with ending(seconds, clock="REAL"):
                exact = _exact(function, i, point)
            with ending(3 * seconds, clock="REAL"):
                found.append((_ours(function, i, point), exact, point[i]))
    for ours, exact, x in found:
        for n in range(3, len(ours) + 1):
            want, after = exact[n], exact[n + 1]
            scale = abs(want) + abs(x * after)
            if scale > 1e-290:
                rows.append((n, abs(ours[n - 1] - want) / scale))
    if not rows:
        return None
    worst = lambda orders: max((e for n, e in rows if n in orders and e == e), default=0.0)
    return Row(
        function.name,
        function.args[i],
        len(found),
        max(n for n, _ in rows),
        sum(e != e for _, e in rows),
        worst(range(3, 7)),
        worst(range(7, HIGHEST + 1)),
    )


def _at(box: Any, place: float) -> float | int:
    if isinstance(box, integer):
        return min(box.high, box.low + 2)
    if box.low > 0 and box.high > 20 * box.low:  # in the middle of the decades
        return float(box.low ** (1 - place) * box.high**place)
    return float(box.low + place * (box.high - box.low))


def _exact(function: Special, i: int, point: list) -> list[complex]:
    with mpmath.workdps(DIGITS):
        exact = [mpmath.mpf(x) if isinstance(x, float) else x for x in point]

        def along(t: Any) -> Any:
            value = function.ref(mpmath.mp, *exact[:i], t, *exact[i + 1 :], **function.statics)
            return value[0] if isinstance(value, tuple | list) else value

        terms = mpmath.taylor(along, exact[i], HIGHEST + 1)
        return [complex(c * mpmath.factorial(n)) for n, c in enumerate(terms)]


def _ours(function: Special, i: int, point: list) -> list[complex]:
    """The derivatives from the first on, as many as there are."""

    def along(t: Any) -> Any:
        return jax.tree.leaves(function(*point[:i], t, *point[i + 1 :]))[0]

    for order in (HIGHEST, 6, 4):
        with contextlib.suppress(MissingDerivative):
            return [complex(t) for t in _series(along, point[i], order)]
    return []


def _series(f: Callable, x: float, order: int) -> list:
    return jet(f, (jnp.asarray(x),), ([jnp.asarray(1.0), *[jnp.asarray(0.0)] * (order - 1)],))[1]


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
