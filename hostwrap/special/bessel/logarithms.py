"""d^i/dv^i d^j/dx^j of log I_v(x), log K_v(x), log e^-x I_v(x) and log e^x K_v(x); real v and x > 0 of any size.

Both functions are integrals of exp(-x C - v T) over some measure. With dv and dx in the exponent, and a centre
subtracted from C and T, this is a power series whose coefficients are central moments. The derivatives of its logarithm
are cumulants. So no large terms cancel, as those of f''/f - (f'/f)^2 would.

All towers are in powers of dv and dx / x. K is even in v. For v < 0 I may be negative, so its logarithm is NaN.
"""

from math import factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import integrals, reach, spans
from hostwrap.special._numerics.towers import logarithm, places, zeros
from hostwrap.special.bessel import _debye, scaled
from hostwrap.special.bessel._cancelling import csc_excess, sin_minus_s_cos, sinh_minus
from hostwrap.special.gamma_beta.gamma import psi_right

LARGE = 2500.0  # sqrt(v^2 + x^2) from which on Debye's expansions have all digits, in second derivatives too
FURTHER = 500.0  # from which on they have more than moments, in further ones
SYMMETRIC = 1.0  # v arsinh(v/x) below which the two halves of the integral of K overlap
TERMS = 30  # of the power series of I for x^2 < 8 (v + 1)
NODES = 64
LEFT = 1e-8  # a part of 1: the moments have about 16 digits


def log_iv(v, x):
    """log(I_v(x)), the logarithm of the modified Bessel function of the first kind, v >= 0 and x > 0.

    It is finite where the function itself underflows or overflows:

    >>> import jax
    >>> import hostwrap.special as sc
    >>> f"{sc.log_iv(1e4, 30.0):.12g}", f"{sc.iv(1e4, 30.0)}"
    ('-55028.4033281', '0.0')
    >>> [f"{slope:.12g}" for slope in jax.grad(sc.log_iv, (0, 1))(1e4, 30.0)]
    ['-6.50234241958', '333.33483318']
    """
    return log_iv_n(v, x)


def log_ive(v, x):
    """log(e^-x I_v(x)), the logarithm of the scaled modified Bessel function of the first kind, v >= 0 and x > 0.

    It is finite where the function itself underflows or overflows:

    >>> import jax
    >>> import hostwrap.special as sc
    >>> f"{sc.log_ive(1e4, 30.0):.12g}", f"{sc.ive(1e4, 30.0)}"
    ('-55058.4033281', '0.0')
    >>> [f"{slope:.12g}" for slope in jax.grad(sc.log_ive, (0, 1))(1e4, 30.0)]
    ['-6.50234241958', '332.33483318']
    """
    return log_ive_n(v, x)


def log_kv(v, x):
    """log(K_v(x)), the logarithm of the modified Bessel function of the second kind, real v and x > 0.

    It is finite where the function itself underflows or overflows:

    >>> import jax
    >>> import hostwrap.special as sc
    >>> f"{sc.log_kv(1e4, 30.0):.12g}", f"{sc.kv(1e4, 30.0)}"
    ('55018.499836', 'inf')
    >>> [f"{slope:.12g}" for slope in jax.grad(sc.log_kv, (0, 1))(1e4, 30.0)]
    ['6.50224242048', '-333.33483348']
    """
    return log_kv_n(v, x)


def log_kve(v, x):
    """log(e^x K_v(x)), the logarithm of the scaled modified Bessel function of the second kind, real v and x > 0.

    It is finite where the function itself underflows or overflows:

    >>> import jax
    >>> import hostwrap.special as sc
    >>> f"{sc.log_kve(1e4, 30.0):.12g}", f"{sc.kve(1e4, 30.0)}"
    ('55048.499836', 'inf')
    >>> [f"{slope:.12g}" for slope in jax.grad(sc.log_kve, (0, 1))(1e4, 30.0)]
    ['6.50224242048', '-332.33483348']
    """
    return log_kve_n(v, x)


@pointwise
def log_iv_n(v, x, *, dv=0, dx=0):
    return _i(v, x, dv, dx, 1.0, 0.0)


@pointwise
def log_ive_n(v, x, *, dv=0, dx=0):
    return _i(v, x, dv, dx, 0.0, -1.0)


@pointwise
def log_kv_n(v, x, *, dv=0, dx=0):
    return _k(v, x, dv, dx, -1.0)


@pointwise
def log_kve_n(v, x, *, dv=0, dx=0):
    return _k(v, x, dv, dx, 0.0)


