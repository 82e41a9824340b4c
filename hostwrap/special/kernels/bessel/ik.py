"""d^n/dv^n of I_v(z) and K_v(z), n = 1, 2, 3, ...

On the negative axis K is complex and I is real for integer v only, so for real z < 0 there is no derivative
in v: it is NaN. For real z > 0 all derivatives are had relative to the function, whose value is SciPy's.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels._quadrature import NODES_PER_PANEL, integrals, reach, spans
from hostwrap.special.kernels.bessel import complex_argument
from hostwrap.special.kernels.bessel._modified import relative_i
from hostwrap.special.kernels.bessel._reflection import along_sine, k_at_zero, minimal_at_zero, times


def iv_order(v, z, *, n):
    return complex_argument.iv_order(v, z, n=n) if np.iscomplexobj(z) else _real_i(v, z, n=n)


def kv_order(v, z, *, n):
    return complex_argument.kv_order(v, z, n=n) if np.iscomplexobj(z) else _real_k(v, z, n=n)


@pointwise
def _real_i(v, x, *, n):
    """Negative orders by DLMF 10.27.2, I_{-a} = I_a + (2/pi) sin(pi a) K_a."""

    def reflected(v, x):
        i_jet = times(sc.iv(-v, x), relative_i(-v, x, n))
        k_jet = times(sc.kv(-v, x), np.stack(relative_k(-v, x, n)))
        return (-1) ** n * (i_jet + 2 / np.pi * along_sine(-v, k_jet))[n]

    cases = [
        (~np.isfinite(v + x), lambda v, x: 0 * sc.iv(v, x)),
        (x == 0, lambda v, x: minimal_at_zero(v, n)),
        ((x > 0) & (v >= 0), lambda v, x: times(sc.iv(v, x), relative_i(v, x, n)[n])),
        (x > 0, reflected),
    ]
    return piecewise([v, x], cases)


@pointwise
def _real_k(v, x, *, n):
    """Made of loops alone."""
    value = sc.kv(v, x)
    inside = parity(v, n) * times(value, relative_k(np.abs(v), x, n)[n])
    found = np.where(x > 0, inside, np.where(x == 0, k_at_zero(v, n), np.nan))
    return np.where(np.isfinite(v + x), found, 0 * value)


def parity(v, n):
    """The n-th derivative of an even function changes sign with v if n is odd."""
    return np.where(v < 0, (-1.0) ** n, 1.0)


def relative_k(v, x, n):
    """[K^(k) / K, k = 0..n], v >= 0, from K = int_0^inf exp(-x cosh t) cosh(v t) dt (DLMF 10.32.9)."""
    top = np.arcsinh(v / x)
    right = reach(lambda d: _fall(v, x, top, d), np.minimum(np.log1p(100 / np.hypot(v, x)) + 6, 700.0))
    left = reach(lambda d: _fall(v, x, top, -d), top)

    def terms(d):
        t, size = top + d, np.exp(_fall(v, x, top, d))
        halved = np.expm1(-2 * v * t)  # e^-vt cosh(vt) is 1 + halved / 2
        even, odd = size * (2 + halved), size * -halved
        return [even, *((odd if k % 2 else even) * t**k for k in range(1, n + 1))]

    jet = integrals(terms, spans(left, right), NODES_PER_PANEL)
    return [term / jet[0] for term in jet]


def _fall(v, x, top, d):
    """v t - x cosh t at t = top + d, less its maximum at t = top."""
    return v * d - 2 * x * np.sinh(d / 2) * np.sinh(top + d / 2)
