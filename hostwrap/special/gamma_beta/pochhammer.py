"""Mixed derivatives of Pochhammer's symbol Gamma(z + m) / Gamma(z), also at its zeros and where both are near poles."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import elsewhere, piecewise, pointwise
from hostwrap.special._numerics.trigpi import cospi_n, cotpi_n, cscpi_n, is_integer, sinpi_n, times, turn
from hostwrap.special.gamma_beta._quotient import (
    REGULAR,
    exponential,
    gamma_ratio_parts,
    product_derivative,
    scaled,
)
from hostwrap.special.gamma_beta.gamma import psi_n, psi_right
from hostwrap.special.gamma_beta.psi_difference import psi_rise

NEXT = 1e-100  # to 0
USUAL = 1e15  # for arguments of Gamma from REGULAR to here SciPy's value is not NaN


@pointwise
def poch_n(z, m, *, dz, dm):
    """The derivatives, NaN where SciPy's value is NaN. It is computed only where it may be NaN: it is slow."""
    low, high = np.minimum(z, z + m), np.maximum(z, z + m)
    known = lambda z, m, found: np.where(np.isnan(sc.poch(z, m)), np.nan, found)
    found = poch_mixed(z, m, dz=dz, dm=dm)
    return elsewhere(found, ~((low >= REGULAR) & (high <= USUAL)), known, z, m, found)


@pointwise
def poch_mixed(z, m, *, dz, dm):
    """(d/dz)^i (d/dm)^j of Gamma(z + m) / Gamma(z).

    Where z and z + m are integers <= 0, the value is the limit along z. It is discontinuous in m there, so
    derivatives in m are NaN.
    """
    low_z, low_w = z < REGULAR, z + m < REGULAR
    next_to_zero = (np.abs(z) < NEXT) & (np.abs(z + m) < NEXT) & (z + m != 0)
    return piecewise(
        [z, m],
        [
            (next_to_zero, lambda z, m: _poch_next_to_zero(z, m, dz, dm)),
            (low_z & low_w, lambda z, m: _poch_both(z, m, dz, dm)),
            (low_z, lambda z, m: _poch_zeros(z, m, dz, dm)),
            (z + m <= 0, lambda z, m: _poch_poles(z, m)(dz, dm)),
            (dz > 1 and np.abs(m - 1) < 0.25, lambda z, m: _poch_near_z(z, m, dz, dm)),
            (None, lambda z, m: _poch_regular(z, m)(dz, dm)),
        ],
    )


def _poch_regular(z, m):
    """The derivatives for z > 0 and z + m > 0, as a function of their orders."""
    return _of_logarithms(z, m, lambda n: psi_rise(z, m, n), psi_right)


def _poch_poles(z, m):
    """The same for z > 0 and z + m <= 0, among the poles of Gamma."""
    return _of_logarithms(z, m, lambda n: psi_n(z + m, n) - psi_right(z, n), psi_n)


def _of_logarithms(z, m, rise, psi):
    """From psi_n(z + m) - psi_n(z) and psi_n(z + m), as functions of n."""
    logs = lambda i, j: rise(i - 1) if j == 0 else psi(z + m, i + j - 1)
    (value, log), slope = gamma_ratio_parts(z, m), exponential(logs)
    return lambda i, j: scaled(log, value, slope(i, j))


def _poch_near_z(z, m, i, j):
    """By (z)_m = (z + m - 1) (z)_(m-1), DLMF 5.5.1, which gives the second derivative at m = 1 as exactly 0."""
    lower = _poch_regular(z, m - 1)
    return (z + m - 1) * lower(i, j) + i * lower(i - 1, j) + (j * lower(i, j - 1) if j else 0)


def _poch_next_to_zero(z, m, i, j):
    """z / w Gamma(1 + w) / Gamma(1 + z), w = z + m, where sines underflow and their reciprocals overflow."""
    w, rest = z + m, _poch_regular(1 + z, m)
    total = 0.0
    for k in range(i + 1):
        for l in range(j + 1):
            n = k + l  # (d/dz)^k (d/dm)^l z/w = (-1)^n (n - 1)! (l z - k m) / w^(n + 1)
            quotient = math.factorial(n - 1) * (l * z - k * m) / w if n else z / w
            for _ in range(n):
                quotient = -quotient / w
            total = total + math.comb(i, k) * math.comb(j, l) * quotient * rest(i - k, j - l)
    return total


def _poch_zeros(z, m, i, j):
    """Gamma(z + m) Gamma(1 - z) sin(pi z) / pi, for z near the zeros of 1/Gamma."""

    def logs(i, j):
        upper = psi_right(z + m, i + j - 1)
        return upper if j else upper + (-1) ** i * psi_right(1 - z, i - 1)

    def waves(i, j):
        return sinpi_n(z, i) / math.pi if j == 0 else 0.0

    return product_derivative(sc.gamma(z + m) * sc.gamma(1 - z), logs, waves, i, j)


def _poch_both(z, m, i, j):
    """Gamma(1 - z) / Gamma(1 - w) times sin(pi z) / sin(pi w) = cos(pi m) - sin(pi m) cot(pi w), w = z + m."""
    u, w = 1 - z - m, turn(z, m)

    def logs(i, j):
        return (-1) ** i * psi_rise(u, m, i - 1) if j == 0 else -((-1) ** (i + j)) * psi_right(u, i + j - 1)

    def waves(i, j):
        if i == 0:
            return np.where(is_integer(m) & (j == 0), cospi_n(m), sinpi_n(z) * cscpi_n(w, j))
        terms = (math.comb(j, l) * times(sinpi_n(m, l), cotpi_n(w, i + j - l)) for l in range(j + 1))
        return -sum(terms)

    value, log = gamma_ratio_parts(u, m)
    return product_derivative(value, logs, waves, i, j, log)