def _i(v, x, i, j, of_scaled, of_plain):
    """The logarithms of e^-x I and of I, with this multiple of x added."""

    def of(tower, slope):
        return lambda v, x: _entry(tower(v, x, i, j), v, x, i, j, slope)

    inside = (v >= 0) & (x > 0) & (v < np.inf) & (x < np.inf)
    cases = [
        (~inside, lambda v, x: _i_at_ends(v, x, i, j, of_scaled)),
        (_is_large(v, x, i + j), of(_i_debye, of_scaled)),
        ((x >= scaled.SERIES) & (v * v <= 2 * x), of(_i_direct, of_scaled)),
        (x * x <= 8 * (v + 1), of(_i_series, of_plain)),
        (None, of(_i_by_descent, of_scaled)),
    ]
    return piecewise([v, x], cases)


def _k(v, x, i, j, slope):
    def of(tower):
        return lambda v, x: _entry(tower(v, x, i, j), v, x, i, j, slope)

    sign = np.where(v < 0, (-1.0) ** i, 1.0)  # K is even in v
    order = np.abs(v)
    cases = [
        (~((x > 0) & (order < np.inf) & (x < np.inf)), lambda v, x: _k_at_ends(v, x, i, j)),
        (_is_large(order, x, i + j), of(lambda v, x, i, j: _debye.log_scaled(v, x, i, j, 1))),
        (None, lambda v, x: _where_left(of(_k_integral)(v, x), x, i, j)),
    ]
    return sign * piecewise([order, x], cases)


def _is_large(v, x, order):
    return np.hypot(v, x) >= (LARGE if order < 3 else FURTHER)


def _entry(tower, v, x, i, j, slope):
    """The derivative, and that of slope x."""
    value = tower[i][j] * (factorial(i) * factorial(j))
    for _ in range(j):
        value = value / x
    if i == 0 and j < 2:
        value = value + (slope if j else slope * x)
    return value


def _i_at_ends(v, x, i, j, of_scaled):
    """The values at 0 and infinity. There, and outside the domain, the derivatives are NaN."""
    end = np.where(v == 0, 0.0, -np.inf)
    end = np.where(x == 0, end, np.where(v == np.inf, -np.inf, np.inf if of_scaled else -np.inf))
    known = (v >= 0) & (x >= 0) & ~((v == np.inf) & (x == np.inf)) & (i + j == 0)
    return np.where(known, end, np.nan)


def _where_left(value, x, i, j):
    """NaN where moments of order 1 have cancelled, as in mixed derivatives for x far below v: K is nearly c x^-v."""
    if i == 0 or j == 0 or i + j < 3:
        return value
    size = np.abs(value)
    for _ in range(j):
        size = size * x
    return np.where(size > LEFT, value, np.nan)


def _k_at_ends(v, x, i, j):
    known = (v >= 0) & (x >= 0) & ~((v == np.inf) & (x == np.inf)) & (i + j == 0)
    return np.where(known, np.where(x == np.inf, -np.inf, np.inf), np.nan)


def _i_debye(v, x, i, j):
    return _debye.log_scaled(v, x, i, j, -1)


