"""Derivatives of log Phi(a, b, x) from the second on for large x, where sums over terms have lost all their digits.

With Z = (a x)^(1 / (1 + a)), m = 1 - b and polynomials d_k (Wright 1935; Paris and Wood 1986),

    log Phi = (1 + 1/a) Z + (1/2 - b) log Z - log(2 pi (1 + a)) / 2 + sum_k d_k(m, a) / ((1 + a) Z)^k.

Phi is the integral of e^(s + x s^-a) s^-b over ds / (2 pi i). With s = Z e^t the exponent is m t and
Z (e^t + e^(-a t) / a). The latter has its saddle at t = 0, and there the derivatives Z (1 + (-1)^n a^(n-1)). The second
one makes a normal distribution, of whose moments the others and m make the d_k. What is differentiated is a power
series, in units of a, 1 and x.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special._numerics.series import Series, logarithm, pair

FAR = 1e4  # times 1 + a + b: of log Phi the first part that is left out is below FAR^-4 of Z
POWERS = [  # of m and, in each row, of a
    (24, [[-2, 7, -2], [12, -12], [-12]]),
    (48, [[0, -6, 15, -6], [-4, 32, -32, 4], [12, -36, 12], [-8, 8]]),
    (
        5760,
        [
            [16, 68, -1892, 3991, -1892, 68, 16],
            [0, -2160, 9960, -9960, 2160],
            [-480, 6240, -13080, 6240, -480],
            [960, -5280, 5280, -960],
            [-480, 1200, -480],
        ],
    ),
]
A, B, X = range(3)


def is_far(a, b, x):
    inside = (a > 0) & (b >= 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    a, x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    return inside & ((np.log(a) + np.log(x)) / (1 + a) > np.log(FAR * (1 + a + b)))


@pointwise
def log_wright_far(a, b, x, *, wrt):
    """The derivative "aa", "ab", ... of log Phi; 0 where x is not large, and the other formula holds."""
    series = in_python(lambda a, b, x: derivative(a, b, x, wrt))
    cases = [(is_far(a, b, x), series), (None, lambda *_: 0.0)]
    return piecewise([a, b, x], cases)


def derivative(a, b, x, wrt):
    orders = tuple(map(wrt.count, "abx"))
    series = _logarithm_of_wright(a, b, x, len(wrt) + 1)
    value = series.derivative(orders, (1.0, b, 1.0))
    for unit in [a] * orders[A] + [x] * orders[X]:  # in turn, as a power of one may be out of range
        value = value / unit
    return value


def _logarithm_of_wright(a, b, x, n):
    one, zero = 1 + 0 * x, (0, 0, 0)
    shape = Series({zero: pair(a), (1, 0, 0): pair(a)}, n)
    above = shape.plus(pair(one))
    over = above.inverse()
    log_a, log_x = logarithm(A, 3, one, n), logarithm(X, 3, one, n)
    log_above = logarithm(A, 3, (1 + a) / a, n)
    # the logarithm of (1 + 1/a) Z / x, in which no parts 1/a cancel, nor log x
    share = shape * over
    fall = (log_a + log_x).plus(pair(np.log(a) + np.log(x))) * share.scaled(-1.0)
    growth = (fall + log_above).without_first().exponential() * Series(
        {zero: pair(one), (0, 0, 1): pair(one)}, n
    )
    size = (1 + a) * x * np.exp(-a / (1 + a) * (np.log(a) + np.log(x)))
    log_z = (log_a + log_x).plus(pair(np.log(a) + np.log(x))) * over
    m = Series({zero: pair(1 - b), (0, 1, 0): pair(-one)}, n)
    total = growth.scaled(size) + m.plus(pair(-0.5 * one)) * log_z + log_above.scaled(-0.5)
    inverse = log_z.without_first().scaled(-1.0).exponential() * over
    first = np.exp(-(np.log(a) + np.log(x)) / (1 + a))
    power = inverse.scaled(first)
    for scale, rows in POWERS:
        term = _polynomial([_polynomial([pair(c / scale * one) for c in row], shape) for row in rows], m)
        total = total + term * power
        power = power * inverse.scaled(first)
    return total


def _polynomial(coefficients, series):
    total = Series({(0, 0, 0): 0 * next(iter(series.terms.values()))}, series.degree)
    for c in reversed(coefficients):
        total = total * series
        total = total + c if isinstance(c, Series) else total.plus(c)
    return total
