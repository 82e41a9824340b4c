"""Taylor polynomials in several parameters at once, and their products with linear forms in the parameters.

A jet is an array of Taylor coefficients (no factorials) whose last axis are the points; `_orders` tells which
coefficients. Terms of hypergeometric series, and the coefficients of their differential equations, are products and
quotients of linear forms, so that is all that is needed.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import numpy as np

from hostwrap.special._numerics.pointwise import places
from hostwrap.special.gamma_beta.gamma import exponential, psi_n, rgamma_n
from hostwrap.special.hypergeometric._orders import asked, below, beside, degree, shape

CANCELLING = 1e5  # a sum that is so much smaller than its terms has lost too many digits


@dataclasses.dataclass(frozen=True)
class Form:
    """value + sum of slopes[i] * (parameter i); value and slopes are numbers or arrays over the points."""

    value: np.ndarray
    slopes: tuple

    __array_ufunc__ = None  # an array minus a form is __rsub__'s

    def __add__(self, other):
        if isinstance(other, Form):
            slopes = tuple(s + t for s, t in zip(self.slopes, other.slopes, strict=True))
            return Form(self.value + other.value, slopes)
        return Form(self.value + other, self.slopes)

    def __mul__(self, factor):
        """By a number or array."""
        return Form(self.value * factor, tuple(s * factor for s in self.slopes))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __getitem__(self, here):
        """At some of the points."""
        return Form(self.value[here], tuple(s if np.ndim(s) == 0 else s[here] for s in self.slopes))

    def times(self, jet):
        result = self.value * jet
        for slope, (lower, upper) in self._moves(jet):
            result[upper] += slope * jet[lower]
        return result

    def over(self, jet):
        """jet / form: from the lowest coefficient upwards."""
        inverse = 1 / self.value
        result = jet * inverse
        slopes = {axis: s * inverse for axis, s in enumerate(self.slopes) if _matters(s)}
        for place, lower in below(len(self.slopes), jet.shape[:-1]) if slopes else ():
            for axis, other in lower:
                if axis in slopes:
                    result[place] -= slopes[axis] * result[other]
        return result

    def is_constant(self, orders):
        """No derivative is asked for in any parameter that it depends on."""
        return not any(np.any(s) and asked(orders, axis) for axis, s in enumerate(self.slopes))

    def _moves(self, jet):
        """(slope, its places) for every parameter that matters."""
        count, sizes = len(self.slopes), jet.shape[:-1]
        for axis, slope in enumerate(self.slopes):
            move = beside(count, sizes, axis) if _matters(slope) else None
            if move:
                yield slope, move


def _matters(slope):
    return isinstance(slope, np.ndarray) or slope != 0


def parameters(*values):
    """The parameters themselves as forms."""
    count = len(values)
    return [Form(v, tuple(int(i == j) for j in range(count))) for i, v in enumerate(values)]


def constant(value, orders):
    """The jet of a constant array."""
    sizes = shape(orders)
    jet = np.zeros((*sizes, value.size), value.dtype)
    jet[(0,) * len(sizes)] = value
    return jet


def derivative(jet, orders):
    """The mixed derivative that is the highest coefficient."""
    return jet[tuple(orders)] * math.prod(math.factorial(n) for n in orders)


def times(f, g):
    """The product of two jets of one shape."""
    result = np.zeros(f.shape, np.result_type(f, g))
    for i in np.ndindex(f.shape[:-1]):
        for j in itertools.product(*(range(k + 1) for k in i)):
            result[i] += f[j] * g[tuple(k - l for k, l in zip(i, j, strict=True))]
    return result


def compose(taylor, form, orders):
    """The jet of f(form), from the Taylor coefficients taylor[k] = f^(k)/k! at the form's value."""
    jet = np.zeros((*(n + 1 for n in orders), taylor[0].size), np.result_type(*taylor))
    for index in np.ndindex(jet.shape[:-1]):
        total = sum(index)
        factor = math.factorial(total) / math.prod(math.factorial(i) for i in index)
        for slope, power in zip(form.slopes, index, strict=True):
            factor = factor * slope**power
        jet[index] = factor * taylor[total]
    return jet


def power(log, form, orders):
    """The jet of exp(log * form)."""
    value = np.exp(log * form.value)
    return compose([value * log**k / math.factorial(k) for k in range(sum(orders) + 1)], form, orders)


def grown(log, form, jet, orders):
    """exp(log * form) jet; NaN where the derivatives of the two factors cancel."""
    moving, total, size = (form - form.value) * log, jet, np.abs(jet)
    far = Form(0.0, tuple(np.abs(s) for s in moving.slopes))
    bound = size
    for k in range(degree(orders), 0, -1):
        total = jet + moving.times(total) / k
        bound = size + far.times(bound) / k
    total[bound > CANCELLING * np.abs(total)] = np.nan
    return np.exp(log * form.value) * total


def rgamma(form, orders):
    """The jet of 1/Gamma(form)."""
    taylor = [rgamma_n(form.value, dz=k) / math.factorial(k) for k in range(sum(orders) + 1)]
    return compose(taylor, form, orders)


def relative_gamma(form, orders, sign=1):
    """The jet of (Gamma(form) / its value)^sign, for positive values."""
    logs = functools.cache(lambda k: sign * psi_n(form.value, k - 1))
    one = np.ones_like(form.value)
    taylor = [exponential(logs, k) / math.factorial(k) * one for k in range(sum(orders) + 1)]
    return compose(taylor, form, orders)


def over(f, g):
    """The quotient of two jets."""
    result, inverse = np.zeros(f.shape, np.result_type(f, g)), 1 / g[(0,) * (f.ndim - 1)]
    for i in np.ndindex(f.shape[:-1]):
        total = f[i].astype(result.dtype)
        for j in itertools.product(*(range(k + 1) for k in i)):
            if j != i:
                total = total - result[j] * g[tuple(k - l for k, l in zip(i, j, strict=True))]
        result[i] = total * inverse
    return result


def by_case(args, orders, dtype, cases, count=None):
    """The jets of each regime at its points, `function(*args, orders)`; NaN where the function is None.

    With a count, so many jets at once, `function(*args, orders, count)`.
    """
    more = () if count is None else (count,)
    result = np.full((*more, *shape(orders), args[-1].size), np.nan, dtype)
    left = np.ones(args[-1].size, bool)
    for mask, function in cases:
        here = places(left & mask)
        left &= ~mask
        if function and here.size:
            result[..., here] = function(*[x[here] for x in args], orders, *more)
    return result
