"""Mixed derivatives d^i/dv^i d^j/dw^j of e^w K_v(w) for |w| < 1.

K_v = pi/2 (I_{-v} - I_v) / sin(pi v) (DLMF 10.27.4) is taken at complex orders on a circle around v, away from the
integers where it is 0/0, and Cauchy's formula gives K and its derivatives in v at the centre. The radius is some
1/|log w|: there the powers w^v and w^-v are of order one, and nothing cancels.
"""

from math import comb, factorial

import numpy as np
from scipy.special import rgamma

from hostwrap.special._numerics.pointwise import weighted_sum


def tower(base, shift, w, theta, nv, nz):
    """D[i, j] at order base + shift; |base| <= 1/2, shift 0 or 1."""
    count = 24
    scale = np.minimum(1.0, 2 / np.log(2 / np.abs(w)))
    radius = _radius(base, scale)
    centre = np.where((np.abs(base) < radius / 4) & (shift == 0), 0.0, base)
    turn = np.exp(2j * np.pi * (np.arange(count) + 0.5) / count)
    log_half = (np.log(np.abs(w) / 2) + 1j * theta)[:, None]
    samples = _connection(centre[:, None] + radius[:, None] * turn, shift, w[:, None], log_half, nz)
    powers = [weighted_sum(samples / count, turn**-k) for k in range(count)]
    taylor = np.stack(powers, axis=-1)  # [j, point, power], in units of the radius
    taylor[:, (centre == 0.0) & (shift == 0), 1::2] = 0.0  # K is even in its order
    result = _derivatives(taylor, (base - centre) / radius, nv) / radius ** np.arange(nv + 1)[:, None, None]
    return _scaled(result, w)


def _radius(base, scale):
    """Of two radii the one whose circle keeps further from the integers."""
    gap = [
        np.min([np.abs(np.abs(base - k) - size * scale) for k in (-1, 0, 1)], axis=0) for size in (0.3, 0.6)
    ]
    return np.where(gap[0] > gap[1], 0.3, 0.6) * scale


def _derivatives(taylor, offset, nv):
    """D[i, j] at `offset` from the centre of Taylor series in the order."""
    result = np.zeros((nv + 1, *taylor.shape[:2]), complex)
    count = taylor.shape[-1]
    for i in range(nv + 1):
        for k in range(count // 2, i - 1, -1):
            result[i] = result[i] * offset + taylor[..., k] * (factorial(k) / factorial(k - i))
    return result


def _connection(v, shift, w, log_half, nz):
    """d^j/dw^j K_{v+shift}(w), j = 0..nz, stacked; v complex."""
    plus = _series(v + shift, rgamma(1 + v) / (1 + v if shift else 1), w, log_half, nz)
    minus = _series(-v - shift, rgamma(1 - v) * (-v if shift else 1), w, log_half, nz)
    return np.pi / 2 * (-1) ** shift * (minus - plus) / np.sin(np.pi * v)


def _series(a, coefficient, w, log_half, nz):
    """d^j/dw^j of sum_k (w/2)^(a+2k) / (k! Gamma(a+k+1)), DLMF 10.25.2; `coefficient` is 1/Gamma(a+1)."""
    term = coefficient * np.exp(a * log_half)
    result = np.zeros((nz + 1, *term.shape), complex)
    for k in range(12):
        part = term.copy()
        for j in range(nz + 1):
            result[j] += part
            part = part * (a + 2 * k - j) / w
        term = term * (w * w / 4) / ((k + 1) * (a + k + 1))
    return result


def _scaled(plain, w):
    """The tower of e^w f from that of f."""
    result = np.zeros_like(plain)
    for j in range(plain.shape[1]):
        for m in range(j + 1):
            result[:, j] += comb(j, m) * plain[:, m]
    return result * np.exp(w)
