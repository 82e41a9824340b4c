"""SciPy's inverses of the noncentral F and t distributions, polished: its searches stop at up to 1e-3 of the root."""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import pointwise
from hostwrap.special.noncentral import f as f_kernels
from hostwrap.special.noncentral import t as t_kernels

STEPS = 8
FOUND = 1e-10  # the last step, relative to the root: what is left is its square
BOUND = 1e99  # where SciPy's searches end
LEAST = 1e-300  # ncfdtri has no such end below
NEXT = 0.1  # how far SciPy's number may be from the root, relative to it


@pointwise
def ncf_f(dfn, dfd, nc, p):
    return _polished(sc.ncfdtri(dfn, dfd, nc, p), p, lambda f, i: _ncf(i, 3, dfn, dfd, nc, f), least=LEAST)


@pointwise
def ncf_dfn(p, dfd, nc, f):
    return _polished(sc.ncfdtridfn(p, dfd, nc, f), p, lambda dfn, i: _ncf(i, 0, dfn, dfd, nc, f))


@pointwise
def ncf_dfd(dfn, p, nc, f):
    return _polished(sc.ncfdtridfd(dfn, p, nc, f), p, lambda dfd, i: _ncf(i, 1, dfn, dfd, nc, f))


@pointwise
def ncf_nc(dfn, dfd, p, f):
    return _polished(sc.ncfdtrinc(dfn, dfd, p, f), p, lambda nc, i: _ncf(i, 2, dfn, dfd, nc, f))


@pointwise
def nct_df(p, nc, t):
    return _polished(sc.nctdtridf(p, nc, t), p, lambda df, i: _nct(i, 0, df, nc, t))


@pointwise
def nct_nc(df, p, t):
    start = sc.nctdtrinc(df, p, np.where(endless(df, p, t), np.nan, t))
    return _polished(start, p, lambda nc, i: _nct(i, 1, df, nc, t), signed=True)


def endless(df, p, t):
    """Where SciPy's search for nc does not end, as at (2, 0.5, 1e6)."""
    return (np.abs(t) > 3e5) & np.isfinite(t)


def _polished(root, p, distribution, signed=False, least=1 / BOUND):
    """Newton's iteration on the logarithm of the smaller tail; NaN where it does not settle next to SciPy's root.

    `distribution(y, here)` gives, at the points `here`, the smaller tail, whether it is the upper one, and dF/dy.
    """
    found = np.where((root == 0) & (p == 0) | np.isinf(root) & (p == 1), root, np.nan)  # the ends
    here = np.flatnonzero(np.isfinite(root) & (np.abs(root) < BOUND) & (np.abs(root) > least))
    y = root[here]
    for _ in range(STEPS):
        side, upper, slope = distribution(y, here)
        wanted = np.where(upper, 1 - p[here], p[here])
        step = np.where(upper, -1, 1) * side * np.log(wanted / side) / slope
        limit = np.abs(y) / 2 + 0.5 * signed
        y = y + np.clip(step, -limit, limit)
        settled = np.abs(step) <= FOUND * np.abs(y)
        found[here[settled]] = y[settled]
        y, here = y[~settled], here[~settled]
        if not here.size:
            break
    far = np.abs(found - root) > NEXT * (np.abs(root) + signed)
    return np.where(far, np.nan, found)


def _ncf(here, moving, *args):
    dfn, dfd, nc, f = (x if i == moving else x[here] for i, x in enumerate(args))
    a, b, l, r = dfn / 2, dfd / 2, nc / 2, dfn * f / dfd
    side, upper = f_kernels.smaller_side(a, b, l, r, f_kernels.plain(0, 0)), f_kernels.is_upper(a, b, l, r)
    if moving < 2:
        slope = f_kernels.beta_mixture_held(a, b, l, r, in_a=moving == 0) / 2
    elif moving == 2:
        slope = -f_kernels.beta_mixture_term_ij(a, b, l, r, i=0, j=0) / 2
    else:
        slope = b * f_kernels.beta_mixture_term_ij(a - 1, b + 1, l, r, i=0, j=0) * dfn / dfd
    return side, upper, slope


def _nct(here, moving, *args):
    df, nc, t = (x if i == moving else x[here] for i, x in enumerate(args))
    side, upper = t_kernels.smaller_side(df, nc, t, 0), t_kernels.is_upper(df, nc, t)
    if moving:
        return side, upper, -t_kernels.nct_moment_n(df, nc, t, k=0, q=0, n=0)
    return side, upper, t_kernels.nct_cdf_n(df, nc, t, n=1)
