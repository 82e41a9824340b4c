"""psi_n(x + h) - psi_n(x) without cancellation: the logarithmic derivatives of quotients of Gamma functions."""

from __future__ import annotations

import math

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.trigpi import cscpi_n, sinpi_n, times
from hostwrap.special._numerics.until import added
from hostwrap.special.gamma_beta.gamma import BERNOULLI, psi_n

APART = 1e-3  # x + h has lost three digits of its own


@pointwise
def psi_step(x, h, *, n):
    """psi_n(x + h) - psi_n(x) as a kernel."""
    return psi_difference(x, h, n)


def psi_difference(x, h, n):
    """psi_n(x + h) - psi_n(x), with full relative accuracy where both arguments have the same sign."""
    below = np.maximum(x, x + h) <= 0
    cases = [(below, lambda x, h: _psi_reflected(x, h, n)), (None, lambda x, h: _psi_as_it_is(x, h, n))]
    return piecewise([x, h], cases)


def _psi_as_it_is(x, h, n):
    low = np.minimum(x, x + h)
    return piecewise(
        [x, h],
        [
            (low <= 0, lambda x, h: psi_n(x + h, n) - psi_n(x, n)),
            (None, lambda x, h: psi_rise(x, h, n)),
        ],
    )


def psi_between(x, y, h, n):
    """psi_n(y) - psi_n(x) for x, y > 0. h is y - x, given apart because y may absorb x or x absorb y."""
    apart = np.minimum(x, y) < APART * np.maximum(x, y)
    return piecewise(
        [x, y, h],
        [
            (apart, lambda x, y, _: psi_n(y, n) - psi_n(x, n)),
            (None, lambda x, _, h: psi_difference(x, h, n)),
        ],
    )


def _psi_reflected(x, h, n):
    """DLMF 5.15.6 for both terms, where cot(pi y) - cot(pi x) = -sin(pi h) / (sin(pi x) sin(pi y)), y = x + h.

    For integers h it is zero throughout, also at the poles.
    """
    y = x + h
    sine = sinpi_n(h)  # divided by one factor first, because the product of both may underflow
    products = sum(
        math.comb(n, k) * times(times(sine, cscpi_n(x, k)), cscpi_n(y, n - k)) for k in range(n + 1)
    )
    return (-1) ** n * -_psi_as_it_is(1 - y, h, n) + math.pi * products


def psi_rise(x, h, n):
    """psi_n(x + h) - psi_n(x) for x, x + h > 0. DLMF 5.15.5, term by term, raises x above 12 + n."""
    if n == 0:
        return _digamma_rise(x, h)
    shift = 12 + n
    small = np.minimum(x, x + h) < shift
    steps = lambda x, h: added(lambda k, x, h: power_differences(x + k, h, n + 1)[-1], [x, h], shift)
    total = piecewise([x, h], [(small, steps), (None, lambda x, h: 0.0)])
    return (-1) ** n * math.factorial(n) * total + _psi_asymptotic(np.where(small, x + shift, x), h, n)


# psi(x + 3) - log(x + 5/2) is s^2 ABOVE(s) / BELOW(s) with s = 1 / (x + 2), for x >= 0 by interpolation, to 2e-17
ABOVE = (
    0.0, 0.0, 0.041666666667384875, 0.1579556501733423, 0.33410173261996995, 0.3361241535735638, 0.15507308120724256,
    0.00012605769082537735,
)  # fmt: skip
BELOW = (
    1.0, 4.790935606257167, 12.234377088322162, 17.696571434889233, 15.134894059430271, 6.981650001701368,
    1.3470826806508744,
)  # fmt: skip


def _digamma_rise(x, h):
    """DLMF 5.5.2 raises x by 3. What is left is a logarithm, and little else, whose difference is divided by h."""
    y = x + h
    s, t = 1 / (x + 2), 1 / (y + 2)
    apart = h * t * s  # s - t
    steps = (1 / x) * (h * (1 / y)) + h / ((x + 1) * (y + 1)) + apart  # h / x may overflow
    above, above_slope = _divided(ABOVE, s, t)
    below, below_slope = _divided(BELOW, s, t)
    rest = (above_slope * below - above * below_slope) / ((below + apart * below_slope) * below)
    far, to = x + 2.5, y + 2.5
    logarithm = np.where(np.abs(h) < far / 2, np.log1p(h / far), np.log(to / far))
    return logarithm + (steps - apart * rest)


def _divided(coefficients, s, t):
    """p(t) and (p(s) - p(t)) / (s - t) of a polynomial; the lowest power comes first."""
    *others, slope = coefficients
    value = slope * t + others[-1]
    for c in others[-2::-1]:
        slope, value = slope * s + value, value * t + c
    return value, slope


def power_differences(x, h, count):
    """x^-p - (x + h)^-p for p = 1 .. count: sums of terms of one sign."""
    u, v = 1 / x, 1 / (x + h)
    first = power = u * (h * v)  # h u may overflow
    found = [first]
    for _ in range(count - 1):
        power = power * v
        found.append(u * found[-1] + power)
    return found


def _psi_asymptotic(x, h, n):
    """DLMF 5.15.8-9 for n > 0, term by term."""
    d = power_differences(x, h, n + 18)
    total = d[n - 1] / n + d[n] / 2
    for k in range(1, 10):
        total = total + BERNOULLI[2 * k] * math.comb(n + 2 * k - 1, n) / (2 * k) * d[n + 2 * k - 1]
    return (-1) ** n * math.factorial(n) * total


def log_ratio(x, h):
    """log((x + h) / x)."""
    return np.where(np.abs(h) < x / 2, np.log1p(h / x), np.log((x + h) / x))
