"""Mixed derivatives of Pochhammer's Gamma(z + m) / Gamma(z), through its zeros and where both are near poles."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels._trigpi import cospi_n, cotpi_n, cscpi_n, is_integer, sinpi_n, times
from hostwrap.special.kernels.gamma._quotient import REGULAR, gamma_ratio, one, product_derivative
from hostwrap.special.kernels.gamma.gamma import psi_n
from hostwrap.special.kernels.gamma.psi_difference import psi_difference


@pointwise
def poch_ij(z, m, *, i, j):
    """(d/dz)^i (d/dm)^j of Gamma(z + m) / Gamma(z).

    Where z and z + m are integers <= 0, the value is the limit along z, and discontinuous in m: NaN for j > 0.
    """
    low_z, low_w = z < REGULAR, z + m < REGULAR
    return piecewise(
        [z, m],
        [
            (low_z & low_w, lambda z, m: _poch_both(z, m, i, j)),
            (low_z, lambda z, m: _poch_zeros(z, m, i, j)),
            ((i > 1) & (np.abs(m - 1) < 0.25), lambda z, m: _poch_near_z(z, m, i, j)),
            (None, lambda z, m: _poch_regular(z, m, i, j)),
        ],
    )


def _poch_regular(z, m, i, j):
    def logs(i, j):
        return psi_difference(z, m, i - 1) if j == 0 else psi_n(z + m, i + j - 1)

    return product_derivative(gamma_ratio(z, m), logs, one, i, j)


def _poch_near_z(z, m, i, j):
    """At m = 1 the second derivative is zero, and only DLMF 5.5.1 knows: (z)_m = (z + m - 1) (z)_(m-1)."""

    def lower(i, j):
        return poch_ij(z, m - 1, i=i, j=j)

    return (z + m - 1) * lower(i, j) + i * lower(i - 1, j) + (j * lower(i, j - 1) if j else 0)


def _poch_zeros(z, m, i, j):
    """z is near the zeros of 1/Gamma: Gamma(z + m) Gamma(1 - z) sin(pi z) / pi."""

    def logs(i, j):
        upper = psi_n(z + m, i + j - 1)
        return upper if j else upper + (-1) ** i * psi_n(1 - z, i - 1)

    def waves(i, j):
        return sinpi_n(z, i) / math.pi if j == 0 else 0.0

    return product_derivative(sc.gamma(z + m) * sc.gamma(1 - z), logs, waves, i, j)


def _poch_both(z, m, i, j):
    """Gamma(1 - z) / Gamma(1 - w) times sin(pi z) / sin(pi w) = cos(pi m) - sin(pi m) cot(pi w), w = z + m."""
    w = z + m
    u = 1 - z - m

    def logs(i, j):
        return (-1) ** i * psi_difference(u, m, i - 1) if j == 0 else -((-1) ** (i + j)) * psi_n(u, i + j - 1)

    def waves(i, j):
        if i == 0:
            return np.where(is_integer(m) & (j == 0), cospi_n(m), sinpi_n(z) * cscpi_n(w, j))
        terms = (math.comb(j, l) * times(sinpi_n(m, l), cotpi_n(w, i + j - l)) for l in range(j + 1))
        return -sum(terms)

    return product_derivative(gamma_ratio(u, m), logs, waves, i, j)
