"""SciPy's inverses of the noncentral F and t distributions, polished: its searches stop at up to 1e-3 of the root."""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.until import until
from hostwrap.special.noncentral import f as f_kernels
from hostwrap.special.noncentral import t as t_kernels

STEPS = 8
FOUND = 1e-10  # the last step, relative to the root: what is left is its square
BOUND = 1e99  # where SciPy's searches end
LEAST = 1e-300  # ncfdtri has no such end below
NEXT = 0.1  # how far SciPy's number may be from the root, relative to it


@pointwise
def ncf_f(dfn, dfd, nc, p):
    return _polished(
        sc.ncfdtri(dfn, dfd, nc, p), p, lambda f, *rest: _ncf(3, *rest, f), [dfn, dfd, nc], least=LEAST
    )


@pointwise
def ncf_dfn(p, dfd, nc, f):
    return _polished(sc.ncfdtridfn(p, dfd, nc, f), p, lambda dfn, *rest: _ncf(0, dfn, *rest), [dfd, nc, f])


@pointwise
def ncf_dfd(dfn, p, nc, f):
    return _polished(
        sc.ncfdtridfd(dfn, p, nc, f), p, lambda dfd, dfn, *rest: _ncf(1, dfn, dfd, *rest), [dfn, nc, f]
    )


@pointwise
def ncf_nc(dfn, dfd, p, f):
    return _polished(sc.ncfdtrinc(dfn, dfd, p, f), p, lambda nc, a, b, f: _ncf(2, a, b, nc, f), [dfn, dfd, f])


@pointwise
def nct_df(p, nc, t):
    return _polished(sc.nctdtridf(p, nc, t), p, lambda df, *rest: _nct(0, df, *rest), [nc, t])


@pointwise
def nct_nc(df, p, t):
    start = sc.nctdtrinc(df, p, np.where(endless(df, p, t), np.nan, t))
    return _polished(start, p, lambda nc, df, t: _nct(1, df, nc, t), [df, t], signed=True)


def endless(df, p, t):
    """Where SciPy's search for nc does not end, as at (2, 0.5, 1e6)."""
    return (np.abs(t) > 3e5) & np.isfinite(t)


def _polished(root, p, distribution, args, signed=False, least=1 / BOUND):
    """Newton's iteration on the logarithm of the smaller tail; NaN where it does not settle next to SciPy's root.

    `distribution(y, *args)` gives the smaller tail, whether it is the upper one, and dF/dy.
    """

    def step(_, y, p, *args):
        side, upper, slope = distribution(y, *args)
        wanted = np.where(upper, 1 - p, p)
        change = np.where(upper, -1, 1) * side * np.log(wanted / side) / slope
        limit = np.abs(y) / 2 + 0.5 * signed
        y = y + np.clip(change, -limit, limit)
        return y, ~(np.abs(change) <= FOUND * np.abs(y))

    ends = np.where((root == 0) & (p == 0) | np.isinf(root) & (p == 1), root, np.nan)
    inside = np.isfinite(root) & (np.abs(root) < BOUND) & (np.abs(root) > least)
    polish = lambda root, p, *args: until(step, [root], [p, *args], STEPS)[0]
    found = piecewise([root, p, *args], [(inside, polish)])
    found = np.where(inside, found, ends)
    far = np.abs(found - root) > NEXT * (np.abs(root) + signed)
    return np.where(far, np.nan, found)


def _ncf(moving, dfn, dfd, nc, f):
    a, b, l, r = dfn / 2, dfd / 2, nc / 2, dfn * f / dfd
    side, upper = f_kernels.smaller_side(a, b, l, r, f_kernels.plain(0, 0)), f_kernels.is_upper(a, b, l, r)
    if moving < 2:
        scarce = b < (f_kernels.SCARCE_IN_B if moving else f_kernels.SCARCE_IN_A)
        slope = np.where(scarce, np.nan, f_kernels.held_in_terms(a, b, l, r, moving == 0) / 2)
    elif moving == 2:
        slope = -f_kernels.beta_mixture_term_ij(a, b, l, r, i=0, j=0) / 2
    else:
        slope = a * f_kernels.beta_mixture_term_ij(a, b, l, r, i=0, j=0, m=1, per_b=True)
    return side, upper, slope


def _nct(moving, df, nc, t):
    side, upper = t_kernels.smaller_side(df, nc, t, 0, longest=1), t_kernels.is_upper(df, nc, t)
    if moving:
        return side, upper, -t_kernels.nct_moment_n(df, nc, t, k=0, q=0, n=0, longest=1)
    return side, upper, t_kernels.nct_cdf_n(df, nc, t, n=1, longest=1)
