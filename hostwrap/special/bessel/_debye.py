"""Mixed derivatives in v and w of e^w K_v(w) and e^-w I_v(w) for large orders or arguments, Re w >= 0.

Debye's expansions hold for all v/w at once (DLMF 10.41.3, 10.41.4). With s = sqrt(v^2 + w^2) and t = v^2 / s^2,

    e^w K_v(w) = sqrt(pi/2s) e^h (1 - u_1(t)/s + u_2(t)/s^2 - ...), h = w - s + v arsinh(v/w),

and I has e^-h and no signs. Towers here are of Taylor coefficients in (v, w), so that products have no binomials.
"""

from math import factorial

import numpy as np

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
    shape = nv + 1, nw + 1, v.size
    order, argument = np.zeros(shape, w.dtype), np.zeros(shape, w.dtype)
    order[0, 0], argument[0, 0] = v, w
    order[1:2, 0], argument[0, 1:2] = 1.0, 1.0
    s = _root(v, w)
    square = _times(order, order) + _times(argument, argument)
    square[0, 0] = s * s
    r = _power(square, -0.5, 1 / s)  # 1 / s
    exponent = _exponent(order, argument, r, s)
    rest = factor * _exponential(sign * exponent)
    rest = _times(rest, _power(square, -0.25, 1 / np.sqrt(s)))
    rest = _times(rest, _series(_times(_times(order, order), _times(r, r)), -sign * r))
    rest = np.where((1 + np.abs(v / s) ** 2) / np.abs(s) < LOST, rest, np.nan)
    rest *= np.array([[factorial(i) * factorial(j) for j in range(nw + 1)] for i in range(nv + 1)])[..., None]
    h = sign * exponent[0, 0]
    return grown(rest * np.exp(1j * h.imag), h.real) if np.iscomplexobj(w) else rest * np.exp(h)


def _root(v, w):
    """sqrt(v^2 + w^2), on the imaginary axis as from the right."""
    if not np.iscomplexobj(w):
        return np.hypot(v, w)
    s = np.sqrt(((v - w.imag) + 1j * w.real) * ((v + w.imag) - 1j * w.real))
    return s.real + 1j * np.copysign(s.imag, w.imag)


def _exponent(order, argument, r, s):
    """h, whose derivative in v is arsinh(v/w), that of which is 1/s; dh/dw = -v^2 / (w (s + w))."""
    v, w = order[0, 0], argument[0, 0]
    angle, h = np.zeros((2, *r.shape), r.dtype)
    inverse = _power(argument, -1, 1 / w)
    angle[0, 0] = np.log((v + s) / w) if np.iscomplexobj(w) else np.arcsinh(v / w)
    _integrate(angle, r, -_times(_times(order, r), inverse))
    root = _power(r, -1, s) + argument
    _integrate(h, angle, -_times(_times(_times(order, order), inverse), _power(root, -1, 1 / root[0, 0])))
    h[0, 0] = v * angle[0, 0] - v * v / (s + w)
    return h


def _integrate(f, along_v, along_w):
    """Fills in f from its derivatives in v and w, but f[0, 0]."""
    for j in range(1, f.shape[1]):
        f[0, j] = along_w[0, j - 1] / j
    for i in range(1, f.shape[0]):
        f[i] = along_v[i - 1] / i


def _series(t, r):
    """1 + u_1 r + u_2 r^2 + ..."""
    total, power = np.zeros_like(r), np.zeros_like(r)
    total[0, 0] = power[0, 0] = 1.0
    for coefficients in U:
        power, u = _times(power, r), np.zeros_like(r)
        for c in coefficients[::-1]:
            u = _times(u, t)
            u[0, 0] += c
        total += _times(u, power)
    return total


def _times(f, g):
    """Of Taylor coefficients in two variables."""
    result = np.zeros_like(f)
    for i, j in np.ndindex(f.shape[:2]):
        for k, m in np.ndindex(i + 1, j + 1):
            result[i, j] += f[k, m] * g[i - k, j - m]
    return result


def _power(f, a, first):
    """f^a, whose first coefficient is given: f dp = a p df, in v, and for the first row in w."""
    p = np.zeros_like(f)
    p[0, 0] = first
    for i, j in np.ndindex(f.shape[:2]):
        if i + j == 0:
            continue
        for k, m in np.ndindex(i + 1, j + 1):
            if k + m > 0:
                weight = (a * k - (i - k)) / i if i else (a * m - (j - m)) / j
                p[i, j] += weight * f[k, m] * p[i - k, j - m]
        p[i, j] /= f[0, 0]
    return p


def _exponential(h):
    """e^(h - h[0, 0])."""
    e = np.zeros_like(h)
    e[0, 0] = 1.0
    for i, j in np.ndindex(h.shape[:2]):
        if i + j == 0:
            continue
        for k, m in np.ndindex(i + 1, j + 1):
            e[i, j] += (k / i if i else m / j) * h[k, m] * e[i - k, j - m]
    return e
