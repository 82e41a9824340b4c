"""(d/da)^na (d/dx)^nx of Weber's function W(a, x), DLMF 12.14, by the differential equation with jets in a.

From x = 0, but where W decays to the right (up to x = 2 sqrt(a)) from its asymptotic expansion backwards.
"""

import functools
from math import factorial

import numpy as np
import scipy.special as sc
from numpy.polynomial import Polynomial

from hostwrap.special._numerics.pointwise import pointwise
from hostwrap.special.gamma_beta.gamma import exponential, psi_n
from hostwrap.special.hypergeometric._equations import Weber
from hostwrap.special.hypergeometric._forms import (
    Form,
    by_case,
    compose,
    constant,
    derivative,
    parameters,
    times,
)
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.parabolic._weber import from_origin, in_x

DECAYING = 0.5  # from this a on
TERMS = 30  # of the asymptotic expansion


@pointwise
def pbwa_n(a, x, *, na=0, nx=0):
    """Of W(a, x)."""
    (a,), orders = parameters(a), (na,)
    cases = [
        (~np.isfinite(a.value + x), None),
        ((x > 0) & (a.value > DECAYING), lambda a, x, _: _backwards(a, x, orders)),
        (x == x, lambda a, x, _: from_origin(-0.25, a, x, *_at_zero(a, orders))),
    ]
    w, slope = by_case((a, x), (1, *orders), float, cases)
    return derivative(in_x(-0.25, a, x, w, slope, nx), orders)


def _at_zero(a, orders):
    """DLMF 12.14.2-3: powers of |Gamma(1/4 + ia/2) / Gamma(3/4 + ia/2)|."""
    low, high = 0.25 + 0.5j * a.value, 0.75 + 0.5j * a.value
    log = (sc.loggamma(low) - sc.loggamma(high)).real / 2
    change = functools.cache(lambda n: ((0.5j) ** n * (psi_n(low, n - 1) - psi_n(high, n - 1))).real / 2)
    value = 2**-0.75 * np.exp(log) * _relative(change, 1, a, orders)
    return value, -(2**-0.25) * np.exp(-log) * _relative(change, -1, a, orders)


def _relative(logs, sign, a, orders):
    """The jet of f^sign / its value, from the derivatives of log f."""
    signed = functools.cache(lambda n: sign * logs(n))
    one = np.ones_like(a.value)
    return compose([exponential(signed, n) / factorial(n) * one for n in range(orders[0] + 1)], a, orders)


def _backwards(a, x, orders):
    start = np.maximum(10, x) + np.sqrt(a.value) * 2
    w, slope = _far(a, start, orders)
    return np.stack(march(Weber(-0.25, a), start, x, w, slope)[:2])


def _far(a, x, orders):
    """DLMF 12.14.17-18: W + i .. = sqrt(2k/x) e^(i omega) (s1 + i s2), and its derivative."""
    raised = Form(0.5 + 1j * a.value, (1j,))
    term = constant(1.0, orders, raised.value)
    value, slope = term.copy(), (-1 / (2 * x)) * term
    for r in range(TERMS):
        term = (raised + (2 * r + 1)).times((raised + 2 * r).times(term)) * (-1j / (2 * (r + 1) * x * x))
        value = value + term
        slope = slope - (2 * r + 2.5) / x * term
    wave = _wave(a, x, orders)
    slope = slope + 1j * (x / 2 * value - a.times(value) / x)
    return times(wave, value).real, times(wave, slope).real


def _wave(a, x, orders):
    """sqrt(2k/x) e^(i omega), omega = x^2/4 - a log x + pi/4 + arg(Gamma(1/2 + ia)) / 2."""
    argument = 0.5 + 1j * a.value
    omega = x * x / 4 - a.value * np.log(x) + np.pi / 4 + sc.loggamma(argument).imag / 2
    phases = functools.cache(
        lambda n: 1j * ((1j**n * psi_n(argument, n - 1)).imag / 2 - (np.log(x) if n == 1 else 0))
    )
    jet = np.exp(1j * omega) * _relative(phases, 1, a, orders)
    return np.sqrt(2 / x) * times(jet, _root_k(a, orders))


def _root_k(a, orders):
    """The jet of sqrt(k), k = sqrt(1 + e^(2 pi a)) - e^(pi a) = e^(-arcsinh(e^(pi a)))."""
    log = -np.arcsinh(np.exp(np.pi * a.value)) / 2
    t = sc.expit(-2 * np.pi * a.value)
    logs = functools.cache(lambda n: -(np.pi**n) / 2 * np.sqrt(1 - t) * _at(_polynomial(n), t))
    return np.exp(log) * _relative(logs, 1, a, orders)


def _at(polynomial, t):
    return functools.reduce(lambda total, c: total * t + c, polynomial.coef[::-1])


@functools.cache
def _polynomial(n):
    """The n-th derivative of log k is -pi^n s P(t), with s^2 = 1 - t = 1 / (1 + e^(-2 pi a))."""
    if n == 1:
        return Polynomial([1])
    last = _polynomial(n - 1)
    return Polynomial([0, 1]) * last + Polynomial([0, -2, 2]) * last.deriv()
