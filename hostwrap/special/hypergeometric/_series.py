"""Hypergeometric power series with jets in the parameters."""

import functools

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.until import repeated, until_stacked
from hostwrap.special.hypergeometric._forms import constant
from hostwrap.special.hypergeometric._orders import degree as degree_of

SMALL = 2.0**-56  # of the sum: a term that no longer counts
# the same of the term before it: one alone may be next to 0, as a derivative in b at b = 1/2 - m
BEFORE = 2.0**-30
CANCELLING = 200.0  # a term may be so much larger than the sum: two digits are lost
CHECK = 4
FIRST, MARGIN = 60, 40.0  # terms, and a logarithm
TERMS = 60  # of an asymptotic series


def hypergeometric(tops, bottoms, z, orders, limit, regrows=True):
    """The jet of the series (DLMF 16.2.1), and where it is good: converged within `limit` terms, little cancelled.

    Small terms may grow again before the last zero of a factor; `regrows` says where that would matter for one of
    the `bottoms`.
    """
    forms = (*tops, *bottoms)
    last_change = np.maximum(_sign_changes(tops), np.where(regrows, _sign_changes(bottoms), -np.inf))

    def add_terms(turn, term, total, peak, z, last_change, *forms):
        def add_one(i, _, last, total, peak):
            k = CHECK * turn + i
            term = _next(last, forms[: len(tops)], forms[len(tops) :], k) * (z / (k + 1))
            return last, term, total + term, np.maximum(peak, np.abs(term))

        last, term, total, peak = repeated(add_one, [term, term, total, peak], CHECK)
        k = CHECK * turn + (CHECK - 1)
        small = _is_small(term, last, total) & (np.abs(term) <= np.abs(last))
        small = small | ~np.isfinite(total)  # it is lost; the other coefficients are not
        return term, total, peak, ~(_everywhere(small) & (k >= last_change))

    one = constant(1.0, orders, z)
    turns = -(-limit // CHECK)
    _, total, peak = until_stacked(add_terms, [one, one, np.abs(one)], [z, last_change, *forms], turns)
    return total, _little_cancelled(total, peak)


def _is_small(term, last, total):
    return (np.abs(term) <= SMALL * np.abs(total)) & (np.abs(last) <= BEFORE * np.abs(total))


def _everywhere(jet):
    """In all coefficients."""
    return jet.all(tuple(range(jet.ndim - 1)))


def _little_cancelled(total, peak):
    """Of terms up to the size of `peak`."""
    return _everywhere(np.isfinite(total) & (peak <= CANCELLING * np.abs(total)))


def falls(tops, bottom, z):
    """Whether each of the first terms is at most a quarter of the one before it.

    For large parameters below, such a series has all digits before its terms grow, if they ever do.
    """
    first, last = (
        functools.reduce(np.multiply, [np.abs(form.value) + k for form in tops]) for k in (0, FIRST)
    )
    return 4 * np.abs(z) * np.maximum(first, last / (FIRST + 1)) < np.abs(bottom.value) - FIRST


def regrows(bottom, log_ratio, tops, orders):
    """Whether terms matter again beyond the zero of a negative parameter below, that is -n.

    What the series has not seen by then is a multiple of another solution: about e^(-n log_ratio), a power of n for
    each of the `tops`, and for each derivative at most the distance to the next integer, 2^53 times n.
    """
    n, size = -bottom.value, sum(np.abs(form.value) + 2 for form in tops)
    margin = MARGIN * (2 + degree_of(orders))
    is_pole = (n == np.round(n)) & (n < 2.0**53)
    n = np.maximum(n, 1.0)
    return is_pole | ~(n * log_ratio > size * (3 + np.log(n)) + margin)


def where_good(jet, good):
    return np.where(good, jet, np.nan)


def _next(term, tops, bottoms, k):
    for form in tops:
        term = (form + k).times(term)
    for form in bottoms:
        term = (form + k).over(term)
    return term


def _sign_changes(forms):
    """The last k at which a factor form + k is near its zero; before it, small terms may grow again."""
    return functools.reduce(np.maximum, [2 - form.value for form in forms], -np.inf)


def asymptotic(tops, z, orders, limit=TERMS):
    """The jet of the series with terms (tops)_k / (k! z^k) (DLMF 13.7.2), and where it is good: its terms get small
    enough, and little of them cancels."""
    following = lambda k, term, z, *tops: _next(term, tops, (), k) / (z * (k + 1))
    return summed(following, z, tops, orders, limit)


def may_converge(x, y, size):
    """False where `asymptotic` surely fails: its terms (x)_k (y)_k / (k! size^k) fall until one that is not small.

    That is the one where (x + k) (y + k) = size (k + 1). The sum is at most the number of terms.
    """
    falls = (x > 0) & (y > 0) & (x * y <= size)
    x, y, size = (np.where(falls, s, 1.0) for s in (x, y, size))
    half = 0.5 * (size - x - y)
    k = np.minimum(half + np.sqrt(np.maximum(half * half + (size - x * y), 0.0)), TERMS)
    grown = lambda x: sc.gammaln(x + k) - sc.gammaln(x)
    least = grown(x) + grown(y) - sc.gammaln(1 + k) - k * np.log(size)
    return ~(falls & (least > np.log(16 * TERMS * SMALL)))


def summed(following, z, forms, orders, limit, early=lambda k, *forms: False):
    """The jet of 1 + .., each term `following(k, last, z, *forms)`, and where it is good: converged within `limit`
    terms, though not where it is too `early` to say so, and little cancelled."""

    def add_term(k, term, total, peak, z, *forms):
        last, term = term, following(k, term, z, *forms)
        total = total + term
        small = _everywhere(_is_small(term, last, total))
        return term, total, np.maximum(peak, np.abs(term)), ~small | early(k, *forms)

    one = constant(1.0, orders, z)
    _, total, peak = until_stacked(add_term, [one, one, np.abs(one)], [z, *forms], limit)
    return total, _little_cancelled(total, peak)


def degree(a, orders):
    """Of the polynomial in z that a series with the parameter `a` is; infinite where it is none."""
    if not a.is_constant(orders):
        return np.inf + 0 * a.value
    return np.where((a.value <= 0) & (a.value == np.round(a.value)), -a.value, np.inf)
