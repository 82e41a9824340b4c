"""d^n/dv^n of J, Y, I and K at complex argument, n = 0, 1, 2, ..., also with their exponential scaled out.

Everything is had from two functions of the right half-plane, e^w K_v(w) (`_macdonald`) and e^-w I_v(w)
(`_minimal`), through the connection formulas, whose factors exp(i pi c v) multiply jets in v. As
f(conj z) = conj f(z), formulas are for Im z >= 0. The branch cut is the negative real axis; it belongs to the
upper side, as in SciPy.
"""

import numpy as np

from hostwrap.special.kernels._jets import cosine, grown, phase, sine, times
from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels.bessel import _macdonald
from hostwrap.special.kernels.bessel._minimal import scaled_i
from hostwrap.special.kernels.bessel._reflection import minimal_at_zero, y_at_zero
from hostwrap.special.kernels.bessel.hankel import scaled_h1


def jv_order(v, z, *, n):
    return _with_modulus(jve_order(v, z, n=n), np.imag(z))


def yv_order(v, z, *, n):
    return _with_modulus(yve_order(v, z, n=n), np.imag(z))


def iv_order(v, z, *, n):
    return _with_modulus(ive_order(v, z, n=n), np.real(z))


@pointwise
def kv_order(v, z, *, n):
    return _symmetric(v, z, n, _k, _k, lambda v: np.nan)


@pointwise
def jve_order(v, z, *, n):
    """Of e^-|Im z| J_v(z)."""
    return _symmetric(v, z, n, _j, _j_reflected, lambda v: minimal_at_zero(v, n))


@pointwise
def yve_order(v, z, *, n):
    """Of e^-|Im z| Y_v(z)."""
    return _symmetric(v, z, n, _y, _y_reflected, lambda v: y_at_zero(v, n))


@pointwise
def ive_order(v, z, *, n):
    """Of e^-|Re z| I_v(z)."""
    return _symmetric(v, z, n, _i, _i_reflected, lambda v: minimal_at_zero(v, n))


def _with_modulus(scaled, part):
    with np.errstate(all="ignore"):
        return grown(scaled, np.abs(part))[()]


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
    return 1j * (_j(v, z, n) - scaled_h1(v, z, n) * np.exp(1j * z - z.imag))


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
    k = scaled_k(a, z, n) * np.exp(-z - np.abs(z.real))
    return _i(a, z, n) + 2 / np.pi * times(sine(a, n), k)


def _k(v, z, n):
    return grown(scaled_k(v, z, n) * np.exp(-1j * z.imag), -z.real)


def scaled_k(v, z, n):
    """e^z K_v(z), in the left half-plane from the right one (DLMF 10.34.2) where it must."""
    left, direct = z.real < 0, _macdonald.is_direct(v, z)
    result = np.empty((n + 1, v.size), complex)
    result[:, ~left] = _macdonald.tower(v[~left], z[~left], n, 0)[:, 0]
    here = left & direct
    result[:, here] = _macdonald.low(v[here], 0, z[here], np.angle(z[here]), n, 0)[:, 0]
    here = left & ~direct
    result[:, here] = _turned_k(v[here], -z[here], n)
    return result


def _turned_k(v, w, n):
    right = _macdonald.tower(v, w, n, 0)[:, 0]
    return times(phase(-1, v, n), right) * np.exp(-2 * w) - np.pi * 1j * scaled_i(v, w, n)
