"""The arithmetic-geometric mean."""

from hostwrap.special._entry import real, special
from hostwrap.special._math import abs, pi, sign, sqrt, where
from hostwrap.special.elementary.entries_information import quotient
from hostwrap.special.elliptic.entries import ellipem1_n

__all__ = ["agm"]

FAR = 1e10  # a ratio whose square is nothing beside 1; further out, its derivative may underflow

# agm(a, b) = (pi/2) a / K(1 - (b/a)^2) (DLMF 19.8.5), so its derivative in a is (4/pi) (agm/a)^2 times that of
# E(1 - p) at p = (b/a)^2.


def mean_slope(m, a, b):
    """The derivative of m = agm(a, b) in a. At a = 0 it is infinite, at b = 0 zero, both with infinite derivatives.

    By `quotient`, since JAX differentiates a / b with b^-2, which is 0 for large b.
    """
    a_inside, b_inside = where(a == 0, 1.0, a), where(b == 0, 1.0, b)
    ratio, part = quotient(b_inside, a_inside), quotient(m, a_inside)
    near = where((ratio > 1 / FAR) & (ratio < FAR), ratio, 1.0)
    slope = 4 / pi * part**2 * ellipem1_n(near * near, n=1)
    # else agm(a, b) = (pi/2) a / log(4 a / b), or the same with a and b exchanged
    slope = where(ratio <= 1 / FAR, part - 2 / pi * part**2, slope)
    slope = where(ratio >= FAR, 2 / pi * quotient(quotient(m, b_inside) * m, a_inside), slope)
    at_zero = where(b == 0, sign(a) * sqrt(where(b == 0, b, 1.0)), abs(b) / (a + 0.0))  # + 0.0: not -0.0
    return where((a == 0) | (b == 0), at_zero, slope)


agm = special(
    "agm(a, b)",
    da=lambda m, a, b: mean_slope(m, a, b),
    db=lambda m, a, b: mean_slope(m, b, a),
    ref=lambda mp, a, b: mp.sign(a) * mp.agm(mp.fabs(a), mp.fabs(b)),
    a=real(0, 100),
    b=real(0, 100),
    at=[(3.0, 3.0), (1.0, 1.0 + 1e-9), (-2.0, -5.0), (1e-6, 1e5), (1e8, 1e-6)],
    see="DLMF 19.8.5",
)
