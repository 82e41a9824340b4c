"""Roots in balls: Newton's method with a proof, for inverse functions.

Let y0 be a root of F(., A) nearly, and Y the ball of radius r around it. If y0 - F(y0, A) / F'(Y, A) is in the
inside of Y, then Y has one root for each point of A, and that root is analytic in A and in the smaller ball (interval
Newton's method). F' is a central difference, and its change within Y is at most r 2 M / (R - r)**2, by Cauchy's
estimate of F'' from M, the size of F in the ball of radius R.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flint
import numpy as np
from flint import acb, arb

from tests.reference.arb.functions import NAN

FIRST = 100  # bits of the first steps
WIDTHS = (-6, -12, -20, -40, -80, -160)  # of the ball in which F is bounded, as powers of 2


def inverse(function: Callable, guess: Callable) -> Callable:
    """(arguments) -> y with function(y, arguments) = 0, next to guess(arguments as doubles)."""

    def root(*args: Any) -> acb:
        numbers = [x if isinstance(x, int) else float(x.real.mid()) for x in args]
        start = np.nan_to_num(float(guess(*numbers)), posinf=0, neginf=0)
        middles = [x if isinstance(x, int) else acb(x.real.mid(), x.imag.mid()) for x in args]
        y = _newton(lambda t: function(t, *middles), acb(start)) if start else None
        if y is None:
            return NAN
        whole = lambda t: function(t, *args)
        for width in WIDTHS:
            found = _enclosed(whole, y, abs(y).mid() * arb(2) ** width)
            if found is not None:
                return found
        return NAN

    return root


def _newton(function: Callable, y: acb) -> acb | None:
    """The digits double with the precision."""
    full, start = flint.ctx.prec, y
    bits = [FIRST, FIRST]
    while bits[-1] < full:
        bits.append(min(full, 2 * bits[-1] - FIRST // 2))
    for precision in bits:
        with flint.ctx.workprec(precision):
            h = abs(y).mid() * arb(2) ** -(precision // 3)
            step = function(y) * 2 * h / (function(y + h) - function(y - h))
            y = acb((y - step).real.mid(), (y - step).imag.mid())
            if not (step.is_finite() and abs(y - start) < abs(start) / 8):
                return None
    return y


def _enclosed(function: Callable, y: acb, radius: arb) -> acb | None:
    """The root next to y, if it is shown to be there and alone."""
    q = arb(1) / 16  # a few digits of the slope are enough
    most = function(_around(y, radius)).abs_upper()
    h = radius * q
    slope = (function(y + h) - function(y - h)) / (2 * h) + _around(acb(0), most / radius * q**2 / (1 - q**2))
    value = function(y)
    if not (most.is_finite() and slope.is_finite() and value.is_finite() and slope.abs_lower() > 0):
        return None
    inside = (2 * value.abs_upper() / slope.abs_lower()).mid()
    if not inside < radius / 4:
        return None
    change = 2 * most * inside / (radius - 2 * inside) ** 2
    found = y - value / (slope + _around(acb(0), 2 * change))
    return found if _around(y, inside).contains_interior(found) else None


def _around(y: acb, radius: arb) -> acb:
    r = radius.upper()
    return y + acb(arb(0, r), arb(0, r))
