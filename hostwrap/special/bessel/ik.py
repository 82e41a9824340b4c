"""d^n/dv^n of I_v(z), and d^n/dv^n d^m/dz^m of K_v(z), n = 1, 2, 3, ...; for K n = 0 too.

On the negative axis K is complex and I is real for integer v only, so for real z < 0 there is no derivative
in v: it is NaN. For real z > 0 all derivatives are computed relative to the function, and its value is SciPy's.
"""

from math import comb, factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special._numerics.quadrature import NODES_PER_PANEL, integrals, reach, spans
from hostwrap.special.bessel import complex_argument
from hostwrap.special.bessel._mixed import of_minimal
from hostwrap.special.bessel._modified import relative_i
from hostwrap.special.bessel._reflection import along_sine, k_at_zero, minimal_at_zero, times

NEAR = 1e-4  # orders up to this one are next to 0
TERMS = 4  # terms of the Taylor series in such an order
STEEP = 0.01  # z up to which derivatives of K in z are those of K_{v + m} rather than of K_v
TINY = 1e-17  # |z| up to which e^-|z| is 1


def iv_order(v, z, *, n, m=0):
    return _mixed_i(v, z, n=n, m=m) if n and m else _i(v, z, n, m)


def _i(v, z, n, m):
    return of_minimal(_i_in_order, 1, v, z, n, m)


def _i_in_order(v, z, n):
    if n == 0:
        return plain_i(v, z)
    return complex_argument.iv_order(v, z, n=n) if np.iscomplexobj(z) else _real_i(v, z, n=n)


@pointwise
def plain_i(v, z):
    """I_v(z). SciPy's iv is 0 for some real z below 1e-100 where I is up to 1e-56; its ive is right there.

    At z = 0, where I of negative order is an infinity with the sign of 1/Gamma(v + 1), SciPy has NaN for some.
    """
    pole = (z == 0) & (v < 0) & (v != np.round(v))
    return piecewise(
        [v, z], [(pole, lambda v, z: sc.gammasgn(v + 1) * np.inf), (np.abs(z) < TINY, sc.ive), (None, sc.iv)]
    )


@pointwise
def _mixed_i(v, z, *, n, m):
    near = (np.abs(v) <= NEAR) & (z.real > 1) & np.isfinite(z) & (n % 2 == 1)
    return piecewise(
        [v, z],
        [(near, lambda v, z: _i_next_to_zero(v, z, n, m)), (None, lambda v, z: _i(v, z, n, m))],
    )


