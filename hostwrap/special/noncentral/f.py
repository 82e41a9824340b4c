"""The noncentral F distribution: with the odds r of y, the mixture of I_y(a + j, b) with Poisson weights p_j(l)."""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise, tape_of
from hostwrap.special.noncentral import _mixture
from hostwrap.special.noncentral._held import HeldInA, HeldInB
from hostwrap.special.noncentral._terms import BetaTerms, fall

FEW = 0.05  # below this a or b, integrals have two scales: where they end, 44/a or 44/b, and 1
LEAST_IN_A, LEAST_IN_B = (
    5e-8,
    5e-7,
)  # below this b, parts of size 1/b cancel in what is left when r b / a is held
TINY = 1e-5  # below this a, parts of size 1/a cancel in dF/da where r b / a is held
NEXT = 1e-90  # to r = 0
CLOSE = 1e-8  # to a = -1: so few digits are left of a + 1


@pointwise
def beta_mixture_ij(a, b, l, r, *, i, j):
    """(d/da)^i (d/db)^j of F = sum_k p_k(l) I_y(a + k, b)."""
    side = smaller_side(a, b, l, r, plain(i, j))
    return np.where(is_upper(a, b, l, r), (i + j == 0) - side, side)


@pointwise
def beta_mixture_held(a, b, l, r, *, in_a):
    """dF/da or dF/db where r b / a is held: dF/da + (r / a) dF/dr, dF/db - (r / b) dF/dr."""
    small = [(a < TINY, in_python(_in_two_parts))] if in_a else []
    return piecewise([a, b, l, r], [*small, (None, lambda a, b, l, r: held_in_terms(a, b, l, r, in_a))])


def _in_two_parts(a, b, l, r):
    """For small a: dF/da is as large as log r, and r dF/dr = a V(a) + l V(a + 1), by `beta_mixture_term_ij`, as a."""
    first, second = (beta_mixture_term_ij(a + k, b, l, r, i=0, j=0) for k in (0, 1))
    total = beta_mixture_ij(a, b, l, r, i=1, j=0) + (first + l * (second / a))
    return np.where(b < LEAST_IN_A, np.nan, total)


def held_in_terms(a, b, l, r, in_a):
    """The two parts together in each term of the mixture: beside the mean, little is left of them."""
    side = smaller_side(a, b, l, r, HeldInA if in_a else HeldInB)
    lost = b < (LEAST_IN_A if in_a else LEAST_IN_B)
    return np.where(lost, np.nan, np.where(is_upper(a, b, l, r), -side, side))


def smaller_side(a, b, l, r, terms):
    """What `terms` make of 1 - F where `is_upper`, of F elsewhere: all digits of whichever is small."""
    usual = (r > 0) & np.isfinite(r) & np.isfinite(l)
    upper = is_upper(a, b, l, r)
    return piecewise(
        [a, b, l, r],
        [
            (~(_inside(a, b, l, r) & (a > 0)), lambda a, b, l, r: np.nan),
            (~usual, lambda a, b, l, r: 0.0),
            (upper, lambda a, b, l, r: _sums(_mixture.above, terms, a, b, l, r)),
            (None, lambda a, b, l, r: _sums(_mixture.below, terms, a, b, l, r)),
        ],
    )


def plain(i, j, m=0):
    """The terms, differentiated i times in a and j times in b."""
    return lambda first, a, b, r, fine: BetaTerms(a + first, b, r, (i, j), fine, m)


def is_upper(a, b, l, r):
    """Is y above the mean of the beta distribution to which j = l belongs?"""
    return r * b > a + l


@pointwise
def beta_mixture_term_ij(a, b, l, r, *, i, j, m=0):
    """(d/da)^i (d/db)^j of sum_k p_k(l) y^(A+k) (1-y)^B Gamma(A + B + k) / (Gamma(A + k + 1) Gamma(b)), a > -1.

    A is a - m, and B is b + m: each derivative in r leads to one more m. Next to r = 0 powers of r underflow: NaN for
    m > 1. At r = 0, where for j > 0 nothing is left but a pole if A < 0: a > -2.
    """
    inside = _inside(a, b, l, r) & ((a + 1 > CLOSE) | (r == 0)) & ((m < 2) | (r == 0) | (r > NEXT))
    terms = plain(i, j, m)
    return piecewise(
        [a, b, l, r],
        [
            (~inside, lambda a, b, l, r: np.nan),
            (r == 0, lambda a, b, l, r: _at_zero(a, b, l, i, j, m)),
            (~(np.isfinite(r) & np.isfinite(l)), lambda a, b, l, r: 0.0),
            (None, lambda a, b, l, r: _sums(_mixture.density, terms, a, b, l, r)),
        ],
    )


def _at_zero(a, b, l, i, j, m):
    """Of the powers of r only r^0 is a number; it has the factor b .. (b + m - 1)."""
    found, rising = _mixture.density_at_zero(a - m, l, i), fall(b + (m - 1), m, j)[j]
    pole = np.where(m == 0, (-1.0) ** (i + 1) * np.inf, np.nan) if j else found
    return np.where(np.isfinite(found), found * rising, pole)


def _sums(function, terms, a, b, l, r):
    sums, fine = functools.partial(_windowed, function, terms), np.minimum(a, b) < FEW
    if tape_of(fine) is not None:
        return sums(fine, a, b, l, r)  # recorded once: the nodes alone differ
    cases = [(fine, functools.partial(sums, True)), (None, functools.partial(sums, False))]
    return piecewise([a, b, l, r], cases)


def _windowed(function, terms, fine, a, b, l, r):
    first, count = _mixture.windows(function, _peak(a, b, l, r), l)
    sums = functools.partial(_sized, function, terms, fine)
    return _mixture.by_length(sums, first, count, a, b, l, r)


def _sized(function, terms, fine, first, size, a, b, l, r):
    return function(terms(first, a, b, r, fine), l, first, size)


def _peak(a, b, l, r):
    """The m at which p_m V(a + m) is as large as the term before: m (a + m) = l y (a + b + m - 1)."""
    y = np.where(np.isinf(r), 1.0, r / (1 + r))
    p, q = (a - l * y) / 2, l * y * (a + b - 1)
    root = np.sqrt(np.maximum(p * p + q, 0.0))
    return np.maximum(np.where(p > 0, q / (p + root), root - p), 0.0)


def _inside(a, b, l, r):
    return (b > 0) & (l >= 0) & (r >= 0) & np.isfinite(a) & np.isfinite(b)
