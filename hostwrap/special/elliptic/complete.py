"""Derivatives of the complete integrals K and E in the complementary parameter p = 1 - m."""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.elliptic.carlson import integral
from hostwrap.special.elliptic.legendre import rising

NEAR = 0.25  # |m| below which the closed forms of the first derivatives would cancel
TERMS = 28


@pointwise
def first_n(p, *, dp):
    """(d/dp)^n K, n > 0: K = R_F(0, 1, p) (DLMF 19.25.1)."""
    if dp > 1:
        return (-1) ** dp * rising(0.5, dp) / 2 * integral(0.0, 1.0, p, 1.0, i=0, j=0, k=dp, n=0, e=0)
    return _first_derivative(p, _first_closed, _coefficients(0.5))


@pointwise
def second_n(p, *, n):
    """(d/dp)^n E, n > 0: E' = R_D(0, p, 1) / 6 (DLMF 19.25.1)."""
    if n > 1:
        scale = (-1) ** (n - 1) * rising(0.5, n - 1) / 4
        return scale * integral(0.0, p, 1.0, 1.0, i=0, j=n - 1, k=1, n=0, e=0)
    return _first_derivative(p, _second_closed, _coefficients(-0.5))


def _first_derivative(p, closed, coefficients):
    series = lambda p: -np.polynomial.polynomial.polyval(1 - p, coefficients)
    return piecewise((p,), [(np.abs(1 - p) < NEAR, series), (np.isinf(p), np.zeros_like), (None, closed)])


def _first_closed(p):
    """-(E - p K) / (2 m p), DLMF 19.4.1."""
    below = np.where(p == 0, 0, p * sc.ellipkm1(p))
    return (below - sc.ellipe(1 - p)) / (2 * (1 - p)) / p


def _second_closed(p):
    """-(E - K) / (2 m), DLMF 19.4.2."""
    return (sc.ellipkm1(p) - sc.ellipe(1 - p)) / (2 * (1 - p))


@functools.cache
def _coefficients(a):
    """Of the derivative in m of (pi/2) 2F1(a, 1/2; 1; m) (DLMF 19.5.1, 19.5.2)."""
    terms = [math.prod((a + i) * (0.5 + i) / (1 + i) ** 2 for i in range(k)) for k in range(1, TERMS)]
    return np.pi / 2 * np.arange(1, TERMS) * terms
