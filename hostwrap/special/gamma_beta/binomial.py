"""Mixed derivatives of the binomial coefficient Gamma(x) / (Gamma(y) Gamma(w)) in every regime of signs.

x = n + 1, y = k + 1, w = n - k + 1, so y + w = x + 1. Arguments below 1/4 are reflected: p = -n, u = -k, v = k - n
stand for 1 - x, 1 - y, 1 - w. The result is a product of Gamma functions of positive arguments, whose logarithms have
derivatives without cancellation, and of sines that contain the zeros and poles (DLMF 5.5.3).
"""

from __future__ import annotations

import functools
import math

import numpy as np

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special._numerics.trigpi import cospi_n, cotpi_n, cscpi_n, is_integer, sinpi_n, turn
from hostwrap.special.gamma_beta._quotient import REGULAR, one, product_derivative
from hostwrap.special.gamma_beta.beta import beta_parts, parts_on_the_right
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.gamma_beta.psi_difference import psi_between


@pointwise
def binom_n(n, k, *, dx, dy):
    """(d/dn)^i (d/dk)^j of binom(n, k); NaN at negative integers n, as in SciPy."""
    low_x, low_y, low_w = n + 1 < REGULAR, k + 1 < REGULAR, n - k + 1 < REGULAR
    regimes = [
        ((n < 0) & is_integer(n), _pole),
        (~low_y & ~low_w, _regular),
        (low_y & low_w, _low_xyw),
        (low_w & ~low_x, _low_w),
        (low_w, _low_xw),
        (~low_x, _low_y),
        (None, _low_xy),
    ]
    cases = [(where, functools.partial(_derivative, regime=regime, i=dx, j=dy)) for where, regime in regimes]
    if dx + dy > 1:  # the others are rare: a recorded program calls Python for them
        cases = [*cases[:2], *((where, in_python(function)) for where, function in cases[2:])]
    if dx > 1 and dy == 0:
        near_n = ~low_y & ~low_w & (np.abs(k - 1) < 0.25)
        cases.insert(0, (near_n, functools.partial(_derivative_near_n, i=dx)))
    return piecewise([n, k], cases)


def _derivative(n, k, *, regime, i, j):
    (m, l), logs, waves = regime(n, k)
    return product_derivative(m, logs, waves, i, j, l)


def _derivative_near_n(n, k, *, i):
    """By binom(n, k) = n/k binom(n - 1, k - 1), which gives the second derivative at k = 1 as exactly 0."""

    def lower(i):
        regimes = [((n < 1) & is_integer(n), _pole), (None, _regular)]
        cases = [(m, functools.partial(_derivative, regime=regime, i=i, j=0)) for m, regime in regimes]
        return piecewise([n - 1, k - 1], cases)

    return (n * lower(i) + i * lower(i - 1)) / k


def binom_value(n, k):
    """binom(n, k). A recorded program calls Python where an argument of Gamma is below 1/4."""
    regular = (k + 1 >= REGULAR) & (n - k + 1 >= REGULAR)
    value = lambda n, k: _derivative(n, k, regime=_regular, i=0, j=0)
    return piecewise([n, k], [(regular, value), (None, in_python(lambda n, k: binom_n(n, k, dx=0, dy=0)))])


def _reciprocal(x, a, b, parts=beta_parts):
    """1 / (x B(a, b)) as m e^l, like B."""
    m, l = parts(a, b)
    return 1 / (x * m), -l


def _pole(n, k):
    return (np.nan * n, 0.0 * n), one, one


def _regular(n, k):
    x, y, w = n + 1, k + 1, n - k + 1

    def logs(i, j):
        if j == 0:
            return psi_between(w, x, k, i - 1)
        if i == 0 and j % 2:
            return psi_between(y, w, n - 2 * k, j - 1)
        mixed = -((-1) ** j) * psi_n(w, i + j - 1)
        return mixed if i else mixed - psi_n(y, j - 1)

    return _reciprocal(x, np.minimum(w, y), np.maximum(w, y), parts_on_the_right), logs, one


