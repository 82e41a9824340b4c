"""Errors in ULP: how many floating-point numbers lie between ours and the exact value of mpmath."""

from collections.abc import Callable

import mpmath
import numpy as np

mpmath.mp.dps = 40


def exact(f: Callable, *args: float, orders: tuple[int, ...] = ()) -> mpmath.mpf:
    """f, or its partial derivative of these orders, at the exact values of these floating-point numbers."""
    point = tuple(map(mpmath.mpf, args))
    if not any(orders):
        return f(*point)
    with mpmath.workdps(60):  # numerical differentiation costs digits
        return +mpmath.diff(f, point if len(point) > 1 else point[0], orders if len(point) > 1 else orders[0])


def ulp(ours: float, reference: mpmath.mpf) -> float:
    """The error of `ours` in units in the last place of the reference."""
    spacing = float(np.spacing(max(abs(float(reference)), np.finfo(float).tiny)))
    return float(abs(mpmath.mpf(float(ours)) - reference) / spacing)


class Table:
    """Lines `what, ours, mpmath, error`, printed as they come."""

    def __init__(self, title: str) -> None:
        print(f"\n{title}\n\n  {'':<38}{'hostwrap':>24}{'mpmath':>24}{'ULP':>8}")

    def row(self, what: str, ours: float, reference: mpmath.mpf) -> None:
        exact_text = mpmath.nstr(reference, 17, strip_zeros=False)
        print(f"  {what:<38}{float(ours):>24.16g}{exact_text:>24}{ulp(ours, reference):>8.1f}")
