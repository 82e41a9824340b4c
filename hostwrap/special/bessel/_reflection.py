"""From orders v >= 0 to v < 0, and the limits of order derivatives at x = 0, for real Bessel functions."""

from math import comb

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import cosine, sine


def along_cosine(v, f):
    """The derivatives 0..n of cos(pi v) f(v)."""
    return _product(cosine(v, len(f) - 1), f)


def along_sine(v, f):
    """The derivatives 0..n of sin(pi v) f(v)."""
    return _product(sine(v, len(f) - 1), f)


def _product(trig, f):
    """By Leibniz."""
    product = [sum(comb(k, m) * times(trig[m], f[k - m]) for m in range(k + 1)) for k in range(len(f))]
    return np.stack(product)


def times(a, b):
    """The product, and 0 for 0 * inf: an exact zero of the sine or cosine times an overflow."""
    return np.where((a == 0) | (b == 0), 0.0, a * b)


def minimal_at_zero(v, n):
    """The limit of d^n/dv^n (x/2)^v / Gamma(v + 1) as x -> 0+. J and I have the same limit.

    Each derivative brings down log x = -inf. Where 1/Gamma(v + 1) vanishes, one derivative goes to it (DLMF 5.7.1).
    """
    pole = (v < 0) & (v == np.round(v))
    sign = np.where(pole, cosine(v + 1, 0)[0], sc.gammasgn(v + 1))
    return np.where(v > 0, 0.0, sign * (-1.0) ** np.where(pole, n - 1, n) * np.inf)


def y_at_zero(v, n):
    """d^n/dv^n Y_v(x) as x -> 0+ (DLMF 10.7.3 to 10.7.6)."""
    half = v == np.floor(v) + 0.5
    negative = (-1.0) ** n * np.where(half, sine(-v, 0)[0], -cosine(v, 0)[0]) * np.inf
    return np.where(v > 0, -np.inf, np.where(v < 0, negative, -np.pi / 2 if n == 1 else -np.inf))


def k_at_zero(v, n):
    """d^n/dv^n K_v(x) as x -> 0+; K is even in v."""
    return np.where(v > 0, np.inf, np.where(v < 0, (-1.0) ** n * np.inf, 0.0 if n % 2 else np.inf))
