"""Derivatives of the Kelvin functions, as complex numbers ber + i bei and ker + i kei whose parts are both accurate.

Near 0 by the power series (DLMF 10.65.1 to 10.65.5); one part may be far smaller than the other there. Elsewhere
ber + i bei = J_0(x exp(3 pi i / 4)) and ker + i kei = K_0(x exp(i pi / 4)) (DLMF 10.61.1, 10.61.2).
"""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.parts import as_complex, compose, grown
from hostwrap.special._numerics.pointwise import piecewise, pointwise

TERMS = 24
BE_SERIES, KE_SERIES = 2.0, 1.0  # up to here


def be_n(x, *, dx):
    """(d/dx)^dx of ber + i bei."""
    return _be(as_complex(x), n=dx)


def ke_n(x, *, dx):
    """(d/dx)^dx of ker + i kei; NaN for x < 0."""
    return _ke(as_complex(x), n=dx)


@pointwise
def _be(x, *, n):
    near, far = functools.partial(_be_series, n=n), functools.partial(_be_bessel, n=n)
    return piecewise((x,), [(np.abs(x.real) <= BE_SERIES, near), (None, far)])


@pointwise
def _ke(x, *, n):
    near, far = functools.partial(_ke_series, n=n), functools.partial(_ke_bessel, n=n)
    return piecewise((x,), [(x.real < 0, lambda x: x * np.nan), (x.real <= KE_SERIES, near), (None, far)])


def _be_bessel(x, n):
    """By J_0' = -J_1 and 2 J_v' = J_(v-1) - J_(v+1), without overflow of the exponential factor."""
    unit = np.exp(0.75j * np.pi)
    z = x.real * unit
    terms = ((-1) ** k * math.comb(n, k) * sc.jve(2 * k - n, z) for k in range(n + 1))
    return grown((unit / 2) ** n * sum(terms), np.abs(z.imag))


def _ke_bessel(x, n):
    """By K_0' = -K_1 and -2 K_v' = K_(v-1) + K_(v+1)."""
    unit = np.exp(0.25j * np.pi)
    terms = (math.comb(n, k) * sc.kv(2 * k - n, x.real * unit) for k in range(n + 1))
    return (-unit / 2) ** n * sum(terms)


def _be_series(x, n):
    x = x.real
    return _sum(x, n, [math.perm(2 * k, n) * _term(k) for k in range(TERMS)])


def _ke_series(x, n):
    """The terms are i^k (x/2)^(2k) / k!^2 times psi(k + 1) - i pi / 4 - log(x/2)."""
    x, logs, rest = x.real + 0.0, [], []  # + 0.0: not -0.0
    for k in range(TERMS):
        a, b = 1.0, sc.psi(k + 1) - 0.25j * np.pi
        for power in range(2 * k, 2 * k - n, -1):  # of x^power (b - a log(x/2))
            a, b = a * power, b * power - a
        logs.append(_term(k) * a)
        rest.append(_term(k) * b)
    result, factor, logarithm = _sum(x, n, rest), _sum(x, n, logs), np.log(x / 2)
    parts = ((result.real, factor.real), (result.imag, factor.imag))
    return compose(*(np.where(f != 0, value - logarithm * f, value) for value, f in parts))


def _term(k):
    return 1j ** (k % 4) / (4.0**k * math.factorial(k) ** 2)


def _sum(x, n, coefficients):
    """The sum of c_k x^(2k - n), real and imaginary part apart: at x = 0 one may be infinite and the other finite."""
    parts = [np.zeros_like(x), np.zeros_like(x)]
    for k, c in enumerate(coefficients):
        for i, number in enumerate((c.real, c.imag)):
            if number:
                parts[i] = parts[i] + number * x ** float(2 * k - n)
    return compose(*parts)
