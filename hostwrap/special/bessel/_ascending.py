"""Power series like those of Bessel functions, with derivatives in the order v, for any real v:

sum over k of sign^k h^(v + e + 2k) / (Gamma(k + b) Gamma(k + v + c)) X_k(v)
"""

import functools
from math import comb, factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import sine, times
from hostwrap.special._numerics.pointwise import piecewise_jets, tape_of
from hostwrap.special._numerics.until import until
from hostwrap.special.bessel._series import exponential_jet
from hostwrap.special.gamma_beta.gamma import rgamma_jet

MOST_TERMS = 3000
MOST_BEFORE = 10_100  # terms before those, of the orders that the families let in
NEGLIGIBLE = 1e-18
CANCELLING = 1e9  # where a term is larger than the sum by this factor, the sum has no correct digits
FAR = 600.0  # neither e^600 nor 1/Gamma(170) leaves the range of doubles
LARGE = 2.0**400  # terms beyond it are scaled down


def ascending(v, h, more, n, *, sign, e, b, c, factor):
    """The n-th derivative in v of the sum for h > 0; `factor(k, v, *more)` is the jet of X_k. NaN where it cancels."""
    first = np.maximum(np.ceil(1 - c - v), 0)  # Gamma functions of terms before it are next to poles
    total, peak = _tail(v, h, more, n, sign, e, b, c, factor, first)

    def add(k, total, peak, first, v, h, *more):
        term = power_over_gamma(v + e + 2 * k, h, v + c + k, n, k + b)
        now = sign**k * times(term, factor(k, v, *more))[n]
        return total + now, np.maximum(peak, np.abs(now)), k + 1 < first

    before = lambda *args: until(add, args[:2], args[2:], MOST_BEFORE)
    cases = [(first > 0, before), (None, lambda total, peak, *_: [total, peak])]
    total, peak = piecewise_jets([total, peak, first, v, h, *more], 1, cases)
    return np.where((peak > CANCELLING * np.abs(total)) & (total != 0), np.nan, total)


def _tail(v, h, more, n, sign, e, b, c, factor, k):
    """The sum from term k on, and its largest term. k may differ from point to point; k + v + c >= 1."""
    y = v + c + k
    term, scale = _first(v + e + 2 * k, h, y, k + b)

    def add(_, term, scale, total, peak, k, y, *rest):
        polygammas, (log, h, v, *more) = rest[: max(n, 1)], rest[max(n, 1) :]
        jet = exponential_jet([log - polygammas[0], *(-p for p in polygammas[1:])], n)
        weights = factor(k, v, *more)
        now = term * sum(comb(n, m) * jet[m] * weights[n - m] for m in range(n + 1))
        total, peak = total + now, np.maximum(peak, np.abs(now))
        # the first terms of a derivative may be missing
        there = functools.reduce(np.logical_or, [w != 0 for w in weights]) | (term == 0)
        done = there & (np.abs(now) <= NEGLIGIBLE * np.abs(total)) & (h * h < (k + b) * y)
        polygammas = [p - factorial(m) / (-y) ** (m + 1) for m, p in enumerate(polygammas)]
        for _ in range(2):  # h * h may underflow
            term, scale = _lifted(term * h, scale, total)
        term = sign * term / ((k + b) * y)
        down = np.where(~done & (scale != 0) & (np.abs(term) > LARGE), 1 / LARGE, 1.0)
        term, total, peak, scale = term * down, total * down, peak * down, scale - np.log(down)
        return term, scale, total, peak, k + 1, y + 1, *polygammas, ~done

    start = [sign**k * term, scale, np.zeros_like(h), np.zeros_like(h), k, y]
    polygammas = [sc.psi(y), *(_polygamma(m, y) for m in range(1, n))]
    _, scale, total, peak, *_ = until(add, [*start, *polygammas], [np.log(h), h, v, *more], MOST_TERMS)
    half = np.exp(scale / 2)
    return total * half * half, peak * half * half


def _lifted(term, scale, total):
    """A small term before which there were only zeros, so far that another factor h leaves it a number."""
    low = (total == 0) & (scale != 0) & (np.abs(term) < 1 / LARGE)
    term, scale = np.where(low, term * LARGE * LARGE, term), np.where(low, scale - 2 * np.log(LARGE), scale)
    still = low & (np.abs(term) < 1)
    return np.where(still, term * LARGE, term), np.where(still, scale - np.log(LARGE), scale)


def _first(e, h, y, g):
    """h^e / (Gamma(y) Gamma(g)), or 1 and its logarithm where it may leave the range of doubles; later terms do not."""
    value = np.float_power(h, e) * sc.rgamma(y) * sc.rgamma(g)
    ordinary = (value > 1 / LARGE) & (value < LARGE)
    log = e * np.log(h) - sc.gammaln(y) - sc.gammaln(g)
    return np.where(ordinary, value, 1.0), np.where(ordinary, 0.0, log)


def at_zero(v, more, n, *, sign, e, b, c, factor):
    """The limit for h -> 0+. The first term that does not vanish with all its derivatives decides it."""
    result, left = np.zeros_like(v), np.isfinite(v)
    for k in range(1 + int(max(0, np.max(-v[left] - e, initial=0)) / 2)):
        rest = v + e + 2 * k  # the exponent
        rgammas = rgamma_jet(v + c + k, n)
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


def power_over_gamma(e, h, y, n, g=1.0):
    """[d^k/dv^k of h^e / (Gamma(y) Gamma(g)), k = 0..n] where e and y grow as v does."""
    if tape_of(e, h, y, g) is None:
        e, h, y, g = np.broadcast_arrays(e, h, y, g)
    regular = y >= 0.5
    cases = [(regular, lambda *args: _regular(*args, n)), (None, lambda *args: _reflected(*args, n))]
    return piecewise_jets([e, h, y, g], n, cases)


def _regular(e, h, y, g, n):
    log = np.log(h)
    near = (np.abs(e * log) < FAR) & (y < 170) & (g < 170)
    direct = np.float_power(h, e) * sc.rgamma(y) * sc.rgamma(g)
    value = np.where(near, direct, np.exp(e * log - sc.gammaln(y) - sc.gammaln(g)))
    jet = exponential_jet([log - sc.psi(y), *(-_polygamma(k, y) for k in range(1, n))], n)
    return np.stack([value * f for f in jet])


def _polygamma(k, y):
    """psi^(k)(y), k >= 1; SciPy's is no ufunc."""
    return (-1.0) ** (k + 1) * float(factorial(k)) * sc.zeta(k + 1, y)


def _reflected(e, h, y, g, n):
    """1/Gamma(y) = Gamma(1 - y) sin(pi y) / pi, DLMF 5.5.3: regular in its zeros."""
    log = np.log(h)
    near = (np.abs(e * log) < FAR) & (y > -170) & (g < 170)
    direct = np.float_power(h, e) * sc.gamma(1 - y) * sc.rgamma(g)
    size = np.where(near, direct, np.exp(e * log + sc.gammaln(1 - y) - sc.gammaln(g))) / np.pi
    slopes = [log - sc.psi(1 - y), *((-1) ** (k + 1) * _polygamma(k, 1 - y) for k in range(1, n))]
    jet = times(exponential_jet(slopes, n), sine(y, n))
    return np.stack([np.where(f == 0, 0.0, size * f) for f in jet])
