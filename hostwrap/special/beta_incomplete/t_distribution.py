"""Student's t: the F distribution of f = t^2 with 1 and v degrees of freedom, and its sign."""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.series import ROUNDINGS, WANTED
from hostwrap.special.beta_incomplete import further
from hostwrap.special.beta_incomplete._score import f_score
from hostwrap.special.beta_incomplete.density import shares
from hostwrap.special.beta_incomplete.parameter import parameter_derivative
from hostwrap.special.beta_incomplete.shift import shift
from hostwrap.special.beta_incomplete.slope import Fixed
from hostwrap.special.gamma_beta._quotient import gamma_ratio, scaled
from hostwrap.special.gamma_beta.gamma import exponential
from hostwrap.special.gamma_beta.psi_difference import psi_rise

FAR = 1e74
LINEAR = 1e-9  # |t| and |t| / sqrt(v) whose squares are nothing beside 1; they may underflow
FEW = 0.05  # degrees of freedom
NORMAL = 1e20  # so many degrees of freedom stand for infinitely many


def _shares(v, t):
    """x and y with x / y = t^2 / v, which is not squared."""
    return shares(np.abs(t), v / np.abs(t))


@pointwise
def t_parameter(v, t, *, n):
    """(d/dv)^n of the distribution function, n = 1, 2, ..."""
    v, fading = np.minimum(v, NORMAL), _beyond(v) ** (n + 1)
    far = (v > 0) & np.isfinite(t) & (np.abs(t) / FAR > np.sqrt(v) * FAR)
    line = LINEAR * np.minimum(1.0, np.sqrt(np.maximum(v, 0.0)))
    share = np.minimum(np.abs(t) / np.where(line > 0, line, 1.0), 1.0)  # of a line through 0
    near = np.where(far, np.sqrt(v) * FAR * FAR, np.where(share < 1, np.copysign(line, t), t))
    slopes = [  # those below the n-th are for far points
        piecewise([v, near], [(v > 0 if k == n else far, functools.partial(_derivative, k))])
        for k in range(1, n + 1)
    ]
    cases = [(far, _far_out), (None, lambda v, t, near, share, *slopes: share * slopes[-1])]
    return fading * piecewise([v, t, near, share, *slopes], cases)


def _beyond(v):
    """NORMAL / v for more degrees of freedom: what depends on them goes like 1 / v."""
    return NORMAL / np.maximum(v, NORMAL)


def _derivative(n, v, t):
    of_square = parameter_derivative(np.full_like(v, 0.5), v / 2, *_shares(v, t), Fixed.F, "b" * n)
    return np.sign(t) * of_square / 2 ** (n + 1)


def _far_out(v, t, start, _, *slopes):
    """Where v / t^2 underflows the tail is as |t|^-v, to all digits: from one at t0 = sqrt(v) FAR^2."""
    log, n = np.log(np.abs(t) / start), len(slopes)
    tail = [0.5 * sc.betainc(v / 2, 0.5, FAR**-4.0), *(-slope for slope in slopes)]
    moved = sum(math.comb(n, k) * (-log) ** (n - k) * tail[k] for k in range(n + 1))
    return -np.sign(t) * np.exp(-v * log) * moved


@pointwise
def t_density(v, t, *, n):
    """(d/dv)^n of the density."""
    if n == 0:
        return _density(np.minimum(v, NORMAL), t)
    cases = [((v > 0) & (v < FEW), lambda v, t: _of_few(v, t, n)), (None, lambda v, t: _of_many(v, t, n))]
    return piecewise([np.minimum(v, NORMAL), t], cases) * _beyond(v) ** (n + 1)


def _density(v, t):
    ratio = gamma_ratio(v / 2, np.full_like(v, 0.5))
    return ratio / np.sqrt(math.pi * v) * np.exp(-(v + 1) / 2 * _log1p_square(v, t))


def _of_many(v, t, n):
    density, half = _density(v, t), np.full_like(v, 0.5)
    x, y = _shares(v, t)
    logs = functools.cache(
        lambda m: _log_slope(v, t, m) if m > 1 else _score(v, t, f_score(v / 2, half, y, x))
    )
    return np.where(density == 0, 0.0, density * exponential(logs, n))


