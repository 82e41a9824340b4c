"""The F distribution with 2 a and 2 b degrees of freedom, I_x(a, b) at x / (1 - x) = (a / b) f, at fixed f."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import falling_factorial
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.beta_incomplete import further
from hostwrap.special.beta_incomplete._score import f_score
from hostwrap.special.beta_incomplete.density import HUGE, density_over, density_over_power, is_power, shares
from hostwrap.special.beta_incomplete.parameter import parameter_derivative
from hostwrap.special.beta_incomplete.shift import shift
from hostwrap.special.beta_incomplete.slope import Fixed

VISIBLE = 2.0
DISTANT = 1e3  # times the other parameter
SMALL = 1e-2  # x, of which a y - 1 loses the digits for a = 1


def _within(a, b, f):
    """Where SciPy's distribution functions are defined."""
    return (a > 0) & (b > 0) & (f >= 0) & ~np.isinf(a) & ~np.isinf(b)


def _underflows(a, b, f):
    """x or y is below all doubles, and its power a or b is not."""
    x, y = shares(a * f, b)
    return (f > 0) & np.isfinite(f) & ((x == 0) & (a < VISIBLE) | (y == 0) & (b < VISIBLE))


def _within_reach(*parameters):
    """As large as the kernels take them: in place of larger ones, and in x, so that f stays what it is."""
    return [np.where(np.isinf(p), p, np.minimum(p, HUGE)) for p in parameters]


@pointwise
def f_parameter(a, b, f, *, wrt):
    """The derivative of the distribution function in "a", "b", "aa", "ab", "bb", "aaa", ..."""
    derivative = lambda a, b, f: parameter_derivative(a, b, *shares(a * f, b), Fixed.F, wrt)
    a, b = _within_reach(a, b)
    return piecewise([a, b, f], [(_within(a, b, f) & ~_underflows(a, b, f), derivative)])


@pointwise
def f_density(a, b, f, *, wrt):
    """The density ("") and its derivatives in "a", "b", "f", "aa", ..."""
    return piecewise(
        [a, b, f],
        [
            (~_within(a, b, f) | _underflows(a, b, f), lambda *_: np.nan),
            (f == 0, lambda a, b, f: _density_at_zero(a, b, wrt)),
            (np.isinf(f), lambda *_: 0.0),
            (None, lambda a, b, f: _density(a, b, f, wrt)),
        ],
    )


def _density(a, b, f, wrt):
    a, b = _within_reach(a, b)
    x, y = shares(a * f, b)
    if len(wrt) > 1:
        return _further_density(a, b, x, y, f, wrt)
    growth = {
        "": lambda: 1.0,
        "a": lambda: f_score(a, b, x, y),
        "b": lambda: f_score(b, a, y, x),
        "f": lambda: np.where(x < SMALL, a - 1 - (a + b) * x, a * y - b * x - 1) / f,
    }[wrt]
    return density_over(a, b, x, y, f, growth())


def _further_density(a, b, x, y, f, wrt):
    k = len(wrt)
    by_powers = is_power(a, a + b, x, k) & (wrt == "f" * k)
    return piecewise(
        [a, b, x, y, f],
        [
            (by_powers, lambda *at: _by_powers(*at, k)),
            (None, lambda *at: further.density_f(*at, wrt)),
        ],
    )


def _by_powers(a, b, x, y, f, k):
    """By Leibniz: f^(a - 1) and (1 + a f / b)^-(a + b), of which each derivative brings down -(a + b) x / f."""

    def term(m):
        """m times f^(a - 1)."""
        factor = falling_factorial(a, m, 0, -1.0)[0] * sc.poch(a + b, k - m) * (-x / f) ** (k - m)
        return np.where(factor == 0, 0.0, density_over_power(a, b, x, y, f, m + 1) * factor)

    return sum(math.comb(k, m) * term(m) for m in range(k + 1))


def _density_at_zero(a, b, wrt):
    """The limit f -> 0 of c f^(a-1) (1 + a f / b)^-(a+b), c = (a/b)^a / B(a, b)."""
    k = len(wrt)
    if wrt == "f" * k:
        # derivatives of the second factor, where the first one is a constant
        rest = np.maximum(k + 1 - a, 0.0)
        constant = sc.binom(k, rest) * sc.gamma(a) * sc.poch(a + b, rest) * (-1.0) ** rest
        constant = constant * np.float_power(a / b, a + rest) / sc.beta(a, b)
        infinite = np.where(falling_factorial(a, k, 0, -1.0)[0] < 0, -np.inf, np.inf)
        return np.where(a > k + 1, 0.0, np.where(a == np.round(a), constant, infinite))
    below, edge = {"a": (-np.inf, -np.inf), "b": (np.inf, 0.0)}.get(wrt, (np.nan, np.nan))
    order = wrt.count("f")
    return np.where(a - 1 > order, 0.0, np.where(a - 1 == order, edge, below))


@pointwise
def f_shift(a, b, p, q, *, wrt):
    """(dF/da) / (dF/dz), z = log f and f = p / q, or its derivative in "a", "b", "z", "aa", ..."""
    a, b = _within_reach(a, b)
    at = a, b, *shares(a * p, b * q)
    direct = lambda *at: shift(*at, Fixed.F, wrt)
    if wrt != "b":
        return direct(*at)
    return piecewise(at, [(b > DISTANT * np.maximum(a, 1), _shift_in_distant), (None, direct)])


def _shift_in_distant(a, b, x, y):
    """The derivative of the shift s in a b that hardly moves it, from that of the shift t by b.

    At a quantile q, -s and -t are the derivatives of log q in a and b. Its mixed derivative is one number, so
    s_b - t s_z = t_a - s t_z.
    """
    s, s_z = (shift(a, b, x, y, Fixed.F, wrt) for wrt in ("", "z"))
    # as `other_f_shift`, with other signs of t and of its derivative in a
    t, t_a, t_z = (shift(b, a, y, x, Fixed.F, wrt) for wrt in ("", "b", "z"))
    return -t_a - t * s_z - s * t_z
