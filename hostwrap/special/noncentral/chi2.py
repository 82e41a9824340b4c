"""The noncentral chi-square distribution: the mixture of P(a + j, x), x = chi^2 / 2, with Poisson weights p_j(l)."""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special.gamma_incomplete.density import powers
from hostwrap.special.noncentral import _mixture
from hostwrap.special.noncentral._terms import GammaTerms

NEXT = 1e-30  # to x = 0, where the density is a power
LEAST = 1e-30  # l whose powers are numbers
GONE = -800.0  # e^-800 is 0, whatever a derivative multiplies it by


@pointwise
def gamma_mixture_n(x, a, l, *, n):
    """(d/da)^n of F = sum_j p_j(l) P(a + j, x)."""
    side = smaller_side(x, a, l, n)
    return np.where(is_upper(x, a, l), (n == 0) - side, side)


def smaller_side(x, a, l, n):
    """(d/da)^n of 1 - F where `is_upper`, of F elsewhere: all digits of whichever is small."""
    usual = (x > 0) & np.isfinite(x) & np.isfinite(l)
    upper = is_upper(x, a, l)
    return piecewise(
        [x, a, l],
        [
            (~(_inside(x, l) & (a > 0) & np.isfinite(a)), lambda x, a, l: np.nan),
            (~usual | (upper & (_bound(x, a, l) < GONE)), lambda x, a, l: 0.0),
            (upper, lambda x, a, l: _sums(_mixture.above, x, a, l, n)),
            (None, lambda x, a, l: _sums(_mixture.below, x, a, l, n)),
        ],
    )


def is_upper(x, a, l):
    """Is x above the mean?"""
    return x > a + l


@pointwise
def gamma_mixture_term_n(x, a, l, *, n, m=0, d=0):
    """(d/da)^n of sum_j p_j(l) x^(A+j) e^-x / Gamma(A + j + 1), A = a - m, a > -1; n = 0 and x = 0: a > -2.

    Of it the d-th difference in a. That is the d-th derivative in l, and up to signs that in x, at m + d.
    """
    regular = (a > -1) | (x == 0)
    ends = (x == 0, lambda x, a, l: _mixture.density_at_zero(a - m, l, n))
    powers = ((x < NEXT) & (m > 0), lambda x, a, l: _next_to_zero(x, a, l, n, m))
    if d:
        ends, powers = (
            (mask, in_python(lambda x, a, l: _by_shifts(x, a, l, n, m, d)))
            for mask in (x == 0, (x < NEXT) | (l < LEAST))
        )
    return piecewise(
        [x, a, l],
        [
            (~(_inside(x, l) & regular & np.isfinite(a)), lambda x, a, l: np.nan),
            ends,
            (~(np.isfinite(x) & np.isfinite(l)), lambda x, a, l: 0.0),
            (is_upper(x, a + 1, l) & (_bound(x, a + 1, l) < GONE), lambda x, a, l: 0.0),
            powers,
            (None, lambda x, a, l: _sums(_mixture.density, x, a, l, n, m, d)),
        ],
    )


def _by_shifts(x, a, l, n, m, d):
    """The difference itself."""

    def shifted(s):
        return gamma_mixture_term_n(x, a + max(s - m, 0), l, n=n, m=max(m - s, 0))

    return sum((-1) ** (d - s) * math.comb(d, s) * shifted(s) for s in range(d + 1))


def _next_to_zero(x, a, l, n, m):
    """The first terms, of powers that may underflow where the lowest one does not."""
    found = [*powers(a, x, n, range(m - 1, -1, -1)), *powers(a + 1, x, n, [0])]
    return sum(np.exp(sc.xlogy(k, l) - l) / math.factorial(k) * p for k, p in enumerate(found))


def _sums(function, x, a, l, n, m=0, d=0):
    first, count = _mixture.windows(function, _peak(x, a, l), l, d)
    some = functools.partial(function, differences=d) if d else function
    sums = functools.partial(_sized, some, n, m)
    return _mixture.by_length(sums, first, count, x, a, l)


def _sized(function, n, m, first, size, x, a, l):
    return function(GammaTerms(a + first, x, (n, 0), m), l, first, size)


def _peak(x, a, l):
    """The m at which p_m T(a + m) is as large as the term before: m (a + m) = l x."""
    half = a / 2
    root = np.hypot(half, np.sqrt(l) * np.sqrt(x))
    return np.where(a > 0, l * (x / (half + root)), root - half)


def _bound(x, a, l):
    """Chernoff's, of log(1 - F) above the mean: l (1/s - 1) - a log s - x (1 - s) is least where x s^2 = a s + l."""
    x = np.where(x > 0, x, 1.0)
    s = (a / 2 + np.hypot(a / 2, np.sqrt(l) * np.sqrt(x))) / x
    return l * (1 / s - 1) - a * np.log(s) - x * (1 - s)


def _inside(x, l):
    return (x >= 0) & (l >= 0)
