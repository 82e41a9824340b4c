"""exp(i c x^2), c = +-1, and what remains of its integral over (x, inf) when that wave is divided out."""

import math

import numpy as np

from hostwrap.special._numerics.parts import as_complex
from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special.error.faddeeva import erfcx_n
from hostwrap.special.error.gauss import clipped, product

HUGE = 1e150  # whose square is finite


def chirp_n(x, *, c, n):
    """d^n/dx^n exp(i c x^2), by y_{k+1} = 2 i c (x y_k + k y_{k-1}); x^2 comes as the sum of two numbers."""
    x = clipped(x, HUGE)
    square, rest = product(x, x)
    before, now = 0.0, np.exp(1j * c * square) * np.exp(1j * c * rest)
    for k in range(n):
        before, now = now, 2j * c * (x * now + k * before)
    return now


def chirp_rest_n(x, *, c, n):
    """d^n/dx^n of K(x) = exp(-i c (x^2 + pi/4)) / sqrt(pi) int_x^inf exp(i c t^2) dt = erfcx(t) / 2, t = x / sqrt(i c).

    Left of 0 the wave comes in: K(x) = exp(-i c x^2) - K(-x).
    """
    turn = complex(1, -c) * math.sqrt(0.5)

    def right(x):
        return turn**n / 2 * erfcx_n(turn * x, dx=n)

    left = lambda x: chirp_n(x, c=-c, n=n) - (-1) ** n * right(-x)
    return piecewise([as_complex(x)], [(x < 0, lambda z: left(z.real)), (None, lambda z: right(z.real))])
