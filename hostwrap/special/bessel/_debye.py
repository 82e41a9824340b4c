"""Mixed derivatives in v and w of e^w K_v(w) and e^-w I_v(w) for large orders or arguments, Re w >= 0.

For |w| > v those of K_v hold at every arg w, as Hankel's expansion does, which they are with the terms in v^2/w summed.

Debye's expansions hold for all v/w at once (DLMF 10.41.3, 10.41.4). With s = sqrt(v^2 + w^2) and t = v^2 / s^2,

    e^w K_v(w) = sqrt(pi/2s) e^h (1 - u_1(t)/s + u_2(t)/s^2 - ...), h = w - s + v arsinh(v/w),

and I has e^-h and no signs. Towers are of Taylor coefficients in (v, w).
"""

from math import factorial

import numpy as np

from hostwrap.special._numerics.jets import stacked
from hostwrap.special._numerics.parts import compose, grown
from hostwrap.special._numerics.towers import exponential, logarithm, one, plus, power, scaled, times, zeros

U = (  # polynomials in t (DLMF 10.41.10), lowest power first
    np.array([3, -5]) / 24,
    np.array([81, -462, 385]) / 1152,
    np.array([30375, -369603, 765765, -425425]) / 414720,
    np.array([4465125, -94121676, 349922430, -446185740, 185910725]) / 39813120,
)
LOST = 1.2e-3  # (1 + |t|) / |s| from which on the next term, about 28 t^5 / s^5, counts: next to v = +-i w


def is_far(v, w):
    """Where `scaled_k` serves at every arg w, v >= 0: |s| is at least sqrt(|w|^2 - v^2)."""
    size = np.abs(w)
    share = (1 - v / size) * (1 + v / size)
    return (v < size) & (LOST * size * share**1.5 > 1)


def scaled_k(v, w, nv, nw):
    """D[i, j] = d^i/dv^i d^j/dw^j e^w K_v(w)."""
    return _tower(v, w, nv, nw, 1, np.sqrt(np.pi / 2))


def scaled_i(v, w, nv, nw):
    """The same for e^-w I_v(w), w real."""
    return _tower(v, w, nv, nw, -1, 1 / np.sqrt(2 * np.pi))


def _tower(v, w, nv, nw, sign, factor):
    order, argument = zeros(nv, nw, w), zeros(nv, nw, w)
    order[0][0], argument[0][0] = v + 0 * w, w
    if nv:
        order[1][0] = np.ones_like(w)
    if nw:
        argument[0][1] = np.ones_like(w)
    s = _root(v, w)
    square = plus(times(order, order), times(argument, argument))
    square[0][0] = s * s
    r = power(square, -0.5, 1 / s)  # 1 / s
    first = np.log((v + s) / w) if np.iscomplexobj(w) else np.arcsinh(v / w)
    exponent = _exponent(order, argument, r, s, first, power(argument, -1, 1 / w))
    rest = scaled(factor, exponential(scaled(sign, exponent)))
    rest = times(rest, power(square, -0.25, 1 / np.sqrt(s)))
    rest = times(rest, _series(times(times(order, order), times(r, r)), scaled(-sign, r)))
    right = (1 + np.abs(v / s) ** 2) / np.abs(s) < LOST
    h = sign * exponent[0][0]

    def entry(i, j):
        value = np.where(right, rest[i][j], np.nan) * (factorial(i) * factorial(j))
        return grown(value * np.exp(1j * h.imag), h.real) if np.iscomplexobj(w) else value * np.exp(h)

    return stacked([[entry(i, j) for j in range(nw + 1)] for i in range(nv + 1)])


def log_scaled(v, x, nv, nx, sign):
    """T[i][j] of the logarithm of e^x K_v(x), sign 1, or of e^-x I_v(x), sign -1, in powers of dv and dx / x; x > 0.

    v, x and dv are divided by s, so that nothing overflows.
    """
    s, unit = np.hypot(v, x), np.ones_like(x)
    order, argument, inverse = zeros(nv, nx, x), zeros(nv, nx, x), zeros(nv, nx, x)
    order[0][0], argument[0][0] = v / s, x / s
    inverse[0] = [np.full_like(x, (-1.0) ** j) for j in range(nx + 1)]  # 1 / (1 + dx / x)
    if nv:
        order[1][0] = unit
    if nx:
        argument[0][1] = x / s
    square = plus(times(order, order), times(argument, argument))
    square[0][0] = unit
    r = power(square, -0.5, unit)
    exponent = _exponent(order, argument, r, unit, angle(v, x), inverse)
    t = times(times(order, order), times(r, r))
    series = _series(t, scaled(-sign / s, r))
    rest = plus(logarithm(series, np.log(series[0][0])), scaled(-0.25, logarithm(square, 0 * unit)))
    rest[0][0] = rest[0][0] - np.log(s) / 2 + sign * np.log(np.pi) / 2 - np.log(2) / 2
    total = plus(scaled(sign * s, exponent), rest)
    for i in range(1, nv + 1):  # step by step: a power of s may overflow
        total[i:] = [[f / s for f in row] for row in total[i:]]
    return total


def angle(v, x):
    """arsinh(v/x), also where the quotient overflows."""
    ratio = v / x
    return np.where(ratio < np.inf, np.arcsinh(ratio), np.log(2) + np.log(v) - np.log(x))


def _root(v, w):
    """sqrt(v^2 + w^2), on the imaginary axis as from the right; on the left it is near w, too."""
    if not np.iscomplexobj(w):
        return np.hypot(v, w)
    side = np.where(w.real < 0, -1.0, 1.0)
    w = side * w
    s = np.sqrt(((v - w.imag) + 1j * w.real) * ((v + w.imag) - 1j * w.real))
    return compose(side * s.real, side * np.copysign(s.imag, w.imag))


def _exponent(order, argument, r, s, angle, inverse):
    """h: dh/dv = arsinh(v/w), d^2h/dv^2 = 1/s, dh/dw = -v^2 / (w (s + w)).

    `inverse` is the derivative of log w: 1 / w, or w'/w if the series is in another variable than w.
    """
    v, w = order[0][0], argument[0][0]
    root = plus(power(r, -1, s), argument)
    along_w = times(times(times(order, order), inverse), power(root, -1, 1 / root[0][0]))
    angles = _integrated(angle, r, scaled(-1, times(times(order, r), inverse)))
    return _integrated(v * angle - v * v / (s + w), angles, scaled(-1, along_w))


def _integrated(first, along_v, along_w):
    """The series with this first coefficient and these derivatives in v and w."""
    row = [first, *(f / j for j, f in enumerate(along_w[0][:-1], 1))]
    return [row, *([f / i for f in last] for i, last in enumerate(along_v[:-1], 1))]


def _series(t, r):
    """1 + u_1 r + u_2 r^2 + ..."""
    total = r_power = one(r)
    for coefficients in U:
        r_power, u = times(r_power, r), zeros(len(r) - 1, len(r[0]) - 1, r[0][0])
        for c in coefficients[::-1]:
            u = times(u, t)
            u[0][0] = u[0][0] + c
        total = plus(total, times(u, r_power))
    return total
