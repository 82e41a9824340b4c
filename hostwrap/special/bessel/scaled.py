"""d^i/dv^i d^j/dz^j of e^z K_v(z), z real or complex, and of e^-|x| I_v(x); d^n/dv^n of all scaled functions.

The formula f' = (v/z) f -+ f_{v+1} +- f loses a factor 2|z| in each derivative. K with its exponential taken out
has derivatives that do not cancel; I has them from K where v^2 <= 2x (8x for j > 1). For larger orders the
derivatives of I are larger too, and the formula loses less.
"""

from math import factorial

import numpy as np
from scipy.special import rgamma

from hostwrap.special._numerics.jets import exponential, from_higher_orders, inner, sine, times
from hostwrap.special._numerics.pointwise import piecewise, pointwise, weighted_sum
from hostwrap.special.bessel import _debye, _macdonald, _minimal, _neumann, complex_argument, jy
from hostwrap.special.bessel._reflection import minimal_at_zero

SERIES = 2.0  # x below which I is a power series
TRAPEZOIDS = 40  # for x < 30: the error is e^-x I_80(x)


def jve_order(v, z, *, n):
    """d^n/dv^n e^-|Im z| J_v(z)."""
    return (complex_argument.jve_order if np.iscomplexobj(z) else jy.jv_order)(v, z, n=n)


def yve_order(v, z, *, n):
    """d^n/dv^n e^-|Im z| Y_v(z)."""
    return (complex_argument.yve_order if np.iscomplexobj(z) else jy.yv_order)(v, z, n=n)


def ive_order(v, z, *, n):
    """d^n/dv^n e^-|Re z| I_v(z)."""
    return complex_argument.ive_order(v, z, n=n) if np.iscomplexobj(z) else ive_n(v, z, i=n, j=0)


@pointwise
def kve_n(v, z, *, dv, dz):
    """d^i/dv^i d^j/dz^j e^z K_v(z)."""
    sign = np.where(v < 0, (-1.0) ** dv, 1.0)  # K is even in v
    return sign * (_kve_complex if np.iscomplexobj(z) else _kve_real)(np.abs(v), z, dv, dz)


def _kve_real(v, x, i, j):
    cases = [
        (np.isnan(v + x), lambda v, x: v + x),
        (x > 0, lambda v, x: _macdonald.tower(v, x, i, j)[i, j]),
        (x == 0, lambda v, x: np.where((v == 0) & (i % 2 == 1), 0.0, np.nan)),
    ]
    result = piecewise([v, x], cases)
    overflow = np.isnan(result) & (x >= 0) & (x < _macdonald.SMALL) & (v < np.inf)
    return np.where(overflow, (-1.0) ** j * np.inf, result)


def _kve_complex(v, z, i, j):
    lower = z.imag < 0
    z = np.where(lower, np.conj(z), z) + 0  # no negative zeros
    cases = [
        (z.real >= 0, lambda v, z: _macdonald.tower(v, z, i, j)[i, j]),
        (_macdonald.is_direct(v, z), lambda v, z: _macdonald.low(v, 0, z, np.angle(z), i, j)[i, j]),
        (None, lambda v, z: _kve_left(v, z, i, j)),
    ]
    result = piecewise([v, z], cases)
    return np.where(lower, np.conj(result), result)


def _kve_left(v, z, i, j):
    values = [complex_argument.scaled_k(v + k, z, i) for k in range(j + 1)]
    return from_higher_orders(values, v, z, i, j, -1, 1)[i, j]


@pointwise
def ive_n(v, x, *, i, j):
    """d^i/dv^i d^j/dx^j e^-|x| I_v(x), real x. At the kink x = 0 the mean of the one-sided derivatives."""
    whole = v == np.round(v)
    even = np.where(np.mod(v + j, 2) == 0, 1.0, -1.0)  # I_v(-x) = (-1)^v I_v(x)
    value = _ive_right(v, np.abs(x), i, j)
    left = np.where(whole & (i == 0), even * value, np.nan)
    kink = np.where(whole & (even < 0), 0.0, value)
    return np.where(x < 0, left, np.where(x == 0, kink, value))


def _ive_right(v, x, i, j):
    cases = [
        ((x < SERIES) & (i == 0), lambda v, x: _ive_series(v, x, j)),
        ((x == 0) & (j == 0), lambda v, x: minimal_at_zero(v, i)),
        (((v == 0) | (v == 1)) & (i == 0) & (x < _macdonald.LARGE), lambda v, x: _ive_bessel(v, x, j)),
        (v < 0, lambda v, x: (-1) ** i * _ive_reflected(-v, x, i, j)[i, j]),
        (None, lambda v, x: _ive_tower(v, x, i, j)[i, j]),
    ]
    return piecewise([v, x], cases)


def _ive_tower(v, x, i, j):
    """D[i, j] for v >= 0."""
    direct = (v * v <= (2 if j < 2 else 8) * x) & (x >= _minimal.FROM_K)
    result = np.empty((i + 1, j + 1, v.size))
    result[..., direct] = _ive_direct(v[direct], x[direct], i, j)
    far = ~direct & (x >= _minimal.LONG)
    result[..., far] = _debye.scaled_i(v[far], x[far], i, j)
    rest = ~direct & ~far
    v, x = v[rest], x[rest]
    values = [_neumann.scaled_i(v + k, x, i) for k in range(j + 1)]
    result[..., rest] = from_higher_orders(values, v, x, i, j, 1, -1.0)
    return result


def _ive_direct(v, x, i, j):
    far = (x >= _macdonald.LARGE) & (i == 0)
    result = np.empty((i + 1, j + 1, v.size))
    result[..., far] = _minimal.hankel_i(v[far], x[far], i, j)
    result[..., ~far] = _minimal.from_k(v[~far], x[~far], i, j).real
    return result


def _ive_bessel(v, x, n):
    """d^n/dx^n e^-x I_v(x) for v = 0 or 1: Bessel's integral (DLMF 10.32.3) of a periodic function, by trapezoids."""
    theta = np.pi * np.arange(TRAPEZOIDS + 1) / TRAPEZOIDS
    weight = np.where((theta == 0) | (theta == np.pi), 0.5, 1.0) / TRAPEZOIDS
    fall = -2 * np.sin(theta / 2) ** 2  # cos(theta) - 1
    powers = np.exp(x[:, None] * fall) * (weight * fall**n)
    return np.where(v == 0, weighted_sum(powers, 1.0), weighted_sum(powers, np.cos(theta)))


def _ive_reflected(a, x, i, j):
    """D[i, j] in a of e^-x I_{-a}(x) = e^-x I_a + (2/pi) sin(pi a) e^-2x e^x K_a, DLMF 10.27.2."""
    tower = _macdonald.tower(a, x, i, j)
    decayed = inner(times(exponential(-2.0, x, j)[:, None], inner(tower)))
    return _ive_tower(a, x, i, j) + 2 / np.pi * times(sine(a, i)[:, None], decayed)


def _ive_series(v, x, n):
    """d^n/dx^n e^-x I_v(x) from the power series (DLMF 10.25.2), right at 0 too."""
    plain = np.zeros((n + 1, v.size))
    for k in range(18):
        power = v + 2 * k
        coefficient = rgamma(v + k + 1) / factorial(k)
        for m in range(n + 1):
            plain[m] += np.where(coefficient == 0, 0.0, coefficient * (x / 2) ** (power - m) / 2**m)
            coefficient = coefficient * (power - m)
    return times(exponential(-1.0, x, n), plain)[n]
