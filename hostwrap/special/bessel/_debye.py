"""Mixed derivatives in v and w of e^w K_v(w) and e^-w I_v(w) for large orders or arguments, Re w >= 0.

Debye's expansions hold for all v/w at once (DLMF 10.41.3, 10.41.4). With s = sqrt(v^2 + w^2) and t = v^2 / s^2,

    e^w K_v(w) = sqrt(pi/2s) e^h (1 - u_1(t)/s + u_2(t)/s^2 - ...), h = w - s + v arsinh(v/w),

and I has e^-h and no signs. Towers here are of Taylor coefficients in (v, w), so that products have no binomials.
"""

from math import factorial

import numpy as np

from hostwrap.special._numerics.jets import stacked
from hostwrap.special._numerics.parts import grown

U = (  # polynomials in t (DLMF 10.41.10), lowest power first
    np.array([3, -5]) / 24,
    np.array([81, -462, 385]) / 1152,
    np.array([30375, -369603, 765765, -425425]) / 414720,
    np.array([4465125, -94121676, 349922430, -446185740, 185910725]) / 39813120,
)
LOST = 1.2e-3  # (1 + |t|) / |s| from which on the next term, some 28 t^5 / s^5, would count; so next to v = +-i w


def scaled_k(v, w, nv, nw):
    """D[i, j] = d^i/dv^i d^j/dw^j e^w K_v(w)."""
    return _tower(v, w, nv, nw, 1, np.sqrt(np.pi / 2))


def scaled_i(v, w, nv, nw):
    """The same for e^-w I_v(w), w real."""
    return _tower(v, w, nv, nw, -1, 1 / np.sqrt(2 * np.pi))


def _tower(v, w, nv, nw, sign, factor):
    order, argument = _zeros(nv, nw, w), _zeros(nv, nw, w)
    order[0][0], argument[0][0] = v + 0 * w, w
    if nv:
        order[1][0] = np.ones_like(w)
    if nw:
        argument[0][1] = np.ones_like(w)
    s = _root(v, w)
    square = _plus(_times(order, order), _times(argument, argument))
    square[0][0] = s * s
    r = _power(square, -0.5, 1 / s)  # 1 / s
    exponent = _exponent(order, argument, r, s)
    rest = _scaled(factor, _exponential(_scaled(sign, exponent)))
    rest = _times(rest, _power(square, -0.25, 1 / np.sqrt(s)))
    rest = _times(rest, _series(_times(_times(order, order), _times(r, r)), _scaled(-sign, r)))
    right = (1 + np.abs(v / s) ** 2) / np.abs(s) < LOST
    h = sign * exponent[0][0]

    def entry(i, j):
        value = np.where(right, rest[i][j], np.nan) * (factorial(i) * factorial(j))
        return grown(value * np.exp(1j * h.imag), h.real) if np.iscomplexobj(w) else value * np.exp(h)

    return stacked([[entry(i, j) for j in range(nw + 1)] for i in range(nv + 1)])


def _zeros(nv, nw, w):
    return [[np.zeros_like(w)] * (nw + 1) for _ in range(nv + 1)]


def _scaled(c, f):
    return [[c * a for a in row] for row in f]


def _plus(f, g):
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(f, g, strict=True)]


def _places(f):
    return [(i, j) for i in range(len(f)) for j in range(len(f[0]))]


def _root(v, w):
    """sqrt(v^2 + w^2), on the imaginary axis as from the right."""
    if not np.iscomplexobj(w):
        return np.hypot(v, w)
    s = np.sqrt(((v - w.imag) + 1j * w.real) * ((v + w.imag) - 1j * w.real))
    return s.real + 1j * np.copysign(s.imag, w.imag)


def _exponent(order, argument, r, s):
    """h, whose derivative in v is arsinh(v/w), that of which is 1/s; dh/dw = -v^2 / (w (s + w))."""
    v, w = order[0][0], argument[0][0]
    inverse = _power(argument, -1, 1 / w)
    first = np.log((v + s) / w) if np.iscomplexobj(w) else np.arcsinh(v / w)
    angle = _integrated(first, r, _scaled(-1, _times(_times(order, r), inverse)))
    root = _plus(_power(r, -1, s), argument)
    along_w = _times(_times(_times(order, order), inverse), _power(root, -1, 1 / root[0][0]))
    return _integrated(v * first - v * v / (s + w), angle, _scaled(-1, along_w))


def _integrated(first, along_v, along_w):
    """From its first coefficient and its derivatives in v and w."""
    row = [first, *(f / j for j, f in enumerate(along_w[0][:-1], 1))]
    return [row, *([f / i for f in last] for i, last in enumerate(along_v[:-1], 1))]


def _series(t, r):
    """1 + u_1 r + u_2 r^2 + ..."""
    total = power = _one(r)
    for coefficients in U:
        power, u = _times(power, r), _zeros(len(r) - 1, len(r[0]) - 1, r[0][0])
        for c in coefficients[::-1]:
            u = _times(u, t)
            u[0][0] = u[0][0] + c
        total = _plus(total, _times(u, power))
    return total


def _one(f):
    one = [[np.zeros_like(a) for a in row] for row in f]
    one[0][0] = np.ones_like(f[0][0])
    return one


def _times(f, g):
    """Of Taylor coefficients in two variables."""
    result = [[0.0] * len(row) for row in f]
    for i, j in _places(f):
        result[i][j] = sum(f[k][m] * g[i - k][j - m] for k in range(i + 1) for m in range(j + 1))
    return result


def _power(f, a, first):
    """f^a, whose first coefficient is given: f dp = a p df, in v, and for the first row in w."""
    p = [[first] * len(row) for row in f]
    for i, j in _places(f)[1:]:
        weight = lambda k, m, i=i, j=j: (a * k - (i - k)) / i if i else (a * m - (j - m)) / j
        earlier = [(k, m) for k in range(i + 1) for m in range(j + 1) if k + m > 0]
        total = sum(weight(k, m) * f[k][m] * p[i - k][j - m] for k, m in earlier)
        p[i][j] = total / f[0][0]
    return p


def _exponential(h):
    """e^(h - h[0][0])."""
    e = _one(h)
    for i, j in _places(h)[1:]:
        earlier = [(k, m) for k in range(i + 1) for m in range(j + 1) if (k if i else m)]
        e[i][j] = sum((k / i if i else m / j) * h[k][m] * e[i - k][j - m] for k, m in earlier)
    return e
