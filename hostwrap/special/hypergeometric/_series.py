"""Hypergeometric power series with jets in the parameters."""

import dataclasses

import numpy as np

from hostwrap.special._numerics.pointwise import places
from hostwrap.special.hypergeometric._forms import constant

SMALL = 2.0**-56  # of the sum: a term that no longer counts
CANCELLING = 200.0  # a term may be so much larger than the sum: two digits are lost
CHECK = 4
WORTH = 0.8  # points that are through are left out when there are so many


def hypergeometric(tops, bottoms, z, orders, limit):
    """The jet of the series (DLMF 16.2.1), and where it is good: converged within `limit` terms, little cancelled."""
    total, good, left = constant(np.ones_like(z), orders), np.zeros(z.shape, bool), np.arange(z.size)
    part = _Sum(tops, bottoms, z, total.copy(), total.copy(), np.abs(total), np.zeros(z.shape, bool))
    for k in range(0, limit, CHECK):
        if not left.size:
            break
        part.add_terms(k)
        more = part.goes_on()
        if more.sum() < WORTH * more.size:  # the others are through
            total[..., left], good[left] = part.total, part.is_good()
            here = places(more)
            left, part = left[here], part[here]
    total[..., left], good[left] = part.total, part.is_good()
    return total, good


@dataclasses.dataclass
class _Sum:
    """The series as far as it has been summed."""

    tops: tuple
    bottoms: tuple
    z: np.ndarray
    term: np.ndarray
    total: np.ndarray
    peak: np.ndarray
    done: np.ndarray

    def __getitem__(self, here):
        forms = ([f[here] for f in group] for group in (self.tops, self.bottoms))
        jets = (jet[..., here] for jet in (self.z, self.term, self.total, self.peak, self.done))
        return _Sum(*forms, *jets)

    def add_terms(self, start):
        going_on = self.goes_on()  # what is through stays, for the number of further terms is the neighbours'
        for k in range(start, start + CHECK):
            last, self.term = self.term, _next(self.term, self.tops, self.bottoms, k) * (self.z / (k + 1))
            np.add(self.total, self.term, out=self.total, where=going_on)
            np.maximum(self.peak, np.abs(self.term), out=self.peak, where=going_on)
        small = np.abs(self.term) <= np.minimum(SMALL * np.abs(self.total), np.abs(last))
        self.done |= _everywhere(small) & (k >= _sign_changes([*self.tops, *self.bottoms]))

    def goes_on(self):
        return ~self.done & _everywhere(np.isfinite(self.total))

    def is_good(self):
        return self.done & _everywhere(self.peak <= CANCELLING * np.abs(self.total))


def _everywhere(jet):
    """In all coefficients."""
    return jet.all(tuple(range(jet.ndim - 1)))


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
    """The jet of the series with terms (tops)_k / (k! z^k) (DLMF 13.7.2), and where it is good: its terms get small
    enough, and little of them cancels."""
    term = constant(np.ones_like(z), orders)
    total, done, peak = term.copy(), np.zeros(z.shape, bool), np.abs(term)
    for k in range(limit):
        term = _next(term, tops, (), k) / (z * (k + 1))
        total = np.where(done, total, total + term)
        peak = np.where(done, peak, np.maximum(peak, np.abs(term)))
        done |= _everywhere(np.abs(term) <= SMALL * np.abs(total))
        if done.all():
            break
    return total, done & _everywhere(np.isfinite(total) & (peak <= CANCELLING * np.abs(total)))


def degree(a, orders):
    """Of the polynomial in z that a series with the parameter `a` is; infinite where it is none."""
    polynomial = (a.value <= 0) & (a.value == np.round(a.value)) & a.is_constant(orders)
    return np.where(polynomial, -a.value, np.inf)
