"""Jacobi's elliptic functions sn, cn, dn and the amplitude, with derivatives in m.

For m up to 0.9 the functions are SciPy's, whose approximations for m next to 1 are not meant for |u| > K, and those
for m next to 0 not for m |u| > 1e-8. For larger m they are quotients of theta functions. The derivatives of the
amplitude follow from F(phi, m) = u; but the terms of the second cancel for m near 1, unless u is small, and there it
comes from jets in m of the theta functions. So do higher ones, for small m through Landen's descending transformation
(DLMF 22.7(i)); for small u they come from a power series.
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
    tape_of,
)
from hostwrap.special.elliptic.carlson import integral

NEAR_ONE = 0.9
SMALL = 1.0
LINEAR = 1e-9  # for smaller m SciPy's functions are linear in m: an error of (m u)^2 / 32
LARGE = 350.0  # at m = 1, exp(2u) leaves the doubles soon after
DESCENTS = 6  # of the other one, from m = 0.9 to 1e-50
TERMS = 44  # of the series in u, which converges up to K(1 - m) > 1.57


@pointwise_rows(3)
def jacobi(u, m):
    """sn, cn, dn."""
    near_one = lambda u, m: [jet[0] for jet in _near_one(u, m, 0)]
    descending = lambda u, m: [jet[0] for jet in _descending(u, m, 0)]
    far = (m < LINEAR) & (m * np.abs(u) > 10 * LINEAR)
    cases = [(m > NEAR_ONE, near_one), (far, descending), (None, lambda u, m: np.stack(sc.ellipj(u, m)[:3]))]
    return piecewise_jets([u, m], 2, cases)


@pointwise
def amplitude_n(u, m, *, n):
    """(d/dm)^n of the amplitude."""
    near_one = lambda u, m: _by_jets(*_near_one(u, m, n)[:2], n)
    if n == 1:  # dn^2 leaves the doubles for large u
        return piecewise((u, m), [((m > NEAR_ONE) & (np.abs(u) > LARGE), near_one), (None, _first)])
    if n == 2:
        return piecewise((u, m), [((m > NEAR_ONE) & (np.abs(u) > SMALL), near_one), (None, _second)])
    return _derivatives(u, m, n)[3]


@pointwise_rows(3)
def jacobi_n(u, m, *, n):
    """(d/dm)^n of sn, cn, dn."""
    if n not in (1, 2):
        return _derivatives(u, m, n)[:3]
    near_one = lambda u, m: [jet[n] for jet in _near_one(u, m, n)]
    cases = [((m > NEAR_ONE) & (np.abs(u) > SMALL), near_one), (None, lambda u, m: _by_amplitude(u, m, n))]
    return piecewise_jets([u, m], 2, cases)


def _by_amplitude(u, m, n):
    """The first or second derivatives of sn, cn and dn = (1 - m sn^2)^(1/2) from the amplitude's."""
    (sn, cn, dn), slope = jacobi(u, m), _first(u, m)
    first = cn * slope, -sn * slope, -sn * (sn + 2 * m * cn * slope) / (2 * dn)
    if n == 1:
        return [*first]
    bend = _second(u, m)
    sine = cn * bend - sn * slope**2
    return [
        sine,
        -sn * bend - cn * slope**2,
        -(first[0] * (2 * sn + m * first[0]) + m * sn * sine + first[2] ** 2) / dn,
    ]


