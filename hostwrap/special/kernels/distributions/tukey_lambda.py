"""Derivatives of Tukey's lambda distribution function F(x), the inverse of x = (p^l - q^l) / l, q = 1 - p.

In logarithms v = log p, w = log q: x = the integral from w to v of e^(l t) dt. SciPy's root p has an absolute error of
1e-14, of little use in a tail; here p is found anew on the side where it is less than 1/2, relative to itself.
"""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels._quadrature import gauss_legendre

STEPS = 8  # of Newton's method
NODES = 16
SERIES_TERMS = 24
CENTRE = 0.5  # of q - p: up to here the integrals are not differences
HALF = -math.log(2)


@pointwise
def tukey_lambda_ij(x, l, *, i=0, j=0):
    """(d/dx)^i (d/dl)^j F, i + j <= 2."""
    if i == j == 0:
        return sc.tklmbda(x, l)
    size = np.abs(x)
    v, w = _logarithms(np.full_like(l, CENTRE))
    value = piecewise(
        [size, l],
        [
            (np.isnan(x + l), lambda x, l: x + l),
            ((size * l >= 1) | np.isinf(size) | (size == 0) & (i != 1), lambda x, l: np.zeros_like(x)),
            (size < _moment(w, l, 0) - _moment(v, l, 0), lambda x, l: _central(x, l, i, j)),
            (None, lambda x, l: _tail(x, l, i, j)),
        ],
    )
    return value if i == 1 else -np.sign(x) * value  # F(-x) = 1 - F(x), and `value` is at -|x|


def _derivative(v, w, l, moments, bend, i, j):
    """By the implicit function theorem, with d = dx/dp, bend = (dd/dp) / d, turn = (dd/dl) / d."""
    d = _slope(v, w, l)
    share = sc.expit((l - 1) * (v - w))
    turn = share * v + (1 - share) * w
    shift = -moments[1] / d
    return {
        (1, 0): 1 / d,
        (0, 1): shift,
        (2, 0): -bend / d / d,
        (1, 1): -(turn + bend * shift) / d,
        (0, 2): -(moments[2] / d + (2 * turn + bend * shift) * shift),
    }[i, j]


def _slope(v, w, l):
    return np.exp((l - 1) * v) + np.exp((l - 1) * w)


# ---- the centre, in y = q - p: there the integrals from w to v are accurate relative to themselves


def _central(x, l, i, j):
    y = np.minimum(x * 2 ** (l - 1), CENTRE)
    for _ in range(STEPS):
        step = (x + _between(y, l, 0)) * 2 / _slope(*_logarithms(y), l)
        y = np.clip(y + step, 0.0, 1.2 * CENTRE)
    v, w = _logarithms(y)
    bend = (l - 1) * (l - 2) * _between(y, l - 2, 0) / _slope(v, w, l)
    return _derivative(v, w, l, [_between(y, l, k) for k in range(3)], bend, i, j)


def _logarithms(y):
    return np.log1p(-y) + HALF, np.log1p(y) + HALF


def _between(y, l, k):
    """The integral from w to v of t^k e^(l t) dt."""
    nodes, weights = gauss_legendre(NODES)
    length = -2 * np.arctanh(y)
    t = (np.log1p(y) + HALF)[:, None] + length[:, None] * nodes
    return length * ((t**k * np.exp(l[:, None] * t)) @ weights)


# ---- the tail


def _tail(x, l, i, j):
    v, w = _solved(x, l)
    share = sc.expit((l - 1) * (v - w))
    bend = (l - 1) * (share * np.exp(-v) - (1 - share) * np.exp(-w))
    return _derivative(v, w, l, [_moment(v, l, k) - _moment(w, l, k) for k in range(3)], bend, i, j)


def _solved(x, l):
    """log p and log q by Newton's method, for the one of them in which the equation is nearly linear."""
    return np.where(l <= 1, _solved_for_p(x, np.minimum(l, 1)), _solved_for_q(x, np.maximum(l, 1))[::-1])


def _solved_for_p(x, l):
    """log p = log(1 - l x + q^l - 1) / l for l <= 1, whose right side exists left of the root and next to it."""
    v = np.minimum(_logarithm(1 - l * x, -x, l), HALF) + HALF
    for _ in range(STEPS):
        w = np.log1p(-np.exp(v))
        power = _moment(w, l, 0)
        excess = v - _logarithm(1 - l * x + l * power, power - x, l)
        v = np.minimum(v - excess / (1 + np.exp((1 - l) * (v - w))), HALF)
    return np.stack([v, np.log1p(-np.exp(v))])


def _logarithm(a, t, l):
    """log(a) / l for a = 1 + l t."""
    small = np.abs(l * t) < 0.5
    z = np.where(small & (l * t != 0), l * t, 1.0)
    return np.where(small, np.where(l * t == 0, t, t * np.log1p(z) / z), np.log(a) / l)


def _solved_for_q(x, l):
    """log q = log(l x + p^l) / l for l > 1."""
    w = np.maximum(np.log1p(-(1 - l * x)) / l, HALF)
    for _ in range(STEPS):
        v = np.log(-np.expm1(w))
        excess = w - np.log1p(np.exp(l * v) - (1 - l * x)) / l
        w = np.maximum(w - excess / (1 + np.exp((l - 1) * (v - w))), HALF)
    return np.stack([w, np.log(-np.expm1(w))])


def _moment(end, l, k):
    """The integral from 0 to `end` of t^k e^(l t) dt."""
    z = l * end
    small = np.abs(z) < 1.5
    coefficients = [1 / (math.factorial(m) * (m + k + 1)) for m in range(SERIES_TERMS, -1, -1)]
    polynomial = ([1.0], [1.0, -1.0], [1.0, -2.0, 2.0])[k]
    closed = (np.exp(z) * np.polyval(polynomial, z) - polynomial[-1]) / l ** (k + 1)
    return np.where(small, end ** (k + 1) * np.polyval(coefficients, np.where(small, z, 0.0)), closed)
