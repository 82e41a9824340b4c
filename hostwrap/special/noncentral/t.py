"""The noncentral t distribution: F(t) = E Phi(t s - d), where v s^2 has the chi-square distribution of v degrees."""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.until import repeated
from hostwrap.special.gamma_beta._quotient import gamma_ratio, one, product_derivative, scaled
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.noncentral import _chi, _many
from hostwrap.special.noncentral._few import FEW, LONGEST, integral
from hostwrap.special.noncentral._many import hermite
from hostwrap.special.noncentral._small_t import is_small, nct_moment_small

LOG_SQRT_2PI = math.log(2 * math.pi) / 2
BISECTIONS = 40
GENTLE = 0.5  # the exponent of Phi changes by less than this over the width of s


@pointwise
def nct_cdf_n(v, d, t, *, n, longest=LONGEST):
    """(d/dv)^n of F; `longest` is that of `_few.integral`."""
    side = smaller_side(v, d, t, n, longest)
    return np.where(is_upper(v, d, t), (n == 0) - side, side)


def is_upper(v, d, t):
    """Is t above the median (about)?"""
    return t > d


def smaller_side(v, d, t, n, longest=LONGEST):
    """(d/dv)^n of 1 - F where `is_upper`, of F elsewhere: all digits of whichever is small."""
    sign = np.where(is_upper(v, d, t), -1.0, 1.0)
    t, d = sign * t, sign * d  # 1 - F(t; d) = F(-t; -d)
    gentle = (np.abs(t) * mills(t - d) < GENTLE * np.sqrt(2 * v)) & (n > 0)
    return piecewise(
        [v, d, t],
        [
            (~_inside(v, d, t), lambda v, d, t: np.nan),
            (((t == 0) | np.isinf(v)) & (n == 0), lambda v, d, t: sc.ndtr(t - d)),
            ((t == 0) | np.isinf(v) | np.isinf(t), lambda v, d, t: 0.0),
            (v < FEW, functools.partial(_with_few, n, longest)),
            (_many.is_many(v, d, t), functools.partial(_many.distribution, n)),
            (_many.is_hopeless(v, d, t), lambda v, d, t: np.nan),
            (gentle, functools.partial(_difference, n)),
            (None, functools.partial(_whole, n)),
        ],
    )


def _inside(v, d, t):
    return (v > 0) & np.isfinite(d) & ~np.isnan(t)


def mills(x):
    """phi(x) / Phi(x)."""
    return math.sqrt(2 / math.pi) / sc.erfcx(-x / math.sqrt(2))


def _whole(n, v, d, t):
    """The integral of Phi(t s - d) (d/dv)^n p(s)."""
    exponent = lambda u: sc.log_ndtr(t * np.exp(u) - d) - v / 2 * _chi.energy(u)
    weighted = lambda u, w: product_derivative(w, _chi.logs(v, u, n), one, n, 0)
    total, top = _chi.integral(v, exponent, _mode(v, d, t), weighted)
    return scaled(top + _chi.log_height(v), total)


def _mode(v, d, t):
    """Where v (1/s - s) + t phi/Phi(t s - d) = 0, which falls in s; by bisection in log s."""
    high = np.log1p(np.abs(t) * (np.abs(d) + 1) / v) + 1
    low = -high - np.log1p(1 / v) - np.log1p(np.abs(t)) - 1

    def halved(_, low, high):
        middle = (low + high) / 2
        s = np.exp(middle)
        rising = v * (1 - s * s) + s * t * mills(t * s - d) > 0
        return np.where(rising, middle, low), np.where(rising, high, middle)

    return repeated(halved, [low, high], BISECTIONS)[0]


def _difference(n, v, d, t):
    """The integral of (Phi(t s - d) - Phi(t - d)) (d/dv)^n p(s): a constant contributes nothing."""

    def weighted(u, w):
        rise = _phi_difference(t - d, t * np.expm1(u))
        return product_derivative(w * rise, _chi.logs(v, u, n), one, n, 0)

    total, _ = _chi.integral(v, lambda u: -v / 2 * _chi.energy(u), np.zeros_like(v), weighted)
    return total * np.exp(_chi.log_height(v))


