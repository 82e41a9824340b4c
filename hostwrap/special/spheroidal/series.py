"""Radial functions as sums of spherical Bessel functions, with derivatives in c and x (DLMF 30.11.3)."""

from math import factorial

import numpy as np

from hostwrap.special._numerics import tridiagonal
from hostwrap.special._numerics.taylor import over, scaled, times
from hostwrap.special.spheroidal.bessel import over_power, over_power_near_zero
from hostwrap.special.spheroidal.jets import edge_n, leibniz, power

LARGE = 1e10  # x, from which on c^m |x^2 - 1|^(m/2) is taken as (c x)^m: its factors may leave the doubles
LOST = 1e8  # prolate coefficients cancel in their sum like exp(-c): beyond this no answer is better than a wrong one


def radial_series(e, sign, kind, m, n, c, x, depth, near=False):
    """Derivatives d = 0..depth in x, jets in c: |x^2 - sign|^(m/2) c^m sum_l A_l(c) g_l(c x).

    A_l is i^(l - n) a_l over the sum of all a_l, the coefficients for Legendre functions without normalization. With
    `near` where c x is small.
    """
    order, z = len(e.a) - 1, c * x

    def terms(lower, r, kept, m, lowest, n, x, z):
        l = np.maximum(lowest + 2 * r, lowest)
        count = depth + order
        g = over_power_near_zero(l, m, z, count) if near else over_power(kind, l, m, z, count)
        g = scaled(np.where(np.mod(l - n, 4) == 0, 1.0, -1.0), g)
        if kind == 2 and lower:  # Y overflows for a small coefficient only
            counts = np.isfinite(sum(g))
            g = [np.where(counts, f, 0.0) for f in g]
        rows = [
            [g[d], *(x**k * g[d + k] / factorial(k) for k in range(1, order + 1))] for d in range(depth + 1)
        ]
        return [[1.0], *rows], kept

    _, lowest = e.matrix.args
    extra = [m, lowest, n, x, z]
    sums = tridiagonal.sums(depth + 2, terms, extra, ratio=_ratio)
    ends = tridiagonal.ends(e.matrix, e.a, e.p, sums)
    here, _ = terms(False, e.p, (), *extra)
    total, *rows = [tridiagonal.summed(i, f, *ends) for i, f in enumerate(here)]
    total[0] = np.where(tridiagonal.size_of(*ends) < LOST * np.abs(total[0]), total[0], np.nan)
    unit = np.where(x > LARGE, x, 1.0)
    outside = 1.0 if near else np.float_power(z, -m)
    powers = [power(c, m, d, order, unit) for d in range(depth + 1)]
    rows = [scaled(outside, times(powers[d], over(row, total))) for d, row in enumerate(rows)]
    return leibniz(edge_n(x, m, sign, depth, unit), rows)


def _ratio(lower, r, m, lowest, *_):
    """a_l over the coefficient of the normalized function is a weight; that of l over that of its neighbour."""
    l = lowest + 2 * r - (2 if lower else 0)
    square = (2 * l + 5) * (l + m + 1) * (l + m + 2) / ((2 * l + 1) * (l - m + 1) * (l - m + 2))
    return np.sqrt(square) if lower else np.where(r < 0, 1.0, np.sqrt(1 / square))
