"""n-th derivatives of sin(x)/x and its like, right at x = 0."""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import pointwise
from hostwrap.special._numerics.trigpi import sinpi_n
from hostwrap.special.error.gauss import clipped
from hostwrap.special.integrals._divided import divided_n

FAR = 1e300  # beyond, the sine's quotients are 0 and nothing is known of the sine


@pointwise
def cardinal_n(z, *, c, n):
    """d^n/dz^n of sin(z)/z (c = -1) or sinh(z)/z (c = 1); real or complex z."""
    sine, cosine = (np.sin, np.cos) if c < 0 else (np.sinh, np.cosh)

    def rise(z, m):
        return (c ** (m // 2)) * (cosine if m % 2 else sine)(z)

    coefficients = [0.0 if m % 2 else c ** (m // 2) / math.factorial(m + 1) for m in range(40)]
    return divided_n(clipped(z, FAR), n, rise, coefficients, 2.0 + n / 2)


def sinc(x):
    """The normalized sinc function sin(pi x)/(pi x)."""
    y = math.pi * np.where(x == 0, 1e-20, x)  # np.sinc, made of loops alone
    return np.sin(y) / y


@pointwise
def sinc_n(x, *, dx):
    """d^n/dx^n of sin(pi x)/(pi x), exact at the zeros of the sine."""
    powers = [0.0 if m % 2 else (-1) ** (m // 2) * math.pi**m / math.factorial(m + 1) for m in range(40)]
    rise = lambda x, m: sinpi_n(x, m) / math.pi
    return divided_n(clipped(x, FAR), dx, rise, powers, 0.7 + dx / 6)


@pointwise
def exp_over(x):
    half = np.exp(x / 2)
    return half * (half / x)


@pointwise
def spence_n(z, *, dz):
    """d^n/dz^n of spence(z), n = 1, 2, ...; its derivative is -log(z)/u with u = z - 1 (DLMF 25.12.2)."""

    def rise(u, m, z):
        return (-1) ** (m - 1) * math.factorial(m - 1) * z ** -float(m) if m else np.log(z)

    coefficients = [(-1) ** m / (m + 1) for m in range(90)]
    slope = -divided_n(z - 1, dz - 1, rise, coefficients, 0.5, [z])
    return np.where(z == 0, (-1) ** dz * np.inf, slope)


@pointwise
def bessel_rise_n(x, *, c, n):
    """d^n/dx^n of (1 - J_0(x))/x (c = -1) or (I_0(x) - 1)/x (c = 1)."""

    def rise(x, m):
        derivative = c * (sc.jvp(0, x, m) if c < 0 else sc.ivp(0, x, m))
        return derivative - c if m == 0 else derivative

    squares = [c ** (k + 1) * 0.25**k / math.factorial(k) ** 2 for k in range(25)]
    coefficients = [squares[(m + 1) // 2] if m % 2 else 0.0 for m in range(48)]
    return divided_n(x, n, rise, coefficients, 3.0 + n / 2)
