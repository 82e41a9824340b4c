"""Mixed derivatives of e^-|Re z| I_v(z), e^-|Im z| J_v(z) and e^-|Im z| Y_v(z) for complex z.

The scales are not holomorphic. But with s = sign(Re z), e^-|Re z| = e^-sz times the phase e^(is Im z), and with s =
sign(Im z), e^-|Im z| = e^isz times the phase e^(-is Re z). So each function is a phase times an analytic function G,
whose derivatives are small far out. What is computed here is the phase times d^i/dv^i d^j/dz^j G. On the axis where s
changes its sign, s is 0, and G is the function without its scale.
"""

from math import comb

import numpy as np

from hostwrap.special._numerics.jets import from_higher_orders, phase, sine, times, times_exponential
from hostwrap.special._numerics.parts import as_complex
from hostwrap.special._numerics.pointwise import places, pointwise
from hostwrap.special.bessel import _macdonald, _minimal, complex_argument, hankel

SMALL = 2.0  # |z| below which sums over orders serve: there nothing cancels


def ive_n(v, z, *, i, j):
    return _derivative(v, z, complex_argument.ive_order, _i, i, j, 1)


def jve_n(v, z, *, i, j):
    """Of real z, too: d^i/dv^i d^j/dz^j J_v(z)."""
    return _derivative(v, as_complex(z), complex_argument.jve_order, _j, i, j, -1)


def yve_n(v, z, *, i, j):
    return _derivative(v, as_complex(z), complex_argument.yve_order, _y, i, j, -1)


def _derivative(v, z, in_order, direct, i, j, sign):
    """`sign` is that of F_{v+1} in F' = (v/z) F_v + sign F_{v+1}: 1 for I, -1 for J and Y."""
    if j == 0:
        return in_order(v, z, n=i)
    return _mixed(v, z, in_order=in_order, direct=direct, i=i, j=j, sign=sign)


@pointwise
def _mixed(v, z, *, in_order, direct, i, j, sign):
    z = z + 0  # no negative zeros
    rate = -np.sign(z.real) if sign == 1 else 1j * np.sign(z.imag)  # G = e^(rate z) F
    jet = lambda v, z: [in_order(v, z, n=k) for k in range(i + 1)]
    near, far = np.abs(z) < SMALL, _minimal.is_direct(np.abs(v), z)
    result = np.full(z.shape, np.nan, complex)
    here = places(np.isfinite(v + z) & near)
    if here.size:
        result[here] = _over_orders(v[here], z[here], jet, i, j, sign, rate[here])
    here = places(np.isfinite(v + z) & ~near & far)
    if here.size:
        result[here] = _far(v[here], z[here], direct, i, j, rate[here], sign)
    here = places(np.isfinite(v + z) & ~near & ~far)
    if here.size:
        values = [jet(v[here] + k, z[here]) for k in range(j + 1)]
        result[here] = from_higher_orders(values, v[here], z[here], i, j, sign, rate[here])[i, j]
    on_axis = (z.imag == 0) & (z.real >= 0)
    return np.where(on_axis, result.real, result)


def _over_orders(v, z, jet, i, j, sign, rate):
    """By DLMF 10.6.7 and 10.29.5 and Leibniz's rule."""
    orders = {m: _at_order(v + m, z, jet, i, sign) for m in range(-j, j + 1)}
    plain = [sum(sign**m * comb(k, m) * orders[2 * m - k] for m in range(k + 1)) / 2**k for k in range(j + 1)]
    return sum(comb(j, k) * rate ** (j - k) * plain[k] for k in range(j + 1))


def _at_order(v, z, jet, i, sign):
    """I_-n = I_n, and J and Y have (-1)^n: next to 0 the second solution of -n, whose factor is 0, is infinite."""
    mirrored = (i == 0) & (v < 0) & (v == np.round(v))
    turn = np.where(mirrored & (sign < 0) & (v % 2 == 1), -1.0, 1.0)
    return turn * jet(np.where(mirrored, -v, v), z)[i]


def _far(v, z, direct, i, j, rate, sign):
    """From the right side of the axis; below the real one by conjugation."""
    lower = z.imag < 0
    z = np.where(lower, np.conj(z), z)
    tower, inside = direct(v, z, i, j)  # of e^(inside z) F, times its phase
    more = np.where(lower, np.conj(rate), rate) - inside  # 0 but on the axis
    result = sum(comb(j, k) * more ** (j - k) * tower[i, k] for k in range(j + 1))
    return np.where(lower, np.conj(result), result)


# For Im z >= 0: D[i, j] of e^(cz) F, times the phase, and c.


def _i(v, z, nv, nz):
    """DLMF 10.34.1."""
    left = z.real < 0
    side = np.where(left, -1.0, 1.0)
    tower = _right(v, side * z, nv, nz) * side ** np.arange(nz + 1)[:, None]
    tower = np.where(left, times(phase(1, v, nv)[:, None], tower), tower)
    return tower * np.exp(1j * side * z.imag), -side


def _j(v, z, nv, nz):
    """DLMF 10.27.6."""
    tower = _right(v, -1j * z, nv, nz) * (-1j) ** np.arange(nz + 1)[:, None]
    return times(phase(0.5, v, nv)[:, None], tower) * np.exp(-1j * z.real), 1j


def _y(v, z, nv, nz):
    """DLMF 10.4.3, Y = i (J - H1)."""
    tower, rate = _j(v, z, nv, nz)
    h1 = times_exponential(hankel.tower(v, z, nv, nz, 1), 2j, z) * np.exp(-1j * z.real)
    return 1j * (tower - h1), rate


def _right(v, w, nv, nw):
    """e^-w I_v(w) where `_minimal.is_direct`, Re w >= 0; DLMF 10.27.2 for v < 0."""
    lower = w.imag < 0
    w, a = np.where(lower, np.conj(w), w), np.abs(v)
    tower = _minimal.from_k(a, w, nv, nw)
    here = places(v < 0)
    if here.size:
        k = times_exponential(_macdonald.tower(a[here], w[here], nv, nw), -2, w[here])
        mirrored = tower[..., here] + 2 / np.pi * times(sine(a[here], nv)[:, None], k)
        tower[..., here] = mirrored * (-1.0) ** np.arange(nv + 1)[:, None, None]
    return np.where(lower, np.conj(tower), tower)