def _low_w(n, k):
    """Zeros at integers k > n: B(x, v) sin(pi v) / pi."""
    x, y, v = n + 1, k + 1, k - n

    def logs(i, j):
        if i == 0:
            return psi_between(y, v, -x, j - 1)
        if j == 0 and i % 2:
            return psi_between(v, x, 2 * n - k + 1, i - 1)
        mixed = (-1) ** i * psi_n(v, i + j - 1)
        return mixed if j else mixed + psi_n(x, i - 1)

    return beta_parts(x, v), logs, lambda i, j: (-1) ** i * sinpi_n(turn(k, -n), i + j) / math.pi


def _low_xw(n, k):
    """Gamma(v) / (Gamma(p) Gamma(y)) times sin(pi w) / sin(pi x) = cos(pi k) - sin(pi k) cot(pi n)."""
    y, p, v = k + 1, -n, k - n

    def logs(i, j):
        if j == 0:
            return (-1) ** i * psi_between(p, v, k, i - 1)
        return (-1) ** i * psi_n(v, i + j - 1) if i else psi_between(y, v, -n - 1, j - 1)

    def waves(i, j):
        return -sinpi_n(k, j) * cotpi_n(n, i) if i else sinpi_n(turn(k, -n), j) * cscpi_n(n + 1)

    return _reciprocal(v, p, y), logs, waves


def _low_y(n, k):
    """Zeros at negative integers k: B(x, u) sin(pi y) / pi."""
    w, u = n - k + 1, -k

    def logs(i, j):
        if j == 0:
            return psi_between(w, n + 1, k, i - 1)
        return -((-1) ** j) * psi_n(w, i + j - 1) if i else (-1) ** j * psi_between(w, u, -n - 1, j - 1)

    return beta_parts(n + 1, u), logs, lambda i, j: 0.0 if i else sinpi_n(k + 1, j) / math.pi


def _low_xy(n, k):
    """Gamma(u) / (Gamma(p) Gamma(w)) times sin(pi y) / sin(pi x)."""
    w, p, u = n - k + 1, -n, -k

    def logs(i, j):
        if i == 0:
            return (-1) ** j * psi_between(w, u, -n - 1, j - 1)
        if j == 0 and i % 2:
            return psi_between(w, p, k - 2 * n - 1, i - 1)
        mixed = -((-1) ** j) * psi_n(w, i + j - 1)
        return mixed if j else mixed - psi_n(p, i - 1)

    return _reciprocal(u, p, w), logs, lambda i, j: sinpi_n(k, j) * cscpi_n(n, i)


def _low_xyw(n, k):
    """B(u, v) sin(pi y) sin(pi w) / (pi sin(pi x)); here sin(pi y) = -sin(pi k), sin(pi x) = -sin(pi n)."""
    w, p, u, v = n - k + 1, -n, -k, k - n

    def logs(i, j):
        if j == 0:
            return (-1) ** i * psi_between(p, v, k, i - 1)
        if i == 0 and j % 2:
            return psi_between(u, v, 2 * k - n, j - 1)
        mixed = (-1) ** i * psi_n(v, i + j - 1)
        return mixed if i else mixed + psi_n(u, j - 1)

    def waves(i, j):
        if i:  # sin(pi y) sin(pi w) / sin(pi x) = sin(pi k)^2 cot(pi n) - ..., without n in the rest
            square = sinpi_n(k) ** 2 if j == 0 else -(2.0**j) * cospi_n(2 * k, j) / 2
            return square * cotpi_n(n, i) / math.pi
        terms = ((-1) ** (j - l) * math.comb(j, l) * sinpi_n(k, l) * sinpi_n(w, j - l) for l in range(j + 1))
        return sum(terms) * cscpi_n(n) / math.pi

    return beta_parts(u, v), logs, waves
