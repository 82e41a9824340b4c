"""Derivatives of the Voigt profile V = Re W, W = w(z) / (sigma sqrt(2 pi)), z = (x + i gamma) / (sigma sqrt(2)).

W depends on x + i gamma, so d/dgamma = i d/dx; and a Gaussian spreads by the heat equation, so d/dsigma =
sigma d^2/dx^2. Hence every partial derivative of V is a real or imaginary part of a W_n = d^n W / dx^n.
"""

import math

import numpy as np

from hostwrap.special._numerics.parts import compose
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.error.faddeeva import scaled_wofz

FAR = 1e80


def voigt_n(x, sigma, gamma, *, n):
    """W_n, complex; there is no profile of a negative width."""
    value = _voigt_n(compose(x, gamma), sigma, n=n)
    return np.where(np.less(sigma, 0) | np.less(gamma, 0), complex(np.nan, np.nan), value)


@pointwise
def _voigt_n(zeta, sigma, *, n):
    """Far from 1 in units of the largest of the three, since W_n(c x, c sigma, c gamma) = c^(-n - 1) W_n."""
    size = np.maximum(np.maximum(np.abs(zeta.real), np.abs(zeta.imag)), sigma)
    far = ((size > FAR) | (size < 1 / FAR)) & (size > 0) & np.isfinite(size)
    unit = np.where(far, np.exp2(np.floor(np.log2(np.where(far, size, 1.0)))), 1.0)
    value = _of_ordinary_size(compose(zeta.real / unit, zeta.imag / unit), sigma / unit, n)
    for _ in range(n + 1):
        value = compose(value.real / unit, value.imag / unit)
    return value


def _of_ordinary_size(zeta, sigma, n):
    return piecewise(
        [zeta, sigma],
        [
            (sigma == 0, lambda zeta, sigma: _lorentz(zeta, n)),
            (None, lambda zeta, sigma: scaled_wofz(zeta, math.sqrt(2) * sigma, n) / math.sqrt(math.pi)),
        ],
    )


def _lorentz(zeta, n):
    """The limit sigma = 0: W = i / (pi zeta)."""
    return 1j / math.pi * (-1) ** n * math.factorial(n) * (1 / zeta) ** (n + 1)
