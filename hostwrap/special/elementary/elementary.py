"""Derivatives of elementary functions whose textbook forms cancel.

Those of (e^x - 1)/x and log(1 + x)/x are moments of exp(x t) and of 1/(1 + x t) over 0 < t < 1.
"""

from math import factorial, prod

import numpy as np
import scipy.special

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import integrals

NODES = 32  # enough for exp(20 t), and for 1/(1 + x t) with -0.8 < x < 3, to double precision
EXPONENT = 20.0
POLE, FAR = -0.8, 3.0


@pointwise
def exprel_n(x, *, dx):
    """The n-th derivative of (e^x - 1)/x, the integral of t^n e^(xt)."""
    return piecewise(
        [x],
        [
            (np.abs(x) <= EXPONENT, lambda x: _moment(x, lambda t: t**dx * np.exp(x * t))),
            (x > EXPONENT, lambda x: _growing(x, dx)),
            # DLMF 8.2.1 with z = -x: n! P(n + 1, z) / z^(n+1)
            (x < 0, lambda x: factorial(dx) * scipy.special.gammainc(dx + 1.0, -x) / (-x) ** (dx + 1.0)),
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
        return (-1) ** n * factorial(n) * _moment(x, lambda t: t**n / (1 + x * t) ** (n + 1))

    return piecewise([x], [(near, integral), (None, lambda x: _leibniz(x, n))])


def _leibniz(x, n):
    """From x L = log(1 + x): x L^(k) + k L^(k-1) is the k-th derivative of log(1 + x)."""
    value = np.log1p(x) / x
    for k in range(1, n + 1):
        value = ((-1) ** (k - 1) * factorial(k - 1) / (1 + x) ** k - k * value) / x
    return value


def _moment(x, integrand):
    zero = 0 * x  # points of both cases are finite
    return integrals(lambda t: [integrand(t)], [(zero, zero + 1)], NODES)[0]


@pointwise
def power_n(x, p, *, n):
    """The n-th derivative of x^p in p, x^p log(x)^n; powers that vanish with their base outweigh its logarithm."""
    power = np.float_power(x, p)
    if n == 0:
        return power
    return np.where((power == 0) & (x >= 0), 0.0, power * np.log(x) ** n)


@pointwise
def falling_power(x, p, *, n):
    """p (p - 1) .. (p - n + 1) x^(p - n), the n-th derivative of x^p in x. The power alone may leave the doubles."""
    factor = prod(p - k for k in range(n))
    power, half = np.float_power(x, p - n), np.float_power(np.abs(x), (p - n) / 2)
    sign = np.where((power < 0) | (1 / power < 0), -1.0, 1.0)
    beyond = ((power == 0) | np.isinf(power)) & (x != 0)
    value = np.where(beyond, sign * half * (factor * half), factor * power)
    return np.where((factor == 0) & (p != 0), 0.0, value)


def expit_slope(x):
    """The derivative of the logistic function; not y (1 - y), which is 0 for x > 37."""
    return scipy.special.expit(x) * scipy.special.expit(-x)


@pointwise
def pseudo_huber_delta(delta, r):
    """d/ddelta of the pseudo-Huber loss: |r| sin(t) tan(t/2)^2 with r = delta tan(t); textbook forms cancel.

    The loss is infinite for delta < 0, and starts as delta |r|.
    """
    t = np.arctan2(np.abs(r), np.abs(delta))
    return np.where(delta < 0, np.nan, np.abs(r) * np.sin(t) * np.tan(t / 2) ** 2)


@pointwise
def pseudo_huber_r(delta, r):
    """d/dr of the pseudo-Huber loss, delta r / sqrt(delta^2 + r^2): the smaller factor times a sine."""
    low, high = np.minimum(np.abs(r), np.abs(delta)), np.maximum(np.abs(r), np.abs(delta))
    value = np.copysign(low * np.sin(np.arctan2(high, low)), r)
    return np.where(delta < 0, np.nan, value)


@pointwise
def steep(delta, r):
    """r / sqrt(delta^2 + r^2), which has no limit at 0, 0."""
    return np.where((delta == 0) & (r == 0), np.nan, np.sin(np.arctan2(r, np.abs(delta))))


@pointwise
def size(delta, r):
    """sqrt(delta^2 + r^2), without overflow."""
    low, high = np.minimum(np.abs(r), np.abs(delta)), np.maximum(np.abs(r), np.abs(delta))
    return np.where(high == 0, 0.0, high * np.sqrt(1 + (low / np.where(high == 0, 1.0, high)) ** 2))


@pointwise
def pseudo_huber_bend(delta, r):
    """d^2/ddelta^2 of the pseudo-Huber loss, 3 c - c^3 - 2 with the cosine c of arctan(r / delta)."""
    t = np.arctan2(np.abs(r), np.abs(delta))
    sine, cosine = np.sin(t), np.sin(np.arctan2(np.abs(delta), np.abs(r)))
    value = -(sine**4) * (2 + cosine) / (1 + cosine) ** 2
    return np.where((delta == 0) & (r == 0), np.nan, value)