def _with_few(n, longest, v, d, t):
    """In the limit v = 0 F is Phi(-d)."""
    rest = integral(n, lambda d, ts, u: _phi_difference(-d, ts), v, d, t, longest)
    return rest + sc.ndtr(-d) if n == 0 else rest


def _moment_with_few(k, q, n, longest, v, d, t):
    """For k > 0 the moment of v = 0 is 0."""
    value = lambda x: hermite(q, x) * np.exp(-x * x / 2 - LOG_SQRT_2PI)
    if k:
        return integral(n, lambda d, ts, u: np.exp(k * u) * value(ts - d), v, d, t, longest)
    rest = integral(n, lambda d, ts, u: value(ts - d) - value(-d), v, d, t, longest)
    return rest + value(-d) if n == 0 else rest


def _phi_difference(x, h):
    """Phi(x + h) - Phi(x), by Taylor's series in h where it is small."""
    near = np.abs(h) * (1 + np.abs(x)) < 0.5
    step = np.where(near, h, 0.0)
    before, here, power, series = 0.0, 1.0, step, 0.0
    for k in range(1, 15):
        series = series + here * power
        before, here = here, -(x * here + (k - 1) * before)  # phi^(k) / phi
        power = power * step / (k + 1)
    return np.where(near, series * np.exp(-x * x / 2 - LOG_SQRT_2PI), sc.ndtr(x + h) - sc.ndtr(x))


def _moment_at_zero(k, q, n, v, d, t):
    """At t = 0 the rest is the moment of s alone, a quotient of Gamma functions."""

    def logs(i, _):
        rise = (psi_n((v + k) / 2, i - 1) - psi_n(v / 2, i - 1)) / 2**i
        return rise + k / 2 * (-1) ** i * math.factorial(i - 1) / v**i

    moment = gamma_ratio(v / 2, np.full_like(v, k / 2)) * (2 / v) ** (k / 2)
    factor = hermite(q, -d) * np.exp(-d * d / 2 - LOG_SQRT_2PI)
    return product_derivative(factor * moment, logs, one, n, 0)


@pointwise
def nct_moment_n(v, d, t, *, k, q, n, longest=LONGEST):
    """(d/dv)^n of the integral of s^k He_q(t s - d) phi(t s - d) p(s): up to sign, every derivative of F in d and t."""
    return piecewise(
        [v, d, t],
        [
            (~_inside(v, d, t), lambda v, d, t: np.nan),
            (np.isinf(t) | np.isinf(v) & (n > 0), lambda v, d, t: 0.0),
            (np.isinf(v), lambda v, d, t: hermite(q, t - d) * np.exp(-((t - d) ** 2) / 2 - LOG_SQRT_2PI)),
            ((t == 0) & ((n == 0) | (k % 2 == 1) & (v < FEW)), functools.partial(_moment_at_zero, k, q, n)),
            (_many.is_many(v, d, t, k + q), functools.partial(_many.moment, k, q, n)),
            (_many.is_hopeless(v, d, t, k + q), lambda v, d, t: np.nan),
            (is_small(v, d, t) & (n > 0), functools.partial(nct_moment_small, k, q, n)),
            ((v < FEW) & (t != 0), functools.partial(_moment_with_few, k, q, n, longest)),
            (None, functools.partial(_moment, k, q, n)),
        ],
    )


def _moment(k, q, n, v, d, t):
    exponent = lambda u: k * u - v / 2 * _chi.energy(u) - (t * np.exp(u) - d) ** 2 / 2

    def weighted(u, w):
        weight = w * hermite(q, t * np.exp(u) - d)
        return product_derivative(weight, _chi.logs(v, u, n), one, n, 0)

    total, top = _chi.integral(v, exponent, _peak(v, d, t, k), weighted, k)
    return scaled(top + _chi.log_height(v) - LOG_SQRT_2PI, total)


def _peak(v, d, t, k):
    """log of the s at which s^(v+k) exp(-(v s^2 + (t s - d)^2) / 2) is largest: (v + t^2) s^2 - t d s = v + k."""
    size = np.where(np.abs(t) > 1e150, np.abs(t), 1.0)  # s over it, where t^2 may overflow
    t = t / size
    a, half = v / size / size + t * t, t * d / 2
    root = np.sqrt(half * half + a * (v + k))
    return np.log(np.where(half > 0, (half + root) / a, (v + k) / (root - half))) - np.log(size)
