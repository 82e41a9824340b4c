"""Roots of distribution functions in a parameter, improved: SciPy's have 1e-11, or are no roots at all."""

from __future__ import annotations

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.until import until
from hostwrap.special.beta_incomplete import _score
from hostwrap.special.beta_incomplete._tail import mills
from hostwrap.special.beta_incomplete.density import density_parts, logit_density, shares
from hostwrap.special.beta_incomplete.shift import shift
from hostwrap.special.beta_incomplete.slope import Fixed

# a first Newton step longer than this says that there is no root; relative to it, or to 1 + it for numbers of trials
STEPS, NEAR = 3, 1e-3
FOUND = 2.0**-33  # the last step, relative to the root: what is left is about its square


@pointwise
def binomial_k(y, n, p):
    """The k >= 0 with I_(1-p)(n - k, k + 1) = y; 0 where SciPy's is, which has none."""
    root = sc.bdtrik(y, n, p)
    shape = lambda k, n, p: (n - k, k + 1, 1 - p, p)
    improved = _improved(root, y, 1 - y, shape, (n, p), lambda *at: _by_b(*at) - _by_a(*at))
    return np.where(root == 0, 0.0, improved)


@pointwise
def binomial_n(k, y, p):
    """The n with I_(1-p)(n - k, k + 1) = y."""
    shape = lambda n, k, p: (n - k, k + 1, 1 - p, p)
    return _improved(sc.bdtrin(k, y, p), y, 1 - y, shape, (k, p), _by_a)


@pointwise
def negative_k(y, n, p):
    """The k >= 0 with I_p(n, k + 1) = y; 0 where SciPy's is, which has none."""
    root = sc.nbdtrik(y, n, p)
    shape = lambda k, n, p: (n, k + 1, p, 1 - p)
    return np.where(root == 0, 0.0, _improved(root, y, 1 - y, shape, (n, p), _by_b))


@pointwise
def negative_n(k, y, p):
    """The n with I_p(n, k + 1) = y."""
    shape = lambda n, k, p: (n, k + 1, p, 1 - p)
    return _improved(sc.nbdtrin(k, y, p), y, 1 - y, shape, (k, p), _by_a, unit=0.0)


@pointwise
def f_dfd(dfn, p, x):
    """The second number of degrees of freedom with which F has the distribution function p at x."""
    shape = lambda dfd, dfn, x: (dfn / 2, dfd / 2, *shares(dfn * x, dfd))
    change = lambda *at: _by_b(*at, Fixed.F) / 2
    return _improved(sc.fdtridfd(dfn, p, x), p, 1 - p, shape, (dfn, x), change, unit=0.0)


@pointwise
def t_df(p, t):
    """The degrees of freedom with which t has the distribution function p at t: in the tail beyond |t|."""
    tail = 2 * np.where(t < 0, p, 1 - p)
    shape = lambda v, t: (v / 2, np.full_like(v, 0.5), *shares(v / np.abs(t), np.abs(t)))
    change = lambda *at: _by_a(*at, Fixed.F) / 2
    return _improved(sc.stdtridf(p, t), tail, 1 - tail, shape, (t,), change, unit=0.0)


def _by_a(a, b, x, y, fixed=Fixed.X):
    """(dI/da) / (dI/du)."""
    return shift(a, b, x, y, fixed, "")


def _by_b(a, b, x, y, fixed=Fixed.X):
    return -shift(b, a, y, x, fixed, "")


def _improved(root, p, q, shape, others, change, unit=1.0):
    """Newton's steps towards I_x(a, b) = p = 1 - q, with (a, b, x, y) = shape(root, *others), for a tail's logarithm.

    Both `change` and the tail are relative to dI/du, so that nothing underflows.
    """

    def newton(turn, root, p, q, limit, *others):
        at = shape(root, *others)
        step = _excess(*at, p, q) / change(*at)
        root = np.where(np.abs(step) <= limit, root - step, np.nan)
        return root, (turn < STEPS - 1) & (np.abs(step) > FOUND * np.abs(root))

    return until(newton, [root], [p, q, NEAR * (unit + np.abs(root)), *others], STEPS)[0]


def _excess(a, b, x, y, p, q):
    """I log(I / p), or -(1 - I) log((1 - I) / q), divided by dI/du: from the smaller one of the two tails."""
    inside = (a > 0) & (b > 0) & (x > 0) & (y > 0) & (p > 0) & (q > 0) & np.isfinite(a + b)
    return piecewise(
        [a, b, x, y, p, q],
        [
            (~inside, lambda *_: np.nan),
            (p <= q, lambda a, b, x, y, p, _: _relative_excess(a, b, x, y, p)),
            (None, lambda a, b, x, y, _, q: -_relative_excess(b, a, y, x, q)),
        ],
    )


def _relative_excess(a, b, x, y, p):
    falling = _score.slope(a, b, x, y) > 0  # else the tail is no small one
    ratio = piecewise([a, b, x, y], [(falling, mills), (None, _scipys_ratio)])
    m, l = density_parts(a, b, x, y)
    return ratio * (np.log(ratio * m) + l - np.log(p))


def _scipys_ratio(a, b, x, y):
    return np.where(x <= 0.5, sc.betainc(a, b, x), sc.betaincc(b, a, y)) / logit_density(a, b, x, y)
