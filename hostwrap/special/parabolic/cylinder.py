"""(d/dv)^nv (d/dx)^nx of D_v(x) and V_v(x), Whittaker's U(a, x) and V(a, x) with a = -v - 1/2.

D of negative order is an integral of positive terms. To the right, orders up to v follow by recurrence, the direction
in which D dominates. To the left D of other orders grows: the differential equation in Taylor steps from x = 0, with
jets in v. V grows to the right; to the left it is a sum of D and V, DLMF 12.2.16, where no digits are lost when V
decays there. All have the logarithm of a factor beside them: terms may be out of range where their sum is not.
"""

from math import factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import elsewhere, pointwise
from hostwrap.special._numerics.quadrature import reach, trapezoids
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.hypergeometric._forms import (
    by_case,
    compose,
    derivative,
    parameters,
    relative_gamma,
    times,
)
from hostwrap.special.parabolic._scaled import (
    common,
    marched,
    rescaled,
    scaled_power,
    scaled_rgamma,
    times_factor,
)
from hostwrap.special.parabolic._weber import cosine, in_x, sine

NEAR = 1.0  # up to here D does not decay by much, unless
CLOSE = 0.1  # so near to an order 0, 1, ... D grows to the left by a small factor
DECAYING = -3.0  # the order is less than this: then there is the integral
HIGHEST = 4000.0  # orders beyond it would take too many steps
NODES, LONGEST = 128, 100.0
CHECK = 8  # steps of the recurrence until the numbers are scaled
MOST_STEPS = int(HIGHEST - DECAYING) + 1


@pointwise
def pbdv_n(v, x, *, nv=0, nx=0):
    """Of D_v(x)."""
    return _derivative(_d, v, x, (nv,), nx)


@pointwise
def pbvv_n(v, x, *, nv=0, nx=0):
    """Of V_v(x)."""
    return _derivative(_v, v, x, (nv,), nx)


def _derivative(function, v, x, orders, nx):
    (v,) = parameters(v)
    (w, slope), log = _unpacked(function(v, x, orders))
    return times_factor(derivative(in_x(0.25, -v - 0.5, x, w, slope, nx), orders), log)


# Jets of the function and its derivative in x, stacked, and with them those of the constant that is their logarithm.


def _packed(pair, log):
    last = np.zeros_like(pair[0])
    last[(0,) * (last.ndim - 1)] = log
    return np.stack([*pair, last])


def _unpacked(jets):
    return jets[:2], jets[(2,) + (0,) * (jets.ndim - 2)]


def _d(v, x, orders):
    even = (v.value >= 0) & (v.value == np.round(v.value)) & v.is_constant(orders)
    cases = [
        (~np.isfinite(v.value + x), None),
        ((x <= -NEAR) & even & (v.value <= HIGHEST), lambda v, x, _: _packed(*_d_mirrored(v, x, orders))),
        ((x < 0) & (v.value <= DECAYING - 1), lambda v, x, _: _packed(*_d_growing(v, x, orders))),
        ((x <= -NEAR) & _next_to_even(v), lambda v, x, _: _packed(*_d_left(v, x, orders))),
        *_d_right(v, x, orders),
    ]
    return by_case((v, x), (2, *orders), float, cases)


def _d_right(v, x, orders):
    """The cases to the right, of which one is also for what is left on the other side."""
    near = (x < NEAR) & (v.value > DECAYING) | (x < 0)
    return [
        (near, lambda v, x, _: _packed(*_d_marched(v, x, orders))),
        (v.value <= HIGHEST, lambda v, x, _: _packed(*_d_decaying(v, x, orders))),
    ]


def _v(v, x, orders):
    cases = [
        (~np.isfinite(v.value + x), None),
        (x < 0, lambda v, x, _: _packed(*_v_left(v, x, orders))),
        (x >= 0, lambda v, x, _: _packed(*_v_marched(v, x, orders))),
    ]
    return by_case((v, x), (2, *orders), float, cases)


def _d_marched(v, x, orders):
    """From the origin, DLMF 12.2.6-7."""
    value = _at_zero(v * 0.5, 0.5 - v * 0.5, orders)
    slope = _at_zero(v * 0.5 + 0.5, v * -0.5, orders)
    value, slope, log = common(value, slope)
    return marched(0.25, -v - 0.5, x, np.sqrt(np.pi) * np.stack([value, -slope]), log)


def _v_marched(v, x, orders):
    """From the origin, DLMF 12.2.8-9, with DLMF 5.5.3."""
    value = _at_zero(v * -0.5, v * 0.5 + 1, orders)
    slope = _at_zero(0.5 - v * 0.5, v * 0.5 + 0.5, orders)
    value, slope, log = common(value, slope)
    pair = [-times(sine(v * 0.5, orders), value), times(cosine(v * 0.5, orders), slope)]
    return marched(0.25, -v - 0.5, x, pair, log)


