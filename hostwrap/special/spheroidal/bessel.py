"""Spherical Bessel functions over powers, g_l(z) = z^-m j_l(z) or z^-m y_l(z), and their derivatives in z.

With f_l = z^-l j_l it is g_l = z^(l - m) f_l and f_l' = -z f_{l+1} (DLMF 10.51.2). So derivatives are sums of
z^(l - m - d + 2 b) f_{l+b} with integer coefficients: nothing is left to cancel near z = 0.
"""

import numpy as np
from scipy import special

SERIES = 12  # terms of the power series of f for z < 1


def over_power_n(kind, l, m, z, n):
    """Derivatives 0..n of g_l, a list of arrays (rows, points), for degrees `l` (rows, points)."""
    bases = [_base(kind, l + b, m - b, z) for b in range(n + 1)]
    jets, weights = [], [np.ones_like(l)]
    for d in range(n + 1):
        jets.append(
            sum(
                np.where(w == 0, 0.0, w * f * z ** (e - d)) for w, (f, e) in zip(weights, bases, strict=False)
            )
        )
        weights = _next(weights, l - m, d)
    return jets


def _next(weights, r, d):
    """The coefficients after one more differentiation of sum_b w_b z^(r - d + 2 b) f_{l+b}."""
    powers = [(r - d + 2 * b) * w for b, w in enumerate(weights)] + [0.0]
    functions = [0.0] + [-w for w in weights]
    return [np.broadcast_to(p + f, r.shape) for p, f in zip(powers, functions, strict=True)]


def _base(kind, l, power, z):
    """(f, e) with z^(l - power) f_l(z) = f z^e."""
    if kind == 2:
        return special.spherical_yn(l.astype(int), z), -power + 0.0 * l
    small = np.broadcast_to(z < 1, l.shape)
    f = np.empty(l.shape)
    f[small] = _series(l[small], np.broadcast_to(z, l.shape)[small])
    f[~small] = special.spherical_jn(l[~small].astype(int), np.broadcast_to(z, l.shape)[~small])
    return f, np.where(small, l - power, -power + 0.0 * l)


def _series(l, z):
    """z^-l j_l(z), by its power series (DLMF 10.53.1)."""
    first = np.cumprod(1 / (2 * np.arange(int(np.max(l, initial=0)) + 1.0) + 1))[l.astype(int)]
    total, term = np.ones_like(z), np.ones_like(z)
    for k in range(1, SERIES):
        term = -term * z * z / (2 * k * (2 * l + 2 * k + 1))
        total = total + term
    return first * total
