"""d^i/dv^i d^j/dz^j of e^z K_v(z) and e^-|Re z| I_v(z), z real or complex.

The formula f' = (v/z) f -+ f_{v+1} +- f loses a factor 2|z| in each derivative. Integrals for the scaled K and I have
derivatives that do not cancel. The integral of I serves where v^2 <= 2x (8x for j > 1); for larger orders the
derivatives of I are larger, and the formula loses less. For real arguments all steps are loops of C.
"""

from math import comb, factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import (
    exponential,
    falling_factorial,
    from_higher_orders,
    product,
    sine,
    times,
)
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import NODES_PER_PANEL, gauss_legendre, integrals, sums
from hostwrap.special._numerics.until import until
from hostwrap.special.bessel import _debye, _macdonald, complex_argument, complex_scaled, ik
from hostwrap.special.bessel._ascending import power_over_gamma
from hostwrap.special.bessel._modified import relative_i
from hostwrap.special.bessel._reflection import minimal_at_zero
from hostwrap.special.bessel._reflection import times as product_of_two

SERIES = 2.0  # x below which I is a power series
LARGE = 25.0  # from here on Hankel's expansion has all digits
LONG = 1e4  # from here on the recurrence in v would be too long
TRAPEZOIDS = 40  # for x < 30: the error is e^-x I_80(x)
FAR, NODES = 22.5, 64  # exp(-2 FAR) is negligible
MOST_TERMS = 80
NEXT = 1e-30  # to 0
NOTHING = 1e-20  # e^x is 1 for smaller x; there each derivative of K is larger than the one before by 1/x


@pointwise
def kve_n(v, z, *, dv, dz):
    """d^i/dv^i d^j/dz^j e^z K_v(z)."""
    sign = np.where(v < 0, (-1.0) ** dv, 1.0)  # K is even in v
    return sign * (_kve_complex if np.iscomplexobj(z) else _kve_real)(np.abs(v), z, dv, dz)


def _kve_real(v, x, i, j):
    cases = [
        (np.isnan(v + x), lambda v, x: v + x),
        ((x > 0) & (x < NOTHING) & (v < np.inf) & (j > 0), lambda v, x: ik.kv_order(v, x, n=i, m=j)),
        ((x > 0) & (v < np.inf) & (x < np.inf), lambda v, x: _kve_right(v, x, i, j)),
        ((x == 0) & (v == 0) & (i % 2 == 1), lambda v, x: np.zeros_like(x)),
        ((x == 0) & (v < np.inf), lambda v, x: np.full_like(x, (-1.0) ** j * np.inf)),
    ]
    return piecewise([v, x], cases)


def _kve_right(v, x, i, j):
    """SciPy's value times a quotient of integrals (see `ik.relative_k`), where each d/dx brings down 1 - cosh t."""
    value = sc.kve(v, x)
    if i == j == 0:
        return value
    top, parts = ik.k_panels(v, x)
    shrink = x / np.hypot(v, x)  # 1 / cosh(top)

    def terms(d):
        t, even, odd = ik.k_integrands(v, x, top, d)
        return [even, (odd if i % 2 else even) * t**i * (2 * np.sinh(t / 2) ** 2 * shrink) ** j]

    whole, part = integrals(terms, parts, NODES_PER_PANEL)
    return product_of_two(value, part / whole / (-shrink) ** j)


def _kve_complex(v, z, i, j):
    lower = z.imag < 0
    z = np.where(lower, np.conj(z), z) + 0  # no negative zeros
    cases = [
        (z.real >= 0, lambda v, z: _macdonald.tower(v, z, i, j)[i, j]),
        (_macdonald.is_turned(v, z), lambda v, z: _macdonald.turned_tower(v, z, np.angle(z), i, j)[i, j]),
        (None, lambda v, z: _kve_left(v, z, i, j)),
    ]
    result = piecewise([v, z], cases)
    return np.where(lower, np.conj(result), result)


def _kve_left(v, z, i, j):
    values = [complex_argument.scaled_k(v + k, z, i) for k in range(j + 1)]
    return from_higher_orders(values, v, z, i, j, -1, 1)[i, j]


def ive_n(v, z, *, i, j):
    """d^i/dv^i d^j/dz^j e^-sz I_v(z), times e^(is Im z), s = sign(Re z). Of real z, derivatives of ive itself."""
    return (complex_scaled.ive_n if np.iscomplexobj(z) else _ive_real)(v, z, i=i, j=j)


@pointwise
def _ive_real(v, x, *, i, j):
    """At the kink x = 0 the mean of the one-sided derivatives."""
    whole = v == np.round(v)
    even = np.where(np.mod(v + j, 2) == 0, 1.0, -1.0)  # I_v(-x) = (-1)^v I_v(x)
    value = _ive_right(v, np.abs(x), i, j)
    left = np.where(whole & (i == 0), even * value, np.nan)
    kink = np.where(whole & (even < 0), 0.0, value)
    return np.where(x < 0, left, np.where(x == 0, kink, value))


def _ive_right(v, x, i, j):
    cases = [
        ((x < SERIES) & (i == 0), lambda v, x: _ive_series(v, x, j)),
        ((x > 0) & (x < NEXT) & (v >= 0), lambda v, x: _ive_next_to_zero(v, x, i, j)),
        ((x == 0) & (j == 0), lambda v, x: minimal_at_zero(v, i)),
        (((v == 0) | (v == 1)) & (i == 0) & (x < LARGE), lambda v, x: _ive_bessel(v, x, j)),
        (v < 0, lambda v, x: (-1) ** i * _ive_reflected(-v, x, i, j)),
        (None, lambda v, x: _ive_positive(v, x, i, j)),
    ]
    return piecewise([v, x], cases)


