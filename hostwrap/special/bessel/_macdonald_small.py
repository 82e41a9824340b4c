"""Mixed derivatives d^i/dv^i d^j/dw^j of e^w K_v(w) for |w| < 1.

K_v = pi/2 (I_{-v} - I_v) / sin(pi v) (DLMF 10.27.4) is taken at complex orders on a circle around v, away from the
integers where it is 0/0, and Cauchy's formula gives K and its derivatives in v at the centre. The radius is some
1/|log w|: there the powers w^v and w^-v are of order one, and nothing cancels.
"""

import functools
from math import comb, factorial

import numpy as np
from scipy.special import rgamma

from hostwrap.special._numerics.pointwise import stack_of
from hostwrap.special._numerics.quadrature import sums

CIRCLE = np.exp(2j * np.pi * (np.arange(24) + 0.5) / 24)
POWERS = 13  # of the Taylor series


def tower(base, shift, w, theta, nv, nz):
    """D[i, j] at order base + shift; |base| <= 1/2, shift 0 or 1."""
    scale = np.minimum(1.0, 2 / np.log(2 / np.abs(w)))
    radius = _radius(base, scale)
    even = (np.abs(base) < radius / 4) if shift == 0 else np.abs(base) < 0  # there K is even in its order
    centre = np.where(even, 0.0, base)
    log_half = np.log(np.abs(w) / 2) + 1j * theta

    def terms(turn, *row):
        powers, (centre, radius, w, log_half) = row[:POWERS], row[POWERS:]
        samples = _connection(centre + radius * turn, shift, w, log_half, nz)
        return [power * sample for power in powers for sample in samples]

    found = sums(
        terms, [CIRCLE, *(CIRCLE**-k / CIRCLE.size for k in range(POWERS))], [centre, radius, w, log_half]
    )
    taylor = [found[k * (nz + 1) : (k + 1) * (nz + 1)] for k in range(POWERS)]  # in units of the radius
    taylor[1::2] = [[np.where(even, 0.0, f) for f in row] for row in taylor[1::2]]
    return _scaled(_derivatives(taylor, (base - centre) / radius, radius, nv), w)


def _radius(base, scale):
    """One of two radii: that of the circle which stays farther from the integers."""
    gaps = [[np.abs(np.abs(base - k) - size * scale) for k in (-1, 0, 1)] for size in (0.3, 0.6)]
    first, second = (functools.reduce(np.minimum, gap) for gap in gaps)
    return np.where(first > second, 0.3, 0.6) * scale


def _derivatives(taylor, offset, radius, nv):
    """D[i][j] at `offset` from the centre of Taylor series in the order, in units of the radius."""
    result = []
    for i in range(nv + 1):
        row = [0.0 * f for f in taylor[0]]
        for k in range(len(taylor) - 1, i - 1, -1):
            factor = float(factorial(k) // factorial(k - i))
            row = [value * offset + f * factor for value, f in zip(row, taylor[k], strict=True)]
        result.append([value / radius**i for value in row])
    return result


def _connection(v, shift, w, log_half, nz):
    """d^j/dw^j K_{v+shift}(w), j = 0..nz, stacked; v complex."""
    plus = _series(v + shift, rgamma(1 + v) / (1 + v if shift else 1), w, log_half, nz)
    minus = _series(-v - shift, rgamma(1 - v) * (-v if shift else 1), w, log_half, nz)
    factor = np.pi / 2 * (-1) ** shift / np.sin(np.pi * v)
    return [factor * (f - g) for f, g in zip(minus, plus, strict=True)]


def _series(a, coefficient, w, log_half, nz):
    """d^j/dw^j of sum_k (w/2)^(a+2k) / (k! Gamma(a+k+1)), DLMF 10.25.2; `coefficient` is 1/Gamma(a+1)."""
    term = coefficient * np.exp(a * log_half)
    result = [0.0] * (nz + 1)
    for k in range(12):
        part = term
        for j in range(nz + 1):
            result[j] = result[j] + part
            part = part * (a + (2 * k - j)) / w
        term = term * (w * w / 4) / ((k + 1) * (a + (k + 1)))
    return result


def _scaled(plain, w):
    """The tower of e^w f from that of f."""
    size = np.exp(w)
    result = stack_of(0.0, (len(plain), len(plain[0])), w + 0j)
    for i, row in enumerate(plain):
        for j in range(len(row)):
            result[i, j] = sum(float(comb(j, m)) * row[m] for m in range(j + 1)) * size
    return result
