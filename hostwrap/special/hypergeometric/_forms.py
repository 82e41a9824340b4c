"""Taylor polynomials in several parameters at once, and their products with linear forms in the parameters.

A jet is an array of Taylor coefficients (no factorials) whose last axis are the points; `_orders` tells which
coefficients. Terms of hypergeometric series, and the coefficients of their differential equations, are products and
quotients of linear forms, so that is all that is needed.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np

from hostwrap.special._numerics.pointwise import elsewhere, in_python, stack_of, tape_of
from hostwrap.special.gamma_beta.gamma import exponentials, psi_n, rgamma_jet
from hostwrap.special.hypergeometric._orders import asked, below, beside, degree, shape

CANCELLING = 1e5  # a sum that is so much smaller than its terms has lost too many digits


@dataclasses.dataclass(frozen=True)
class Form:
    """value + sum of slopes[i] * (parameter i); value and slopes are numbers or arrays over the points.

    `rest` is what the value of a shifted parameter has lost in rounding: differences of those need it.
    """

    value: np.ndarray
    slopes: tuple
    rest: np.ndarray | float = 0.0

    __array_ufunc__ = None  # an array minus a form is __rsub__'s

    def __add__(self, other):
        if isinstance(other, Form):
            slopes = tuple(s + t for s, t in zip(self.slopes, other.slopes, strict=True))
            return Form(self.value + other.value, slopes)
        return Form(self.value + other, self.slopes)

    def shifted(self, n):
        """This form + n, and what is lost (Knuth's sum of two)."""
        total = self.value + n
        back = total - self.value
        return Form(total, self.slopes, (self.value - (total - back)) + (n - back))

    def minus(self, other):
        """The difference of two forms that were shifted alike."""
        return (self - other) + (self.rest - other.rest)

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
        pick = lambda x: x if np.ndim(x) == 0 else x[here]
        return Form(self.value[here], tuple(map(pick, self.slopes)), pick(self.rest))

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
        return not any(_moves(s) and asked(orders, axis) for axis, s in enumerate(self.slopes))

    def _moves(self, jet):
        """(slope, its places) for every parameter that matters."""
        count, sizes = len(self.slopes), jet.shape[:-1]
        for axis, slope in enumerate(self.slopes):
            move = beside(count, sizes, axis) if _matters(slope) else None
            if move:
                yield slope, move


def _matters(slope):
    return isinstance(slope, np.ndarray) or _moves(slope)


def _moves(slope):
    """Whether it is not 0; nobody knows of a stand-in. Each term of a series asks, most often of a Python number."""
    if isinstance(slope, (int, float)):
        return slope != 0
    return tape_of(slope) is not None or np.any(slope)


def parameters(*values):
    """The parameters themselves as forms."""
    count = len(values)
    return [Form(v, tuple(int(i == j) for j in range(count))) for i, v in enumerate(values)]


def constant(value, orders, like=None):
    """The jet of a constant array, or of a number for the points of the array `like` and in its type."""
    sizes = shape(orders)
    jet = stack_of(0.0, sizes, value if like is None else like)
    jet[(0,) * len(sizes)] = value
    return jet


def derivative(jet, orders):
    """The mixed derivative that is the highest coefficient."""
    return jet[tuple(orders)] * math.prod(math.factorial(n) for n in orders)


def times(f, g):
    """The product of two jets of one shape."""
    result = np.zeros_like(f + g)
    for i in np.ndindex(f.shape[:-1]):
        for j in itertools.product(*(range(k + 1) for k in i)):
            result[i] += f[j] * g[tuple(k - l for k, l in zip(i, j, strict=True))]
    return result


def compose(taylor, form, orders):
    """The jet of f(form), from the Taylor coefficients taylor[k] = f^(k)/k! at the form's value."""
    jet = stack_of(0.0, shape(orders), *taylor, form.value)
    for index in np.ndindex(jet.shape[:-1]):
        total = sum(index)
        factor = math.factorial(total) / math.prod(math.factorial(i) for i in index)
        for slope, power in zip(form.slopes, index, strict=True):
            factor = factor * slope**power
        jet[index] = factor * taylor[total]
    return jet


def compose_two(taylor, form, other, orders):
    """The jet of f(form, other), from the derivatives taylor(i, j) of f at their values.

    Those that belong to products in which no parameter moves are not asked for.
    """
    first, second = (Form(np.zeros_like(f.value), f.slopes) for f in (form, other))
    row, jet = constant(1.0, orders, form.value), 0.0
    for i in range(degree(orders) + 1):
        moved = row
        for j in range(degree(orders) + 1 - i):
            if moved.any():
                jet = jet + taylor(i, j) / (math.factorial(i) * math.factorial(j)) * moved
            moved = second.times(moved)
        row = first.times(row)
    return jet


def power(log, form, orders):
    """The jet of exp(log * form)."""
    value = np.exp(log * form.value)
    return compose([value * log**k / math.factorial(k) for k in range(sum(orders) + 1)], form, orders)


def grown(log, form, jet, orders, less=0.0):
    """exp(log * form - less) jet; NaN where the derivatives of the two factors cancel."""
    moving, total, size = (form - form.value) * log, jet, np.abs(jet)
    far = Form(0.0, tuple(np.abs(s) for s in moving.slopes))
    bound = size
    for k in range(degree(orders), 0, -1):
        total = jet + moving.times(total) / k
        bound = size + far.times(bound) / k
    return np.exp(log * form.value - less) * np.where(bound > CANCELLING * np.abs(total), np.nan, total)


def rgamma(form, orders):
    """The jet of 1/Gamma(form)."""
    jet = rgamma_jet(form.value, sum(orders))
    taylor = [f / math.factorial(k) for k, f in enumerate(jet)]
    return compose(taylor, form, orders)


def relative_gamma(form, orders, sign=1):
    """The jet of (Gamma(form) / its value)^sign, for positive values."""
    slopes = exponentials(lambda k: sign * psi_n(form.value, k - 1), sum(orders))
    one = np.ones_like(form.value)
    taylor = [slope / math.factorial(k) * one for k, slope in enumerate(slopes)]
    return compose(taylor, form, orders)


def over(f, g):
    """The quotient of two jets."""
    result, inverse = np.zeros_like(f + g), 1 / g[(0,) * (f.ndim - 1)]
    for i in np.ndindex(f.shape[:-1]):
        total = f[i]
        for j in itertools.product(*(range(k + 1) for k in i)):
            if j != i:
                total = total - result[j] * g[tuple(k - l for k, l in zip(i, j, strict=True))]
        result[i] = total * inverse
    return result


def by_case(args, orders, dtype, cases, count=None, start=None):
    """The jets of each regime at its points, `function(*args, orders)`; NaN where the function is None.

    With a count, so many jets at once, `function(*args, orders, count)`. In no regime there is what is at the `start`.
    """
    more = () if count is None else (count,)
    result = stack_of(np.nan, (*more, *shape(orders)), args[-1], dtype=dtype) if start is None else start
    left = np.True_
    for mask, function in cases:
        here, left = left & mask, left & ~mask
        if isinstance(function, in_python):
            result = elsewhere(result, here, in_python(lambda *x, f=function: f(*x, orders, *more)), *args)
        elif function:
            result = elsewhere(result, here, lambda *x, f=function: f(*x, orders, *more), *args)
    return result
