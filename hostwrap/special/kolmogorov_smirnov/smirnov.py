"""n-th derivatives of Smirnov's one-sided survival function, and of its inverse.

Birnbaum and Tingey (1951): S(d) = sum over j < N (1 - d) of binom(N, j) d A^(j-1) B^(N-j), A = d + j/N, B = 1 - A,
which is b_j d / A with the binomial probability b_j of j, computed as Loader (2000) does.
"""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special._numerics.quadrature import counted
from hostwrap.special._numerics.series import inverse_derivative
from hostwrap.special.gamma_beta.gamma import exponential
from hostwrap.special.gamma_incomplete._scale import log1p_minus, stirling_rest

MANY = 4096  # terms: as many are one sum,
BLOCK = 128  # and of more so many at a time
BEYOND = 2.0**31  # SciPy's own integers end before it
LARGE = 1e7  # from here on neither SciPy sums them up


@pointwise
def smirnov_n(count, d, *, dd):
    """(d/dd)^n of smirnov(count, d), n = 1, 2, ..."""
    count = np.floor(count)
    return piecewise(
        [count, d],
        [
            (
                ~((count > 0) & (count < BEYOND) & (d >= 0) & (d <= 1)),
                lambda count, d: np.full_like(d, np.nan),
            ),
            (count * d <= 1, lambda count, d: -_first(count, d, dd)),
            (count * d * d > 400, lambda count, d: np.zeros_like(d)),  # S < e^(-2 N d^2)
            (count > LARGE, lambda count, d: _asymptotic(count, d, dd)),
            (count * (1 - d) < MANY, lambda count, d: _sum(count, d, dd)),
            (None, in_python(lambda count, d: _sum_of_many(count, d, dd))),
        ],
    )


def _first(count, d, n):
    """Of 1 - S = d (1 + d)^(N - 1) for d <= 1/N, by Leibniz."""
    before, power = (sc.poch(count - k, k) * np.float_power(1 + d, count - 1 - k) for k in (n - 1, n))
    return n * before + d * power


def _asymptotic(count, d, n):
    """Chang Li-Chien (1956), as a logarithm: its derivatives, of a polynomial in d."""
    polynomial = [-4 * count / 9, -88 / 405, 4 / 9 - 2 * count, 4 / (45 * count) - 2 / 3, 0.0]

    def logs(k):
        return sum(math.perm(4 - m, k) * c * d ** (4 - m - k) for m, c in enumerate(polynomial) if 4 - m >= k)

    return np.exp(logs(0)) * exponential(logs, n)


def _sum(count, d, n):
    terms = np.floor(count * (1 - d)) + 1
    return counted(lambda j, count, d: _terms(count, d, j, n), terms, MANY, [count, d])


def _sum_of_many(count, d, n):
    total = np.zeros_like(d)
    for start in range(0, int(np.max(count * (1 - d))) + 1, BLOCK):
        j = np.arange(start, start + BLOCK, dtype=float)
        here = count * (1 - d) > start
        total[here] += _terms(count[here, None], d[here, None], j, n).sum(1)
    return total


def _terms(count, d, j, n):
    left = count - j
    above, below = d + j / count, left / count - d
    inside = below > 0
    below, left = np.where(inside, below, 1.0), np.where(inside, left, 1.0)
    first = np.exp(count * np.log1p(-d))
    value = np.where(j == 0, first, d / above * _binomial(count, d, np.maximum(j, 1), left, below))

    def logs(k):
        powers = 1 / d**k + (j - 1) / above**k
        return math.factorial(k - 1) * ((-1) ** (k - 1) * powers - left / below**k)

    def cancelled(k):
        """The first of them has large terms, which are cancelled by hand."""
        return (below * j / count - count * d * d) / (above * below * d) if k == 1 else logs(k)

    return np.where(inside, value * exponential(functools.cache(cancelled), n), 0.0)


def _binomial(count, d, j, left, below):
    """b_j for 0 < j < N; N A - j = j - N B + ... = N d, so its deviances are known exactly."""
    shift = count * d
    deviance = j * _log1p_minus(shift / j) + left * _minus_side(shift / left, below * count / left)
    rest = _stirling(count) - _stirling(j) - _stirling(left)
    return np.sqrt(count / (2 * math.pi * j * left)) * np.exp(deviance + rest)


def _log1p_minus(r):
    return np.where(r < 0.5, log1p_minus(np.minimum(r, 0.5)), np.log1p(r) - r)


def _minus_side(r, rest):
    """log(1 - r) + r where rest = 1 - r."""
    return np.where(r < 0.5, log1p_minus(-np.minimum(r, 0.5)), np.log(rest) + r)


def _stirling(j):
    """log j! less Stirling's approximation, j = 1, 2, ..."""
    few = functools.reduce(lambda found, k: np.where(j == k, _few()[k], found), range(2, 10), _few()[1])
    return np.where(j < 10, few, stirling_rest(np.maximum(j, 10.0)))


@functools.cache
def _few():
    """For j <= 10, by recurrence from 10 downwards."""
    j = np.arange(10, dtype=float)
    steps = (j + 0.5) * np.log1p(1 / np.maximum(j, 0.5)) - 1
    return stirling_rest(10.0) + np.append(np.cumsum(steps[::-1])[::-1], 0.0)


def smirnovi_n(count, p, *, dp):
    """(d/dp)^n of smirnovi(count, p), n = 1, 2, ..."""
    return _inverse_n(count, p, sc.smirnovi(count, p), dp=dp)  # of an integer: SciPy has a loop of its own


@pointwise
def _inverse_n(count, p, d, *, dp):
    slope = smirnov_n(count, d, dd=1)
    if dp > 2:
        value = inverse_derivative([slope, *(smirnov_n(count, d, dd=k) for k in range(2, dp + 2))], 1.0)
    else:
        value = 1 / slope if dp == 1 else -smirnov_n(count, d, dd=2) / slope / slope / slope
    return np.where((p == 0) & (count >= 2), (-1) ** dp * np.inf, value)  # d = 1 - p^(1/count) next to p = 0
