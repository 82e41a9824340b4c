"""Derivatives 0..n of I_v(x) in its order, relative to I_v(x); v >= 0, x > 0."""

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise_jets
from hostwrap.special._numerics.quadrature import integrals, reach
from hostwrap.special.bessel import _schlaefli, _series
from hostwrap.special.bessel._cancelling import csc_excess, sin_minus_s_cos
from hostwrap.special.bessel._contours import powers

NODES = 48


def relative_i(v, x, n):
    direct = v * v <= 2 * x
    small = np.where(v < 3, (x < 1) | ~direct, x * x < 2 * (v + 1))
    cases = [
        (small, lambda v, x: _series.relative_jet(v, x, n, 1)),
        (direct, lambda v, x: _schlaefli.relative_i(v, x, n)),
        (None, lambda v, x: _by_descent(v, x, n)),
    ]
    return piecewise_jets([v, x], n, cases)


def _by_descent(v, x, n):
    """2 pi i I = int exp(x cosh w - v w) dw from inf - i pi to inf + i pi (DLMF 10.32.12), w = a + i s.

    The path leads through the saddle point, on x sinh a sin s = v s, where the exponent is real; v >= 3.
    """
    ratio = v / x
    top = np.hypot(x, v) - v * np.arcsinh(ratio)

    def exponent(s):
        a = np.arcsinh(ratio * (1 + csc_excess(s)))
        return x * np.cosh(a) * np.cos(s) - v * a - top

    def terms(s):
        sinh = ratio * (1 + csc_excess(s))
        a, cosh = np.arcsinh(sinh), np.hypot(1, sinh)
        slope = ratio * sin_minus_s_cos(s) / (np.sin(s) ** 2 * cosh)
        return powers(np.exp(x * cosh * np.cos(s) - v * a - top), slope, a, s, n)

    end = reach(exponent, np.full_like(x, np.pi * (1 - 1e-6)))
    jet = integrals(terms, [(0.0, end)], NODES)[n + 1 :]
    return np.stack([f / jet[0] for f in jet])
