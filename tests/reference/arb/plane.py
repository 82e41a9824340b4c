"""Expressions for the whole plane, where those of the tables cancel or are for real arguments.

Where a function is no holomorphic one, the conjugate of its complex argument is one more argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb

from tests.reference.arb.expressions import Expression, Slopes
from tests.reference.arb.functions import I, iv, jv, kv, normal_lower, pi, sqrt, yv
from tests.reference.arb.oracle import expression


def sign(x: Any) -> int:
    return 1 if x > 0 else -1


def hankel(kind: int, scaled: bool) -> Callable:
    """By K where it decays, DLMF 10.27.8: J and Y cancel there."""

    def h(v: Any, z: acb) -> acb:
        if sign(z.imag) == kind:
            y = -kind * 2 * I / pi() * (-kind * v / 2).exp_pi_i() * kv(v, -kind * I * z)
        else:
            y = jv(v, z) + kind * I * yv(v, z)
        return y * (-kind * I * z).exp() if scaled else y

    return h


def damped(f: Callable, part: str) -> Expression:
    """Times exp(-|Im z|) or exp(-|Re z|)."""

    def g(v: Any, z: acb, conjugate: acb) -> acb:
        size = (z - conjugate) / (2 * I) if part == "imag" else (z + conjugate) / 2
        return f(v, z) * (-sign(size.real) * size).exp()

    return Expression(g)


def airye(z: acb, conjugate: acb) -> tuple[acb, ...]:
    ai, aip, bi, bip = z.airy()
    zeta, other = (2 * t * sqrt(t) / 3 for t in (z, conjugate))
    size = (zeta + other) / 2
    below = (-sign(size.real) * size).exp()
    return zeta.exp() * ai, zeta.exp() * aip, below * bi, below * bip


PLANE: dict[str, Expression] = {
    "hankel1": Expression(hankel(1, False)),
    "hankel2": Expression(hankel(-1, False)),
    "hankel1e": Expression(hankel(1, True)),
    "hankel2e": Expression(hankel(-1, True)),
    "jve": damped(jv, "imag"),
    "yve": damped(yv, "imag"),
    "ive": damped(iv, "real"),
    "airye": Expression(airye),
    "log_ndtr": Expression(lambda x: normal_lower(x).log(analytic=True)),
}


def of(function: Any) -> Slopes | None:
    """None where Arb does not serve."""
    found = PLANE.get(function.name) or expression(function)
    if found is None or function.name == "wrightomega":
        return None
    slopes = found if isinstance(found, Slopes) else Slopes(found, {})
    return Slopes(slopes.of.on(True), slopes.orders, slopes.outputs)
