"""Wright's function Phi(a, b, x) = sum_k x^k / (k! Gamma(a k + b)), a, b, x >= 0, and its derivatives in b.

The sum runs over a window about its largest term, k* with log x = log k* + a log(a k* + b). Where the window is wide
the terms are a smooth function of k, whose sum over every h-th k is 1/h of the whole, to e^-44 if h < sigma / 1.7
(Poisson's summation formula).
"""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import elsewhere, piecewise, pointwise
from hostwrap.special._numerics.until import repeated, until
from hostwrap.special.gamma_beta.gamma import exponential, psi_n, psi_right, rgamma_jet, rgamma_n
from hostwrap.special.gamma_incomplete._scale import STIRLING, log1p_minus, stirling_rest

NEWTON = 60
FOUND = 2.0**-30  # a Newton step: what is left is less than its square
SIGMAS, LEAST = 9.4, 16.0  # from k* to where terms are below e^-44 of it
WIDE, PER_STEP = 5.0, 1.7
# terms: none more where every term counts, fewer where it is wide
MOST = 2 * math.ceil(SIGMAS * WIDE + LEAST) + 4
# from here on the rounding of k* shows in log(x / k*); the other side is that of an x 1e-14 away
ROUNDED = 1e12


@pointwise
def wright_n(a, b, x, *, n):
    """(d/db)^n Phi. With it, d/dx Phi(a, b, x) = Phi(a, a + b, x) and d/da Phi = x (d/db) Phi(a, a + b, x)."""
    return piecewise(
        [a, b, x],
        [
            (~inside(a, b, x), lambda a, b, x: np.nan),
            (x == 0, lambda a, b, x: rgamma_n(b, dz=n)),
            (np.isinf(x), lambda a, b, x: (-1.0) ** n * np.inf),
            (None, functools.partial(_whole, n)),
        ],
    )


@pointwise
def wright_ratio_ns(a, b, x, *, n, s):
    """(d/db)^n Phi(a, c, x) at c = b + s a, divided by Phi(a, b, x)."""
    beyond = 0.0 if s and not n else (-1.0) ** n * np.inf
    return piecewise(
        [a, b, x],
        [
            (~inside(a, b, x), lambda a, b, x: np.nan),
            (x == 0, lambda a, b, x: rgamma_n(b + s * a, dz=n) / rgamma_n(b, dz=0)),
            (np.isinf(x), lambda a, b, x: np.where((a == 0) & (n == 0), 1.0, beyond)),
            (x < 1, lambda a, b, x: _whole(n, a, b + s * a, x) / _whole(0, a, b, x)),
            (None, functools.partial(_mean, n, s)),
        ],
    )


def inside(a, b, x):
    return (a >= 0) & (b >= 0) & (x >= 0) & np.isfinite(a) & np.isfinite(b)


def _whole(n, a, b, x):
    scale, _, count, term = terms(a, b, x)

    def add(i, total):
        _, weight, z, log = term(i)
        return [total + weight * scaled_rgamma(z, log, n)]

    return repeated(add, [np.zeros_like(x)], count, MOST)[0] * np.exp(scale)


def _mean(n, s, a, b, x):
    """sum_k x^k / k! f(k + s) = x^-s sum_k k (k - 1) .. (k - s + 1) x^k / k! f(k): one set of weights for both sums."""
    _, _, count, term = terms(a, b, x)

    def add(i, above, below):
        k, weight, z, log = term(i)
        shifted = math.prod((k - m) / x for m in range(s)) * weight
        return above + shifted * scaled_rgamma(z, log, n), below + weight * scaled_rgamma(z, log, 0)

    above, below = repeated(add, [np.zeros_like(x)] * 2, count, MOST)
    return above / below


@pointwise
def wright_spread(a, b, x):
    """The second derivative in b of log Phi."""
    return piecewise(
        [a, b, x],
        [
            (~inside(a, b, x) | np.isinf(x), lambda a, b, x: np.nan),
            (x == 0, lambda a, b, x: -psi_n(b, 1)),
            (None, _spread),
        ],
    )


def _spread(a, b, x):
    total, first, second = central_sums(a, b, x, (0, 1, 2))
    return second / total - (first / total) ** 2


def central_sums(a, b, x, orders, sizes=False):
    """For x > 0 the sums of e^-c beta Phi(a, b + beta, x), differentiated in beta, at beta = 0; or of their sizes.

    c is the logarithmic derivative of one large term, so little is left of the others: derivatives of log Phi, which
    decrease where those of Phi grow as powers of c, lose few digits.
    """
    _, peak, count, term = terms(a, b, x)
    center = psi_n(np.maximum(a * peak + b, 1), 0)

    def add(i, *totals):
        _, weight, z, log = term(i)
        each = [weight * _central_rgamma(z, log, center, n) for n in orders]
        return [total + (np.abs(f) if sizes else f) for total, f in zip(totals, each, strict=True)]

    return repeated(add, [np.zeros_like(x)] * len(orders), count, MOST)


