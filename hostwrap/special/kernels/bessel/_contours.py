"""Hankel's function in its order by contour integrals, x > 0, v >= 0, with integrands that hardly oscillate.

    pi i H_v(x) = int exp(x sinh w - v w) dw from -inf to inf + i pi (DLMF 10.9.18), H = J + i Y,

w = a + i s. On the paths of steepest descent the imaginary part of the exponent is constant, which gives a
as a function of s. A derivative in v brings down a factor -w.
"""

import numpy as np

from hostwrap.special.kernels._quadrature import gauss_legendre, reach, trapezoid
from hostwrap.special.kernels.bessel._cancelling import (
    arccosh1p,
    csc_excess,
    s_minus_sin,
    sin_minus_s_cos,
    sinh_minus,
)
from hostwrap.special.kernels.bessel._schlaefli import ray_from

NODES = 48


def scaled_y(v, x, n):
    """e^-M [Y^(k), k = 0..n] for v > x, where Y ~ -e^M. Along the real axis to the saddle point w = alpha,
    cosh alpha = v/x, and from there up, on x cosh a sin s = v s."""
    alpha, m = saddle(v, x)
    t, e, _ = ray_from(v, x, alpha, 2 * alpha)
    w, rise = _upwards(v, x, m)
    rise = rise * np.exp(-2 * m)[:, None]
    return -np.stack([(e * t**k).sum(axis=1) + (rise * (-w) ** k).sum(axis=1).real for k in range(n + 1)])


def saddle(v, x):
    """alpha and M = v alpha - x sinh alpha."""
    excess = (v - x) / x
    sinh = np.sqrt(excess * (2 + excess))
    alpha = np.log1p(excess + sinh)
    return alpha, v * alpha - x * sinh


def relative_j(v, x, n):
    """[J^(k) / J, k = 0..n] for v > x, by the second part of that path: the first one makes no J."""
    w, e = _upwards(v, x, saddle(v, x)[1])
    jet = np.stack([(e * (-w) ** k).sum(axis=1).imag for k in range(n + 1)])
    return jet / jet[0]


def _upwards(v, x, m):
    ratio, excess = v / x, (v - x) / x

    def exponent(s):
        a, sinh = arccosh1p(excess + ratio * csc_excess(s))
        return x * sinh * np.cos(s) - v * a + m

    end = reach(exponent, np.full_like(x, np.pi * (1 - 1e-6)))
    s, weight = gauss_legendre(NODES)
    s = end[:, None] * s
    ratio, excess = ratio[:, None], excess[:, None]
    a, sinh = arccosh1p(excess + ratio * csc_excess(s))
    slope = ratio * sin_minus_s_cos(s) / (np.sin(s) ** 2 * sinh)
    e = np.exp(x[:, None] * sinh * np.cos(s) - v[:, None] * a + m[:, None])
    return a + 1j * s, e * (end[:, None] * weight * (slope + 1j))


def transitional(v, x, n):
    """[H^(k), k = 0..n] for v near x: from -inf to 0, and on along the steepest path of v = x."""
    alpha = saddle(np.maximum(v, x), x)[0]
    t, e, scale = ray_from(v, x, alpha, alpha)
    e = e * np.exp(scale)[:, None]
    along = np.stack([(e * t**k).sum(axis=1) for k in range(n + 1)])
    # the exponent is about -0.26 x s^3, so -60 or less at the end
    end = np.minimum(6.8 / np.cbrt(x), np.pi * (1 - 1e-3))
    s, weight = gauss_legendre(NODES)
    s = end[:, None] * s
    excess = csc_excess(s)
    a, sinh = arccosh1p(excess)
    slope = sin_minus_s_cos(s) / (np.sin(s) ** 2 * sinh)
    v, x = v[:, None], x[:, None]
    fall = sinh_minus(a) * np.cos(s) - 2 * a * np.sin(s / 2) ** 2
    e = np.exp(x * fall + (x - v) * (a + 1j * s)) * (end[:, None] * weight * (slope + 1j))
    up = np.stack([(e * (-a - 1j * s) ** k).sum(axis=1) for k in range(n + 1)])
    return (along + up) / (1j * np.pi)


def oscillating(v, x, n):
    """[H^(k), k = 0..n] for x > v, through the saddle point w = i beta, cos beta = v/x. On the path
    x cosh a sin s - v s is constant; with s = beta e^q the integrand decays doubly exponentially at s = 0."""
    beta = 2 * np.arcsin(np.sqrt((x - v) / (2 * x)))
    sine = np.sqrt((x - v) / x * ((x + v) / x))

    def fall(q):
        return _descent(v, x, beta, sine, q)[0]

    right = reach(fall, np.log(np.pi * (1 - 1e-9) / beta))
    left = reach(lambda q: fall(-q), np.full_like(x, 20.0))
    q, step = trapezoid(-left, right, NODES)
    real, a, s, slope = _descent(v[:, None], x[:, None], beta[:, None], sine[:, None], q)
    e = np.exp(real) * step * s * (slope + 1j)
    turn = np.exp(1j * (x * sine - v * beta)) / (1j * np.pi)
    return np.stack([(e * (-a - 1j * s) ** k).sum(axis=1) for k in range(n + 1)]) * turn


def _descent(v, x, beta, sine, q):
    """Real part of the exponent, a, s and da/ds, with d = s - beta."""
    d = beta * np.expm1(np.where(q == 0, 1e-30, q))
    s = beta + d
    cosine = v / x
    chord, lag = 2 * np.sin(d / 2) ** 2, s_minus_sin(d)  # 1 - cos d, d - sin d
    sin_s, cos_s = np.sin(s), np.cos(s)
    a, sinh = arccosh1p((cosine * lag + sine * chord) / sin_s)
    side = np.sign(d)
    a, sinh = side * a, side * sinh
    real = x * (sinh_minus(a) * cos_s - a * (sine * np.sin(d) + cosine * chord))
    rise = (cosine * chord + sine * np.sin(d)) * sin_s - (cosine * lag + sine * chord) * cos_s
    return real, a, s, rise / (sin_s**2 * sinh)
