"""What the formulas of several laws are made of: smooth where a textbook's form is 0/0, exact where it would cancel.

`expm1` is that of `hostwrap.special`, whose derivative is exp(x): JAX's is expm1(x) + 1, which is 0 from -37 on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap.special import (
    betainc,
    betaincc,
    betaln,
    erfcx,
    expm1,
    gammaln,
    log_ndtr,
    ndtr,
)
from hostwrap.special._math import abs, exp, inf, log, log1p, pi, sin, sinh, sqrt, where

# Gauss-Legendre on [0, 1]; as tuples, the tests put other numbers into the formulas
_NODES, _WEIGHTS = (tuple(map(float, half)) for half in np.polynomial.legendre.leggauss(12))


def log_phi(x: Any) -> Any:
    """Of the normal density."""
    return -x * x / 2 - log(2 * pi) / 2


def _right_mills(t: Any) -> Any:
    return log(erfcx(where(t > 0, t, 0 * t) / sqrt(2))) + log(pi / 2) / 2


def log_mills(t: Any) -> Any:
    """log((1 - Phi(t)) / phi(t)): the normal tail over the density."""
    return where(t > 0, _right_mills(t), log_ndtr(-t) - log_phi(t))


def log_tilted(y: Any, s: Any, a: Any) -> Any:
    """log(phi(z) (1 - Phi(t)) / phi(t)) for z = y / s, t = a s - z; by phi(z) / phi(t) = exp(a^2 s^2 / 2 - a y)."""
    z, shift = y / s, a * s
    t = shift - z
    return where(t > 0, log_phi(z) + _right_mills(t), log_ndtr(-t) + shift * shift / 2 - a * y)


def log1p_square(x: Any) -> Any:
    """log(1 + x^2), also where x^2 overflows."""
    large = abs(x) > 1e9
    return where(large, 2 * log(abs(where(large, x, 1 + 0 * x))), log1p(where(large, 0 * x, x) ** 2))


def power(x: Any, c: Any) -> Any:
    """x^c for x >= 0; at 0 its derivative in c is 0."""
    positive = x > 0
    return where(positive, exp(c * log(where(positive, x, 1 + 0 * x))), x**c)


def power_difference(x: Any, a: Any, c: Any) -> Any:
    """x^c - a^c for x >= a >= 0, also where they are close."""
    near = x < 2 * a
    low = where(near, a, 1 + 0 * a)
    return where(near, low**c * expm1(c * log1p((where(near, x, low) - low) / low)), x**c - a**c)


def log1mexp(z: Any) -> Any:
    """log(1 - exp(-z)) for z > 0."""
    return where(z < 0.6931471805599453, log(-expm1(-z)), log1p(-exp(-z)))


def log_sum(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b))."""
    return where(a > b, a, b) + log1p(exp(-abs(a - b)))


def log1p_over(k: Any, x: Any) -> Any:
    """log(1 - k x) / k, smooth in k through 0."""
    z = k * x
    small = abs(z) < 0.02
    t = where(small, z, 0 * z)
    total: Any = 0.0
    for j in range(10, 0, -1):
        total = total * t + 1 / (j + 0 * t)
    return where(small, -x * total, log1p(where(small, 0 * z, -z)) / where(small, 1 + 0 * k, k))


def expm1_over(k: Any, y: Any) -> Any:
    """(exp(k y) - 1) / k, smooth in k through 0."""
    z = k * y
    small = abs(z) < 0.02
    t = where(small, z, 0 * z)
    total: Any = 1.0
    for j in range(10, 1, -1):
        total = 1 + total * t / j
    return where(small, y * total, expm1(where(small, 0 * z, z)) / where(small, 1 + 0 * k, k))


def minus_sine(t: Any) -> Any:
    """t - sin(t) for t >= 0."""
    small, total = t < 1, 1 + 0 * t
    s = where(small, t, 0 * t)
    for j in range(19, 4, -2):
        total = 1 - total * s * s / (j * (j - 1))
    return where(small, s * s * s / 6 * total, t - sin(t))


def exp_rest(x: Any) -> Any:
    """exp(x) - 1 - x, whose derivative has all digits next to 0."""
    small, total = abs(x) < 0.5, 1 + 0 * x
    s = where(small, x, 0 * x)
    for j in range(16, 2, -1):
        total = 1 + total * s / j
    return where(small, s * s / 2 * total, exp(x) - 1 - x)


def log1p_rest(u: Any, log_1_u: Any = None) -> Any:
    """log(1 + u) - u for u > -1, whose derivative has all digits next to 0; by log(1 + u), if it is given."""
    small = abs(u) < 0.1
    t, away = where(small, u, 0 * u), where(small, 1 + 0 * u, u)
    return where(small, -t * t * log1p_series(t), (log1p(away) if log_1_u is None else log_1_u) - away)


def log1p_series(t: Any) -> Any:
    """(t - log(1 + t)) / t^2, for |t| < 0.1."""
    total = 0 * t
    for j in range(18, 1, -1):
        total = 1 / (j + 0 * t) - total * t
    return total