def _i_next_to_zero(v, z, n, m):
    """The Taylor series in v: the odd part of I, -sin(pi v) K_v / pi (DLMF 10.27.2), is exponentially smaller."""
    zero, total = np.zeros_like(v), 0
    for k in range(TERMS):
        j = n + k
        if j % 2:
            term = sum(
                comb(j, r) * (-1) ** (r // 2) * np.pi ** (r - 1) * -kv_order(zero, z, n=j - r, m=m)
                for r in range(1, j + 1, 2)
            )
        else:
            term = _i(zero, z, j, m)
        total = total + v**k / factorial(k) * term
    return total


def kv_order(v, z, *, n, m=0):
    """d^n/dv^n of K. K' = -(K_{v-1} + K_{v+1}) / 2 would cancel for odd n next to v = 0, where K is even in v."""
    if n == 0:
        return k_in_argument(v, z, m)
    return complex_argument.kv_order(v, z, n=n, m=m) if np.iscomplexobj(z) else _real_k(v, z, n=n, m=m)


def k_in_argument(v, z, m):
    """d^m/dz^m of K by DLMF 10.29.5, whose terms are of one sign for z > 0."""
    if m and np.isrealobj(z):
        terms = [
            _k_above(np.abs(v), z, j=j) if j > 0 else sc.kv(np.abs(v) + j, z) for j in range(-m, m + 1, 2)
        ]
    else:
        terms = [sc.kv(v + j, z) for j in range(-m, m + 1, 2)]
    return sum(comb(m, i) * term for i, term in enumerate(terms)) / (-2.0) ** m


@pointwise
def _k_above(v, z, *, j):
    """K_{v + j} of real z and v >= 0; upwards by DLMF 10.29.1 where it is more than 4e303, which is SciPy's largest."""

    def upwards(v, z):
        last, now = sc.kv(v - 1, z), sc.kv(v, z)
        for k in range(j):
            last, now = now, last + 2 * ((v + k) / z) * now
        return now

    value = sc.kv(v + j, z)
    lost = np.isinf(value) & (z > 0) & np.isfinite(v)
    return piecewise(
        [v, z, value], [(lost, in_python(lambda v, z, _: upwards(v, z))), (None, lambda v, z, k: k)]
    )


@pointwise
def _real_i(v, x, *, n):
    """Negative orders by DLMF 10.27.2, I_{-a} = I_a + (2/pi) sin(pi a) K_a."""

    def reflected(v, x):
        i_n = times(plain_i(-v, x), relative_i(-v, x, n)[n])
        k_jet = [times(sc.kv(-v, x), f) for f in relative_k(-v, x, n)]
        return (-1) ** n * (i_n + 2 / np.pi * along_sine(-v, k_jet)[n])

    cases = [
        (~np.isfinite(v + x), lambda v, x: 0 * sc.iv(v, x)),
        (x == 0, lambda v, x: minimal_at_zero(v, n)),
        ((x > 0) & (v >= 0), lambda v, x: times(plain_i(v, x), relative_i(v, x, n)[n])),
        (x > 0, reflected),
    ]
    return piecewise([v, x], cases)


@pointwise
def _real_k(v, x, *, n, m):
    """For real x, in loops of C alone."""
    value = sc.kv(v, x)
    relative = lambda v, x: times(sc.kv(v, x), relative_k(v, x, n, m)[n])
    cases = [((x > 0) & (x < STEEP), lambda v, x: _steep_k(v, x, n, m))] if m else []
    inside = parity(v, n) * piecewise([np.abs(v), x], [*cases, (None, relative)])
    found = np.where(x > 0, inside, np.where(x == 0, k_at_zero(v, n), np.nan))
    return np.where(np.isfinite(v + x), (-1) ** m * found, 0 * value)


def parity(v, n):
    """The n-th derivative of an even function changes sign with v if n is odd."""
    return np.where(v < 0, (-1.0) ** n, 1.0)


def relative_k(v, x, n, m=0):
    """[K^(k) / K, k = 0..n], v >= 0, from K = int_0^inf exp(-x cosh t) cosh(v t) dt (DLMF 10.32.9).

    For m > 0 the function is d^m K / d(-x)^m, whose integrand has the factor cosh^m t.
    """
    top, parts = k_panels(v, x)

    def terms(d):
        t, even, odd = k_integrands(v, x, top, d)
        if m:  # cosh t / cosh top
            growth = (np.cosh(d) + v / np.hypot(v, x) * np.sinh(d)) ** m
            return [even, *((odd if k % 2 else even) * growth * t**k for k in range(1, n + 1))]
        return [even, *((odd if k % 2 else even) * t**k for k in range(1, n + 1))]

    jet = integrals(terms, parts, NODES_PER_PANEL)
    return [jet[0] / jet[0], *(term / jet[0] * (np.hypot(v, x) / x) ** m for term in jet[1:])]


def _steep_k(v, x, n, m):
    """The same for large m, where cosh^m t shifts the maximum of the integrand to that of K_{v + m}."""
    order = v + m
    top, parts = k_panels(order, x)

    def terms(d):
        t, size = top + d, np.exp(_fall(order, x, top, d))
        halved = np.expm1(-2 * v * t)
        weight = ((1 + np.exp(-2 * t)) / 2) ** m * t**n * (-halved if n % 2 else 2 + halved)
        return [size * (2 + np.expm1(-2 * order * t)), size * weight]

    whole, part = integrals(terms, parts, NODES_PER_PANEL)
    return times(sc.kv(order, x), part / whole)


def k_panels(v, x):
    """The maximum of the integrand of K, and the panels around it."""
    top = np.arcsinh(v / x)
    right = reach(lambda d: _fall(v, x, top, d), np.minimum(np.log1p(100 / np.hypot(v, x)) + 6, 700.0))
    return top, spans(reach(lambda d: _fall(v, x, top, -d), top), right)


def k_integrands(v, x, top, d):
    """t = top + d, and exp(-x cosh t) times 2 cosh(v t) and 2 sinh(v t), less their size at the top."""
    t, size = top + d, np.exp(_fall(v, x, top, d))
    halved = np.expm1(-2 * v * t)  # e^-vt cosh(vt) is 1 + halved / 2
    return t, size * (2 + halved), size * -halved


def _fall(v, x, top, d):
    """v t - x cosh t at t = top + d, less its maximum at t = top."""
    return v * d - 2 * x * np.sinh(d / 2) * np.sinh(top + d / 2)
