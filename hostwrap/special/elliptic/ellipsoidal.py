"""Ellipsoidal harmonics: SciPy's functions, and integrals of Lame polynomials with their derivatives in h2 and k2.

The derivatives are taken under the integral sign, in a variable in which the limits do not move.
"""

import functools
import warnings

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.quadrature import gauss_legendre
from hostwrap.special.elliptic._taylor import constant, partial, power, product, variable
from hostwrap.special.elliptic.lame import by_polynomial, evaluate

NODES = 64
TINY = 1e-290
LEAST = 1e-290  # of an integral that is multiplied by a large polynomial


def second_kind(h2, k2, n, p, s):
    """SciPy's ellip_harm_2, inside its domain."""
    return _inside(sc.ellip_harm_2, s * s >= k2, h2, k2, n, p, s)


def normal(h2, k2, n, p):
    """SciPy's ellip_normal, inside its domain."""
    return _inside(sc.ellip_normal, True, h2, k2, n, p)


def _inside(function, domain, h2, k2, n, *rest):
    """NaN for other h2 and k2, and where polynomials underflow: SciPy's integrands divide by 0 there."""
    arrays = np.broadcast_arrays(h2, k2, n, *rest)
    with np.errstate(all="ignore"):
        ordinary = (h2 > 0) & (h2 < k2) & np.isfinite(k2) & (h2 ** (n + 1.0) > TINY)
    good = np.broadcast_to(domain & ordinary, arrays[0].shape)
    result = np.full(arrays[0].shape, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inaccuracy, from the quadrature
        result[good] = function(*(a[good] for a in arrays))
    return result[()]


def integral_partial(h2, k2, n, p, s, *, i, j):
    """(d/dh2)^i (d/dk2)^j of the integral of t / (E^2 ((t - h2) (t - k2))^(1/2)), t = 1/u^2, over 0 < u < 1/|s|."""
    degree = lambda n: -2 * n - 1 - 2 * (i + j)
    result = by_polynomial(functools.partial(_tail, orders=(i, j)), (i, j), degree, h2, k2, n, p, s)
    return np.where((np.abs(result) > LEAST) & np.isfinite(result), result, np.nan)[()]


def normal_n(h2, k2, n, p, *, dh2, dk2):
    """(d/dh2)^i (d/dk2)^j of ellip_normal."""
    orders = dh2, dk2
    degree = lambda n: 4 * n - 2 * (dh2 + dk2)
    return by_polynomial(functools.partial(_norm, orders=orders), orders, degree, h2, k2, n, p)


def _tail(polynomial, h2, k2, s, orders):
    """With u k = tanh: where s is near k, powers of (1 - u^2 k2)^(-1/2) become those of cosh. Odd in s."""
    nodes, weights = gauss_legendre(NODES)
    ratio = (np.sqrt(k2) / np.abs(s))[:, None]
    end = np.arctanh(ratio)
    v = np.tanh(end * nodes) / ratio
    width = end / ratio * weights / np.cosh(end * nodes) ** 2 / np.abs(s)[:, None]
    t = constant((s[:, None] / v) ** 2, orders)
    h, k = _parameters(h2, k2, orders)
    root = product(power(t - h, -0.5, 2), power(t - k, -0.5, 2), 2)
    integrand = product(product(t, root, 2), power(_square(polynomial, t, h, k), -1, 2), 2)
    return np.sign(s) * (partial(integrand, orders) * width).sum(-1)


def _norm(polynomial, h2, k2, orders):
    """8 (A[1] B[y^2 - h2] + A[h2 - x^2] B[1]) with integrals A over 0 < x < h and B over h < y < k.

    x = h cos and y^2 = h2 + (k2 - h2) sin^2 make the integrands smooth.
    """
    inner_sin2, inner_cos2, inner_weights = _quarter((k2 - h2) / h2)
    outer_sin2, _, outer_weights = _quarter(h2 / (k2 - h2))
    h, k = _parameters(h2, k2, orders)
    x2, less = h * inner_cos2, h * inner_sin2
    above = (k - h) * outer_sin2
    y2 = h + above
    inner = product(_square(polynomial, x2, h, k), power(k - x2, -0.5, 2), 2)
    outer = product(_square(polynomial, y2, h, k), power(y2, -0.5, 2), 2)
    integral = lambda f, weights: (f * weights).sum(-1)
    first = product(integral(inner, inner_weights), integral(product(outer, above, 2), outer_weights), 2)
    second = product(integral(product(inner, less, 2), inner_weights), integral(outer, outer_weights), 2)
    return 8 * partial(first + second, orders)


def _quarter(ratio):
    """sin^2, cos^2 and weights of nodes in (0, pi/2), where the integrand has its singularities at sin^2 = -ratio.

    In the variable w, phi = c sinh(w), they are at Im w = pi/2.
    """
    nodes, weights = gauss_legendre(2 * NODES)
    c = np.arcsinh(np.sqrt(ratio))[:, None]
    end = np.arcsinh(np.pi / 2 / c)
    phi = c * np.sinh(end * nodes)
    return np.sin(phi) ** 2, np.cos(phi) ** 2, end * weights * c * np.cosh(end * nodes)


def _square(polynomial, t, h, k):
    """The series of E^2 as a function of t = s^2."""
    (a, b, c), coefficients = polynomial
    x = t - h
    value = evaluate(coefficients, x, 2)
    factors = product(power(t, a, 2), product(_size(x, b), _size(t - k, c), 2), 2)
    return product(factors, product(value, value, 2), 2)


def _size(f, exponent):
    """|f| or 1."""
    return f * np.sign(f[0, 0]) if exponent else power(f, 0, 2)


def _parameters(h2, k2, orders):
    return variable(h2[:, None], 0, orders), variable(k2[:, None], 1, orders)
