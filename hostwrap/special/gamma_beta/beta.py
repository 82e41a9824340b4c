"""Mixed derivatives of the beta function in every regime of signs.

Each regime writes the function as Gamma functions of positive arguments, whose logarithm has derivatives without
cancellation, times sines that contain its zeros and poles (DLMF 5.5.3); see `_quotient`.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise, piecewise_jets, pointwise
from hostwrap.special._numerics.trigpi import cotpi_n, cscpi_n, is_integer, sinpi_n, times, turn
from hostwrap.special.gamma_beta._quotient import (
    REGULAR,
    loggamma_difference,
    one,
    product_derivative,
    scaled,
)
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.gamma_beta.psi_difference import psi_difference
from hostwrap.special.gamma_incomplete._scale import STIRLING, stirling_rest

TINY = 1e-20  # so near to an axis


@pointwise
def beta_n(a, b, *, da, db):
    """(d/da)^i (d/db)^j of B(a, b)."""
    a, b = _off_axis(a) if db and not da else a, _off_axis(b) if da and not db else b
    return piecewise(
        [a, b],
        [
            (da > 1 and db == 0 and np.abs(b + 1) < 0.25, in_python(lambda a, b: _beta_near_pole(a, b, da))),
            (db > 1 and da == 0 and np.abs(a + 1) < 0.25, in_python(lambda a, b: _beta_near_pole(b, a, db))),
            (None, lambda a, b: _beta_elsewhere(a, b, da, db)),
        ],
    )


def _beta_elsewhere(a, b, i, j):
    if not (i and j):
        return _beta_by_signs(a, b, i, j)
    low, high = np.minimum(a, b), np.maximum(a, b)
    return piecewise(
        [a, b],
        [
            (np.abs(low) < 0.1, in_python(lambda a, b: _beta_integral(a, b, i, j))),
            (
                (np.abs(high) < 0.1) & (low > -20),
                in_python(lambda a, b: _beta_elsewhere(a + 1, b, i, j) + _beta_elsewhere(a, b + 1, i, j)),
            ),  # DLMF 5.12.1; a program would call itself without end
            (None, lambda a, b: _beta_by_signs(a, b, i, j)),
        ],
    )


def _beta_by_signs(a, b, i, j):
    """A recorded program calls Python for second derivatives at a negative argument, which are rare."""
    high = np.maximum(a, b)
    rare = in_python if i + j > 1 else lambda function: function
    return piecewise(
        [a, b],
        [
            (a + b >= np.minimum(REGULAR, high / 2), lambda a, b: _beta_regular(a, b, i, j)),
            (high < REGULAR, rare(lambda a, b: _beta_low(a, b, i, j))),
            (b >= a, rare(lambda a, b: _beta_reflected(a, b, i, j))),
            (None, rare(lambda a, b: _beta_reflected(b, a, j, i))),
        ],
    )


def _off_axis(a):
    """B(a, b) is 1/a plus a function that is smooth at a = 0. The derivatives in b are those of the smooth function."""
    return np.where(np.abs(a) < TINY, np.copysign(TINY, a), a)


def beta_value(a, b):
    """B(a, b) for a + b > 0. SciPy's value loses digits where one argument is large."""
    m, l = beta_parts(a, b)
    return scaled(l, m)


def beta_parts(a, b):
    """m and l with B(a, b) = m e^l, for a + b > 0. A quotient of two B may be a double where B is not."""
    a, b = np.minimum(a, b), np.maximum(a, b)
    return piecewise_jets([a, b], 1, [(a < -20, _parts_reflected), (None, parts_on_the_right)])


def parts_on_the_right(a, b):
    """As `beta_parts` for -20 <= a <= b."""
    return piecewise_jets(
        [a, b],
        1,
        [
            (a >= STIRLING, _parts_by_stirling),
            (
                (b >= 20) & (a + b >= 20),
                lambda a, b: np.stack([sc.gamma(a), -loggamma_difference(b, a)]),
            ),
            (None, lambda a, b: np.stack([sc.gamma(a) * (sc.gamma(b) * sc.rgamma(a + b)), np.zeros_like(a)])),
        ],
    )


def _parts_reflected(a, b):
    """pi / (b sin(pi a) B(1 - a, a + b)), DLMF 5.5.3."""
    low, high = np.minimum(1 - a, a + b), np.maximum(1 - a, a + b)
    m, l = parts_on_the_right(low, high)
    return np.stack([math.pi * cscpi_n(a) / (b * m), -l])


def _parts_by_stirling(a, b):
    """DLMF 5.11.1; the logarithms are as small as that of the result."""
    rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b)
    log = -(a * np.log1p(b / a) + b * np.log1p(a / b))
    return np.stack([np.sqrt(2 * math.pi * (1 / a + 1 / b)), log + rest])


# the logit of t, in steps whose trapezoidal rule is exact to double precision
_LOGIT = np.arange(-60, 60, 0.25)


def _beta_integral(a, b, i, j):
    """Euler's integral, DLMF 5.12.1. Mixed derivatives are regular at a = 0 and b = 0; the quotients below are not.

    With t = 1/(1 + e^-u), B(a, b) is the integral of t^a (1 - t)^b over all u. The integrand has one sign, so nothing
    cancels. A large parameter shifts its maximum to one end.
    """
    shift = np.log(np.maximum(a, 1)) - np.log(np.maximum(b, 1))
    u = _LOGIT + shift[:, None]
    log_t, log_1t = sc.log_expit(u), sc.log_expit(-u)
    return 0.25 * np.sum(np.exp(a[:, None] * log_t + b[:, None] * log_1t) * log_t**i * log_1t**j, axis=1)


def _beta_near_pole(a, b, i):
    """By B(a, b) = (a + b)/b B(a, b + 1), DLMF 5.12.1, in which the residue at b = -1 is exactly linear in a."""
    c = _off_axis(b + 1)
    return ((a + b) * _beta_by_signs(a, c, i, 0) + i * _beta_by_signs(a, c, i - 1, 0)) / b


def _beta_regular(a, b, i, j):
    def logs(i, j):
        if i and j:
            return -psi_n(a + b, i + j - 1)
        return -psi_difference(a, b, i - 1) if i else -psi_difference(b, a, j - 1)

    m, l = beta_parts(a, b)
    return product_derivative(m, logs, one, i, j, l)


def _beta_low(a, b, i, j):
    """Both small: 1 / ((p + q - 1) B(p, q)) times pi sin(pi (a + b)) / (sin(pi a) sin(pi b)), p = 1 - a, q = 1 - b.

    The quotient of sines is cot(pi a) + cot(pi b), in which the poles are apart.
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

    m, l = beta_parts(p, q)
    return product_derivative(np.pi / (c * m), logs, waves, i, j, -l)


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
            return sinpi_n(turn(a, b), j) * cscpi_n(a)
        return np.where(is_integer(b), sinpi_n(b + 0.5), sinpi_n(turn(a, b)) * cscpi_n(a))

    m, l = beta_parts(b, c)
    return product_derivative(m, logs, waves, i, j, l)
