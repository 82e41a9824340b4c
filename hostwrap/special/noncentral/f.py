"""The noncentral F distribution: with the odds r of y, the mixture of I_y(a + j, b) with Poisson weights p_j(l)."""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise, tape_of
from hostwrap.special.noncentral import _mixture
from hostwrap.special.noncentral._held import HeldInA, HeldInB
from hostwrap.special.noncentral._terms import BetaTerms, LoweredBetaTerms, fall, psi_rise

FEW = 0.05  # below this a or b, integrals have two scales: where they end, 44/a or 44/b, and 1
TINY = 1e-5  # below this a, parts of size 1/a cancel in each term of dF/da where r b / a is held
SCARCE_IN_A, SCARCE_IN_B = 5e-8, 5e-7  # below this b, parts of size 1/b do
LONE = 1e3  # above this a, and below that b, they cancel in the whole of dF/da, too
RARE = 0.25  # what F may be where b is so small that y lies above the mean
NEXT = 1e-280  # to 0, for powers of r


@pointwise
def beta_mixture_ij(a, b, l, r, *, i, j):
    """(d/da)^i (d/db)^j of F = sum_k p_k(l) I_y(a + k, b)."""
    side = smaller_side(a, b, l, r, plain(i, j))
    return np.where(is_upper(a, b, l, r), (i + j == 0) - side, side)


@pointwise
def beta_mixture_held(a, b, l, f, *, in_a):
    """dF/da or dF/db where f = r b / a is held: dF/da + (r / a) dF/dr, dF/db - (r / b) dF/dr."""
    r = a * f / b
    small = (a < TINY) | (b < SCARCE_IN_A) if in_a else b < SCARCE_IN_B
    two, one = (functools.partial(f, in_a=in_a) for f in (_in_two_parts, held_in_terms))
    return piecewise([a, b, l, r], [(small, in_python(two)), (None, one)])


def _in_two_parts(a, b, l, r, in_a):
    """For small a or b: dF/da is as large as log r, and the other part has all its digits, too."""
    part = np.where((r > 0) & np.isfinite(r), r, 0.0) / (a if in_a else -b)
    slope = beta_mixture_term_ij(a, b, l, np.where(part == 0, 1.0, r), i=0, j=0, m=1)
    total = beta_mixture_ij(a, b, l, r, i=int(in_a), j=int(not in_a)) + part * slope
    return np.where((a > LONE) & (b < SCARCE_IN_A) & in_a, np.nan, total)


def held_in_terms(a, b, l, r, in_a):
    """The two parts together in each term of the mixture: beside the mean, little is left of them."""
    side = smaller_side(a, b, l, r, HeldInA if in_a else HeldInB)
    return np.where(is_upper(a, b, l, r), -side, side)


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


def plain(i, j, m=0, per_b=False):
    """The terms, differentiated i times in a and j times in b."""
    if m:
        return lambda first, a, b, r, fine: LoweredBetaTerms(a + first, b, r, (i, j), fine, per_b, m)
    return lambda first, a, b, r, fine: BetaTerms(a + first, b, r, (i, j), fine, per_b)


def is_upper(a, b, l, r):
    """Is y above the mean of the beta distribution to which j = l belongs? For small b, F may be small there, too."""
    return (r * b > a + l) & (b * (1 / a + np.log1p(r)) > RARE)


@pointwise
def beta_mixture_term_ij(a, b, l, r, *, i, j, m=0, per_b=False):
    """(d/da)^i (d/db)^j of sum_k p_k(l) y^(A+k) (1-y)^B Gamma(A + B + k) / (Gamma(A + k + 1) Gamma(b)), a > 0.

    With `per_b` it is divided by b. A is a - m, and B is b + m: each derivative in r leads to one more m.
    For m > 1, powers of r underflow next to r = 0: NaN. At r = 0 nothing is left for j > 0 but a pole where A < 0.
    """
    inside = _inside(a, b, l, r) & (a > 0) & ((m < 2) | (r == 0) | (r ** max(m - 1, 1) > NEXT))
    terms = plain(i, j, m, per_b)
    return piecewise(
        [a, b, l, r],
        [
            (~inside, lambda a, b, l, r: np.nan),
            (r == 0, lambda a, b, l, r: _at_zero(a, b, l, i, j, m, per_b)),
            (~(np.isfinite(r) & np.isfinite(l)), lambda a, b, l, r: 0.0),
            (None, lambda a, b, l, r: _sums(_mixture.density, terms, a, b, l, r)),
        ],
    )


def _at_zero(a, b, l, i, j, m, per_b):
    """Of the powers of r only r^0 is a number; it has the factor b .. (b + m - 1), or that divided by b."""
    found, rises = _mixture.density_at_zero(a - m, l, i), per_b and not m
    rising = psi_rise(b, j) if rises else fall(b + (m - 1), m - per_b, j)[j]
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
