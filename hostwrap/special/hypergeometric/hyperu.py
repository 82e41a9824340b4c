"""Mixed derivatives of Tricomi's function U(a, b, x) in its parameters and x, for x > 0.

For a >= 3/2 Laplace's integral (DLMF 13.4.4) in log t, whose integrand has one peak: the trapezoidal rule about it.
From there downwards in a, the direction in which U dominates (DLMF 13.29(i)). The derivatives in the parameters put
powers of logarithms under the integral, and jets into the recurrence.
"""

from math import factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import elsewhere, in_python, pointwise, rounded_up, stack_of
from hostwrap.special._numerics.quadrature import counted_sums, reach
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.gamma_beta.gamma import exponentials, psi_n
from hostwrap.special.hypergeometric import _forms, _whole
from hostwrap.special.hypergeometric._checks import agreeing, completed, confirmed_where
from hostwrap.special.hypergeometric._equations import Kummer
from hostwrap.special.hypergeometric._forms import (
    by_case,
    compose_two,
    derivative,
    parameters,
    power,
    relative_gamma,
    times,
)
from hostwrap.special.hypergeometric._gammas import unscaled
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.hypergeometric._series import degree

REGULAR = 1.5  # a for the integral, at least
NODES, LONGEST_STEP = 128, 0.25
MOST_NODES = 10_000  # log t is from -750 to 750
LARGEST_DEGREE = 2000
SHORT = 8.0  # degree of polynomials
MOST_STEPS = LARGEST_DEGREE + 3
LARGEST_STABLE = 30.0  # b, from which on the recurrence is done twice for a < 0
SMALL = 0.25
FAR = 1e10  # x in units of the parameters, from which on few terms of the asymptotic series have all digits
LARGE = 1e100
NEXT = 1e-4  # to an integer
FARTHEST = 600.0  # a logarithm


@pointwise
def hyperu_n(a, b, x, *, da=0, db=0, dx=0):
    """(d/da)^na (d/db)^nb (d/dx)^nx of U(a, b, x)."""
    orders = (da, db)
    a, b = parameters(a, b)
    return derivative(hyperu_jet(a, b, x, orders, dx), orders)


def hyperu_jet(a, b, x, orders, nx=0):
    """DLMF 13.3.22: the n-th derivative in x is (-1)^n (a)_n U(a + n, b + n, x)."""
    args = a + nx, b + nx, x
    is_polynomial = degree(a + nx, orders) <= LARGEST_DEGREE
    jet = (-1) ** nx * unscaled(*completed(_jet(*args, orders), _whole.tricomi, args, orders, is_polynomial))
    for k in range(nx):
        jet = (a + k).times(jet)
    return jet


def _jet(a, b, x, orders):
    in_b = a.slopes == (1, 0) and b.slopes == (0, 1) and orders[1] > 0
    mirrored = (a.value < REGULAR) & ((a - b).value + 1 >= REGULAR)
    cases = [
        (~np.isfinite(a.value + b.value + x) | (x < 0), None),
        (_is_short(a, b, orders), _polynomial),
        (x == 0, in_python(_at_zero)),
        (_is_shifted(a.value, b.value, x), _shifted),
        (x > FAR * (2 + np.abs(a.value)) * (2 + np.abs((a - b).value)), _far_out),
        (_is_power(a.value, b.value, x), _as_power),
        (_is_level(a.value, b.value, x), _as_level),
        (a.value < -LARGEST_DEGREE, None),
        ((np.abs(a.value) < SMALL) & in_b, in_python(_nearly_constant)),
        (mirrored, _mirrored),
        (_cancelling(a, b) & (x < _outside(a, b) / 2), _inwards),
        ((b.value > LARGEST_STABLE) & (a.value < 0), in_python(_downwards_twice)),
        (x > 0, _downwards),
    ]
    return by_case((a, b, x), orders, x.dtype, cases)


def _is_short(a, b, orders):
    """Is U a polynomial that the recurrence has all digits of? For b < 0 it loses them as the degree grows."""
    return degree(a, orders) <= np.where(b.value < 0, SHORT, LARGEST_DEGREE)


def _polynomial(a, b, x, orders):
    """U(-m, b, x) upwards in m, DLMF 13.3.7."""

    def step(k, last, now, x, a, b):
        return now, (x - b - 2 * k).times(now) - k * (b + (k - 1)).times(last), k + 1 < -a.value

    one = _forms.constant(1.0, orders, x)
    result = until_stacked(step, [0 * one, one], [x, a, b], LARGEST_DEGREE)[1]
    return np.where(a.value == 0, one, result)


