"""d^n/dv^n of J, Y, I and K at complex argument, n = 0, 1, 2, ..., also with their exponential scaled out.

Two functions of the right half-plane, e^w K_v(w) (`_macdonald`) and e^-w I_v(w) (`_minimal`), give all of them by the
connection formulas, whose factors exp(i pi c v) multiply jets in v. The formulas are for Im z >= 0, because
f(conj z) = conj f(z). The branch cut is the negative real axis. It belongs to the upper side, as in SciPy.
"""

import functools
from math import comb

import numpy as np

from hostwrap.special._numerics.jets import cosine, phase, sine, times
from hostwrap.special._numerics.parts import grown, turned
from hostwrap.special._numerics.pointwise import piecewise, places, pointwise
from hostwrap.special.bessel import _beyond, _macdonald
from hostwrap.special.bessel._minimal import scaled_i
from hostwrap.special.bessel._reflection import minimal_at_zero, y_at_zero
from hostwrap.special.bessel.hankel import scaled_h1


@pointwise
def jv_order(v, z, *, n):
    return _with_modulus(jve_order(v, z, n=n), v, z, n, z.imag, _beyond.j, _beyond.j_reflected)


@pointwise
def yv_order(v, z, *, n):
    return _with_modulus(yve_order(v, z, n=n), v, z, n, z.imag, _beyond.y, _beyond.y_reflected)


@pointwise
def iv_order(v, z, *, n):
    return _with_modulus(ive_order(v, z, n=n), v, z, n, z.real, _beyond.i, _beyond.i_reflected)


@pointwise
def kv_order(v, z, *, n, m=0):
    """d^n/dv^n d^m/dz^m of K_v(z)."""
    jet = functools.partial(_k, m=m)
    return _symmetric(v, z, n, jet, jet, lambda v: np.nan)


@pointwise
def jve_order(v, z, *, n):
    """d^n/dv^n of e^-|Im z| J_v(z)."""
    return _symmetric(v, z, n, _j, _j_reflected, lambda v: minimal_at_zero(v, n))


@pointwise
def yve_order(v, z, *, n):
    """d^n/dv^n of e^-|Im z| Y_v(z)."""
    return _symmetric(v, z, n, _y, _y_reflected, lambda v: y_at_zero(v, n))


@pointwise
def ive_order(v, z, *, n):
    """d^n/dv^n of e^-|Re z| I_v(z)."""
    return _symmetric(v, z, n, _i, _i_reflected, lambda v: minimal_at_zero(v, n))


def _with_modulus(scaled, v, z, n, part, positive, negative):
    result = grown(scaled, np.abs(part))[()]
    return _beyond.mended(
        result, scaled, v, z, lambda v, z: _symmetric(v, z, n, positive, negative, lambda v: np.nan)
    )


def _symmetric(v, z, n, positive, negative, at_zero):
    """A function real on the positive axis, from its jets at orders v >= 0 and v = -a < 0 for Im z >= 0."""
    lower = z.imag < 0
    z = np.where(lower, np.conj(z), z) + 0  # no negative zeros
    cases = [
        (~np.isfinite(v + z), lambda v, z: np.nan),
        (z == 0, lambda v, z: at_zero(v)),
        (v < 0, lambda v, z: (-1) ** n * negative(-v, z, n)[n]),
        (None, lambda v, z: positive(v, z, n)[n]),
    ]
    result = piecewise([v, z], cases)
    result = np.where((z.imag == 0) & (z.real >= 0), result.real, result)
    return np.where(lower, np.conj(result), result)


# Jets of the scaled functions for v >= 0 and Im z >= 0, where w = -iz is in the right half-plane.


def _j(v, z, n):
    """e^-Im z J_v(z), DLMF 10.27.6."""
    return times(phase(0.5, v, n), scaled_i(v, -1j * z, n)) * np.exp(-1j * z.real)


def _y(v, z, n):
    """e^-Im z Y_v(z), Y = i (J - H1), DLMF 10.4.3."""
    return 1j * (_j(v, z, n) - turned(scaled_h1(v, z, n), 1j * z - z.imag))


def _j_reflected(a, z, n):
    """J_{-a}, DLMF 10.4.7."""
    return times(cosine(a, n), _j(a, z, n)) - times(sine(a, n), _y(a, z, n))


def _y_reflected(a, z, n):
    """Y_{-a}, DLMF 10.4.7."""
    return times(sine(a, n), _j(a, z, n)) + times(cosine(a, n), _y(a, z, n))


def _i(v, z, n):
    """e^-|Re z| I_v(z) from the right half-plane, DLMF 10.34.1."""
    left = z.real < 0
    w = np.where(left, -z, z)
    result = scaled_i(v, w, n) * np.exp(1j * w.imag)
    return np.where(left, times(phase(1, v, n), result), result)


def _i_reflected(a, z, n):
    """I_{-a}, DLMF 10.27.2."""
    k = turned(scaled_k(a, z, n), -z - np.abs(z.real))
    return _i(a, z, n) + 2 / np.pi * times(sine(a, n), k)


def _k(v, z, n, m=0):
    """The jet of d^m/dz^m K_v(z), from the tower of e^z K_v(z) where that is direct, else from other orders."""
    direct = _macdonald.is_turned(v, z) & (m > 0)
    result = np.empty((n + 1, v.size), complex)
    here = places(direct)
    if here.size:
        result[:, here] = _k_by_argument(v[here], z[here], n, m)
    here = places(~direct)
    if here.size:
        result[:, here] = _k_by_orders(v[here], z[here], n, m)
    return result


def _k_by_argument(v, z, n, m):
    tower = _macdonald.turned_tower(v, z, np.angle(z), n, m)
    scaled = sum(comb(m, j) * (-1) ** (m - j) * tower[:, j] for j in range(m + 1))
    return turned(scaled, -z)


def _k_by_orders(v, z, n, m):
    """DLMF 10.29.5; K is even in v."""
    total = np.zeros((n + 1, v.size), complex)
    for i in range(m + 1):
        order = v - m + 2 * i
        jet = _plain_k(np.abs(order), z, n)
        total += comb(m, i) * jet * np.where(order < 0, (-1.0) ** np.arange(n + 1)[:, None], 1.0)
    return total / (-2.0) ** m


def _plain_k(v, z, n):
    scaled = scaled_k(v, z, n)
    result = turned(scaled, -z)
    here = places(_beyond.lost(v, scaled).any(axis=0))
    if here.size:
        better = _beyond.k(v[here], z[here], n)
        result[:, here] = np.where(np.isfinite(better).all(axis=0), better, result[:, here])
    return result


def scaled_k(v, z, n):
    """e^z K_v(z), in the left half-plane from the right one (DLMF 10.34.2) where it must."""
    left, direct = z.real < 0, _macdonald.is_turned(v, z)
    result = np.empty((n + 1, v.size), complex)
    here = places(~left)
    result[:, here] = _macdonald.tower(v[here], z[here], n, 0)[:, 0]
    here = places(left & direct)
    result[:, here] = _macdonald.turned_tower(v[here], z[here], np.angle(z[here]), n, 0)[:, 0]
    here = places(left & ~direct)
    result[:, here] = _turned_k(v[here], -z[here], n)
    return result


def _turned_k(v, w, n):
    right = _macdonald.tower(v, w, n, 0)[:, 0]
    return turned(times(phase(-1, v, n), right), -2 * w) - np.pi * 1j * scaled_i(v, w, n)
