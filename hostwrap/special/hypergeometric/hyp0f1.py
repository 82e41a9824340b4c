"""Mixed derivatives of 0F1(; v; z): the power series where it does not cancel, else Bessel functions."""

import functools
from math import factorial

import numpy as np
import scipy.special as sc
from numpy.polynomial.polynomial import polyval

from hostwrap.special._numerics.pointwise import (
    LARGE_CHUNK,
    in_chunks,
    in_python,
    piecewise,
    piecewise_jets,
    stack_of,
)
from hostwrap.special.bessel import _miller, jy, scaled
from hostwrap.special.hypergeometric import _forms
from hostwrap.special.hypergeometric._equations import Confluent
from hostwrap.special.hypergeometric._forms import (
    by_case,
    compose,
    derivative,
    parameters,
    power,
    times,
)
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.hypergeometric._series import hypergeometric

HUGE, FURTHEST = 1e30, 1e4  # v, and |z / v| beyond which exp(z / v) is no number
LIMIT, RADIUS = 4000, 900.0  # terms of the power series, and the radius in which it is always tried
EARLY = 300.0  # |v| from which on a term 4^-v does not count, though divided by the powers of a small factor
FAR = 2500.0  # from here on Bessel functions cost less than the steps
STEADY = -5.0  # for smaller v the other solution z^(1 - v) outgrows this one
TINY = 1e-290  # Bessel functions below it have lost digits
LEAST, MOST = (
    0.25,
    30.0,
)  # v; below, v - 1 has fewer digits than v, and beyond, the units of the recurrence cancel
LONGEST, SHORTEST = -1024.0, -1.0  # z of the recurrence
GAMMA = 0.5  # arguments of Gamma above it have logarithms without poles


@in_chunks(LARGE_CHUNK)
def hyp0f1_n(v, z, *, nv=0, nz=0):
    """(d/dv)^nv (d/dz)^nz of 0F1(; v; z); the n-th derivative in z is 0F1(; v + n; z) / (v)_n."""
    cases = [
        (_is_exponential(v, z), lambda v, z: _exponential(v, z, nv, nz)),
        (None, lambda v, z: _usual(v, z, nv, nz)),
    ]
    return piecewise([v, z], cases)


def _usual(v, z, nv, nz):
    orders, (form,) = (nv,), parameters(np.real(v))
    (jet,) = _jets(form + nz, z, orders, 1)
    for k in range(nz):
        jet = (form + k).over(jet)
    return derivative(jet, orders)


@in_chunks(LARGE_CHUNK, 2)
def hyp0f1_1(v, z):
    """(d/dv, d/dz) of 0F1(; v; z), for the price of the first: one march has both."""
    exponential = lambda v, z: np.stack([_exponential(v, z, *index) for index in ((1, 0), (0, 1))])
    simple = [(_is_exponential(v, z), exponential)]
    if np.iscomplexobj(z):
        return piecewise_jets([v, z], 1, [*simple, (None, _by_jets)])
    waves = (v >= LEAST) & (v <= MOST) & (z >= LONGEST) & (z <= SHORTEST)
    return piecewise_jets([v, z], 1, [*simple, (waves, _by_orders), (None, _by_jets)])


def _is_exponential(v, z):
    """0F1(; v; z) is exp(z / v), to a factor 1 + O(x^2 / v) for x = z / v."""
    v, bounded = np.real(v), np.isrealobj(z) or np.abs(z) < FURTHEST * np.real(v)
    return (v > HUGE) & bounded


def _exponential(v, z, nv, nz):
    """Of v^-nz exp(x): d/dv of v^-p x^k e^x is -v^(-p - 1) ((p + k) x^k + x^(k + 1)) e^x.

    Powers of v and x may leave the doubles where the derivative does not.
    """
    v, sign, coefficients = np.real(v), 1, [1]
    for p in range(nz, nz + nv):
        raised = [0, *coefficients]
        sign, coefficients = (
            -sign,
            [(p + k) * c + d for k, (c, d) in enumerate(zip([*coefficients, 0], raised, strict=True))],
        )
    x = z / v if np.iscomplexobj(z) else np.clip(z / v, -FURTHEST, FURTHEST)
    total = np.exp(x)
    for _ in range(nz + nv):
        total = total / v
    return sign * total * polyval(x, coefficients)


def _by_jets(v, z):
    orders, (form,) = (1,), parameters(np.real(v))
    jet, slope = _jets(form, z, orders, 2)
    return np.stack([derivative(jet, orders), slope[0]])


