"""The x with I_x(a, b) = p or 1 - I_x(a, b) = p, differentiated by the implicit function theorem.

A parameter t moves the logit u of x by u_t = -Q_t, where Q_t = (dI/dt) / (dI/du) neither over- nor underflows, and
u_tt' = -(dQ_t/dt' - Q_t' dQ_t/du). SciPy's inverses give x and 1 - x, each with all its digits, except in far tails.
From the third derivative on `further` has them.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets, pointwise
from hostwrap.special._numerics.until import until
from hostwrap.special.beta_incomplete import further
from hostwrap.special.beta_incomplete._score import score
from hostwrap.special.beta_incomplete._tail import mills
from hostwrap.special.beta_incomplete.density import density_parts, logit_density
from hostwrap.special.beta_incomplete.slope import Fixed, slope, slopes
from hostwrap.special.gamma_beta.beta import beta_parts, beta_value

STEPS, DEEP = 12, 1e-60
UNDERFLOW = 2.3e-308  # what SciPy returns in place of a smaller root


@pointwise
def beta_quantile(a, b, p, *, upper, wrt):
    """The derivative of betaincinv(a, b, p), or of betainccinv, in "a", "b", "p", "aa", "ab", "ap", ..."""
    if upper:  # x(a, b, p) = 1 - x'(b, a, p), where x' belongs to I
        return -beta_quantile(b, a, p, upper=False, wrt=_swapped(wrt))
    deep = (p > UNDERFLOW) & (p < DEEP) & (a > 0) & (b > 0) & ~np.isinf(a) & ~np.isinf(b)
    x, y = piecewise_jets([a, b, p], 1, [(deep, _deep_root), (None, _scipys_root)])
    return piecewise(
        [a, b, x, y],
        [
            (np.isnan(x), lambda *_: np.nan),
            (x < UNDERFLOW, lambda a, b, *_: _at_zero(a, b, wrt)),
            (y < UNDERFLOW, lambda a, b, *_: -_at_zero(b, a, _swapped(wrt)) * (-1) ** wrt.count("p")),
            (None, lambda *args: _derivative(*args, wrt)),
        ],
    )


def _scipys_root(a, b, p):
    return np.stack([sc.betaincinv(a, b, p), sc.betainccinv(b, a, p)])


def _deep_root(a, b, p):
    """By Newton's method for log I, which is concave in u; SciPy's root, if any, may have lost its digits there."""
    x, y = _scipys_root(a, b, p)
    m, l = beta_parts(a, b)
    leading = np.minimum((np.log(p) + np.log(a * m) + l) / a, -1e-3)  # I = x^a / (a B) (1 + ...)
    found = (x > UNDERFLOW) & (y > UNDERFLOW)
    u = np.where(found, np.log(x) - np.log(y), leading - np.log(-np.expm1(leading)))
    settled = leading < -700  # where the other terms of I are nothing
    u = piecewise([a, b, p, u], [(settled, lambda a, b, p, u: u), (None, _deep_logit)])
    return np.stack([sc.expit(u), sc.expit(-u)])


def _deep_logit(a, b, p, u):
    def newton(turn, u, _, a, b, p):
        x, y = sc.expit(u), sc.expit(-u)
        ratio = mills(a, b, x, y)
        m, l = density_parts(a, b, x, y)
        step = ratio * (np.log(ratio * m) + l - np.log(p))
        size = np.abs(step) / np.maximum(np.abs(u - step), 1.0)
        return u - step, size, (size > 1e-15) & (turn < STEPS - 1)

    u, size = until(newton, [u, 1.0 + 0 * u], [a, b, p], STEPS)
    return np.where(size <= 1e-9, u, np.nan)


def _swapped(wrt):
    """For the other parameter in each place."""
    return "".join(sorted({"a": "b", "b": "a"}.get(w, w) for w in wrt))


def _derivative(a, b, x, y, wrt):
    if len(wrt) > 2:
        return further.quantile(a, b, x, y, wrt)
    width = x * y / logit_density(a, b, x, y)  # dx/dp
    parameters = wrt.replace("p", "")
    if parameters == "":
        return width if wrt == "p" else -_slope(a, b, x, y) * width * width
    if len(wrt) == 1:
        return x * y * _shift(a, b, x, y, wrt)
    if "p" in wrt:
        first = _shift(a, b, x, y, parameters)
        growth = score(a, b, x, y) if parameters == "a" else score(b, a, y, x)
        return -width * (growth + _slope(a, b, x, y) * x * y * first)
    first, by_own, by_other, by_u = _moved(a, b, x, y, parameters[0])
    if parameters[0] == parameters[1]:
        second, change = first, by_own
    else:
        second, change = _shift(a, b, x, y, parameters[1]), by_other
    curvature = change + by_u * second
    return x * y * (curvature + (y - x) * first * second)


def _slope(a, b, x, y):
    """d log f / dx of the density f = dI/dx."""
    return ((a - 1) * y - (b - 1) * x) / (x * y)


def _shift(a, b, x, y, t):
    """du/dt."""
    return -slope(a, b, x, y, Fixed.X) if t == "a" else slope(b, a, y, x, Fixed.X)


def _moved(a, b, x, y, t):
    """The same, and its derivatives in t, the other parameter and u."""
    if t == "a":
        return [-s for s in slopes(a, b, x, y, Fixed.X)]
    value, by_own, by_other, by_u = slopes(b, a, y, x, Fixed.X)
    return value, by_own, by_other, -by_u


def _at_zero(a, b, wrt):
    """The limit p -> 0 of x = c p^(1/a) (1 + ...), c = (a B(a, b))^(1/a), which decreases with b."""
    order = wrt.count("p")
    if order == 0:
        return np.zeros_like(a)
    edge, beyond = {
        "p": (1 / b, np.inf),
        "ap": (np.inf, np.inf),
        "bp": (-1 / (b * b), -np.inf),
        "pp": (
            beta_value(a, b) ** 2 / 2,
            np.where(a < 1, np.inf, np.where(a > 1, -np.inf, (b - 1) / (b * b))),
        ),
    }.get(wrt, (np.nan, np.nan))
    return np.where(a * order < 1, 0.0, np.where(a * order == 1, edge, beyond))
