"""Derivatives of Tukey's lambda distribution function F(x), the inverse of x = (p^l - q^l) / l, q = 1 - p.

With v = log p and w = log q, x is the integral from w to v of e^(l t) dt. SciPy's root p has an absolute error of
1e-14, which is too much in a tail. Here p or q, whichever is below 1/2, is solved for with a small relative error.
"""

import functools
import math

import numpy as np
import scipy.special as sc
from numpy.polynomial.polynomial import polyval

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import gauss_legendre, sums
from hostwrap.special._numerics.series import Series, pair
from hostwrap.special._numerics.until import repeated

STEPS = 8  # of Newton's method
NODES = 16
SERIES_TERMS = 24
CENTRE, FACTOR = 0.5, 20.0  # of q - p and log((q/p)^l): up to here integrals are no differences
HALF = -math.log(2)


@pointwise
def tukey_lambda_n(x, l, *, dx=0, dlmbda=0):
    """(d/dx)^i (d/dl)^j F."""
    if dx == dlmbda == 0:
        return sc.tklmbda(x, l)
    size = np.abs(x)
    centre = np.minimum(CENTRE, np.tanh(FACTOR / 2 / np.abs(l)))
    value = piecewise(
        [size, l],
        [
            (np.isnan(x + l), lambda x, l: x + l),
            ((size * l >= 1) | np.isinf(size) | (size == 0) & (dx % 2 == 0), lambda x, l: np.zeros_like(x)),
            (
                np.log(size) < l * HALF + np.log(-_between(centre, l, 0)),
                lambda x, l: _central(x, l, dx, dlmbda),
            ),
            (None, lambda x, l: _tail(x, l, dx, dlmbda)),
        ],
    )
    return value if dx % 2 else -np.sign(x) * value  # F(-x) = 1 - F(x), and `value` is at -|x|


def _derivative(v, w, l, r, moments, bend, i, j):
    """By the implicit function theorem, with d = dx/dp, bend = (dd/dp) / d, turn = (dd/dl) / d.

    The moments are divided by e^(l r), so that nothing overflows; d = e^((l - 1) r) slope.
    """
    if i + j > 2:
        return _higher(v, w, l, r, moments, i, j)
    slope = np.exp((l - 1) * (v - r)) + np.exp((l - 1) * (w - r))
    width = np.exp((1 - l) * r) / slope
    share = sc.expit((l - 1) * (v - w))
    turn = share * v + (1 - share) * w
    shift, second = (-moments[k] * np.exp(r) / slope for k in (1, 2))
    return {
        (1, 0): width,
        (0, 1): shift,
        (2, 0): -bend * width * width,
        (1, 1): -(turn + bend * shift) * width,
        (0, 2): second - (2 * turn + bend * shift) * shift,
    }[i, j]


def _higher(v, w, l, r, moments, i, j):
    """From the power series of x in log p and l, solved for log p. It is in units of e^(l r), and l in its own."""
    degree = i + j + 1
    series = functools.partial(Series, degree=degree)
    one, odds = np.ones_like(v), np.exp(v - w)
    t, s = (series({unit: pair(one)}) for unit in ((1, 0), (0, 1)))
    grown = s.exponential().without_first()  # e^s - 1
    rest = grown.scaled(-odds)  # 1 - p e^s = q (1 + rest)
    w_slope = (s.exponential() * rest.plus(pair(one)).inverse()).scaled(-odds)
    w_moved = rest.of([pair(0 * one), *(pair((-1.0) ** (k + 1) / k * one) for k in range(1, degree + 1))])
    power = lambda end, moved: (
        (moved.scaled(l) + t.scaled(end) + t * moved).exponential().scaled(np.exp(l * (end - r)))
    )
    slope = power(v, s) + (w_slope * power(w, w_moved)).scaled(-one)
    start = series({(k, 0): pair(m / math.factorial(k)) for k, m in enumerate(moments) if k})
    solved = (slope.integrated(1) + start).solved()
    p = solved.exponential()
    lengths = np.abs(l), np.exp(np.log(np.abs(moments[0])))  # x in these units
    return p.derivative((j, i), lengths) * np.exp(v - i * l * r)


# ---- the centre, in y = q - p: there the integrals from w to v are accurate relative to themselves


def _central(x, l, i, j):
    y = _above(x, l)
    x = np.exp(np.log(x) - l * HALF)

    def newton(_, y):
        step = (x + _between(y, l, 0)) / (np.float_power(1 - y, l - 1) + np.float_power(1 + y, l - 1))
        return [np.clip(y + step, 0.0, 1.2 * CENTRE)]

    (y,) = repeated(newton, [y], STEPS)
    v, w = _logarithms(y)
    slope = np.float_power(1 - y, l - 1) + np.float_power(1 + y, l - 1)
    bend = 2 * (l - 1) * (l - 2) * _between(y, l - 2, 0) / slope
    return _derivative(v, w, l, HALF, [_between(y, l, k) for k in range(1 + max(2, i + j + 1))], bend, i, j)


