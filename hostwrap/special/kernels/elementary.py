"""Derivatives of elementary functions whose textbook forms cancel.

Those of (e^x - 1)/x and log(1 + x)/x are moments of exp(x t) and of 1/(1 + x t) over 0 < t < 1.
"""

from math import factorial

import numpy as np
import scipy.special

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels._quadrature import gauss_legendre

NODES = 32  # enough for exp(20 t), and for 1/(1 + x t) with -0.8 < x < 3, to double precision
EXPONENT = 20.0
POLE, FAR = -0.8, 3.0


@pointwise
def exprel_n(x, *, n):
    """The n-th derivative of (e^x - 1)/x, the integral of t^n e^(xt)."""
    return piecewise(
        [x],
        [
            (np.abs(x) <= EXPONENT, lambda x: _moment(lambda t: t**n * np.exp(x[:, None] * t))),
            (x > EXPONENT, lambda x: _growing(x, n)),
            # DLMF 8.2.1 with z = -x: n! P(n + 1, z) / z^(n+1)
            (x < 0, lambda x: factorial(n) * scipy.special.gammainc(n + 1.0, -x) / (-x) ** (n + 1.0)),
        ],
    )


def _growing(x, n):
    """By parts, I_n = (e^x - n I_(n-1)) / x: stable where x is larger than n. e^x in two factors overflows last."""
    half = np.exp(x / 2)
    scaled = -np.expm1(-x) / x
    for k in range(1, n + 1):
        scaled = (1 - k * scaled) / x
    return half * scaled * half


@pointwise
def log1prel_n(x, *, n):
    """The n-th derivative of log(1 + x)/x, (-1)^n n! times the integral of t^n / (1 + x t)^(n+1)."""
    near = (x > POLE) & (x < FAR)

    def integral(x):
        return (-1) ** n * factorial(n) * _moment(lambda t: t**n / (1 + x[:, None] * t) ** (n + 1))

    return piecewise([x], [(near, integral), (None, lambda x: _leibniz(x, n))])


def _leibniz(x, n):
    """From x L = log(1 + x): x L^(k) + k L^(k-1) is the k-th derivative of log(1 + x)."""
    value = np.log1p(x) / x
    for k in range(1, n + 1):
        value = ((-1) ** (k - 1) * factorial(k - 1) / (1 + x) ** k - k * value) / x
    return value


def _moment(integrand):
    t, weights = gauss_legendre(NODES)
    return integrand(t) @ weights


def expit_slope(x):
    """The derivative of the logistic function; not y (1 - y), which is 0 for x > 37."""
    return scipy.special.expit(x) * scipy.special.expit(-x)


@pointwise
def pseudo_huber_delta(delta, r):
    """d/ddelta of the pseudo-Huber loss: with u = r/delta and s = sqrt(1 + u^2) it is delta u^4 / (s (1 + s)^2).

    In factors that stay below 1; 2 delta (s - 1) - r^2/(delta s) cancels for |r| < delta. The loss is infinite for
    delta < 0, and starts as delta |r|.
    """
    size = np.hypot(delta, r)
    steep = np.abs(r) / np.where(size == 0, 1.0, size)
    value = np.abs(r) * steep * (np.abs(r) / np.where(size == 0, 1.0, size + delta)) ** 2
    return np.where(delta < 0, np.nan, value)


@pointwise
def pseudo_huber_r(delta, r):
    """d/dr of the pseudo-Huber loss, delta r / sqrt(delta^2 + r^2)."""
    size = np.hypot(delta, r)
    return np.where(delta < 0, np.nan, r * (delta / np.where(size == 0, 1.0, size)))
