"""Radial functions as sums of spherical Bessel functions, with derivatives in c and x (DLMF 30.11.3)."""

from math import factorial

import numpy as np

from hostwrap.special._numerics import tridiagonal
from hostwrap.special._numerics.taylor import over, scaled, times
from hostwrap.special.spheroidal.bessel import over_power, over_power_near_zero
from hostwrap.special.spheroidal.jets import edge_n, leibniz, power

LARGE = 1e10  # x, from which on |x^2 - sign|^(m/2) is taken relative to x^m: both may leave the doubles
LOST = 1e8  # prolate coefficients cancel in their sum like exp(-c): beyond this no answer is better than a wrong one


def radial_series(e, sign, kind, m, n, c, x, depth):
    """Derivatives d = 0..depth in x, jets in c: |x^2 - sign|^(m/2) c^m sum_l A_l(c) g_l(c x).

    A_l is i^(l - n) a_l over the sum of all a_l, the coefficients for Legendre functions without normalization.

    All changes are measured in those that matter, of c in c and of x in the smaller one of x and 1/c. So a power of c
    or x does not leave the doubles where the derivative does not.
    """
    order, z, rate = len(e.a) - 1, c * x, np.maximum(c, 1 / x)
    unit = np.where(x > LARGE, x, 1.0)
    e = e._replace(a=_relative(e.a, c), matrix=e.matrix._replace(t=_relative(e.matrix.t, c)))
    bessel = lambda l, m, z, count: over_power(kind, l, m, z, count)
    rows = _sums(e, bessel, kind, m, n, z, np.maximum(z, 1.0), depth)
    outside = np.float_power(unit / x, m)
    rows = [scaled(outside, times(_powers(m + d, order), row)) for d, row in enumerate(rows)]
    rows = leibniz(edge_n(x, m, sign, depth, unit, 1 / rate), rows)
    return [_absolute([_grown(f, rate, d) for f in row], c) for d, row in enumerate(rows)]


def radial_series_near_zero(e, sign, m, n, c, x, depth):
    """The same of the first kind for small c x, and for c = 0."""
    order, z = len(e.a) - 1, c * x
    unit = np.where(x > LARGE, x, 1.0)
    rows = _sums(e, over_power_near_zero, 1, m, n, z, x, depth)
    rows = [times(power(c, m, d, order, unit), row) for d, row in enumerate(rows)]
    return leibniz(edge_n(x, m, sign, depth, unit), rows)


def _sums(e, bessel, kind, m, n, z, stretch, depth):
    """The derivatives d = 0..depth of sum_l A_l(c) g_l(z) in z, jets in c; `stretch` is how fast z moves with it."""
    order = len(e.a) - 1

    def terms(lower, r, kept, m, lowest, n, z, stretch):
        l = np.maximum(lowest + 2 * r, lowest)
        g = bessel(l, m, z, depth + order)
        g = scaled(np.where(np.mod(l - n, 4) == 0, 1.0, -1.0), g)
        if kind == 2 and lower:  # Y overflows for a small coefficient only
            counts = np.isfinite(sum(g))
            g = [np.where(counts, f, 0.0) for f in g]
        rows = [
            [g[d], *(stretch**k * g[d + k] / factorial(k) for k in range(1, order + 1))]
            for d in range(depth + 1)
        ]
        return [[1.0], *rows], kept

    _, lowest = e.matrix.args
    extra = [m, lowest, n, z, stretch]
    sums = tridiagonal.sums(depth + 2, terms, extra, ratio=_ratio)
    ends = tridiagonal.ends(e.matrix, e.a, e.p, sums)
    here, _ = terms(False, e.p, (), *extra)
    total, *rows = [tridiagonal.summed(i, f, *ends) for i, f in enumerate(here)]
    total[0] = np.where(tridiagonal.size_of(*ends) < LOST * np.abs(total[0]), total[0], np.nan)
    return [over(row, total) for row in rows]


def _powers(exponent, n):
    """Taylor coefficients 0..n of (1 + t)^exponent."""
    jet = [1.0]
    for k in range(n):
        jet.append(jet[-1] * (exponent - k) / (k + 1))
    return jet


def _relative(jet, c):
    """Taylor coefficients in the relative change of c, from those in c."""
    return [_grown(f, c, k) for k, f in enumerate(jet)]


def _absolute(jet, c):
    return [_grown(f, 1 / c, k) for k, f in enumerate(jet)]


def _grown(f, factor, n):
    """f factor^n, of which no part leaves the doubles where the product does not."""
    for _ in range(n):
        f = f * factor
    return f


def _ratio(lower, r, m, lowest, *_):
    """a_l over the coefficient of the normalized function is a weight; that of l over that of its neighbour."""
    l = lowest + 2 * r - (2 if lower else 0)
    square = (2 * l + 5) * (l + m + 1) * (l + m + 2) / ((2 * l + 1) * (l - m + 1) * (l - m + 2))
    return np.sqrt(square) if lower else np.where(r < 0, 1.0, np.sqrt(1 / square))
