"""Legendre functions of integer degree and order with derivatives 0..order, stacked along the first axis.

Up to the second they are SciPy's own, further ones follow from these.
"""

from __future__ import annotations

from math import comb

import numpy as np
import scipy.special as sc

from hostwrap.special.orthogonal.jacobi import legendre_n

SCIPY = 2  # the highest order that SciPy has


def legendre(n, z, order):
    rows = sc.legendre_p(n, z, diff_n=min(order, SCIPY))
    return _extended(rows, [legendre_n(n, z, dn=0, dx=k) for k in range(SCIPY + 1, order + 1)])


def legendre_all(n, z, order):
    """[order, degree, ...]."""
    rows = sc.legendre_p_all(n, z, diff_n=min(order, SCIPY))
    degrees = np.arange(n + 1).reshape(-1, *[1] * np.ndim(z))
    return _extended(rows, [legendre_n(degrees, z, dn=0, dx=k) for k in range(SCIPY + 1, order + 1)])


def associated(n, m, z, branch_cut, norm, order):
    rows = sc.assoc_legendre_p(n, m, z, branch_cut=branch_cut, norm=norm, diff_n=min(order, SCIPY))
    return _by_equation(rows, n, m, z, order)


def associated_all(n, m, z, branch_cut, norm, order):
    """[order, degree, order m as 0..m, -m..-1, ...]."""
    rows = sc.assoc_legendre_p_all(n, m, z, branch_cut=branch_cut, norm=norm, diff_n=min(order, SCIPY))
    degrees, orders = degrees_and_orders(n, m, np.ndim(z))
    return _by_equation(rows, degrees, orders, z, order)


def spherical(n, m, theta, order):
    rows = sc.sph_legendre_p(n, m, theta, diff_n=min(order, SCIPY))
    return _extended(rows, [_spherical(n, m, theta, k) for k in range(SCIPY + 1, order + 1)])


def spherical_all(n, m, theta, order):
    rows = sc.sph_legendre_p_all(n, m, theta, diff_n=min(order, SCIPY))
    degrees, orders = degrees_and_orders(n, m, np.ndim(theta))
    return _extended(rows, [_spherical(degrees, orders, theta, k) for k in range(SCIPY + 1, order + 1)])


def degrees_and_orders(n, m, dimensions):
    """As SciPy arranges them, with axes for the points."""
    ones = [1] * dimensions
    orders = [*range(abs(m) + 1), *range(-abs(m), 0)]
    return np.arange(n + 1).reshape(-1, 1, *ones), np.array(orders).reshape(1, -1, *ones)


def _extended(rows, more):
    return np.concatenate([rows, np.stack(more)]) if more else rows


def _spherical(n, m, theta, k):
    """The k-th derivative by the ladder of DLMF 14.10.1, 14.10.2, which has no singular points."""
    if k <= SCIPY:
        return sc.sph_legendre_p(n, m, theta, diff_n=k)[k]
    up, down = (np.sqrt(np.maximum((n - s * m) * (n + s * m + 1), 0)) for s in (1, -1))
    return (up * _spherical(n, m + 1, theta, k - 1) - down * _spherical(n, m - 1, theta, k - 1)) / 2


def _by_equation(rows, n, m, z, order):
    """w^2 y'' - 2 z w y' + (n (n + 1) w - m^2) y = 0, w = 1 - z^2 (DLMF 14.2.2), differentiated."""
    rows = list(rows)
    with np.errstate(all="ignore"):
        for k in range(SCIPY + 1, order + 1):
            rows.append(-_lower(rows, n, m, z, k - SCIPY) / (1 - z * z) ** 2)
    return np.stack(rows)


def _lower(rows, n, m, z, k):
    """The k-th derivative of the equation, but for its first term."""
    w, level = 1 - z * z, n * (n + 1)
    second = [w * w, -4 * z * w, 12 * z * z - 4, 24 * z, 24]
    first = [-2 * z * w, 6 * z * z - 2, 12 * z, 12]
    zeroth = [level * w - m * m, -2 * level * z, -2 * level]
    total = sum(comb(k, r) * c * rows[k + 2 - r] for r, c in enumerate(second) if 0 < r <= k)
    total = total + sum(comb(k, r) * c * rows[k + 1 - r] for r, c in enumerate(first) if r <= k)
    return total + sum(comb(k, r) * c * rows[k - r] for r, c in enumerate(zeroth) if r <= k)