def _central_rgamma(z, log, center, n):
    """e^log (d/dz)^n e^(center z) / Gamma(z), relative to its exponential."""
    logs = lambda k: (center if k == 1 else 0.0) - psi_right(np.maximum(z, 1), k - 1)
    small = lambda z, center: sum(
        math.comb(n, k) * center ** (n - k) * f for k, f in enumerate(rgamma_jet(z, n))
    )
    regular = np.exp(log) * exponential(logs, n)
    return elsewhere(regular, z < 1, lambda z, log, c: np.exp(log) * small(z, c), z, log, center)


def terms(a, b, x):
    """log of the largest term (about), its k, the number of steps, and a function that gives for a step k, the terms it
    stands for, a k + b, and the log of its term.

    The term has max(a k + b, 1) in Gamma, and its log is that beyond the largest term.
    """
    log_x = np.log(x)
    peak = _peak(a, b, log_x)
    top = a * peak + b
    scale = peak * log_x - sc.gammaln(peak + 1) - sc.gammaln(np.maximum(top, 1))
    sigma = 1 / np.sqrt(1 / peak + a * a / np.maximum(a * peak + b, 1e-300))
    step = np.where(sigma < WIDE, 1.0, np.floor(sigma / PER_STEP))
    margin = SIGMAS * sigma + LEAST
    first = np.floor(np.maximum(0.0, peak - margin))
    count = np.floor((peak + margin - first) / step) + 2
    gap = np.where(np.abs(x - peak) < peak / 2, np.log1p((x - peak) / peak), log_x - np.log(peak))
    excess = np.where(peak > ROUNDED, a * np.log(np.maximum(top, 1e-300)), gap)

    def term(i):
        k, d = first + i * step, (first - peak) + i * step
        z = a * k + b
        large, larger = _is_near(peak, d), _is_near(top, a * d)
        line = np.where(large, excess, 0.0) - np.where(larger, a * np.log(top), 0.0)
        powers = (k * log_x - sc.gammaln(k + 1)) - (peak * log_x - sc.gammaln(peak + 1))
        gammas = sc.gammaln(np.maximum(top, 1)) - sc.gammaln(np.maximum(z, 1))
        powers = elsewhere(powers, large, lambda x, d: -_beyond_line(x, d, 0.5), peak, d)
        gammas = elsewhere(gammas, larger, lambda x, d: -_beyond_line(x, d, -0.5), top, a * d)
        return k, step, z, d * line + (powers + gammas)

    return scale, peak, count, term


def _is_near(x, d):
    """Where Stirling's series serves at x and x + d; elsewhere logarithms of Gamma keep their digits, as x is small."""
    return (x >= STIRLING) & (np.abs(d) < x / 2) & (x + d >= STIRLING)


def _beyond_line(x, d, half):
    """log Gamma(x + d + 1/2 + half) - log Gamma(x + 1/2 + half) - d log x for half = 1/2 or -1/2.

    By Stirling's series, term by term: the difference of the logarithms themselves has no digits for large x.
    """
    return x * log1p_minus(d / x) + (d + half) * np.log1p(d / x) + (stirling_rest(x + d) - stirling_rest(x))


def _peak(a, b, log_x):
    """The k with log k + a log(a k + b) = log x, by Newton's method in log k: the slope is between 1 and 1 + a.

    The second derivative is at most the slope, so after a step the error is less than the step's square.
    """

    def newton(turn, u, a, b, log_x):
        z = a * np.exp(u) + b
        excess = u + a * np.log(np.maximum(z, 1e-300)) - log_x
        step = np.clip(excess / (1 + a * (z - b) / np.maximum(z, 1e-300)), -50.0, 50.0)
        return u - step, (np.abs(step) > FOUND) & (turn < NEWTON - 1)

    return np.exp(until(newton, [log_x / (1 + a)], [a, b, log_x], NEWTON)[0])


def scaled_rgamma(z, log, n):
    """e^log (d/dz)^n 1/Gamma(z), of which log holds that of 1/Gamma for z > 1."""
    logs = lambda k: -psi_right(np.maximum(z, 1), k - 1)
    regular = np.exp(log) * exponential(logs, n)
    return elsewhere(regular, z < 1, lambda z, log: np.exp(log) * rgamma_n(z, dz=n), z, log)
