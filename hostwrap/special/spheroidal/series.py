"""Radial functions as sums of spherical Bessel functions, with derivatives in c and x (DLMF 30.11.3)."""

from math import comb

import numpy as np

from hostwrap.special._numerics.jets import times
from hostwrap.special._numerics.tridiagonal_pairs import add_up
from hostwrap.special.spheroidal.bessel import over_power_n
from hostwrap.special.spheroidal.jets import edge_n, over

ROWS = 20  # behind the row of the degree n, where small coefficients may still meet large Bessel functions
NEGLIGIBLE = 1e-60
LOST = 1e8  # prolate coefficients cancel in their sum like exp(-c): beyond this no answer is better than a wrong one


def radial_series(expansion, kind, m, n, c, x, depth):
    """Derivatives d = 0..depth in x, jets in c: |x^2 - sign|^(m/2) c^m sum_l A_l(c) g_l(c x)."""
    order = len(expansion.v) - 1
    a = _weights(expansion, kind, m, n)
    g = over_power_n(kind, expansion.l, m, c * x, depth + order)
    sums, nothing = [], np.all(a == 0, axis=0)
    tail = np.arange(len(a[0]))[:, None] > expansion.index
    for d in range(depth + 1):
        jets = np.stack([x**k * g[d + k] for k in range(order + 1)])
        terms = times(times(_power_jet(c, m + d, order)[:, None], jets), a)
        left_out = nothing | tail & ~np.isfinite(terms).all(
            axis=0
        )  # Y overflows for a small coefficient only
        sums.append(add_up(np.where(left_out, 0.0, terms), axis=1))
    edge = edge_n(x, m, expansion.sign, depth)
    return np.stack([sum(comb(d, e) * edge[d - e] * sums[e] for e in range(d + 1)) for d in range(depth + 1)])


def _weights(expansion, kind, m, n):
    """The jets of i^(l - n) a_l / sum of all a_l, a_l the coefficients for Legendre functions without normalization."""
    l = expansion.l
    step = np.sqrt((2 * l + 5) * (l + m + 1) * (l + m + 2) / ((2 * l + 1) * (l - m + 1) * (l - m + 2)))
    growth = np.concatenate([np.ones((1, m.size)), np.cumprod(step[:-1], axis=0)])
    a = expansion.v * growth
    total = add_up(a, axis=1)[:, None]
    total[0] = np.where(add_up(np.abs(a[0])) < LOST * np.abs(total[0]), total[0], np.nan)
    a = a * np.where(np.mod(l - n, 4) == 0, 1.0, -1.0)
    if kind == 2:
        rows = np.arange(len(l))[:, None]
        a = np.where((rows < expansion.index + ROWS) | (np.abs(expansion.v[0]) > NEGLIGIBLE), a, 0.0)
    return over(a, np.broadcast_to(total, a.shape))


def _power_jet(c, exponent, n):
    """Derivatives 0..n of c^exponent; exponents are whole numbers."""
    jet, weight = [], np.ones_like(c)
    for k in range(n + 1):
        jet.append(np.where(weight == 0, 0.0, weight * c ** (exponent - k)))
        weight = weight * (exponent - k)
    return np.stack(jet)