def _at_zero(exponent, argument, orders):
    """2^exponent / Gamma(argument)."""
    (power, p), (rgamma, q) = scaled_power(np.log(2), exponent, orders), scaled_rgamma(argument, orders)
    return times(power, rgamma), p + q


def _d_mirrored(v, x, orders):
    """D_n(-x) = (-1)^n D_n(x), which decays."""
    (value, slope), log = _d_decaying(v, -x, orders)
    sign = np.where(np.mod(v.value, 2) == 0, 1.0, -1.0)
    return np.stack([sign * value, -sign * slope]), log


def _next_to_even(v):
    """Where the part that grows to the left is small: steps from the origin bring in more of it by their rounding."""
    n = np.round(v.value)
    return (n >= 0) & (np.abs(v.value - n) < CLOSE) & (v.value <= HIGHEST)


def _d_left(v, x, orders):
    """D_v(-x) = cos(pi v) D_v(x) + pi V_v(x) / Gamma(-v), DLMF 12.2.15."""
    rgamma, g = scaled_rgamma(-v, orders)
    decaying, growing = cosine(v, orders), np.pi * rgamma
    (d, p), (w, q) = _unpacked(_d_of_right(v, -x, orders)), _v_marched(v, -x, orders)
    d = np.stack([times(decaying, d[0]), -times(decaying, d[1])])
    w = np.stack([times(growing, w[0]), -times(growing, w[1])])
    d, w, log = common((d, p), (w, q + g))
    return d + w, log


def _d_growing(v, x, orders):
    """D' = (x/2) D_v - D_(v+1) (DLMF 12.8.2), of one sign for x < 0."""
    above, here, log = _integrals(v + 1, x, orders)
    return np.stack([here, x / 2 * here - above]), log


def _d_decaying(v, x, orders):
    """D_(v+1) = x D_v - v D_(v-1), and D' = v D_(v-1) - (x/2) D (DLMF 12.8.1), of one sign where D has no zeros."""
    steps = np.maximum(np.ceil(v.value - DECAYING), 0)
    lowest = v - steps
    now, last, log = _integrals(lowest, x, orders)

    def upwards(now, last, log, x, steps, lowest):
        def step(k, now, last, log, x, steps, lowest):
            pair = np.stack([x * now - (lowest + k).times(last), now])
            smaller, rest = rescaled(pair, log)
            due = np.mod(k, CHECK) == CHECK - 1
            return *np.where(due, smaller, pair), np.where(due, rest, log), k + 1 < steps

        return _packed(*_split(until_stacked(step, [now, last, log], [x, steps, lowest], MOST_STEPS)))

    start = _packed(np.stack([now, last]), log)
    (value, below), log = _unpacked(elsewhere(start, steps > 0, upwards, now, last, log, x, steps, lowest))
    return np.stack([value, v.times(below) - x / 2 * value]), log


def _split(carried):
    now, last, log = carried
    return np.stack([now, last]), log


def _integrals(v, x, orders):
    """D_v and D_(v-1), v <= -3, by DLMF 12.5.1 in y = log t, and the logarithm of their factor:

    D_v(x) = exp(-x^2 / 4) / Gamma(p) int_0^inf t^(p - 1) exp(-x t - t^2 / 2) dt, p = -v.
    """
    p, form = -v.value, -v
    root = np.hypot(x, 2 * np.sqrt(p))
    peak = np.where(x > 0, 2 * p / (root + x), (root - x) / 2)
    fall = lambda s: p * s - peak * (x + peak) * np.expm1(s) - (peak * np.expm1(s)) ** 2 / 2

    def terms(s):
        e, y = np.exp(fall(s)), s + np.log(peak)
        return [f * (-y) ** k for f in (e, e * np.exp(s)) for k in range(sum(orders) + 1)]

    found = trapezoids(terms, -reach(lambda s: fall(-s), LONGEST), reach(fall, LONGEST), NODES)
    rows = found[: len(found) // 2], found[len(found) // 2 :]
    here, below = (compose([m / factorial(k) for k, m in enumerate(row)], v, orders) for row in rows)
    value = times(relative_gamma(form, orders, -1), here)
    lower = times(relative_gamma(form + 1, orders, -1), below) * (peak / p)
    log = p * np.log(peak) - peak * (x + peak / 2) - x * x / 4 - sc.gammaln(p)
    return value, lower, log


def _d_of_right(v, x, orders):
    return by_case((v, x), (2, *orders), float, _d_right(v, x, orders))


def _v_left(v, x, orders):
    """V_v(-x) = -sin(pi v) D_v(x) / Gamma(v + 1) - cos(pi v) V_v(x)."""
    rgamma, g = scaled_rgamma(v + 1, orders)
    falling, rising = times(sine(v, orders), rgamma), cosine(v, orders)
    (d, p), (w, q) = _unpacked(_d_of_right(v, -x, orders)), _v_marched(v, -x, orders)
    d = np.stack([-times(falling, d[0]), times(falling, d[1])])
    w = np.stack([-times(rising, w[0]), times(rising, w[1])])
    d, w, log = common((d, p + g), (w, q))
    return d + w, log
