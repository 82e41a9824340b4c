"""Jacobi's elliptic functions sn, cn, dn and the amplitude, with derivatives in m.

For m up to 0.9 the functions are SciPy's, whose approximations for m next to 1 are not meant for |u| > K. For
larger m Landen's ascending transformation (DLMF 22.7(ii)) leads to hyperbolic functions. The derivatives of the
amplitude follow from F(phi, m) = u; but the terms of the second cancel for m near 1, unless u is small, and there
it comes from jets in m carried through Landen's transformation.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import product
from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets, pointwise, pointwise_rows
from hostwrap.special.elliptic.carlson import integral

NEAR_ONE = 0.9
SMALL = 1.0
STEPS = 4  # of Landen's transformation: from 1 - m = 0.1 to 1e-33


@pointwise_rows(3)
def jacobi(u, m):
    """sn, cn, dn."""
    near_one = lambda u, m: [jet[0] for jet in _ascending(u, m)]
    return piecewise_jets(
        [u, m], 2, [(m > NEAR_ONE, near_one), (None, lambda u, m: np.stack(sc.ellipj(u, m)[:3]))]
    )


@pointwise
def amplitude_n(u, m, *, n):
    """(d/dm)^n of the amplitude, n = 1 or 2."""
    cases = [((m > NEAR_ONE) & (np.abs(u) > SMALL), _second_by_jets), (None, _second)]
    return _first(u, m) if n == 1 else piecewise((u, m), cases)


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


def _second_by_jets(u, m):
    sn, cn, _ = _ascending(u, m)
    return cn[0] * sn[2] - sn[0] * cn[2]


# ---- m near 1: jets of the derivatives 0, 1, 2 in m


def _ascending(u, m):
    """The jets of sn, cn, dn."""
    z, parity = _remainder(u, m)
    steps, complement = [], [1 - m, -np.ones_like(m), np.zeros_like(m)]
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


def _remainder(u, m):
    """The jet of u - 2 k K(m), k an integer, and the sign (-1)^k. K'' is from K's equation, DLMF 19.4.8."""
    p = 1 - m
    whole, slope = sc.ellipkm1(p), sc.elliprd(0.0, 1.0, p) / 6
    curvature = (whole / 4 - (p - m) * slope) / (m * p)
    k = np.round(u / (2 * whole))
    shift = [np.where(k == 0, 0.0, 2 * k * f) for f in (whole, slope, curvature)]
    left, *moved = (f - g for f, g in zip((u, 0 * u, 0 * u), shift, strict=True))
    left = np.clip(
        left, -whole, whole
    )  # where rounding of a large u leaves no phase, sn, cn and dn have bounds
    return [left, *moved], 1 - 2 * (k % 2)


def _hyperbolic(z):
    """The jets of tanh and sech."""
    t, s = np.tanh(z[0]), 1 / np.cosh(z[0])
    return _chain((t, s * s, -2 * t * s * s), z), _chain((s, -t * s, s * (t * t - s * s)), z)


def _power(f, a):
    return _chain((f[0] ** a, a * f[0] ** (a - 1), a * (a - 1) * f[0] ** (a - 2)), f)


def _chain(outer, f):
    """The jet of g(f), from g and its derivatives at f."""
    return [outer[0], outer[1] * f[1], outer[2] * f[1] ** 2 + outer[1] * f[2]]


def _plus(constant, f):
    return [constant + f[0], f[1], f[2]]


def _negative(f):
    return [-a for a in f]