def _k_integral(v, x, i, j):
    """2 K = int exp(v t - x cosh t) dt over the whole line (DLMF 10.32.9), centred where it is largest.

    The left half is folded onto the right one. Where the halves overlap, the centre of t is 0, and moments odd in t are
    odd in v to the last digit.
    """
    s, top = np.hypot(v, x), _debye.angle(v, x)
    fall, rise = _around(v, x, s)
    right = reach(fall, np.minimum(np.log(s + 100) - np.log(s) + 6, 720.0))
    centre = np.where(v * top < SYMMETRIC, 0.0, top)
    near = centre == 0

    def terms(d):
        t, size = top + d, np.exp(fall(d))
        here, there = np.where(near, t, d), -(t + centre)

        def folded(f, g):
            """f + g e^-2vt. Next to v = 0, g is f or -f; odd powers cancel exactly, before the weights apply."""
            return size * np.where(near, (f + g) + g * np.expm1(-2 * v * t), f + g * np.exp(-2 * v * t))

        powers = [folded(here**k, there**k) for k in range(i + 1)]
        grown = -rise(d)
        return [
            f * grown**m / (factorial(k) * factorial(m)) for k, f in enumerate(powers) for m in range(j + 1)
        ]

    moments = integrals(terms, spans(reach(lambda d: fall(-d), top), right), NODES // 2)
    tower = logarithm(_rows(moments, i, j), np.log(moments[0]) - np.log(2))
    tower[0][0] = tower[0][0] + v * top - v * (v / (s + x))
    return _moved(tower, centre, -v * (v / (s + x)))


def _around(v, x, s):
    """v t - x cosh t and x cosh t at top + d, less their values at top, where the former has its maximum."""
    p, q = (s + v) / 2, x * (x / (s + v)) / 2  # x e^top / 2 and x e^-top / 2

    def fall(d):
        return -p * _exp_minus(d) - q * _exp_minus(-d)

    def rise(d):
        return np.where(
            np.abs(d) < 1, v * np.sinh(d) + 2 * s * np.sinh(d / 2) ** 2, p * np.expm1(d) + q * np.expm1(-d)
        )

    return fall, rise


def _exp_minus(d):
    """e^d - 1 - d."""
    return np.where(np.abs(d) < 1, sinh_minus(d) + 2 * np.sinh(d / 2) ** 2, np.expm1(d) - d)


def _i_by_descent(v, x, i, j):
    """2 pi i I = int exp(x cosh w - v w) dw from inf - i pi to inf + i pi (DLMF 10.32.12), w = top + d + i s.

    The path leads through the saddle point, on x sinh Re w sin s = v s, where the exponent is real.
    """
    ratio, root, top = v / x, np.hypot(v, x), _debye.angle(v, x)
    fall, _ = _around(v, x, root)

    def path(s):
        excess = csc_excess(s)
        sinh = ratio * (1 + excess)
        cosh = np.hypot(1, sinh)
        d = np.arcsinh(ratio * ratio * excess * (2 + excess) / (sinh * root / x + ratio * cosh))
        return d, cosh, -fall(d) - 2 * x * cosh * np.sin(s / 2) ** 2

    def terms(s):
        d, cosh, exponent = path(s)
        slope = ratio * sin_minus_s_cos(s) / (np.sin(s) ** 2 * cosh)
        along = np.exp(exponent) * (1 - 1j * slope)
        w, grown = d + 1j * s, exponent + v * d + 1j * v * s  # x cosh w less its value at the top
        return [
            (along * (-w) ** k * grown**m).real / (factorial(k) * factorial(m))
            for k in range(i + 1)
            for m in range(j + 1)
        ]

    end = reach(lambda s: path(s)[2], np.full_like(x, np.pi * (1 - 1e-6)))
    moments = integrals(terms, [(0.0 * end, end)], NODES)
    tower = logarithm(_rows(moments, i, j), np.log(moments[0]) - np.log(np.pi))
    tower[0][0] = tower[0][0] + v * (v / (root + x)) - v * top
    return _moved(tower, -top, v * (v / (root + x)))


def _i_direct(v, x, i, j):
    """From the derivatives of e^-x I_v(x) for small orders, which do not cancel there."""
    tower = zeros(i, j, x)
    for k, m in places(tower):
        tower[k][m] = scaled.ive_direct(v, x, k, m) * x**m / (factorial(k) * factorial(m))
    return logarithm(tower, np.log(tower[0][0]))


def _i_series(v, x, i, j):
    """I by DLMF 10.25.2, relative to its first term; all terms are positive."""
    z, term = (x / 2) ** 2, [np.ones_like(x), *[np.zeros_like(x)] * i]
    total = zeros(i, j, x)
    for k in range(1, TERMS):
        inverse = [(-1) ** n / (v + k) ** (n + 1) for n in range(i + 1)]
        term = [z / k * sum(term[m] * inverse[n - m] for m in range(n + 1)) for n in range(i + 1)]
        for n, m in places(total):  # (1 + dx / x)^2k
            total[n][m] = total[n][m] + term[n] * sc.binom(2 * k, m)
    first = np.log1p(total[0][0])
    total[0][0] = 1 + total[0][0]
    tower = logarithm(total, first)
    half = np.log(x / 2)
    tower[0][0] = tower[0][0] + v * half - _log_factorial(v)
    for n in range(1, i + 1):
        gamma = half - sc.psi(v + 1) if n == 1 else -psi_right(v + 1, n - 1) / factorial(n)
        tower[n][0] = tower[n][0] + gamma
    for m in range(1, j + 1):  # of v log(1 + dx / x)
        tower[0][m] = tower[0][m] - (-1) ** m * v / m
        if i:
            tower[1][m] = tower[1][m] - (-1) ** m / m
    return tower


def _log_factorial(v):
    """log Gamma(1 + v), next to v = 0 by DLMF 5.7.3, which does not round 1 + v."""
    small = np.where(v < 0.5, v, 0.0)
    total = np.zeros_like(v)
    for k in range(28, 1, -1):
        total = -small * (sc.zetac(k) / k + total)
    return np.where(v < 0.5, small * ((1 - np.euler_gamma) - total) - np.log1p(small), sc.gammaln(v + 1))


def _rows(moments, i, j):
    return [list(moments[k * (j + 1) : (k + 1) * (j + 1)]) for k in range(i + 1)]


def _moved(tower, order, argument):
    """The derivatives with the subtracted centres added again."""
    if len(tower) > 1:
        tower[1][0] = tower[1][0] + order
    if len(tower[0]) > 1:
        tower[0][1] = tower[0][1] + argument
    return tower