def _derivatives(u, m, n):
    """(d/dm)^n of sn, cn, dn and the amplitude."""

    def rows(jets):
        return [*(jet[n] for jet in jets), _by_jets(*jets[:2], n) if n else 0 * jets[0][0]]

    cases = [
        (~((m >= 0) & (m <= 1)), lambda u, m: [np.nan * u] * 4),
        (np.abs(u) < SMALL, lambda u, m: _small(u, m, n)),
        (m > NEAR_ONE, lambda u, m: rows(_near_one(u, m, n))),
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
    return np.stack(rows) if tape_of(u) is None else rows


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


def _near_one(u, m, n):
    """The jets of sn, cn, dn, as quotients of theta functions of i w, w = u / theta_3^2, whose nome q is that of 1 - m.

    By DLMF 22.2.4 to 22.2.6 and 22.6(iv), for instance

        dn = theta_2 (1 + 2 q cosh 2w + 2 q^4 cosh 4w + ..) / (2 q^(1/4) theta_3 (cosh w + q^2 cosh 3w + ..)),

    here with both sums divided by exp(w) / 2, in terms of e = exp(-w) and x = q exp(w). With k whole periods K less,
    w is w - k log q: so e and x are powers of q, and the singular derivatives of K, which would cancel, do not occur.
    All sums but cn's have terms of one sign, and none loses digits where 1 - m or exp(-u) is tiny.
    """
    left, k, outer = _remainder(u, m)
    inner, sides = np.where(left < 0, -1.0, 1.0), np.where(u < 0, -1.0, 1.0)
    q = _nome(m, n)
    square = product(q, q)
    fourth = product(square, square)
    theta_2 = _plus(1, _sum(square, product(fourth, square)))
    theta_3 = _plus(1, _sum(_times(2, q), _times(2, fourth)))
    theta_4 = _plus(1, _sum(_times(-2, q), _times(2, fourth)))
    scale = _power(product(theta_3, theta_3), -1)
    w = np.abs(left) * scale[0]
    e, x = _exponentials(np.abs(u) * inner, w, scale, q, inner * k)
    a, y = product(e, e), product(x, x)
    y = [*y[:2], *(np.where(w > LARGE, np.nan, f) for f in y[2:])]
    a_2, y_2 = product(a, a), product(square, product(y, y))
    a_3 = product(a, a_2)
    below = _power(
        _sum(_plus(1, a), product(y, _plus(1, a_3)), product(y_2, _plus(1, product(a_2, a_3)))), -1
    )
    less = lambda power, f: [-np.expm1(-2 * power * w), *_negative(f[1:])]  # 1 - a^power
    sine = _sum(less(1, a), _negative(product(y, less(3, a_3))), product(y_2, less(5, product(a_2, a_3))))
    even = _sum(e, product(q, product(product(x, y), _plus(1, product(a_2, a_2)))))
    fifth = product(fourth, product(x, product(y, y)))
    x = [x[0], *_times(np.exp(np.maximum(w - 2 * LARGE, 0.0)), x[1:])]
    odd = _sum(product(x, _plus(1, a_2)), product(fifth, _plus(1, product(a_3, a_3))))
    sn = product(product(theta_3, _power(theta_4, -1)), product(sine, below))
    cn, dn = (
        product(product(theta_2, _power(theta, -1)), product(_times(2, total), below))
        for theta, total in ((theta_4, _sum(even, _negative(odd))), (theta_3, _sum(even, odd)))
    )
    return _times(sides * outer * inner, sn), _times(outer, cn), dn


def _remainder(u, m):
    """|u| - 2 k K(m), k an integer, k, and the sign (-1)^k."""
    whole = sc.ellipkm1(1 - m)
    k = np.round(np.abs(u) / (2 * whole))
    left = np.where(k == 0, np.abs(u), np.abs(u) - 2 * k * whole)
    # where rounding of a large u leaves no phase, sn, cn and dn have bounds
    return np.clip(left, -whole, whole), k, 1 - 2 * (k % 2)


def _exponentials(u, w, scale, q, k):
    """The jets of exp(-w) and q exp(w), where w = u scale - k log q."""
    slopes = [0 * u, *(u * s for s in scale[1:])]
    unit = [1 + 0 * u, *(f / np.where(q[0] == 0, 1.0, q[0]) for f in q[1:])]
    falls, rises = _exponential(_negative(slopes)), _exponential(slopes)
    e = product(falls, _power(unit, -k))
    last = [np.where(q[0] == 0, g, q[0] * f) for f, g in zip(_power(unit, 1 + k), q, strict=True)]
    return _times(np.exp(-w), e), _times(np.exp(np.minimum(w, 2 * LARGE)), product(rises, last))


def _nome(m, n):
    """q = exp(-pi K(m) / K(1 - m)) by Weierstrass's series (DLMF 20.9(i) and 19.5.5)."""
    modulus = [m, 1 + 0 * m, *[0 * m] * (n - 1)][: n + 1]
    root, fourth_root = _power(modulus, 0.5), _power(modulus, 0.25)
    below = product(_plus(1, root), product(_plus(1, fourth_root), _plus(1, fourth_root)))
    half = _times(0.5, product(_plus(1, _negative(modulus)), _power(below, -1)))
    square = product(half, half)
    fourth = product(square, square)
    return product(half, _plus(1, product(fourth, _plus(2, _times(15, fourth)))))


def _exponential(f):
    g = [np.exp(f[0])]
    for k in range(len(f) - 1):
        g.append(sum(math.comb(k, j) * g[j] * f[k + 1 - j] for j in range(k + 1)))
    return g


def _power(f, a):
    """The jet of f^a, from f g' = a f' g."""
    g = [np.float_power(f[0], a)]
    for k in range(len(f) - 1):
        total = sum((a * math.comb(k, j) - math.comb(k, j + 1)) * f[j + 1] * g[k - j] for j in range(k + 1))
        g.append(total / f[0])
    return g


def _plus(constant, f):
    return [constant + f[0], *f[1:]]


def _negative(f):
    return [-a for a in f]


def _times(constant, f):
    return [constant * a for a in f]


def _sum(*jets):
    return [sum(f) for f in zip(*jets, strict=True)]