def _of_few(v, t, n):
    """The density is v h(v), where the logarithm of h has small derivatives; those of the density's own cancel.

    It may underflow, too, where its derivative does not.
    """
    far, at_infinity = np.abs(t) > 1, np.isinf(t)
    t = np.where(at_infinity, 1.0, np.abs(t))
    inverse = 1 / np.where(far, t, 1.0)
    part = np.where(far, inverse / (t + v * inverse), 1 / (v + np.where(far, 0.0, t) ** 2))  # 1 / (v + t^2)
    rest = np.where(far, (inverse * inverse - 1) / (1 + v * inverse * inverse), (1 - t * t) * part)
    half = np.full_like(v, 0.5)

    def log_slope(k):
        """(d/dv)^k of log h."""
        of_gamma = -psi_rise(v / 2 + 0.5, half, k - 1) / 2**k
        if k == 1:
            return of_gamma - (_log1p_square(v, t) + rest) / 2
        sign = (-1) ** k * math.factorial(k - 2)
        return of_gamma + sign * (v ** (1 - k) - part ** (k - 1) + (k - 1) * rest * part ** (k - 1)) / 2

    logs = functools.cache(log_slope)
    relative = n * exponential(logs, n - 1) + v * exponential(logs, n)
    log = -(np.log(v) + (v + 1) * _log1p_square(v, t)) / 2
    factor = sc.gamma(v / 2 + 0.5) * sc.rgamma(v / 2 + 1) / math.sqrt(4 * math.pi)
    return np.where(at_infinity, 0.0, scaled(log, factor, relative))


def _score(v, t, of_square):
    """(d/dv) of the density's logarithm: half of the F distribution's, whose share of 1 may be 0 far out."""
    far = np.abs(t) > FAR * np.sqrt(v)
    limit = psi_rise(v / 2, np.full_like(v, 0.5), 0) + 1 - _log1p_square(v, t)
    return np.where(far, limit, of_square) / 2


def _log_slope(v, t, m):
    """(d/dv)^m of the density's logarithm, m > 1."""
    far = t * t / v
    lost = lambda k: -np.expm1(-k * np.log1p(far)) / v**k  # 1 / v^k - 1 / (v + t^2)^k
    sign = (-1) ** m * math.factorial(m - 2)
    parts = (
        psi_rise(v / 2, np.full_like(v, 0.5), m - 1) / 2**m,
        sign * (m - 1) / (2 * v**m),
        -sign * (m - 1) * (v + 1) * lost(m) / 2,
        sign * m * lost(m - 1) / 2,
    )
    right = ROUNDINGS * sum(map(np.abs, parts)) <= WANTED / (
        v**m * (1 + v)
    )  # of many degrees of freedom all is small
    return np.where(right, sum(parts), np.nan)


def _log1p_square(v, t):
    """log(1 + t^2 / v)."""
    ratio = np.abs(t) / np.sqrt(v)
    far = np.where(np.isinf(ratio), 2 * np.log(np.abs(t)) - np.log(v), 2 * np.log(ratio))
    return np.where(ratio < 1e8, np.log1p(ratio * ratio), far)


@pointwise
def t_shift(v, t, *, wrt):
    """(dF/dv) / (dF/dz), z = log |t|, or its derivative in "v", "t", "tv", ..."""
    fading = _beyond(v) ** (2 + wrt.count("v"))
    v = np.minimum(v, NORMAL)
    x, y = _shares(v, t)  # dF/db of (1/2, b) is -dF/da of (b, 1/2)
    if len(wrt) > 1 and "t" in wrt:
        return np.where((t == 0) & (wrt.count("t") % 2 == 1), 0.0, fading * further.shift_t(v, t, y, x, wrt))
    kind = {"t": "z"}.get(wrt, "a" * len(wrt))
    of_square = shift(v / 2, np.full_like(v, 0.5), y, x, Fixed.F, kind)
    if wrt == "t":
        return np.where(t == 0, 0.0, fading * of_square / np.where(t == 0, 1.0, t) / 2)
    return -fading * of_square / 2 ** (len(wrt) + 2)
