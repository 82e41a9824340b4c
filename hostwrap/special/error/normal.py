"""n-th derivatives of log_ndtr, of Mills' ratio, and of the inverses of ndtr, erf and erfc."""

import functools
import math
from operator import mul

import numpy as np
import scipy.special as sc
from numpy.polynomial import Polynomial

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.error.faddeeva import BIG, SQRT_PI, erfcx_n, forward
from hostwrap.special.error.gauss import clipped, gaussian

SQRT_2PI, SQRT_HALF = math.sqrt(2 * math.pi), math.sqrt(0.5)


@pointwise
def mills_n(x, *, n):
    """d^n/dx^n of Mills' ratio M(x) = Phi(x) / phi(x), real x. M' = 1 + x M, which cancels on the left."""
    return piecewise(
        [x],
        [
            (x < -1, lambda x: SQRT_2PI / 2 * (-SQRT_HALF) ** n * erfcx_n(-SQRT_HALF * x, dx=n)),
            (None, lambda x: forward(x, SQRT_2PI * sc.ndtr(x) * gaussian(x, c=1, n=0), 1, 1, n)),
        ],
    )


@pointwise
def log_ndtr_n(x, *, dx):
    """d^n/dx^n log Phi(x), n = 1, 2, ...; real or complex x."""
    right = (np.real(x) > np.abs(np.imag(x))) | (np.abs(x) < 1.2)
    return piecewise(
        [x], [(right, lambda x: _log_ndtr_right(x, dx)), (None, lambda x: _log_ndtr_left(x, dx))]
    )


def _log_ndtr_right(x, n):
    """g = phi / Phi satisfies g' = -g (x + g); the bracket h has no cancellation here."""
    x = clipped(x, BIG)
    g = [gaussian(x, c=-1, n=0) / SQRT_2PI / sc.ndtr(x)]
    h = [x + g[0]]
    for k in range(1, n):
        g.append(-sum(math.comb(k - 1, j) * g[j] * h[k - 1 - j] for j in range(k)))
        h.append(g[k] + (k == 1))
    return g[n - 1]


def _log_ndtr_left(x, n):
    """log Phi = -x^2/2 + log(E / 2), E = erfcx(-x / sqrt(2)): the Taylor series of a logarithm, term by term."""
    if n == 1:
        return 2 / SQRT_2PI / sc.erfcx(-SQRT_HALF * x)
    t = clipped(-SQRT_HALF * x, BIG)
    value = sc.erfcx(t)
    if n == 2:  # -g (x + g), where x + g = (log E)'
        return 2 / SQRT_2PI / value * (SQRT_HALF * erfcx_n(t, dx=1) / value)
    ratio = [(-SQRT_HALF) ** k / math.factorial(k) * erfcx_n(t, dx=k) / value for k in range(1, n + 1)]
    log: list[np.ndarray] = []
    for m in range(1, n + 1):
        log.append(ratio[m - 1] - sum(j * log[j - 1] * ratio[m - j - 1] for j in range(1, m)) / m)
    return math.factorial(n) * log[-1]


@pointwise
def ndtri_n(p, *, dy):
    """d^n/dp^n of ndtri, n = 1, 2, ..."""
    return _inverse_n(sc.ndtri(p), SQRT_2PI / 2, np.minimum(p, 1 - p), 1, dy)


@pointwise
def scaled_quantile_n(p, factor, *, n, reciprocal):
    """factor times d^n/dp^n of ndtri(p), or of 1 / ndtri(p). The product is finite where the derivative overflows."""
    x = sc.ndtri(p)
    if not reciprocal:
        return _inverse_n(x, SQRT_2PI / 2, np.minimum(p, 1 - p), 1, n, factor) if n else factor * x
    if n == 0:
        return factor / x
    polynomial = functools.reduce(_reciprocal_polynomial, range(1, n), Polynomial([-1.0]))
    # each slope is divided by x at once: the product may be a number where one without the other is none
    slope = _slope(x, SQRT_2PI / 2, np.minimum(p, 1 - p), 1) / x
    return functools.reduce(mul, [slope] * n, factor / x) * _horner(polynomial, x)


@pointwise
def erfinv_n(p, *, dy):
    return _inverse_n(sc.erfinv(p), SQRT_PI / 2, 1 - np.abs(p), 2, dy)


@pointwise
def erfcinv_n(p, *, dy):
    return _inverse_n(sc.erfcinv(p), -SQRT_PI / 2, np.minimum(p, 2 - p), 2, dy)


def _inverse_n(x, height, tail, c, n, factor=1.0):
    """x^(n) from x' = +-exp(c x^2 / 2). The probability of the tail gives x' with all digits."""
    slopes = functools.reduce(mul, [_slope(x, height, tail, c)] * n, factor)
    return _horner(_inverse_polynomial(c, n), x) * slopes


def _slope(x, height, tail, c):
    growth = sc.erfcx(math.sqrt(c / 2) * np.abs(x)) / tail
    return height * np.where(np.isinf(x), np.inf, growth)


def _horner(polynomial, x):
    return functools.reduce(lambda value, a: value * x + a, polynomial.coef[::-1])


@functools.lru_cache
def _inverse_polynomial(c, n):
    """P_n in x^(n) = P_n(x) x'^n, from x'' = c x x'^2."""
    if n == 1:
        return Polynomial([1.0])
    before = _inverse_polynomial(c, n - 1)
    return before.deriv() + c * (n - 1) * Polynomial([0.0, 1.0]) * before


def _reciprocal_polynomial(before, n):
    """Q_{n+1} in (1/x)^(n) = Q_n(x) x'^n / x^(n+1), from Q_n and x'' = x x'^2."""
    x = Polynomial([0.0, 1.0])
    return x * before.deriv() + (n * x * x - (n + 1)) * before
