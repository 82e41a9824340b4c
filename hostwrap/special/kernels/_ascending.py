"""Power series of Bessel's kind, with derivatives in the order v, whatever v is:

sum over k of sign^k h^(v + e + 2k) / (Gamma(k + b) Gamma(k + v + c)) X_k(v)
"""

from math import comb, factorial

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._jets import times
from hostwrap.special.kernels._pointwise import piecewise_jets
from hostwrap.special.kernels.bessel._series import exponential_jet
from hostwrap.special.kernels.gamma.gamma import rgamma_n

MOST_TERMS = 3000
NEGLIGIBLE = 1e-18
FAR = 600.0  # e^600 is a number, and so is 1/Gamma(170)


def ascending(v, h, more, n, *, sign, e, b, c, factor):
    """The n-th derivative in v of the sum for h > 0; `factor(k, v, *more)` is the jet of X_k."""
    first = np.maximum(np.ceil(1 - c - v), 0)  # terms before it have Gamma functions next to their poles
    total = _tail(v, h, more, n, sign, e, b, c, factor, first)
    for k in range(int(first.max(initial=0))):
        here = k < first
        vk, hk, morek = v[here], h[here], [m[here] for m in more]
        term = power_over_gamma(vk + e + 2 * k, hk, vk + c + k, n) * sc.rgamma(k + b)
        total[here] += sign**k * times(term, factor(k, vk, *morek))[n]
    return total


def _tail(v, h, more, n, sign, e, b, c, factor, k):
    """From term k on, which may differ from point to point; k + v + c >= 1."""
    y, square = v + c + k, sign * h * h
    term = sign**k * power_over_gamma(v + e + 2 * k, h, y, 0)[0] * sc.rgamma(k + b)
    polygammas = [sc.psi(y), *(sc.polygamma(m, y) for m in range(1, n))]
    log, total = np.log(h), np.zeros_like(h)
    for _ in range(MOST_TERMS):
        jet = exponential_jet([log - polygammas[0], *(-p for p in polygammas[1:])], n)
        weights = factor(k, v, *more)
        now = term * sum(comb(n, m) * jet[m] * weights[n - m] for m in range(n + 1))
        total += now
        there = np.any(weights != 0, axis=0) | (term == 0)  # the first terms of a derivative may be missing
        if np.all(there & (np.abs(now) <= NEGLIGIBLE * np.abs(total)) & (np.abs(square) < (k + b) * y)):
            break
        polygammas = [p - factorial(m) / (-y) ** (m + 1) for m, p in enumerate(polygammas)]
        term = term * square / ((k + b) * y)
        k, y = k + 1, y + 1
    return total


def at_zero(v, more, n, *, sign, e, b, c, factor):
    """The limit for h -> 0+: of the first term that does not vanish with all its derivatives."""
    result, left = np.zeros_like(v), np.isfinite(v)
    for k in range(1 + int(max(0, np.max(-v[left] - e, initial=0)) / 2)):
        rest = v + e + 2 * k  # the exponent
        rgammas = np.stack([rgamma_n(v + c + k, n=m) for m in range(n + 1)])
        jet = sign**k * sc.rgamma(k + b) * times(factor(k, v, *more), rgammas)
        lowest = np.argmax(jet != 0, axis=0)  # the other derivatives give powers of log h = -inf
        here = left & np.any(jet != 0, axis=0)
        size = np.take_along_axis(jet, lowest[None], 0)[0]
        pole = (rest < 0) | ((rest == 0) & (lowest < n))
        towards = np.where((n - lowest) % 2 == 0, np.inf, -np.inf)
        result = np.where(here & pole, np.copysign(1.0, size) * towards, result)
        result = np.where(here & (rest == 0) & ~pole, size, result)
        left &= ~here
    return np.where(np.isfinite(v), result, np.nan)


def power_over_gamma(e, h, y, n):
    """[d^k/dv^k of h^e / Gamma(y), k = 0..n] where e and y grow as v does."""
    e, h, y = np.broadcast_arrays(e, h, y)
    cases = [(y >= 1, lambda e, h, y: _regular(e, h, y, n)), (None, lambda e, h, y: _reflected(e, h, y, n))]
    return piecewise_jets([e, h, y], n, cases)


def _regular(e, h, y, n):
    near = (np.abs(e * np.log(h)) < FAR) & (y < 170)
    value = np.where(near, h**e * sc.rgamma(y), np.exp(e * np.log(h) - sc.gammaln(y)))
    slopes = [np.log(h) - sc.psi(y), *(-sc.polygamma(k, y) for k in range(1, n))]
    return value * exponential_jet(slopes, n)


def _reflected(e, h, y, n):
    log = np.log(h)
    power = np.stack([h**e * log**k for k in range(n + 1)])
    return times(power, np.stack([rgamma_n(y, n=k) for k in range(n + 1)]))


def falling(p, j, n):
    """The jet of p (p - 1) ... (p - j + 1), where p grows as v does."""
    jet = np.zeros((n + 1, *p.shape))
    jet[0] = 1.0
    for r in range(j):
        raised = jet * (p - r)
        raised[1:] += np.arange(1, n + 1)[:, None] * jet[:-1]
        jet = raised
    return jet
