"""Schlaefli's integrals (DLMF 10.9.6, 10.9.7, 10.32.4), differentiated in the order under the integral sign.

In their domains nothing cancels: the functions are not exponentially smaller than the integrands.
"""

import math

import numpy as np

from hostwrap.special._numerics.quadrature import NODES_PER_PANEL, integrals, moments, reach, spans
from hostwrap.special._numerics.trigpi import cospi_n, sinpi_n

FAR = 22.5  # exp(-2 FAR) is negligible
OSCILLATING = 64  # nodes on (0, pi), where the phase changes by at most 100


def j_jet(v, x, n):
    """[J^(k)(v), k = 0..n]; x <= 25, and v <= x or not much larger.

    pi J = int_0^pi cos(v s - x sin s) ds - sin(pi v) int_0^inf exp(-v t - x sinh t) dt
    """
    top = np.arccosh(np.maximum(v / x, 1))
    scale = _height(v, x, top)
    down = along_ray(v, x, top, top, lambda t, e: _turning(e * np.exp(scale - 2 * v * t), t, n))
    around, turned = _around(v, x, n, 0), _turned(v, down)
    return np.stack([(a - imag) / np.pi for a, (_, imag) in zip(around, turned, strict=True)])


def scaled_y(v, x, n):
    """[Y^(k)(v), k = 0..n] for v, x <= 25, if v > x multiplied by exp(-M), M = v a - x sinh a, cosh a = v/x.

    pi Y = int_0^pi sin(x sin s - v s) ds - int_0^inf (exp(v t) + exp(-v t) cos(pi v)) exp(-x sinh t) dt
    """
    top = np.arccosh(np.maximum(v / x, 1))
    height = np.exp(-_height(v, x, top))
    terms = lambda t, e: [*moments(e, t, n), *_turning(e * np.exp(-2 * v * t), t, n)]
    along = along_ray(v, x, top, top, terms)
    around, turned = _around(v, x, n, -1), _turned(v, along[n + 1 :])
    return np.stack([
        (a * height - (straight + real)) / np.pi
        for a, straight, (real, _) in zip(around, along[: n + 1], turned, strict=True)
    ])  # fmt: skip


def relative_i(v, x, n):
    """[I^(k)(v) / I(v), k = 0..n] for v^2 <= 2x, x >= 1.

    pi I = int_0^pi exp(x cos s) cos(v s) ds - sin(pi v) int_0^inf exp(-v t - x cosh t) dt
    """

    def wave(s):
        e = np.exp(-2 * x * np.sin(s / 2) ** 2)
        return [e * _cosine(v, s, k) for k in range(n + 1)]

    end = 2 * np.arcsin(np.minimum(np.sqrt(FAR / x), 1))
    around = integrals(wave, [(0.0, end)], OSCILLATING)
    fall = lambda t: _turning(np.exp(-2 * x * np.cosh(t / 2) ** 2 - v * t), t, n)
    end = np.arccosh(1 + 2 * FAR / x)
    turned = _turned(v, integrals(fall, [(0.0, end)], OSCILLATING))
    jet = [a - imag for a, (_, imag) in zip(around, turned, strict=True)]
    return np.stack([f / jet[0] for f in jet])


def _height(v, x, top):
    """The maximum of the exponent v t - x sinh t."""
    return v * top - x * np.sinh(top)


def along_ray(v, x, top, back, terms):
    """The integrals of `terms(t, e)` over t > top - back, e = exp(v t - x sinh t - their maximum, at t = top)."""
    right = reach(lambda d: _fall(v, x, top, d), np.minimum(np.log1p(100 / np.hypot(v, x)) + 6, 700.0))
    left = reach(lambda d: _fall(v, x, top, -d), back)
    at = lambda d: terms(top + d, np.exp(_fall(v, x, top, d)))
    return integrals(at, spans(left, right), NODES_PER_PANEL)


def _fall(v, x, top, d):
    return v * d - 2 * x * np.sinh(d / 2) * np.cosh(top + d / 2)


def _around(v, x, n, quarter):
    """[d^k/dv^k int_0^pi cos(x sin s - v s + quarter * pi/2) ds, k = 0..n]"""

    def terms(s):
        angle = x * np.sin(s) - v * s
        return [np.cos(angle + (quarter + k) * np.pi / 2) * (-s) ** k for k in range(n + 1)]

    return integrals(terms, [(0.0, np.full_like(x, np.pi))], OSCILLATING)


def _turning(e, t, n):
    """Real and imaginary parts of e (i pi - t)^k, k = 0..n."""
    real, imag = [e], [0 * e]
    for _ in range(n):
        re, im = real[-1], imag[-1]
        real.append(-(re * t + im * math.pi))
        imag.append(re * math.pi - im * t)
    return [*real, *imag]


def _turned(v, sums):
    """[(real part, imaginary part) of exp(i pi v) times each sum]"""
    half, cos, sin = len(sums) // 2, cospi_n(v), sinpi_n(v)
    return [
        (cos * re - sin * im, sin * re + cos * im) for re, im in zip(sums[:half], sums[half:], strict=True)
    ]


def _cosine(v, s, k):
    """d^k/dv^k cos(v s), for small odd derivatives accurately."""
    return (-1) ** ((k + 1) // 2) * s**k * (np.sin if k % 2 else np.cos)(v * s)