def _by_orders(v, z):
    """By the recurrence of J of order v - 1 (DLMF 10.16.9): what depends on v beside J drops out of the derivative."""
    w = 2 * np.sqrt(-z)
    _, above, total = _miller.ratios(v - 1, w)
    return np.stack([total, above * (2 / w)])


def _jets(v, z, orders, count):
    """The jets of 0F1(; v; z) and, where two are asked for, of its derivative in z."""
    size = np.abs(v.value)  # for large orders Bessel functions are out of range further out
    near = np.abs(z) <= np.maximum(RADIUS, np.minimum(800 * size, size * size / 4))
    jets, good = _power_series(v, np.where(near, z, 0), orders, count)
    nan = lambda v, z, orders, count: stack_of(np.nan, jets.shape[:-1], z)
    left = ~(good & near)
    cases = [
        (left & ~np.isfinite(v.value + z), nan),
        (left & (np.abs(z) <= np.maximum(FAR, 10 * v.value)) & (v.value > STEADY), _continued),
        (left & np.isrealobj(z) & (z.real < 0), in_python(lambda *args: _with_slope(_oscillating, *args))),
        (left, in_python(lambda *args: _with_slope(_growing, *args))),
    ]
    return by_case((v, z), orders, z.dtype, cases, count, start=jets)


def _power_series(v, z, orders, count):
    """The jets, and where all of them are good; NaN at the poles, v = 0, -1, .."""
    size = np.abs(v.value)  # by k = |v|, where the factor v + k is small, terms are (|z| e^2 / v^2)^k
    regrows = (size < EARLY) | (32 * np.abs(z) > size * size)
    parts = (hypergeometric((), (v + k,), z, orders, LIMIT, regrows) for k in range(count))
    jets, good = zip(*parts, strict=True)
    stacked = _stacked(v, jets)
    return np.where(np.isfinite(stacked), stacked, np.nan), functools.reduce(np.logical_and, good)


def _continued(v, z, orders, count):
    """From where the terms of the power series stay small."""
    start = np.minimum(1 + np.abs(v.value) / 2, np.abs(z)) / np.abs(z) * z
    (w, slope), _ = _power_series(v, start, orders, 2)
    return np.stack(march(Confluent(v), start, z, w, slope)[:count])


def _with_slope(function, v, z, orders, count):
    """By Bessel functions."""
    return _stacked(v, [function(v + k, z, orders) for k in range(count)])


def _stacked(v, jets):
    """F = 0F1(; v; z) and, if it is there, dF/dz, which is 0F1(; v + 1; z) / v (DLMF 16.3.1)."""
    return np.stack([v.over(jet) if k else jet for k, jet in enumerate(jets)])


def _oscillating(v, z, orders):
    return _bessel(v, 2 * np.sqrt(-z), jy.jv_order, 0, orders)


def _growing(v, z, orders):
    return _bessel(v, 2 * np.sqrt(z), lambda v, w, n: scaled.ive_n(v, w, i=n, j=0), 1, orders)


def _bessel(v, w, function, growth, orders):
    """Gamma(v) (w/2)^(1 - v) I_(v-1)(w), w = 2 sqrt(z); for real z < 0 the same of J (DLMF 10.16.9, 10.39.9)."""
    taylor = [function((v - 1).value, w, n=k) / factorial(k) for k in range(orders[0] + 1)]
    cases = [
        (v.value > GAMMA, lambda v, w, n, _: _positive_factor(v, w, growth, n)),
        (v.value <= GAMMA, lambda v, w, n, _: _factor(v, w, growth, n)),
    ]
    root, factor = by_case((v, w), orders, w.dtype, cases, 2)
    root, bessel = root[(0,) * len(orders)], compose(taylor, v, orders)
    product = times(factor, bessel * root) * root
    return np.where(np.abs(bessel[(0,) * len(orders)]) < TINY, np.nan, product)


# The factor as two: the root of a number that may be out of range, and the rest.


def _positive_factor(v, w, growth, orders):
    log = np.log(w / 2)
    root = np.exp((sc.gammaln(v.value) - (v.value - 1) * log + growth * np.real(w)) / 2)
    relative = power(-log, v - v.value, orders)
    return np.stack([_forms.constant(root, orders, w), times(relative, _forms.relative_gamma(v, orders))])


def _factor(v, w, growth, orders):
    log, rgamma = np.log(w / 2), _forms.rgamma(v, orders)
    rgamma = np.where(np.isfinite(rgamma).all(0), rgamma, np.nan)
    root = np.exp((growth * np.real(w) - (v.value - 1) * log) / 2)
    rest = _forms.over(power(-log, v - v.value, orders), rgamma)
    return np.stack([_forms.constant(root, orders, w), rest])
