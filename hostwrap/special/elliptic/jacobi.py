"""Jacobi's elliptic functions sn, cn, dn and the amplitude, with derivatives in m.

For m up to 0.9 the functions are SciPy's, whose approximations for m next to 1 are not meant for |u| > K. For
larger m Landen's ascending transformation (DLMF 22.7(ii)) leads to hyperbolic functions. The derivatives of the
amplitude follow from F(phi, m) = u; but the terms of the second cancel for m near 1, unless u is small, and there
it comes from jets in m carried through Landen's transformation. So do higher ones, for small m through the descending
one; for small u they come from a power series.
"""

import functools
import math

import numpy as np
import scipy.special as sc
from numpy.polynomial.polynomial import polyval

from hostwrap.special._numerics.jets import product
from hostwrap.special._numerics.pointwise import (
    piecewise,
    piecewise_jets,
    pointwise,
    pointwise_rows,
    stand_in,
)
from hostwrap.special.elliptic.carlson import integral

NEAR_ONE = 0.9
SMALL = 1.0
STEPS = 4  # of Landen's transformation: from 1 - m = 0.1 to 1e-33
DESCENTS = 6  # of the other one, from m = 0.9 to 1e-50
TERMS = 44  # of the series in u, which converges up to K(1 - m) > 1.57


@pointwise_rows(3)
def jacobi(u, m):
    """sn, cn, dn."""
    near_one = lambda u, m: [jet[0] for jet in _ascending(u, m)]
    return piecewise_jets(
        [u, m], 2, [(m > NEAR_ONE, near_one), (None, lambda u, m: np.stack(sc.ellipj(u, m)[:3]))]
    )


@pointwise
def amplitude_n(u, m, *, n):
    """(d/dm)^n of the amplitude."""
    if n == 1:
        return _first(u, m)
    ascending = lambda u, m: _by_jets(*_ascending(u, m, n)[:2], n)
    if n == 2:
        return piecewise((u, m), [((m > NEAR_ONE) & (np.abs(u) > SMALL), ascending), (None, _second)])
    return _derivatives(u, m, n)[3]


@pointwise_rows(3)
def jacobi_n(u, m, *, n):
    """(d/dm)^n of sn, cn, dn."""
    return _derivatives(u, m, n)[:3]


def _derivatives(u, m, n):
    """(d/dm)^n of sn, cn, dn and the amplitude."""

    def rows(jets):
        return [*(jet[n] for jet in jets), _by_jets(*jets[:2], n) if n else 0 * jets[0][0]]

    cases = [
        (~((m >= 0) & (m <= 1)), lambda u, m: [np.nan * u] * 4),
        (np.abs(u) < SMALL, lambda u, m: _small(u, m, n)),
        (m > NEAR_ONE, lambda u, m: rows(_ascending(u, m, n))),
        (None, lambda u, m: rows(_descending(u, m, n))),
    ]
    return piecewise_jets([u, m], 3, cases)


def _first(u, m):
    """-dn F_m, for F(phi, m) = u."""
    sn, cn, dn, k = _reduced(u, m)
    turns = np.where(k == 0, 0.0, k * sc.elliprd(0.0, 1.0, 1 - m))
    return -dn * (sn**3 / 6 * sc.elliprd(cn * cn, 1.0, dn * dn) + turns / 3)


def _second(u, m):
    """-dn (F_mm + 2 F_m,phi phi_m + F_phi,phi phi_m^2)."""
    sn, cn, dn, k = _reduced(u, m)
    slope = _first(u, m)
    part = integral(cn * cn, dn * dn, 1.0, 1.0, i=0, j=2, k=0, n=0, e=0)
    around = lambda k, m: 2 * k * integral(0.0, 1 - m, 1.0, 1.0, i=0, j=2, k=0, n=0, e=0)
    turns = piecewise([k, m], [(k == 0, lambda k, m: np.zeros_like(k)), (None, around)])
    return -dn * 3 / 8 * (sn**5 * part + turns) - sn * (sn + m * cn * slope) * slope / dn**2


def _reduced(u, m):
    """sn, cn, dn at the amplitude less k pi, and k."""
    sn, cn, dn = jacobi(u, m)
    k = np.round(u / (2 * sc.ellipk(m)))
    parity = 1 - 2 * (k % 2)
    return parity * sn, parity * cn, dn, k


# ---- higher derivatives


def _small(u, m, n):
    """From the power series in u, whose coefficients are polynomials in m of one sign."""
    square, rows = u * u, []
    for odd, coefficients in zip((1, 0, 0, 1), _power_series(), strict=True):
        total = 0.0 * u
        for k in range(TERMS - 1, -1, -1):
            polynomial = [math.perm(j, n) * c for j, c in enumerate(coefficients[k])][n:]
            total = total * square + polyval(m, polynomial or [0.0])
        rows.append(total * u if odd else total)
    return np.stack(rows) if stand_in(u) is None else rows


@functools.cache
def _power_series():
    """Of sn, cn, dn and am by powers of u^2: am' = dn, sn' = cn dn, cn' = -sn dn, dn' = -m sn cn."""
    sn, cn, dn, am = [], [np.ones(1)], [np.ones(1)], []
    for k in range(TERMS):
        am.append(dn[k] / (2 * k + 1))
        sn.append(_convolution(cn, dn, k) / (2 * k + 1))
        cn.append(-_convolution(sn, dn, k) / (2 * k + 2))
        dn.append(-np.append([0.0], _convolution(sn, cn, k)) / (2 * k + 2))
    return [[c.tolist() for c in f] for f in (sn, cn, dn, am)]