def _above(x, l):
    """A y of at most twice the root. Where x(y) is convex, y is above the root, so Newton's method descends to it.

    q^l <= l x + 2^-l for l > 0, and p^l <= -l x + 2^-l for l < 0; the first term in y alone is x 2^(l-1).
    """
    log = np.log(x) - l * HALF
    bound = np.abs(np.expm1(np.logaddexp(0, np.log(np.abs(l)) + log) / l))
    near = np.exp(log) / 2
    return np.minimum(np.where(l == 0, near, np.minimum(near, bound)), CENTRE)


def _logarithms(y):
    return np.log1p(-y) + HALF, np.log1p(y) + HALF


def _between(y, l, k):
    """The integral from w to v of t^k e^(l t) dt, divided by 2^-l."""

    def term(node, weight, right, length, l):
        t = right + length * node
        return [weight * ((t + HALF) ** k * np.exp(l * t))]

    length = -2 * np.arctanh(y)
    return length * sums(term, gauss_legendre(NODES), [np.log1p(y), length, l])[0]


# ---- the tail


def _tail(x, l, i, j):
    v, w = _solved(x, l)
    share = sc.expit((l - 1) * (v - w))
    bend = (l - 1) * (share * np.exp(-v) - (1 - share) * np.exp(-w))
    r = np.where(l > 0, w, v)
    return _derivative(
        v, w, l, r, [_moment_between(v, w, l, r, k) for k in range(1 + max(2, i + j + 1))], bend, i, j
    )


def _solved(x, l):
    """log p and log q. Newton's method solves for the one in which the equation is nearly linear."""
    (v, w), (q, p) = _solved_for_p(x, np.minimum(l, 1)), _solved_for_q(x, np.maximum(l, 1))
    return np.where(l <= 1, v, p), np.where(l <= 1, w, q)


def _solved_for_p(x, l):
    """log p = log(1 - l x + q^l - 1) / l for l <= 1. The right side is defined left of the root and next to it."""
    v = np.minimum(_logarithm(1 - l * x, -x, l), HALF) + HALF

    def newton(_, v):
        w = np.log1p(-np.exp(v))
        power = _moment(w, l, 0)
        excess = v - _logarithm(1 - l * x + l * power, power - x, l)
        return [np.minimum(v - excess / (1 + np.exp((1 - l) * (v - w))), HALF)]

    (v,) = repeated(newton, [v], STEPS)
    return v, np.log1p(-np.exp(v))


def _logarithm(a, t, l):
    """log(a) / l for a = 1 + l t."""
    small = np.abs(l * t) < 0.5
    z = np.where(small & (l * t != 0), l * t, 1.0)
    return np.where(small, np.where(l * t == 0, t, t * np.log1p(z) / z), np.log(a) / l)


def _solved_for_q(x, l):
    """log q = log(l x + p^l) / l for l > 1."""

    def logarithm(power):
        near_one = l * x > 0.5
        return np.where(near_one, np.log1p(power - (1 - l * x)), np.log(l * x + power)) / l

    w = np.maximum(logarithm(0.0), HALF)

    def newton(_, w):
        v = np.log(-np.expm1(w))
        excess = w - logarithm(np.exp(l * v))
        return [np.maximum(w - excess / (1 + np.exp((l - 1) * (v - w))), HALF)]

    (w,) = repeated(newton, [w], STEPS)
    return w, np.log(-np.expm1(w))


def _moment_between(v, w, l, r, k):
    """The integral from w to v of t^k e^(l (t - r)) dt.

    Where e^(l w) is small, it is the difference of the closed forms at the two ends, without their common terms.
    """
    scale = l * r
    far = l * w < -SMALL
    common = (_moment(v, l, k) - _moment(w, l, k)) * np.exp(-np.where(far, 0.0, scale))
    ends = (np.exp(l * z - scale) * polyval(l * z, _polynomial(k)) for z in (v, w))
    above, below = ends
    return np.where(far, (above - below) / l ** (k + 1), common)


SMALL = 1.5  # |z| up to which the integral is a series


def _polynomial(k):
    """The integral of z^k e^z is e^z times this polynomial of z."""
    return [(-1.0) ** (k - m) * math.factorial(k) / math.factorial(m) for m in range(k + 1)]


def _moment(end, l, k):
    """The integral from 0 to `end` of t^k e^(l t) dt."""
    z = l * end
    small = np.abs(z) < SMALL
    coefficients = [1 / (math.factorial(m) * (m + k + 1)) for m in range(SERIES_TERMS + 1)]
    polynomial = _polynomial(k)
    closed = (np.exp(z) * polyval(z, polynomial) - polynomial[0]) / l ** (k + 1)
    return np.where(small, end ** (k + 1) * polyval(np.where(small, z, 0.0), coefficients), closed)
