"""(d/dv)^nv (d/dx)^nx of D_v(x) and V_v(x), Whittaker's U(a, x) and V(a, x) with a = -v - 1/2.

To the left of the origin, and next to it, D grows: the differential equation in Taylor steps from x = 0, with jets
in v. To the right it decays and is Tricomi's function, DLMF 12.7.14. V grows to the right; to the left it is a sum
of D and V, DLMF 12.2.16, where no digits are lost when V decays there.
"""

import numpy as np

from hostwrap.special.kernels._pointwise import pointwise
from hostwrap.special.kernels.hypergeometric._forms import (
    Form,
    by_case,
    derivative,
    parameters,
    power,
    rgamma,
    times,
)
from hostwrap.special.kernels.hypergeometric.hyperu import hyperu_jet
from hostwrap.special.kernels.parabolic._weber import cosine, from_origin, in_x, sine

NEAR = 1.0  # up to here D does not decay by much, unless
DECAYING = -3.0  # the order is less than this


@pointwise
def pbdv_n(v, x, *, nv=0, nx=0):
    """Of D_v(x)."""
    return _derivative(_d, v, x, (nv,), nx)


@pointwise
def pbvv_n(v, x, *, nv=0, nx=0):
    """Of V_v(x)."""
    return _derivative(_v, v, x, (nv,), nx)


def _derivative(pair, v, x, orders, nx):
    (v,) = parameters(v)
    w, slope = pair(v, x, orders)
    return derivative(in_x(0.25, -v - 0.5, x, w, slope, nx), orders)


# Jets of the function and its derivative in x, stacked.


def _d(v, x, orders):
    even = (v.value >= 0) & (v.value == np.round(v.value)) & v.is_constant(orders)
    near = (x <= 0) | (x < NEAR) & (v.value > DECAYING)
    cases = [
        (~np.isfinite(v.value + x), None),
        ((x < 0) & even, lambda v, x, _: _d_mirrored(v, x, orders)),
        (near, lambda v, x, _: _from_origin(v, x, _d_at_zero(v, orders))),
        (x > 0, lambda v, x, _: _d_decaying(v, x, orders)),
    ]
    return by_case((v, x), (1, *orders), float, cases)


def _v(v, x, orders):
    cases = [
        (~np.isfinite(v.value + x), None),
        (x < 0, lambda v, x, _: _v_left(v, x, orders)),
        (x >= 0, lambda v, x, _: _from_origin(v, x, _v_at_zero(v, orders))),
    ]
    return by_case((v, x), (1, *orders), float, cases)


def _from_origin(v, x, pair):
    return np.stack(from_origin(0.25, -v - 0.5, x, *pair))


def _d_at_zero(v, orders):
    """DLMF 12.2.6-7."""
    value = times(power(np.log(2), v * 0.5, orders), rgamma(0.5 - v * 0.5, orders))
    slope = times(power(np.log(2), v * 0.5 + 0.5, orders), rgamma(v * -0.5, orders))
    return np.sqrt(np.pi) * np.stack([value, -slope])


def _v_at_zero(v, orders):
    """DLMF 12.2.8-9, with DLMF 5.5.3."""
    value = times(power(np.log(2), v * -0.5, orders), rgamma(v * 0.5 + 1, orders))
    slope = times(power(np.log(2), 0.5 - v * 0.5, orders), rgamma(v * 0.5 + 0.5, orders))
    return np.stack([-times(sine(v * 0.5, orders), value), times(cosine(v * 0.5, orders), slope)])


def _d_mirrored(v, x, orders):
    """D_n(-x) = (-1)^n D_n(x), which decays."""
    value, slope = _d(v, -x, orders)
    sign = np.where(v.value % 2 == 0, 1, -1)
    return np.stack([sign * value, -sign * slope])


def _d_decaying(v, x, orders):
    """DLMF 12.7.14, and D' = v D_(v-1) - (x/2) D (DLMF 12.8.1), two terms of one sign where D has no zeros."""
    value = _tricomi(v, x, orders)
    return np.stack([value, v.times(_tricomi(v - 1, x, orders)) - x / 2 * value])


def _tricomi(v, x, orders):
    a, half = v * -0.5, Form(np.full_like(x, 0.5), (0,))
    return np.exp(-x * x / 4) * times(
        power(np.log(2), v * 0.5, orders), hyperu_jet(a, half, x * x / 2, orders)
    )


def _v_left(v, x, orders):
    """V_v(-x) = -sin(pi v) D_v(x) / Gamma(v + 1) - cos(pi v) V_v(x)."""
    falling = times(sine(v, orders), rgamma(v + 1, orders))
    rising = cosine(v, orders)
    (d, d_slope), (w, w_slope) = _d(v, -x, orders), _v(v, -x, orders)
    value = -times(falling, d) - times(rising, w)
    return np.stack([value, times(falling, d_slope) + times(rising, w_slope)])
