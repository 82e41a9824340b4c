"""L for orders near 0, where it is nearly even in v: its derivatives in v are far smaller than it is.

L = I + M (DLMF 11.2.6), the Bessel function from integrals whose odd derivatives come out small by themselves.
"""

import functools

import numpy as np

from hostwrap.special._numerics.quadrature import gauss_legendre, sums
from hostwrap.special.struve_functions._integrals import assembled

FAR = 22.5  # exp(-2 FAR) is negligible
NODES = 64
STEP, LEFT, RIGHT = 0.1, -3.3, 4.7  # double exponential steps: (1 - t)^(-3/4) is left at 1 - t = e^-170


def near_even(v, x, i, j):
    """d^i/dv^i d^j/dx^j of L for |v| <= 1/4, x >= 5."""
    return _bessel(v, x, i, j) - _rest(v, x, i, j)


def _bessel(v, x, i, j):
    """pi I = int_0^pi exp(x cos s) cos(v s) ds - sin(pi v) int_0^inf exp(-v t - x cosh t) dt, DLMF 10.32.4."""
    wave, sign = (np.sin if i % 2 else np.cos), (-1) ** ((i + 1) // 2)

    def circle(y, w, v, x, end):
        s = end * y
        e = end * w * np.exp(-2 * x * np.sin(s / 2) ** 2) * np.cos(s) ** j
        return [e * s**i * wave(v * s)]

    def line(y, w, v, x, end):
        t = end * y
        e = end * w * np.exp(-x * np.cosh(t)) * (-np.cosh(t)) ** j
        return [(e * (1j * np.pi - t) ** i * np.exp((1j * np.pi - t) * v)).imag]

    nodes = gauss_legendre(NODES)
    around = sign * sums(circle, nodes, [v, x, 2 * np.arcsin(np.minimum(np.sqrt(FAR / x), 1))])[0]
    along = sums(line, nodes, [v, x, np.arccosh(1 + 2 * FAR / x)])[0]
    half = np.exp(x / 2)
    return (half * (half * around) - along) / np.pi


def _rest(v, x, i, j):
    """-M = 2 (x/2)^v / (sqrt(pi) Gamma(v + 1/2)) int_0^1 (1 - t^2)^(v - 1/2) exp(-x t) dt, DLMF 11.5(i)."""

    def integrand(t, gap, w, v, x):
        log = np.log(gap) + np.log1p(t)
        e = w * np.exp((v - 0.5) * log - x * t)
        return lambda r, m: e * (-t) ** r * log**m

    return assembled(v, x, i, j, integrand, _double_exponential(), [v, x])


@functools.cache
def _double_exponential():
    """Nodes t on (0, 1), 1 - t, and weights (Takahasi and Mori 1974)."""
    u = np.arange(LEFT, RIGHT, STEP)
    q = np.exp(-np.pi * np.sinh(u))
    t, gap = 1 / (1 + q), q / (1 + q)
    return t, gap, STEP * np.pi * np.cosh(u) * t * gap
