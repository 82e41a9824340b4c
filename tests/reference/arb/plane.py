"""Expressions for the whole plane, where those of the tables cancel or are for real arguments.

A function that is not holomorphic has one more argument, `up`: what is added to the imaginary part of z.
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

    def g(v: Any, z: acb, up: acb) -> acb:
        z = acb(z) + I * up
        return f(v, z) * acb(-abs(getattr(z, part))).exp()

    return Expression(g)


def airye(z: acb, up: acb) -> tuple[acb, ...]:
    z = acb(z) + I * up
    ai, aip, bi, bip = z.airy()
    zeta = 2 * z * sqrt(z) / 3
    below = acb(-abs(zeta.real)).exp()
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
