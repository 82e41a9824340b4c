"""Integral representations of H for x not small, differentiated under the integral sign."""

import functools
import itertools
from math import comb

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import falling_factorial, product
from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.quadrature import gauss_legendre, reach, sums
from hostwrap.special.bessel import ik, jy
from hostwrap.special.bessel._ascending import power_over_gamma

PANELS = (0.0, 0.08, 0.25, 0.55, 1.0)
NODES = 16
LONGEST = 40.0
FAR = 44.0  # e^-44 is 8e-20
MODERATE = 900.0  # up to here the sine has less than 200 radians


def by_bessel(v, x, i, j):
    """H = Y + K for x > |v|, where K (DLMF 11.5(i)) is 2 (x/2)^v / (sqrt(pi) Gamma(v + 1/2)) times

    int_0^inf exp(-x t) (1 + t^2)^(v - 1/2) dt.
    """
    end = reach(lambda t: -x * t + (v - 0.5) * np.log1p(t * t), np.minimum(LONGEST, 1000 / x))

    def integrand(s, w, v, x, end):
        t = end * s
        log = np.log1p(t * t)
        e = np.exp(-x * t + (v - 0.5) * log) * (x * end * w)
        return lambda r, m: e * (-x * t) ** r * log**m

    return assembled(v, x, i, j, integrand, _nodes(), [v, x, end], in_x=True) + _y(v, x, i, j)


@functools.cache
def _nodes():
    """Nodes and weights on (0, 1) for what falls by 20 orders of magnitude."""
    y, w = gauss_legendre(NODES)
    parts = [(a + (b - a) * y, (b - a) * w) for a, b in itertools.pairwise(PANELS)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _y(v, x, i, j):
    """The derivative in x by DLMF 10.6.7."""
    orders = [(v - j + 2 * m, (-1) ** m * comb(j, m) / 2**j) for m in range(j + 1)]
    return sum(c * (jy.yv_order(order, x, n=i) if i else sc.yv(order, x)) for order, c in orders)


def poisson(v, x, i, j):
    """DLMF 11.5(i) for v > x and v >= 6: the same factor times int_0^1 (1 - t^2)^(v - 1/2) sin(x t) dt."""
    cases = [
        (v < MODERATE, lambda v, x: _poisson(v, x, i, j, 128)),
        (None, lambda v, x: _poisson(v, x, i, j, 512)),
    ]
    return piecewise([v, x], cases)


def _poisson(v, x, i, j, nodes):
    end = np.sqrt(-np.expm1(-FAR / (v - 0.5)))
    return assembled(v, x, i, j, functools.partial(_sines, -1), gauss_legendre(nodes), [v, x, end])


def by_modified_bessel(v, x, i, j):
    """L = I_{-v} less the same factor times int_0^inf (1 + t^2)^(v - 1/2) sin(x t) dt for v < 0 (DLMF 11.5.6)."""
    end = np.sqrt(np.expm1(FAR / (0.5 - v)))
    rest = assembled(v, x, i, j, functools.partial(_sines, 1), gauss_legendre(128), [v, x, end])
    orders = [(-v - j + 2 * m, comb(j, m) / 2**j) for m in range(j + 1)]  # DLMF 10.29.5
    bessel = sum(c * (ik.iv_order(order, x, n=i) if i else ik.plain_i(order, x)) for order, c in orders)
    return (-1) ** i * bessel - rest


def _sines(sign, s, w, v, x, end):
    """(1 + sign t^2)^(v - 1/2) sin(x t), to be differentiated r times in x and m times in v."""
    t = end * s
    log = np.log1p(sign * t * t)
    e = np.exp((v - 0.5) * log) * (end * w)
    angle = x * t
    waves = [np.sin(angle), np.cos(angle)]
    return lambda r, m: e * t**r * ((-1) ** (r // 2) * waves[r % 2]) * log**m


def assembled(v, x, i, j, integrand, columns, args, in_x=False):
    """The derivative of factor times the sum over rows of the columns; `integrand(*row, *args)(r, m)` is that of the

    integrand, r times in x and m times in v. With `in_x` it is x^(r + 1) times that: then all terms have one power of
    x, and where x is so large that x^v leaves the doubles their sum, of the size x^(v - 1 - j), does not.
    """
    wanted = [(j - m, k) for m in range(j + 1) for k in range(i + 1)]

    def terms(*row):
        f = integrand(*row)
        return [f(*place) for place in wanted]

    found = dict(zip(wanted, sums(terms, columns, args), strict=True))
    total = np.zeros_like(x)
    for m in range(j + 1):
        lower = j + 1 if in_x else m
        factor = product(power_over_gamma(v - lower, x / 2, v + 0.5, i), falling_factorial(v, m, i))
        inner = [found[j - m, k] for k in range(i + 1)]
        total = total + comb(j, m) * product([f / 2**lower for f in factor], inner)[i]
    return 2 / np.sqrt(np.pi) * total
