"""Mixed derivatives of the beta function in every regime of signs.

Each regime writes the function as Gamma functions of positive arguments, whose logarithm has derivatives without
cancellation, times sines that hold its zeros and poles (DLMF 5.5.3); see `_gamma_quotient`.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels._trigpi import cotpi_n, cscpi_n, is_integer, sinpi_n, times
from hostwrap.special.kernels.gamma._quotient import REGULAR, loggamma_difference, one, product_derivative
from hostwrap.special.kernels.gamma.gamma import psi_n
from hostwrap.special.kernels.gamma.psi_difference import psi_difference


@pointwise
def beta_ij(a, b, *, i, j):
    """(d/da)^i (d/db)^j of B(a, b)."""
    low, high, mixed = np.minimum(a, b), np.maximum(a, b), (i > 0) & (j > 0)
    near_axis = mixed & (np.abs(low) < 0.1)
    beside = mixed & (np.abs(high) < 0.1) & (low > -20)
    off_zeros = a + b >= np.minimum(REGULAR, high / 2)
    return piecewise(
        [a, b],
        [
            ((i > 1) & (j == 0) & (np.abs(b + 1) < 0.25), lambda a, b: _beta_near_pole(a, b, i)),
            ((j > 1) & (i == 0) & (np.abs(a + 1) < 0.25), lambda a, b: _beta_near_pole(b, a, j)),
            (near_axis, lambda a, b: _beta_integral(a, b, i, j)),
            (beside, lambda a, b: beta_ij(a + 1, b, i=i, j=j) + beta_ij(a, b + 1, i=i, j=j)),  # DLMF 5.12.1
            (off_zeros, lambda a, b: _beta_regular(a, b, i, j)),
            (high < REGULAR, lambda a, b: _beta_low(a, b, i, j)),
            (b >= a, lambda a, b: _beta_reflected(a, b, i, j)),
            (None, lambda a, b: _beta_reflected(b, a, j, i)),
        ],
    )


def beta_value(a, b):
    """B(a, b) for a + b > 0; SciPy's loses digits where one argument is large."""
    a, b = np.minimum(a, b), np.maximum(a, b)
    large = (b >= 20) & (a + b >= 20)
    moderate = np.maximum(np.abs(a), a + b) < 170
    return piecewise(
        [a, b],
        [
            (large & (a > -20) & (a < 170), lambda a, b: sc.gamma(a) * np.exp(-loggamma_difference(b, a))),
            (large, lambda a, b: sc.gammasgn(a) * np.exp(sc.gammaln(a) - loggamma_difference(b, a))),
            (moderate & (b < 170), lambda a, b: sc.gamma(a) * (sc.gamma(b) * sc.rgamma(a + b))),
            (None, lambda a, b: sc.gammasgn(a) * np.exp(sc.gammaln(a) + sc.gammaln(b) - sc.gammaln(a + b))),
        ],
    )


# the logit of t, in steps whose trapezoidal rule is exact to double precision, with log t and log(1 - t)
_LOGIT = np.arange(-60, 60, 0.25)
_LOG_T, _LOG_1T = sc.log_expit(_LOGIT), sc.log_expit(-_LOGIT)


def _beta_integral(a, b, i, j):
    """Mixed derivatives are regular at a = 0 and b = 0, the quotients below are not: Euler's integral, DLMF 5.12.1.

    With t = 1/(1 + e^-u), B(a, b) is the integral of t^a (1 - t)^b over all u; no sign changes, no cancellation.
    """
    weights = 0.25 * _LOG_T**i * _LOG_1T**j
    return np.exp(np.multiply.outer(a, _LOG_T) + np.multiply.outer(b, _LOG_1T)) @ weights


def _beta_near_pole(a, b, i):
    """The residue at b = -1 is linear in a, which only B(a, b) = (a + b)/b B(a, b + 1) knows (DLMF 5.12.1)."""
    return ((a + b) * beta_ij(a, b + 1, i=i, j=0) + i * beta_ij(a, b + 1, i=i - 1, j=0)) / b


def _beta_regular(a, b, i, j):
    def logs(i, j):
        if i and j:
            return -psi_n(a + b, i + j - 1)
        return -psi_difference(a, b, i - 1) if i else -psi_difference(b, a, j - 1)

    return product_derivative(beta_value(a, b), logs, one, i, j)


def _beta_low(a, b, i, j):
    """Both small: 1 / ((p + q - 1) B(p, q)) times pi sin(pi (a + b)) / (sin(pi a) sin(pi b)), p = 1 - a, q = 1 - b.

    The sines are cot(pi a) + cot(pi b), where the poles do not mix.
    """
    p, q, c = 1 - a, 1 - b, 1 - a - b

    def logs(i, j):
        if i and j:
            return (-1) ** (i + j) * psi_n(c, i + j - 1)
        return (-1) ** i * psi_difference(p, -b, i - 1) if i else (-1) ** j * psi_difference(q, -a, j - 1)

    def waves(i, j):
        if i and j:
            return 0.0
        return cotpi_n(a, i) if i else cotpi_n(b, j) if j else cotpi_n(a) + cotpi_n(b)

    return product_derivative(np.pi / (c * beta_value(p, q)), logs, waves, i, j)


def _beta_reflected(a, b, i, j):
    """b >= a, a + b small: B(b, c) sin(pi (a + b)) / sin(pi a) with c = 1 - a - b."""
    c = 1 - a - b

    def logs(i, j):
        if j == 0:
            return (-1) ** i * -psi_difference(c, b, i - 1)
        if i == 0 and j % 2:
            return -psi_difference(b, c - b, j - 1)
        mixed = (-1) ** (i + j) * psi_n(c, i + j - 1)
        return mixed if i else mixed + psi_n(b, j - 1)

    def waves(i, j):
        if i:  # cos(pi b) + sin(pi b) cot(pi a)
            return times(sinpi_n(b, j), cotpi_n(a, i))
        if j:
            return sinpi_n(a + b, j) * cscpi_n(a)
        return np.where(is_integer(b), sinpi_n(b + 0.5), sinpi_n(a + b) * cscpi_n(a))

    return product_derivative(beta_value(b, c), logs, waves, i, j)
