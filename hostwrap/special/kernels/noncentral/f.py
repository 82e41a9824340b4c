"""The noncentral F distribution: with the odds r of y, the mixture of I_y(a + j, b) with Poisson weights p_j(l)."""

import functools

import numpy as np

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels.noncentral import _mixture
from hostwrap.special.kernels.noncentral._terms import BetaTerms


@pointwise
def beta_mixture_ij(a, b, l, r, *, i, j):
    """(d/da)^i (d/db)^j of F = sum_k p_k(l) I_y(a + k, b)."""
    side = smaller_side(a, b, l, r, i, j)
    return np.where(is_upper(a, b, l, r), (i + j == 0) - side, side)


def smaller_side(a, b, l, r, i, j):
    """(d/da)^i (d/db)^j of 1 - F where `is_upper`, of F elsewhere: all digits of whichever is small."""
    usual = (r > 0) & np.isfinite(r) & np.isfinite(l)
    upper = is_upper(a, b, l, r)
    return piecewise(
        [a, b, l, r],
        [
            (~(_inside(a, b, l, r) & (a > 0)), lambda a, b, l, r: np.nan),
            (~usual, lambda a, b, l, r: 0.0),
            (upper, lambda a, b, l, r: _sums(_mixture.above, a, b, l, r, (i, j))),
            (None, lambda a, b, l, r: _sums(_mixture.below, a, b, l, r, (i, j))),
        ],
    )


def is_upper(a, b, l, r):
    """Is y above the mean of the beta distribution to which j = l belongs?"""
    return r * b > a + l


@pointwise
def beta_mixture_term_ij(a, b, l, r, *, i, j):
    """(d/da)^i (d/db)^j of sum_k p_k(l) y^(a+k) (1-y)^b Gamma(a + b + k) / (Gamma(a + k + 1) Gamma(b)), a > -1.

    At r = 0, where for j > 0 nothing is left but a pole if a < 0: a > -2.
    """
    inside = _inside(a, b, l, r) & ((a > -1) | (r == 0))
    return piecewise(
        [a, b, l, r],
        [
            (~inside, lambda a, b, l, r: np.nan),
            ((r == 0) & (j > 0), lambda a, b, l, r: np.where(a < 0, (-1.0) ** (i + 1) * np.inf, 0.0)),
            (r == 0, lambda a, b, l, r: _mixture.density_at_zero(a, l, i)),
            (~(np.isfinite(r) & np.isfinite(l)), lambda a, b, l, r: 0.0),
            (None, lambda a, b, l, r: _sums(_mixture.density, a, b, l, r, (i, j))),
        ],
    )


def _sums(function, a, b, l, r, orders):
    first, count = _mixture.windows(function, _peak(a, b, l, r), l)
    sums = functools.partial(_sized, function, orders)
    return _mixture.by_length(sums, first, count, a, b, l, r)


def _sized(function, orders, first, size, a, b, l, r):
    return function(BetaTerms(a + first, b, r, orders), l, first, size)


def _peak(a, b, l, r):
    """The m at which p_m V(a + m) is as large as the term before: m (a + m) = l y (a + b + m - 1)."""
    y = np.where(np.isinf(r), 1.0, r / (1 + r))
    p, q = (a - l * y) / 2, l * y * (a + b - 1)
    root = np.sqrt(np.maximum(p * p + q, 0.0))
    return np.maximum(np.where(p > 0, q / (p + root), root - p), 0.0)


def _inside(a, b, l, r):
    return (b > 0) & (l >= 0) & (r >= 0) & np.isfinite(a) & np.isfinite(b)
