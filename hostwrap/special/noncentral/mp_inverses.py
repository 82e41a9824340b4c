"""Inverses of the noncentral distributions, next to SciPy's: its roots are good to between 1e-3 and 1e-16."""

import scipy.special as sc

from hostwrap.special._numerics.mp_roots import root
from hostwrap.special.noncentral.mp import chi2_cdf, f_cdf, t_cdf


def chndtrix(mp, p, df, nc):
    return _inverse(mp, sc.chndtrix, (p, df, nc), lambda x: chi2_cdf(mp, x, df, nc), p)


def chndtridf(mp, x, p, nc):
    return _inverse(mp, sc.chndtridf, (x, p, nc), lambda df: chi2_cdf(mp, x, df, nc), p)


def chndtrinc(mp, x, df, p):
    return _inverse(mp, sc.chndtrinc, (x, df, p), lambda nc: chi2_cdf(mp, x, df, nc), p)


def ncfdtri(mp, dfn, dfd, nc, p):
    return _inverse(mp, sc.ncfdtri, (dfn, dfd, nc, p), lambda f: f_cdf(mp, dfn, dfd, nc, f), p)


def ncfdtridfn(mp, p, dfd, nc, f):
    return _inverse(mp, sc.ncfdtridfn, (p, dfd, nc, f), lambda dfn: f_cdf(mp, dfn, dfd, nc, f), p)


def ncfdtridfd(mp, dfn, p, nc, f):
    return _inverse(mp, sc.ncfdtridfd, (dfn, p, nc, f), lambda dfd: f_cdf(mp, dfn, dfd, nc, f), p)


def ncfdtrinc(mp, dfn, dfd, p, f):
    return _inverse(mp, sc.ncfdtrinc, (dfn, dfd, p, f), lambda nc: f_cdf(mp, dfn, dfd, nc, f), p)


def nctdtrit(mp, df, nc, p):
    return _inverse(mp, sc.nctdtrit, (df, nc, p), lambda t: t_cdf(mp, df, nc, t), p, signed=True)


def nctdtridf(mp, p, nc, t):
    return _inverse(mp, sc.nctdtridf, (p, nc, t), lambda df: t_cdf(mp, df, nc, t), p)


def nctdtrinc(mp, df, p, t):
    return _inverse(mp, sc.nctdtrinc, (df, p, t), lambda nc: t_cdf(mp, df, nc, t), p, signed=True)


def _inverse(mp, scipys, args, function, p, signed=False):
    """The root next to SciPy's, if that is one and not the end of its search."""
    guess = float(scipys(*map(float, args)))
    if not 1e-99 < abs(guess) < 1e99 or (guess < 0 and not signed):
        raise mp.NoConvergence(f"{scipys.__name__} found no root")
    found = root(mp, lambda y: function(y) - p, guess)
    if abs(found - guess) > 0.1 * abs(guess) + 0.1 * signed:
        raise mp.NoConvergence(f"no root next to {scipys.__name__}'s")
    return found