def _ive_next_to_zero(v, x, i, j):
    """The first terms of the power series (DLMF 10.25.2): I itself may underflow where its derivatives do not."""
    plain = []
    for m in range(j + 1):
        terms = [
            times(
                power_over_gamma(v + 2 * k - m, x / 2, v + k + 1, i, k + 1.0),
                falling_factorial(v, m, i, 2.0 * k),
            )[i]
            for k in range(m // 2 + 2)
        ]
        plain.append(sum(terms) / 2**m)
    return product(exponential(-1.0, x, j), plain)[j]


def _ive_positive(v, x, i, j):
    """For v >= 0."""
    direct = (v * v <= (2 if j < 2 else 8) * x) & (x >= SERIES)
    cases = [
        (direct & (x >= LARGE) & (v * v <= 2 * x) & (i == 0), lambda v, x: _ive_far(v, x, j)),
        (direct, lambda v, x: ive_direct(v, x, i, j)),
        (x >= LONG, lambda v, x: _debye.scaled_i(v, x, i, j)[i][j]),
        (None, lambda v, x: from_higher_orders(_ive_jets(v, x, i, j), v, x, i, j, 1, -1.0)[i][j]),
    ]
    return piecewise([v, x], cases)


def _ive_jets(v, x, n, most):
    """The derivatives in the order, of this one and so many higher ones."""
    relative = lambda v: relative_i(v, x, n) if n else [1.0]
    return [[sc.ive(v + k, x) * f for f in relative(v + k)] for k in range(most + 1)]


def _ive_far(v, x, j):
    """Hankel's expansion (DLMF 10.40.1), differentiated term by term."""

    def add_term(k, term, plain, total, v, x):
        now = term
        for m in range(j):
            now = now * -(k + m + 0.5) / x
        plain, total = plain + term, total + now
        term = term * -(2 * v - (2 * k + 1)) * (2 * v + (2 * k + 1)) / (8 * (k + 1)) / x
        return term, plain, total, np.abs(term) > 1e-18 * np.abs(plain)

    start = [1 / np.sqrt(2 * np.pi * x), 0.0, 0.0]
    return until(add_term, start, [v, x], MOST_TERMS)[2]


def ive_direct(v, x, i, j):
    """pi I = int_0^pi exp(x cos s) cos(v s) ds - sin(pi v) int_0^inf exp(-v t - x cosh t) dt, DLMF 10.32.4."""
    nodes, weights = gauss_legendre(NODES)
    end = 2 * np.arcsin(np.minimum(np.sqrt(FAR / x), 1))
    sign, wave = (-1.0) ** ((i + 1) // 2), (np.sin if i % 2 else np.cos)

    def around(node, weight, v, x, end):
        s = end * node
        fall = -2 * np.sin(s / 2) ** 2  # cos s - 1
        return [sign * weight * np.exp(x * fall) * fall**j * s**i * wave(v * s)]

    def along(node, weight, v, x, end):
        t = end * node
        rise = 2 * np.sinh(t / 2) ** 2  # cosh t - 1
        waves = [sum(comb(i, k) * (-t) ** (i - k) * w for k, w in enumerate(sine(v, i)))]
        return [weight * np.exp(-x * rise - v * t) * (-2 - rise) ** j * waves[0]]

    first = end * sums(around, [nodes, weights], [v, x, end])[0]
    end = np.arccosh(1 + 2 * FAR / x)
    second = end * sums(along, [nodes, weights], [v, x, end])[0]
    return (first - np.exp(-2 * x) * second) / np.pi


def _ive_bessel(v, x, n):
    """d^n/dx^n e^-x I_v(x) for v = 0 or 1: Bessel's integral (DLMF 10.32.3) of a periodic function, by trapezoids."""
    theta = np.pi * np.arange(TRAPEZOIDS + 1) / TRAPEZOIDS
    fall = -2 * np.sin(theta / 2) ** 2  # cos(theta) - 1
    weight = np.where((theta == 0) | (theta == np.pi), 0.5, 1.0) / TRAPEZOIDS * fall**n
    term = lambda fall, weight, cosine, v, x: [np.exp(x * fall) * np.where(v == 0, weight, weight * cosine)]
    return sums(term, [fall, weight, np.cos(theta)], [v, x])[0]


def _ive_reflected(a, x, i, j):
    """In a, of e^-x I_{-a}(x) = e^-x I_a + (2/pi) sin(pi a) e^-2x e^x K_a, DLMF 10.27.2."""
    waves, falls = sine(a, i), exponential(-2.0, x, j)
    terms = [
        comb(i, k) * comb(j, m) * product_of_two(waves[i - k] * falls[j - m], _kve_right(a, x, k, m))
        for k in range(i + 1)
        for m in range(j + 1)
    ]
    return _ive_positive(a, x, i, j) + 2 / np.pi * sum(terms)


def _ive_series(v, x, n):
    """d^n/dx^n e^-x I_v(x) from the power series (DLMF 10.25.2), right at 0 too."""
    plain = [0.0] * (n + 1)
    for k in range(18):
        power = v + 2 * k
        coefficient = sc.rgamma(v + k + 1) / factorial(k)
        for m in range(n + 1):
            # the power may overflow, and coefficients be as small
            half = np.float_power(x / 2, (power - m) / 2)
            term = half * (coefficient * half) / 2**m
            plain[m] = plain[m] + np.where(coefficient == 0, 0.0, term)
            coefficient = coefficient * (power - m)
    return product(exponential(-1.0, x, n), plain)[n]