def _far_out(a, b, x, orders):
    """DLMF 13.7.3. The start of a recurrence would underflow where U does not."""
    term = total = power(np.log(x), a * -1, orders)
    for k in range(sum(orders) + 3):
        term = (a + k).times((a - b + (k + 1)).times(term)) / (-(k + 1) * x)
        total = total + term
    return total


def _is_shifted(a, b, x):
    """Is x - b so large that no other term counts? x - b is at least eps b, so b / (x - b)^2 is small too."""
    return (x - b > LARGE) & (np.abs(a) < FAR)


def _shifted(a, b, x, orders):
    """(x - b)^(-a), by 13.4.4 with exp(-x t) (1 + t)^b = exp((b - x) t + O(b t^2)) and t of the size of 1 / (x - b).

    In place of the recurrence, whose start would underflow where U does not.
    """
    gap = x - b.value
    term = total = power(np.log(gap), a * -1, orders)
    for k in range(sum(orders)):  # the binomial series in b
        term = (a + k).times((b - b.value).times(term)) / ((k + 1) * gap)
        total = total + term
    return total


def _is_level(a, b, x):
    """Is U its value at x = 0, as far as digits go? The other part is x^(1 - b) times at most (2 or so)^(|a| + |b|)."""
    log = -np.log(np.where(x > 0, x, 1.0))
    size = (1 + np.abs(a)) * (1 + np.abs(b))
    ordinary = (np.abs(a) < 100) & (b < 0) & (b > -160) & (a - b + 1 >= REGULAR)
    return ordinary & ((1 - b) * log > 80 + np.abs(a) - b) & (log > 42 + np.log(size))


def _as_level(a, b, x, orders):
    """Gamma(1 - b) / Gamma(a - b + 1), DLMF 13.2.18-22: x^(1 - b) may underflow, U(a - b + 1, 2 - b, x) overflow."""
    return _forms.over(_forms.rgamma(a - b + 1, orders), _forms.rgamma(1 - b, orders))


def _is_power(a, b, x):
    """Is U its first term next to x = 0, as far as digits go, also where a is next to a pole of Gamma?"""
    log = -np.log(np.where(x > 0, x, 1.0))
    size = (1 + np.abs(a)) * (1 + np.abs(b))
    ordinary = (np.abs(a) < 100) & (b < 170) & (np.abs(sc.rgamma(a)) > 1e-15)
    return ordinary & ((b - 1) * log > 80) & (log > 42 + np.log(size))


def _as_power(a, b, x, orders):
    """Gamma(b - 1) x^(1 - b) / Gamma(a), DLMF 13.2.16: elsewhere its parts are as large, or larger."""
    slopes = lambda k: psi_n(b.value - 1, k - 1) - (np.log(x) if k == 1 else 0.0)
    value = sc.gamma(b.value - 1) * np.float_power(x, 1 - b.value)
    taylor = [value * slope / factorial(k) for k, slope in enumerate(exponentials(slopes, sum(orders)))]
    return times(_forms.rgamma(a, orders), _forms.compose(taylor, b, orders))


def _at_zero(a, b, x, orders):
    """Gamma(1 - b) / Gamma(a - b + 1) for b < 1 (DLMF 13.2.18-22), infinite from there on as x^(1 - b) / Gamma(a)."""
    finite = _as_level(a, b, x, orders)
    infinite = _forms.rgamma(a, (orders[0], 0)) * np.inf
    return np.where(b.value < 1, finite, np.where(infinite == infinite, infinite, 0))


def _nearly_constant(a, b, x, orders):
    """U = 1 + O(a): the n-th derivative in b from an integral of its own, with log(1 + t)^n and the factor (a)_n."""
    na, nb = orders
    factor = _integral(a + nb, b + nb, x, (na, 0), nb)
    for k in range(nb):
        factor = (a + k).times(factor)
    jet = _forms.constant(np.nan, orders, x)
    jet[:, nb] = factor[:, 0] / factorial(nb)
    return jet


def _mirrored(a, b, x, orders):
    """Kummer's transformation, DLMF 13.2.40; one factor may underflow where the other one overflows."""
    log, form = np.log(x), 1 - b
    lift = np.where(np.abs(log * form.value) > FARTHEST, form.value, 0.0)
    factor = power(log, form - lift, orders)
    return times(factor, _downwards(a - b + 1, 2 - b, x, orders, lift=lift * log))


def _downwards_twice(a, b, x, orders):
    """Beside a large b another solution grows faster: from two starts, and NaN where they do not agree."""
    return agreeing(_downwards(a, b, x, orders), _downwards(a, b, x, orders, REGULAR + 1), len(a.slopes))


