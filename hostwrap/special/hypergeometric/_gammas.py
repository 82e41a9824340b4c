"""Products and quotients of Gamma functions as jets, with the power of two that belongs to them: nothing overflows."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import tape_of
from hostwrap.special._numerics.trigpi import sinpi_n
from hostwrap.special.gamma_beta.pochhammer import poch_mixed
from hostwrap.special.hypergeometric import _forms
from hostwrap.special.hypergeometric._forms import by_case, compose, relative_gamma, times

BITS = math.log(2)
LARGEST = 100_000  # of an exponent
CANCELLING = 1e7  # terms that are so much larger than all coefficients of their sum
LARGEST_PLAIN = 1000  # of numbers without one
# an exponent of two for jets before products: of a parameter p next to 0 they hold p^2 next to 1
ROOM = 500


def gamma_quotient(tops, bottoms, orders, log=0.0):
    """(jet, exponents) of e^log times Gamma functions of the forms `tops` over those of `bottoms`."""
    recorder = tape_of(log, *(f.value for f in (*tops, *bottoms)))
    if recorder is not None:  # numbers of the program, for which cases are not points of an array
        fixed = lambda f: dataclasses.replace(f, value=recorder.slot(f.value, np.dtype(float)))
        tops, bottoms = (tuple(map(fixed, forms)) for forms in (tops, bottoms))
    inverse = [_reciprocal(form, orders) for form in (*tops, *bottoms)]
    logs = [sc.gammaln(np.where(f.value < 0.5, 1 - f.value, f.value)) for f in (*tops, *bottoms)]
    signs = [np.where(f.value < 0.5, -1, 1) for f in (*tops, *bottoms)]
    count = len(tops)
    for i in range(len(inverse)):
        log = log + (1 if i < count else -1) * signs[i] * logs[i]
    jet = functools.reduce(times, inverse[count:])
    for factor in inverse[:count]:
        jet = _forms.over(jet, factor)
    return split(jet, log)


def rising(form, step, orders):
    """Gamma(form + step) / Gamma(form) for a small step, which is a factor of its derivatives in the form."""
    taylor = lambda i, j: poch_mixed(form.value, step.value, dz=i, dm=j)
    return _forms.compose_two(taylor, form, step, orders)


def split(jet, log):
    """e^log jet as (jet, exponents)."""
    exponents = np.clip(np.nan_to_num(np.round(log / BITS)), -LARGEST, LARGEST).astype(int)
    return np.exp(log - exponents * BITS) * jet, exponents


def _reciprocal(form, orders):
    """1 / Gamma(form), relative to Gamma(form) if that is above 1/2, else to Gamma(1 - form), DLMF 5.5.3."""
    cases = [(form.value < 0.5, _reflected), (form.value == form.value, _direct)]
    return by_case((form, form.value), orders, float, cases)


def _direct(form, _, orders):
    return relative_gamma(form, orders, -1)


def _reflected(form, _, orders):
    taylor = [sinpi_n(form.value, k) / (math.pi * math.factorial(k)) for k in range(sum(orders) + 1)]
    return times(compose(taylor, form, orders), relative_gamma(1 - form, orders))


def normal(jet, exponents=0, room=0):
    """The same, with a jet of the size of 2^room."""
    bits = np.frexp(np.abs(jet).max(tuple(range(jet.ndim - 1))))[1] - room
    return unscaled(jet, -bits), exponents + bits


def unscaled(jet, exponents):
    """jet 2^exponents."""
    if np.iscomplexobj(jet):
        return np.ldexp(jet.real, exponents) + 1j * np.ldexp(jet.imag, exponents)
    return np.ldexp(jet, exponents)


def product(first, second):
    """Of two jets with exponents; NaN where one has a pole next to a zero of the other, and digits are lost."""
    (f, e), (g, d) = normal(*first, ROOM), normal(*second, ROOM)
    jet, terms = times(f, g), times(np.abs(f), np.abs(g))
    axes = tuple(range(jet.ndim - 1))
    lost = terms.max(axes) > CANCELLING * np.abs(jet).max(axes)
    return normal(np.where(lost, np.nan, jet), e + d)


def cancelled(first, second, *below):
    """How much larger the terms of the highest coefficient of their product are than their sum.

    `below` are divisors.
    """
    f, g = normal(*first)[0], normal(*second)[0]
    size, jet = times(np.abs(f), np.abs(g)), times(f, g)
    for other in below:
        inverse = _forms.over(
            _forms.constant(1.0, [k - 1 for k in f.shape[:-1]], f[(0,) * (f.ndim - 1)]), normal(*other)[0]
        )
        size, jet = times(size, np.abs(inverse)), times(jet, inverse)
    top = tuple(k - 1 for k in jet.shape[:-1])
    return size[top] / np.abs(jet[top])
