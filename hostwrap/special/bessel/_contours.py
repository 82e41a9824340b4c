"""Derivatives of Hankel's function in the order by contour integrals whose integrands hardly oscillate; x > 0, v >= 0.

    pi i H_v(x) = int exp(x sinh w - v w) dw from -inf to inf + i pi (DLMF 10.9.18), H = J + i Y,

w = a + i s. On the paths of steepest descent the imaginary part of the exponent is constant, which gives a
as a function of s. A derivative in v brings down a factor -w.
"""

import numpy as np

from hostwrap.special._numerics.quadrature import integrals, moments, reach, trapezoids
from hostwrap.special.bessel._cancelling import (
    arccosh1p,
    csc_excess,
    s_minus_sin,
    sin_minus_s_cos,
    sinh_minus,
)
from hostwrap.special.bessel._schlaefli import along_ray

NODES = 48


def scaled_y(v, x, n):
    """e^-M [Y^(k), k = 0..n] for v > x, where Y ~ -e^M. Along the real axis to the saddle point w = alpha,
    cosh alpha = v/x, and from there up, on x cosh a sin s = v s."""
    alpha, m = saddle(v, x)
    along = along_ray(v, x, alpha, 2 * alpha, lambda t, e: moments(e, t, n))
    rise, size = _upwards(v, x, m, n)[: n + 1], np.exp(-2 * m)
    return np.stack([-(a + re * size) for a, re in zip(along, rise, strict=True)])


def saddle(v, x):
    """alpha and M = v alpha - x sinh alpha."""
    excess = (v - x) / x
    sinh = np.sqrt(excess * (2 + excess))
    alpha = np.log1p(excess + sinh)
    return alpha, v * alpha - x * sinh


def relative_j(v, x, n):
    """[J^(k) / J, k = 0..n] for v > x, by the second part of that path: the first part adds nothing to J."""
    jet = _upwards(v, x, saddle(v, x)[1], n)[n + 1 :]
    return np.stack([f / jet[0] for f in jet])


def powers(e, slope, a, s, n):
    """Real and imaginary parts of e (slope + i) (-a - i s)^k, k = 0..n."""
    real, imag = [e * slope], [e]
    for _ in range(n):
        re, im = real[-1], imag[-1]
        real.append(im * s - re * a)
        imag.append(-(re * s + im * a))
    return [*real, *imag]


def _upwards(v, x, m, n):
    """The integrals of e^m exp(x sinh w - v w) (-w)^k dw along that path, their real and their imaginary parts."""
    ratio, excess = v / x, (v - x) / x

    def exponent(s):
        a, sinh = arccosh1p(excess + ratio * csc_excess(s))
        return x * sinh * np.cos(s) - v * a + m

    def terms(s):
        a, sinh = arccosh1p(excess + ratio * csc_excess(s))
        slope = ratio * sin_minus_s_cos(s) / (np.sin(s) ** 2 * sinh)
        return powers(np.exp(x * sinh * np.cos(s) - v * a + m), slope, a, s, n)

    end = reach(exponent, np.full_like(x, np.pi * (1 - 1e-6)))
    return integrals(terms, [(0.0, end)], NODES)


def transitional(v, x, n):
    """[J^(k)], [Y^(k)], k = 0..n, for v near x: from -inf to 0, and on along the steepest path of v = x."""
    alpha, m = saddle(np.maximum(v, x), x)
    height = np.exp(m)
    along = along_ray(v, x, alpha, alpha, lambda t, e: moments(e * height, t, n))

    def terms(s):
        a, sinh = arccosh1p(csc_excess(s))
        slope = sin_minus_s_cos(s) / (np.sin(s) ** 2 * sinh)
        fall = x * (sinh_minus(a) * np.cos(s) - 2 * a * np.sin(s / 2) ** 2) + (x - v) * a
        return _turned(powers(np.exp(fall), slope, a, s, n), (x - v) * s, n)

    # the exponent is about -0.26 x s^3, so -60 or less at the end
    end = np.minimum(6.8 / np.cbrt(x), np.pi * (1 - 1e-3))
    up = integrals(terms, [(0.0, end)], NODES)
    real = [a + u for a, u in zip(along, up[: n + 1], strict=True)]
    return _divided(real, up[n + 1 :])


def oscillating(v, x, n):
    """[J^(k)], [Y^(k)], k = 0..n, for x > v, through the saddle point w = i beta, cos beta = v/x. On the path
    x cosh a sin s - v s is constant; with s = beta e^q the integrand decays doubly exponentially at s = 0."""
    beta = 2 * np.arcsin(np.sqrt((x - v) / (2 * x)))
    sine = np.sqrt((x - v) / x * ((x + v) / x))

    def fall(q):
        return _descent(v, x, beta, sine, q)[0]

    def terms(q):
        real, a, s, slope = _descent(v, x, beta, sine, q)
        return powers(np.exp(real) * s, slope, a, s, n)

    right = reach(fall, np.log(np.pi * (1 - 1e-9) / beta))
    left = reach(lambda q: fall(-q), np.full_like(x, 20.0))
    sums = _turned(trapezoids(terms, -left, right, NODES), x * sine - v * beta, n)
    return _divided(sums[: n + 1], sums[n + 1 :])


def _turned(parts, angle, n):
    """Real and imaginary part of (real + i imaginary) e^(i angle)."""
    cos, sin = np.cos(angle), np.sin(angle)
    pairs = list(zip(parts[: n + 1], parts[n + 1 :], strict=True))
    return [*(re * cos - im * sin for re, im in pairs), *(re * sin + im * cos for re, im in pairs)]


def _divided(real, imag):
    """Divides by pi i. Returns the real parts and the imaginary parts."""
    return np.stack([im / np.pi for im in imag]), np.stack([-re / np.pi for re in real])


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
