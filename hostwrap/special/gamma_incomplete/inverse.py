"""The x with P(a, x) = y or Q(a, x) = y, and the a, differentiated by the implicit function theorem.

With p = dP/dx, R_n = (d/da)^n P / p, k = d log p / da and l = d log p / dx, of which none over- or underflows where
x does not:  x_y = 1/p,  x_a = -R_1,  x_yy = -l / p^2,  x_ay = (l R_1 - k) / p,  x_aa = 2 k R_1 - l R_1^2 - R_2.
`further` has all other derivatives.
"""

import math

import numpy as np
import scipy.special as sc
from numpy.polynomial import Polynomial

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.gamma_incomplete import first, further, tiny
from hostwrap.special.gamma_incomplete._curvature import curvature
from hostwrap.special.gamma_incomplete._scale import STIRLING, density, polynomial, score
from hostwrap.special.gamma_incomplete.density import slope
from hostwrap.special.gamma_incomplete.first import LOST, ROUNDING
from hostwrap.special.gamma_incomplete.shape import defined, relative_order

NORMAL = 4e5  # shapes from here on: for small p SciPy's roots lose digits, all that the density needs at 1e8
QUANTILE = [  # x, of a^(1 - k/2), lowest powers of the normal quantile z first
    [1],
    [0, 1],
    [-1 / 3, 0, 1 / 3],
    [0, -7 / 36, 0, 1 / 36],
    [16 / 810, 0, -7 / 810, 0, -3 / 810],
    [0, -433 / 38880, 0, 256 / 38880, 0, 9 / 38880],
]
SHAPE = [  # a, of x^(1 - k/2): the same solved for a, to more terms, for a root in the far tail needs all of them
    [1],
    [0, -1],
    [1 / 3, 0, 1 / 6],
    [0, 1 / 36, 0, 1 / 72],
    [-8 / 405, 0, 7 / 810, 0, 1 / 270],
    [0, -671 / 38880, 0, 137 / 38880, 0, 23 / 17280],
    [-16 / 25515, 0, -5189 / 408240, 0, 5 / 3024, 0, 19 / 34020],
    [0, -274867 / 146966400, 0, -2647909 / 293932800, 0, 165779 / 195955200, 0, 11237 / 43545600],
    [5408 / 3444525, 0, -39281 / 13778100, 0, -9683 / 1530900, 0, 301 / 656100, 0, 13 / 102060],
]


@pointwise
def gamma_quantile_ij(a, y, *, i=0, j=0, upper=False):
    """(d/da)^i (d/dy)^j of gammaincinv(a, y), or of gammainccinv."""
    x = sc.gammainccinv(a, y) if upper else sc.gammaincinv(a, y)
    if i == j == 0:
        return x
    value = piecewise(
        [a, x, sc.ndtri(y), 1 - y if upper else y],
        [
            (x == 0, lambda a, *_: _at_zero(a, i, j)),
            (np.isinf(x), lambda a, *_: np.full_like(a, np.inf)),
            (x < tiny.LEAST, lambda a, x, _, p: tiny.quantile(a, p, 0.0, (i, j, 0))),
            (a >= NORMAL, lambda a, x, z, _: _nearly_normal(QUANTILE, a, -z if upper else z, i, j)),
            ((a >= STIRLING) & (x >= 1) & (i == 2), lambda a, x, *_: curvature(a, x)),
            (None, lambda a, x, *_: _derivative(a, x, i, j)),
        ],
    )
    return (-1) ** j * value if upper else value


def _nearly_normal(expansion, a, z, i, j, of_log=False):
    """By Cornish and Fisher's expansion at the normal quantile z (Abramowitz and Stegun 26.4.14), for x is rounded.

    The i-th derivative is in a, or in log a. With D = d/dz and the normal density phi, (d/dp)^j g(z) is
    phi^-j (D + (j - 1) z) .. (D + z) D g.
    """
    root, total = np.sqrt(a), 0.0
    for k, coefficients in reversed(list(enumerate(expansion))):
        g = Polynomial(coefficients)
        for m in range(j):
            g = g.deriv() + m * Polynomial([0, 1]) * g
        powers = math.prod(1 - k / 2 - m * (not of_log) for m in range(i))  # of a^(1 - k/2)
        total = total / root + powers * polynomial(g.coef[::-1].tolist(), z)
    rate, value = math.sqrt(2 * math.pi) * np.exp(z * z / 2), total * a
    for m in range(max(i, j)):  # in turn, so that nothing leaves the range of numbers on the way
        value = value / a if m < i and not of_log else value
        value = value * rate if m < j else value
    return value


def _derivative(a, x, i, j):
    if i + j > 2:
        return further.quantile(a, x, i, j)
    if j:
        x = np.where(ROUNDING * x * np.abs(slope(a, x)) > LOST, np.nan, x)
    if i == 0:
        width = 1 / density(a, x)
        return width if j == 1 else (x - (a - 1)) * (width / x) * width
    shift = _shift(a, x, 1)
    if i == 2:
        return (2 * score(a, x) - slope(a, x) * shift) * shift - _shift(a, x, 2)
    return (slope(a, x) * shift - score(a, x)) / density(a, x) if j else -shift


def _shift(a, x, n):
    """R_n."""
    return x * ((first.relative(a, x) if n == 1 else relative_order(a, x, n)) / a)


@pointwise
def large_excess_ij(p, x, *, i, j, upper=False):
    """(d/dp)^i (d/du)^j of a - x at P(a, x) = p or Q(a, x) = p, u = log x, for x from NORMAL on."""
    z = sc.ndtri(p)
    return (-1) ** (i * upper) * _nearly_normal([[0], *SHAPE[1:]], x, -z if upper else z, j, i, of_log=True)


@pointwise
def shape_shift_ij(a, x, *, i, j):
    """(d/da)^i (d/du)^j of T = da/du = -x / R_1, u = log x, at constant P(a, x). T itself is made of loops alone.

    T_a = (k - R_2 / R_1) T,  T_u = (a - x + k T) T. For P = 0 and P = 1 it is 0 throughout.
    """
    at_end = (x == 0) | (a == 0) | np.isinf(x) | np.isinf(a)
    inside = _shape_shift(a, x, i, j) if i or j else -a / first.relative(a, x)
    return defined(a, x, np.where(at_end, 0.0, inside))


def _shape_shift(a, x, i, j):
    if i + j > 1:
        return further.shift_of_shape(a, x, i, j)
    shift = -a / first.relative(a, x)
    if i:
        return shift * (score(a, x) + shift * (relative_order(a, x, 2) / a))
    return shift * (a - x + score(a, x) * shift)


def _at_zero(a, i, j):
    """The limit y -> 0 of x = (y Gamma(a + 1))^(1/a): that of y^(1/a - j) (-log y)^i, but for a = 1/j."""
    if j == 0:
        return np.zeros_like(a)
    if j > 2:  # the signs of the infinities are not known
        return np.where(a * j < 1, 0.0, np.nan)
    at_edge = np.inf if i else math.factorial(j) * sc.gamma(1 / j + 1) ** j
    beyond = np.where((a < 1) | (i > 0) | (j == 1), np.inf, np.where(a == 1, 1.0, -np.inf))
    return np.where(a * j < 1, 0.0, np.where(a * j == 1, at_edge, beyond))
