"""Functions of this folder in operations of JAX, for derivatives that XLA computes: as accurate, with the same NaNs."""

from math import factorial

from hostwrap.special._math import abs, exp, i0e, i1e, nan, where

TERMS = 11  # of the power series for |x| <= 1


def i0(x):
    return exp(abs(x)) * i0e(x)


def i1(x):
    return exp(abs(x)) * i1e(x)


def order_two_near(x, *, modified):
    square, step = (x / 2) ** 2, 1.0 if modified else -1.0
    total = 0.0
    for k in reversed(range(TERMS)):
        total = total * square + step**k / (factorial(k) * factorial(k + 2))
    return where(abs(x) <= 1, square * total, nan)
