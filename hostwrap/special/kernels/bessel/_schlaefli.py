"""Schlaefli's integrals (DLMF 10.9.6, 10.9.7, 10.32.4), differentiated in the order under the integral sign.

In their domains nothing cancels: the functions are not exponentially smaller than the integrands.
"""

import numpy as np

from hostwrap.special.kernels._jets import phase
from hostwrap.special.kernels._quadrature import gauss_legendre, panels, reach

FAR = 22.5  # exp(-2 FAR) is negligible
OSCILLATING = 64  # nodes on (0, pi), where the phase changes by at most 100


def j_jet(v, x, n):
    """[J^(k)(v), k = 0..n]; x <= 25, and v <= x or not much larger.

    pi J = int_0^pi cos(v s - x sin s) ds - sin(pi v) int_0^inf exp(-v t - x sinh t) dt
    """
    t, e, scale = ray(v, x)
    e = e * np.exp(scale[:, None] - 2 * v[:, None] * t)
    jet = [_around(v, x, k, 0) - _turned(v, t, e, k).imag for k in range(n + 1)]
    return np.stack(jet) / np.pi


def scaled_y(v, x, n):
    """[Y^(k)(v), k = 0..n] for v, x <= 25, if v > x multiplied by exp(-M), M = v a - x sinh a, cosh a = v/x.

    pi Y = int_0^pi sin(x sin s - v s) ds - int_0^inf (exp(v t) + exp(-v t) cos(pi v)) exp(-x sinh t) dt
    """
    t, e, scale = ray(v, x)
    down = e * np.exp(-2 * v[:, None] * t)
    around = np.stack([_around(v, x, k, -1) for k in range(n + 1)]) * np.exp(-scale)
    along = [(e * t**k).sum(axis=1) + _turned(v, t, down, k).real for k in range(n + 1)]
    return (around - np.stack(along)) / np.pi


def relative_i(v, x, n):
    """[I^(k)(v) / I(v), k = 0..n] for v^2 <= 2x, x >= 1.

    pi I = int_0^pi exp(x cos s) cos(v s) ds - sin(pi v) int_0^inf exp(-v t - x cosh t) dt
    """
    s, w = gauss_legendre(OSCILLATING)
    end = 2 * np.arcsin(np.minimum(np.sqrt(FAR / x), 1))[:, None]
    s, w = end * s, end * w
    e = w * np.exp(-2 * x[:, None] * np.sin(s / 2) ** 2)
    t, w = gauss_legendre(OSCILLATING)
    end = np.arccosh(1 + 2 * FAR / x)[:, None]
    t, w = end * t, end * w
    down = w * np.exp(-2 * x[:, None] * np.cosh(t / 2) ** 2 - v[:, None] * t)
    jet = np.stack([
        (e * _cosine(v[:, None], s, k)).sum(axis=1) - _turned(v, t, down, k).imag
        for k in range(n + 1)
    ])  # fmt: skip
    return jet / jet[0]


def ray(v, x):
    """Nodes t > 0, weights times exp(v t - x sinh t - scale), and the scale: the exponent's maximum."""
    top = np.arccosh(np.maximum(v / x, 1))
    return ray_from(v, x, top, top)


def ray_from(v, x, top, back):
    """The same from top - back on, `top` being the place of the maximum."""
    right = reach(lambda d: _fall(v, x, top, d), np.minimum(np.log1p(100 / np.hypot(v, x)) + 6, 700))
    left = reach(lambda d: _fall(v, x, top, -d), back)
    d, w = panels(left, right)
    e = w * np.exp(_fall(v[:, None], x[:, None], top[:, None], d))
    return top[:, None] + d, e, v * top - x * np.sinh(top)


def _fall(v, x, top, d):
    return v * d - 2 * x * np.sinh(d / 2) * np.cosh(top + d / 2)


def _around(v, x, k, quarter):
    """d^k/dv^k int_0^pi cos(x sin s - v s + quarter * pi/2) ds."""
    s, w = gauss_legendre(OSCILLATING)
    s = np.pi * s
    angle = x[:, None] * np.sin(s) - v[:, None] * s
    return np.cos(angle + (quarter + k) * np.pi / 2) @ (np.pi * w * (-s) ** k)


def _turned(v, t, e, k):
    """sum of d^k/dv^k exp(i pi v - v t), whose last factor `e` contains."""
    return phase(1, v, 0)[0] * (e * (1j * np.pi - t) ** k).sum(axis=1)


def _cosine(v, s, k):
    """d^k/dv^k cos(v s), for small odd derivatives accurately."""
    return (-1) ** ((k + 1) // 2) * s**k * (np.sin if k % 2 else np.cos)(v * s)