def _downwards(a, b, x, orders, start=REGULAR, lift=0.0):
    """By DLMF 13.3.7 from the integral; times e^lift."""
    steps, lift = np.maximum(np.ceil(start - a.value), 0), lift + 0 * x
    a = a + steps
    now = _integral(a, b, x, orders, lift=lift)

    def recurred(a, b, x, steps, now, lift):
        def step(k, last, now, x, steps, a, b):
            c = a - k
            return now, (c * 2 - b + x).times(now) - c.times((c - b + 1).times(last)), k + 1 < steps

        start = [_integral(a + 1, b, x, orders, lift=lift), now]
        return until_stacked(step, start, [x, steps, a, b], MOST_STEPS)[1]

    return elsewhere(now, steps > 0, recurred, a, b, x, steps, now, lift)


def _cancelling(a, b):
    """For small x, where the terms of the recurrence have the size of x^(1 - b), or where there are many."""
    return (a.value < 1) & (b.value > 2) | (a.value < -5)


def _outside(a, b):
    """From about here on U is no power x^(1 - b) any more."""
    return np.maximum(2, np.abs(a.value) + np.abs(b.value))


def _inwards(a, b, x, orders):
    """Along Kummer's equation, in the direction in which U grows; twice where a polynomial is next to it.

    There x^(1 - b), which grows fastest, has a small factor 1 / Gamma(a), of which the start may have lost the digits.
    """
    nothing = stack_of(np.nan, _forms.shape(orders), x)
    risky = (a.value < 0) & (np.abs(a.value - np.round(a.value)) < NEXT)
    way = lambda shorter, x, a, b: (_from_outside(a, b, x, orders, _outside(a, b) / shorter), False)
    jet = confirmed_where(risky, way, nothing, (x, a, b), len(a.slopes))
    # a step has not converged; for a > 0 few digits cancel in the recurrence
    left = np.isnan(jet[(0,) * len(orders)]) & (a.value > 0)
    return elsewhere(jet, left, in_python(lambda a, b, x: _downwards(a, b, x, orders)), a, b, x)


def _from_outside(a, b, x, orders, start):
    w, slope = _downwards(a, b, start, orders), -a.times(_downwards(a + 1, b + 1, start, orders))
    return march(Kummer(a, b), start, x, w, slope)[0]


def _integral(a, b, x, orders, logs=0, lift=0.0):
    """Times e^lift, with (log(1 + t) / t)^logs under the integral.

    Next to x = 0 its peak may be a plateau as wide as |log x|.
    """
    y, top, left, right = _peak(a.value, b.value, x)
    count = np.ceil(rounded_up(np.maximum(NODES, (left + right) / LONGEST_STEP)))
    powers = [(i, j) for i in range(sum(orders) + 1) for j in range(sum(orders) + 1 - i)]

    def terms(k, a, b, x, low, step, top):
        node = low + step * k
        log_t, log_1t = -np.logaddexp(0, -node), np.logaddexp(0, node)  # log(t / (1 + t)), log(1 + t)
        weight = np.exp(_exponent(a, b, x, node) - top)
        weight = weight * (log_1t * np.exp(-node)) ** logs if logs else weight
        return [weight * log_t**i * log_1t**j for i, j in powers]

    low, step = y - left, (left + right) / count
    args = [a.value, b.value, x, low, step, top]
    # of weights (t / (1 + t))^(a - a0) (1 + t)^(b - b0) at a0, b0
    sums = dict(zip(powers, counted_sums(terms, len(powers), count + 1, MOST_NODES, args), strict=True))
    moments = compose_two(lambda i, j: sums[i, j], a, b, orders)
    scale = step * np.exp(top - sc.gammaln(a.value) + lift)
    return scale * times(relative_gamma(a, orders, -1), moments)


def _peak(a, b, x):
    """log t at the maximum of the integrand, the exponent there, and how far it reaches to both sides."""
    middle = b - 1 - x
    root = np.hypot(middle, 2 * np.sqrt(a * x))
    t = np.where(middle < 0, 2 * a / (root - middle), (root + middle) / (2 * x))
    y = np.log(t)
    top = _exponent(a, b, x, y)
    longest = 100 + np.abs(y)
    left = reach(lambda s: _exponent(a, b, x, y - s) - top, longest)
    right = reach(lambda s: _exponent(a, b, x, y + s) - top, longest)
    return y, top, left, right


def _exponent(a, b, x, y):
    return a * y - x * np.exp(y) + (b - a - 1) * np.logaddexp(0, y)