def over_unit(function: Any) -> Any:
    """The integral of a smooth function over [0, 1]."""
    total = 0.0
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        total = total + weight / 2 * function((1 + node) / 2)
    return total


def log_ndtr_over(a: Any, width: Any) -> Any:
    """log(ndtr(a + width) - ndtr(a)): in the lower tail, and by quadrature where the width is small."""
    high = where(a > 0, -a, a + width)
    low = where(a > 0, -a - width, a)
    near = width < 0.5
    end, w = where(near, high, 0 * width), where(near, width, 0.25 + 0 * width)
    # phi(end - u) = phi(end) exp(u (end - u / 2))
    inner = log_phi(end) + log(w * over_unit(lambda t: exp(w * t * (end - w * t / 2))))
    top, bottom = log_ndtr(high), log_ndtr(low)
    apart = where(near, False, bottom > -inf)
    away = where(apart, top - where(apart, bottom, -1 + 0 * top), 1 + 0 * top)
    return where(near, inner, where(apart, top + log1mexp(away), top))


def ndtr_over(a: Any, width: Any) -> Any:
    """ndtr(a + width) - ndtr(a)."""
    return exp(log_ndtr_over(a, width))


def stirling_series(z: Any) -> Any:
    """What the logarithm of Gamma(1 / z) has beside Stirling's formula, for z < 0.05 (DLMF 5.11.1)."""
    total = 0 * z
    for up, down in ((-691, 360360), (1, 1188), (-1, 1680), (1, 1260), (-1, 360), (1, 12)):
        total = total * z * z + z * up / down
    return total


def stirling_rest(alpha: Any, inverse: Any) -> Any:
    """gammaln(alpha) - (alpha - 1/2) log(alpha) + alpha - log(2 pi) / 2, where 1 / alpha may be 0."""
    large = inverse < 0.05
    a = where(large, 1 + 0 * alpha, alpha)
    usual = gammaln(a) - (a - 0.5) * log(a) + a - log(2 * pi) / 2
    return where(large, stirling_series(where(large, inverse, 0 * inverse)), usual)


def log_gamma_over_power(a: Any, h: Any) -> Any:
    """log(Gamma(a + h) / Gamma(a)) - h log(a), for h > 0: of a large a it goes to 0, its derivative like 1 / a^2."""
    large = a > 20
    b, c = where(large, a, 40 + 0 * a), where(large, 1 + 0 * a, a)
    rest = b * log1p_rest(h / b) + (h - 0.5) * log1p(h / b)
    far = rest + stirling_rest(b + h, 1 / (b + h)) - stirling_rest(b, 1 / b)
    return where(large, far, gammaln(h) - betaln(c, h) - h * log(c))


def log_student(q: Any, df: Any, d: Any) -> Any:
    """(df + d) / 2 log(1 + q / df), which goes to q / 2 for a large df."""
    near = q < 0.1 * df
    t = where(near, q, 0 * q)
    u = t / df
    return where(near, t / 2 + df / 2 * log1p_rest(u) + d / 2 * log1p(u), (df + d) / 2 * log1p(q / df))


def log_cosh(x: Any) -> Any:
    """log(cosh(x)), whose derivative has all digits next to 0."""
    small, size = abs(x) < 1, abs(x)
    half = sinh(where(small, x, 0 * x) / 2)
    return where(small, log1p(2 * half * half), size + log1p(exp(-2 * size)) - log(2.0))


def beta_part(a: Any, b: Any, p: Any, q: Any) -> Any:
    """betainc(a, b, p), where p + q = 1: by the smaller one, for the larger may have no digits of it."""
    low = p < q
    return where(low, betainc(a, b, where(low, p, 0.5 + 0 * p)), betaincc(b, a, where(low, 0.5 + 0 * q, q)))


def phi_difference(t: Any, width: Any) -> Any:
    """ndtr(-t) - phi(t) M(t + width) for width > 0, where M is the normal tail over the density."""
    near = t > -5
    a = where(near, t, 0 * t)
    return where(
        near, exp(log_phi(a)) * mills_drop(a, width), ndtr(-t) - exp(log_phi(t) + log_mills(t + width))
    )


def mills_drop(t: Any, width: Any) -> Any:
    """M(t) - M(t + width) for t > -5: by the integral of the slope where the width is small, and both are close."""
    small = width < 0.5 * where(t > 1, t, 1 + 0 * t)
    w = where(small, width, 0.5 + 0 * width)
    apart = erfcx(t / sqrt(2)) - erfcx((t + where(small, 1 + 0 * width, width)) / sqrt(2))
    return where(small, w * over_unit(lambda part: _mills_fall(t + w * part)), sqrt(pi / 2) * apart)


def _mills_fall(t: Any) -> Any:
    """Minus the slope of M, 1 - t M(t); far out by its asymptotic series 1 / t^2 - 3 / t^4 + 15 / t^6 - ..."""
    far = t > 30
    over = 1 / where(far, t, 30 + 0 * t)
    square, total = over * over, 1 + 0 * t
    for j in range(15, 1, -2):
        total = 1 - j * square * total
    x = where(far, 0 * t, t)
    return where(far, square * total, 1 - x * sqrt(pi / 2) * erfcx(x / sqrt(2)))
