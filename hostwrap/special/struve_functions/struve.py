"""d^i/dv^i d^j/dx^j of Struve's functions H_v(x) and L_v(x).

On the negative axis real values exist for integer v only, so there is no derivative in v: it is NaN.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import falling_factorial
from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special.bessel._ascending import ascending, at_zero
from hostwrap.special.integrals._divided import divided_n
from hostwrap.special.struve_functions._even import near_even
from hostwrap.special.struve_functions._integrals import by_bessel, by_modified_bessel, poisson

SMALL = 5.0  # up to here the series of H loses 2 digits at most
LOWEST, HIGHEST = -1e3, 1e4  # beyond these orders the series and the sine integrals would take too many terms
DEEP = -25.0  # from this order on downwards the series of L loses more than 3 digits amid 2 sqrt(-v) < x < -v


@pointwise
def struve_n(v, x, *, dv, dx):
    """H, from its series, from a sine integral for large orders, and from K = H - Y for large arguments.

    The series cancels, and K and Y do not, by factors exp(x^2 / |2v|).
    """

    def right(v, x):
        few = (x < SMALL) | (x * x < 4 * np.abs(v))
        cases = [
            (few & (v < LOWEST), lambda v, x: np.full_like(x, np.nan)),
            (few, lambda v, x: _series(v, x, dv, dx, -1)),
            ((v > x) & (v >= 6), lambda v, x: poisson(v, x, dv, dx)),
            (None, lambda v, x: by_bessel(v, x, dv, dx)),
        ]
        return piecewise([v, x], cases)

    return _on_both_sides(v, x, dv, dx, -1, right)


@pointwise
def modstruve_n(v, x, *, dv, dx):
    """L, all terms of whose series have one sign, or do as soon as they count, but for large v < 0."""

    def right(v, x):
        value = sc.modstruve(v, x)
        cancelling = (v < DEEP) & (x < -v) & (x * x > -4 * v)
        side = (-np.where(v < 0, -1.0, 1.0)) ** dv  # far out, L falls with |v|
        beyond = np.isinf(value) & (x > 1)
        return piecewise(
            [v, x, side * value],
            [
                (beyond, lambda v, x, limit: limit),
                ((np.abs(v) <= 0.25) & (x > SMALL), lambda v, x, _: near_even(v, x, dv, dx)),
                (v < LOWEST, lambda v, x, _: np.full_like(x, np.nan)),
                (cancelling, lambda v, x, _: by_modified_bessel(v, x, dv, dx)),
                (None, lambda v, x, _: _series(v, x, dv, dx, 1)),
            ],
        )

    return _on_both_sides(v, x, dv, dx, 1, right)


def _series(v, x, i, j, sign):
    return ascending(v, x / 2, [], i, **_terms(i, j, sign))


def _terms(i, j, sign):
    """DLMF 11.2.1 and 11.2.2, to be differentiated i times in v, and j times in x."""
    factor = lambda k, v: np.stack([f / 2.0**j for f in falling_factorial(v, j, i, 2 * k + 1)])
    return {"sign": sign, "e": 1 - j, "b": 1.5, "c": 1.5, "factor": factor}


def _on_both_sides(v, x, i, j, sign, right):
    """From x > 0 to all x: the limit at 0, and parity for x < 0, where v must be an integer."""
    parity = np.where((v == np.round(v)) & (i == 0), (-1.0) ** (np.round(v) + 1 + j), np.nan)
    cases = [
        (~np.isfinite(v + x) | (v > HIGHEST), lambda v, x, parity: np.full_like(x, np.nan)),
        (x == 0, in_python(lambda v, x, parity: at_zero(v, [], i, **_terms(i, j, sign)))),
        (
            (x > 0) | ~np.isnan(parity),
            lambda v, x, parity: np.where(x > 0, 1.0, parity) * right(v, np.abs(x)),
        ),
    ]
    return piecewise([v, x, parity], cases)


@pointwise
def struve_ratio_n(x, *, n):
    """d^n/dx^n of H_0(x)/x."""
    coefficients = [
        0.0 if m % 2 else (-0.25) ** (m // 2) / 2 * sc.rgamma(m / 2 + 1.5) ** 2 for m in range(48)
    ]
    return divided_n(x, n, lambda x, m: struve_n(np.zeros_like(x), x, dv=0, dx=m), coefficients, 3.0 + n / 2)
