"""Hypergeometric power series with jets in the parameters."""

import numpy as np

from hostwrap.special.kernels.hypergeometric._forms import constant

SMALL = 2.0**-56  # of the sum: a term that no longer counts
CANCELLING = 200.0  # a term may be so much larger than the sum: two digits are lost
CHECK = 4


def hypergeometric(tops, bottoms, z, orders, limit):
    """The jet of the series (DLMF 16.2.1), and where it is good: converged within `limit` terms, little cancelled."""
    term = constant(np.ones_like(z), orders)
    total, peak, past = term.copy(), np.abs(term), _sign_changes([*tops, *bottoms])
    done = np.zeros(z.shape, bool)
    for k in range(limit):
        last, term = term, _next(term, tops, bottoms, k) * (z / (k + 1))
        total += term
        peak = np.maximum(peak, np.abs(term))
        if k % CHECK == CHECK - 1:
            small = np.abs(term) <= np.minimum(SMALL * np.abs(total), np.abs(last))
            done |= small.all(tuple(range(term.ndim - 1))) & (k >= past)
            if (done | ~np.isfinite(total).all(tuple(range(term.ndim - 1)))).all():
                break
    clean = (peak <= CANCELLING * np.abs(total)).all(tuple(range(term.ndim - 1)))
    return total, done & clean


def _next(term, tops, bottoms, k):
    for form in tops:
        term = (form + k).times(term)
    for form in bottoms:
        term = (form + k).over(term)
    return term


def _sign_changes(forms):
    """The last k at which a factor form + k is near its zero; before it, small terms may grow again."""
    return np.max([2 - form.value for form in forms], axis=0) if forms else 0


def asymptotic(tops, z, orders, limit=60):
    """The jet of the series with terms (tops)_k / (k! z^k) (DLMF 13.7.2), and where its terms get small enough."""
    term = constant(np.ones_like(z), orders)
    total, done = term.copy(), np.zeros(z.shape, bool)
    axes = tuple(range(term.ndim - 1))
    for k in range(limit):
        term = _next(term, tops, (), k) / (z * (k + 1))
        total = np.where(done, total, total + term)
        done |= (np.abs(term) <= SMALL * np.abs(total)).all(axes)
        if done.all():
            break
    return total, done & np.isfinite(total).all(axes)


def degree(a, orders):
    """Of the polynomial in z that a series with the parameter `a` is; infinite where it is none."""
    polynomial = (a.value <= 0) & (a.value == np.round(a.value)) & a.is_constant(orders)
    return np.where(polynomial, -a.value, np.inf)
