"""e^-w I_v(w) for v >= 0, Re w >= 0: a series over orders, or a difference of two K where v^2 <= 2|w| or w is large."""

import numpy as np

from hostwrap.special._numerics.jets import phase, times, times_exponential
from hostwrap.special.bessel import _debye, _macdonald, _neumann

FROM_K = 2.0  # the least |w| for which K serves


def scaled_i(v, w, n):
    """[d^k/dv^k e^-w I_v(w), k = 0..n]."""
    lower = w.imag < 0
    w = np.where(lower, np.conj(w), w)
    direct = is_direct(v, w)
    result = np.empty((n + 1, v.size), complex)
    result[:, direct] = from_k(v[direct], w[direct], n)[:, 0]
    result[:, ~direct] = _neumann.scaled_i(v[~direct], w[~direct], n)
    return np.where(lower, np.conj(result), result)


def is_direct(v, w):
    size = np.abs(w)
    return (v * v <= 2 * size) & (size >= FROM_K) | _debye.is_far(v, w)


def from_k(v, w, nv, nw=0):
    """D[i, j] = d^i/dv^i d^j/dw^j e^-w I_v(w) where `is_direct` and Im w >= 0.

    DLMF 10.34.2: pi i I_v(w) = K_v(w e^-pi i) - e^pi iv K_v(w). The second term is exponentially small, except
    near the imaginary axis; no derivative cancels, since both K are computed with their factor e^w taken out.
    """
    w = w + 0j
    theta = np.angle(w)
    far = _macdonald.turned_tower(v, -w, theta - np.pi, nv, nw)
    far[:, 1::2] *= -1  # d/dw of a function of -w
    near = _macdonald.turned_tower(v, w, theta, nv, nw)
    near = times_exponential(near, -2, w)
    return (far - times(phase(1, v, nv)[:, None], near)) / (np.pi * 1j)


def hankel_i(v, x, nv, nx):
    """The same for large real x without the exponentially small term (DLMF 10.40.1)."""
    result = _macdonald.hankel(v, 0, -x, None, nv, nx) / np.pi
    result[:, 1::2] *= -1
    return result