def _convolution(f, g, k):
    total = np.zeros(2 * k + 1)
    for i in range(k + 1):
        both = np.convolve(f[i], g[k - i])
        total[: both.size] += both
    return np.trim_zeros(total, "b")


def _by_jets(sn, cn, n):
    """phi' = cn sn' - sn cn'."""
    slopes = product(cn[:-1], sn[1:]), product(sn[:-1], cn[1:])
    return slopes[0][n - 1] - slopes[1][n - 1]


def _descending(u, m, n):
    """The jets of sn and cn by Landen's other transformation (DLMF 22.7(i)), to trigonometric functions."""
    one = [1 + 0 * m, *[0 * m] * n]
    complement = [1 - m, -one[0], *[0 * m] * (n - 1)][: n + 1]
    square, z, steps = [m, one[0], *[0 * m] * (n - 1)][: n + 1], [u, *[0 * u] * n], []
    for _ in range(DESCENTS):
        inverse = _power(_plus(1, _power(complement, 0.5)), -2)
        steps.append(product(square, inverse))  # (1 - k') / (1 + k')
        z = product(z, _power(_plus(1, steps[-1]), -1))
        square = product(steps[-1], steps[-1])
        complement = _plus(1, _negative(square))
    (sn, cn), dn = _turning(z), one
    for step in reversed(steps):
        bend = product(step, product(sn, sn))
        inverse = _power(_plus(1, bend), -1)
        cn = product(product(cn, dn), inverse)
        sn = product(_plus(1, step), product(sn, inverse))
        dn = product(_plus(1, _negative(bend)), inverse)
    return sn, cn, dn


def _turning(z):
    """The jets of sine and cosine."""
    sine, cosine = [np.sin(z[0])], [np.cos(z[0])]
    for k in range(len(z) - 1):
        sine.append(sum(math.comb(k, j) * cosine[j] * z[k + 1 - j] for j in range(k + 1)))
        cosine.append(-sum(math.comb(k, j) * sine[j] * z[k + 1 - j] for j in range(k + 1)))
    return sine, cosine


# ---- m near 1: jets of the derivatives 0, .., n in m


def _ascending(u, m, n=2):
    """The jets of sn, cn, dn."""
    z, parity = _remainder(u, m, n)
    steps, complement = [], [1 - m, -np.ones_like(m), *[np.zeros_like(m)] * (n - 1)][: n + 1]
    for _ in range(STEPS):
        inverse = _power(_plus(1, _power(_plus(1, _negative(complement)), 0.5)), -2)
        steps.append(product(complement, inverse))  # (1 - k) / (1 + k)
        complement = product(steps[-1], steps[-1])
        z = product(z, _power(_plus(1, steps[-1]), -1))
    sn, dn = _hyperbolic(z)
    cn = dn
    for step in reversed(steps):
        quotient = _power(dn, -1)
        last, spare = dn, product(step, quotient)
        sn = product(_plus(1, step), product(product(sn, cn), quotient))
        less, more = ([a + sign * b for a, b in zip(last, spare, strict=True)] for sign in (-1, 1))
        cn = product(less, _power(_plus(1, _negative(step)), -1))
        dn = product(more, _power(_plus(1, step), -1))
    return [parity * f for f in sn], [parity * f for f in cn], dn


def _remainder(u, m, n):
    """The jet of u - 2 k K(m), k an integer, and the sign (-1)^k. K'' is from K's equation, DLMF 19.4.8."""
    p = 1 - m
    whole, slope = sc.ellipkm1(p), sc.elliprd(0.0, 1.0, p) / 6
    jet = [whole, slope]
    for k in range(n - 1):  # m p K'' = K / 4 - (p - m) K', differentiated k times
        right = (0.25 + k * (k + 1)) * jet[k] - (k + 1) * (p - m) * jet[k + 1]
        jet.append(right / (m * p))
    k = np.round(u / (2 * whole))
    left, *moved = (
        f - np.where(k == 0, 0.0, 2 * k * g) for f, g in zip([u, *[0 * u] * n], jet[: n + 1], strict=True)
    )
    left = np.clip(
        left, -whole, whole
    )  # where rounding of a large u leaves no phase, sn, cn and dn have bounds
    return [left, *moved], 1 - 2 * (k % 2)


def _hyperbolic(z):
    """The jets of tanh and sech."""
    t, s = [np.tanh(z[0])], [1 / np.cosh(z[0])]
    for k in range(len(z) - 1):
        square, both = product(s, s), product(s, t)
        t.append(sum(math.comb(k, j) * square[j] * z[k + 1 - j] for j in range(k + 1)))
        s.append(-sum(math.comb(k, j) * both[j] * z[k + 1 - j] for j in range(k + 1)))
    return t, s


def _power(f, a):
    """The jet of f^a, from f g' = a f' g."""
    g = [f[0] ** a]
    for k in range(len(f) - 1):
        total = sum((a * math.comb(k, j) - math.comb(k, j + 1)) * f[j + 1] * g[k - j] for j in range(k + 1))
        g.append(total / f[0])
    return g


def _plus(constant, f):
    return [constant + f[0], *f[1:]]


def _negative(f):
    return [-a for a in f]
