"""Roots of distribution functions in a parameter, improved: SciPy's have 1e-11, or are no roots at all."""

from __future__ import annotations

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._pointwise import pointwise
from hostwrap.special.kernels.beta_incomplete.density import shares
from hostwrap.special.kernels.beta_incomplete.f_distribution import f_parameter
from hostwrap.special.kernels.beta_incomplete.parameter import betainc_parameter
from hostwrap.special.kernels.beta_incomplete.t_distribution import t_parameter

STEPS, NEAR = (
    2,
    1e-3,
)  # a first Newton step longer than this, relative to 1 + the root, says that there is no root


@pointwise
def binomial_k(y, n, p):
    """The k >= 0 with I_(1-p)(n - k, k + 1) = y; 0 where SciPy's is, which has none."""
    shape = lambda k: (n - k, k + 1, 1 - p, p)
    change = lambda k: betainc_parameter(*shape(k), wrt="b") - betainc_parameter(*shape(k), wrt="a")
    root = sc.bdtrik(y, n, p)
    return np.where(root == 0, 0.0, _improved(root, y, shape, change))


@pointwise
def binomial_n(k, y, p):
    """The n with I_(1-p)(n - k, k + 1) = y."""
    shape = lambda n: (n - k, k + 1, 1 - p, p)
    return _improved(sc.bdtrin(k, y, p), y, shape, lambda n: betainc_parameter(*shape(n), wrt="a"))


@pointwise
def negative_k(y, n, p):
    """The k >= 0 with I_p(n, k + 1) = y; 0 where SciPy's is, which has none."""
    shape = lambda k: (n, k + 1, p, 1 - p)
    root = sc.nbdtrik(y, n, p)
    return np.where(
        root == 0, 0.0, _improved(root, y, shape, lambda k: betainc_parameter(*shape(k), wrt="b"))
    )


@pointwise
def negative_n(k, y, p):
    """The n with I_p(n, k + 1) = y."""
    shape = lambda n: (n, k + 1, p, 1 - p)
    return _improved(sc.nbdtrin(k, y, p), y, shape, lambda n: betainc_parameter(*shape(n), wrt="a"))


@pointwise
def f_dfd(dfn, p, x):
    """The second number of degrees of freedom with which F has the distribution function p at x."""
    shape = lambda dfd: (dfn / 2, dfd / 2, *shares(dfn * x, dfd))
    return _improved(
        sc.fdtridfd(dfn, p, x), p, shape, lambda dfd: f_parameter(dfn / 2, dfd / 2, x, wrt="b") / 2
    )


@pointwise
def t_df(p, t):
    """The degrees of freedom with which t has the distribution function p at t: in the tail beyond |t|."""
    tail = 2 * np.where(t < 0, p, 1 - p)
    shape = lambda v: (v / 2, 0.5, *shares(v / np.abs(t), np.abs(t)))
    change = lambda v: -2 * np.sign(t) * t_parameter(v, t, n=1)
    return _improved(sc.stdtridf(p, t), tail, shape, change)


def _improved(root, p, shape, change):
    """Newton's steps towards I_x(a, b) = p, with (a, b, x, y) = shape(root)."""
    limit = NEAR * (1 + np.abs(root))
    for _ in range(STEPS):
        step = _excess(*shape(root), p) / change(root)
        root = np.where(np.abs(step) <= limit, root - step, np.nan)
    return root


def _excess(a, b, x, y, p):
    """I_x(a, b) - p, from the smaller one of the two tails."""
    below, above = (sc.betainc(a, b, x), sc.betaincc(a, b, x)), (sc.betaincc(b, a, y), sc.betainc(b, a, y))
    lower, upper = (np.where(x <= 0.5, u, v) for u, v in zip(below, above, strict=True))
    return np.where(p <= 0.5, lower - p, (1 - p) - upper)
