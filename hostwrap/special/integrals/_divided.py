"""Derivatives of a divided difference (g(x) - g(0)) / x, which is as smooth as g."""

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise


def divided_n(x, n, rise, coefficients, radius, more=()):
    """d^n/dx^n of f(x) = (g(x) - g(0)) / x.

    `rise(x, m, *more)` is the m-th derivative of g(x) - g(0), `coefficients` are the Taylor coefficients of f.
    The recurrence x f^(m) = g^(m) - m f^(m-1) divides its error by |x| each time: that is for |x| >= radius.
    """
    return piecewise(
        [x, *more],
        [
            (np.abs(x) < radius, lambda x, *_: _taylor(x, n, coefficients)),
            (None, lambda x, *more: _forward(x, n, lambda m: rise(x, m, *more))),
        ],
    )


def _taylor(x, n, coefficients):
    total = np.zeros_like(x)
    for m in range(len(coefficients) - 1, n - 1, -1):
        total = total * x + coefficients[m] * _falling(m, n)
    return total


def _falling(m, n):
    """m (m - 1) ... (m - n + 1)."""
    return float(np.prod(np.arange(m - n + 1, m + 1, dtype=float)))


def _forward(x, n, rise):
    f = rise(0) / x
    for m in range(1, n + 1):
        f = (rise(m) - m * f) / x
    return f
