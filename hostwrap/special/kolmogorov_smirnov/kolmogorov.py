"""n-th derivatives of Kolmogorov's survival function, and of its inverse.

K(y) = 2 sum over k >= 1 of (-1)^(k-1) e^(-2 k^2 y^2) converges fast for large y, and for small y its transform
K(y) = 1 - sqrt(2 pi)/y sum over odd k of e^(-k^2 pi^2 / (8 y^2)) (DLMF 20.7.32).
"""

import functools
import math

import numpy as np
import scipy.special as sc
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyval

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.series import inverse_derivative
from hostwrap.special.error.gauss import gaussian

MIDDLE = 0.9
TERMS = 5  # for y > MIDDLE the sixth is below e^-58; for y < MIDDLE the fifth, of k = 9, below e^-123


@pointwise
def kolmogorov_n(y, *, dy):
    """K^(n)(y), n = 1, 2, ..."""
    return piecewise(
        [y],
        [
            (y > MIDDLE, lambda y: _large(y, dy)),
            (y > 0.03, lambda y: _small(y, dy)),  # below that e^(-pi^2 / (8 y^2)) is 0
            (y <= 0.03, np.zeros_like),
        ],
    )


def _large(y, n):
    terms = [(-1) ** (k - 1) * (2 * k) ** n * gaussian(2 * k * y, c=-1, n=n) for k in range(TERMS, 0, -1)]
    return 2 * sum(terms)


def _small(y, n):
    total = 0.0
    for k in range(2 * TERMS - 1, 0, -2):
        exponent = (k * math.pi / y) ** 2 / 8
        total = total + np.exp(-exponent) * polyval(exponent, _polynomial(n).coef)
    return -math.sqrt(2 * math.pi) * total / y ** (n + 1)


@functools.cache
def _polynomial(n):
    """(d/dy)^n e^-q / y = y^(-1-n) Q_n(q) e^-q for q proportional to y^-2."""
    if n == 0:
        return Polynomial([1.0])
    before = _polynomial(n - 1)
    return -n * before + Polynomial([0.0, 2.0]) * (before - before.deriv())


@pointwise
def kolmogi_n(p, *, dp):
    """(d/dp)^n of K's inverse, n = 1, 2, ..."""
    y = sc.kolmogi(p)
    slope = kolmogorov_n(y, dy=1)
    if dp == 1:
        return np.where((p == 0) | (p == 1), -np.inf, 1 / slope)
    ends = np.where(p == 0, (-1) ** dp * np.inf, -np.inf)
    if dp > 2:
        slopes = [slope, *(kolmogorov_n(y, dy=k) for k in range(2, dp + 2))]
        return np.where((p == 0) | (p == 1), ends, inverse_derivative(slopes, 1.0))
    return np.where((p == 0) | (p == 1), ends, -kolmogorov_n(y, dy=2) / slope / slope / slope)
