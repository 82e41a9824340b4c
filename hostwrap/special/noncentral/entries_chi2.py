"""The noncentral chi-square distribution and its inverses.

F is the mixture of P(df/2 + j, x/2) with Poisson weights of mean nc/2 (DLMF 8.2.4; Johnson, Kotz, Balakrishnan,
Continuous Univariate Distributions 2, 29.3), so its derivatives in x and nc are mixtures of single terms, and one in
df differentiates the incomplete gamma functions. The inverses have the derivatives of an implicit function.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._orders import orders
from hostwrap.special.noncentral import chi2, chi2_inverses
from hostwrap.special.noncentral import mp as definitions
from hostwrap.special.noncentral import mp_inverses as inverses

__all__ = ["chndtr", "chndtridf", "chndtrinc", "chndtrix"]


def chi2_pdf(x, df, nc):
    return chi2_term_n(x / 2, df / 2, nc / 2, n=0, m=1) / 2


def chi2_by_df(x, df, nc):
    return chi2_cdf_n(x / 2, df / 2, nc / 2, n=1) / 2


def chi2_by_nc(x, df, nc):
    return -chi2_term_n(x / 2, df / 2, nc / 2, n=0) / 2


chi2_term_n = kernel(
    "chi2_term_n(x, a, l, *, n, m=0, d=0)",  # at a - m, differentiated n times in a; the d-th difference in a
    host=chi2.gamma_mixture_term_n,
    loops=True,
    dx=lambda y, x, a, l, *, n, m, d: -chi2_term_n(x, a, l, n=n, m=m + 1, d=d + 1),
    da=lambda y, x, a, l, *, n, m, d: chi2_term_n(x, a, l, n=n + 1, m=m, d=d),
    dl=lambda y, x, a, l, *, n, m, d: chi2_term_n(x, a, l, n=n, m=m, d=d + 1),
    ref=lambda mp, x, a, l, *, n, m, d: mp.diff(
        lambda s, t: definitions.gamma_term(mp, x, s - m, t), (a, l), (n, d)
    ),
    x=real(0.1, 50),
    a=real(-0.9, 30),
    l=real(0.01, 30),
    at=[(1e-3, 0.0, 1e-6), (40.0, 1.0, 60.0)],
    see="DLMF 10.25.2, 10.29.1",
)
chi2_cdf_n = kernel(
    "chi2_cdf_n(x, a, l, *, n)",
    host=chi2.gamma_mixture_n,
    loops=True,
    dx=lambda y, x, a, l, *, n: chi2_term_n(x, a, l, n=n, m=1),
    da=lambda y, x, a, l, *, n: chi2_cdf_n(x, a, l, n=n + 1),
    dl=lambda y, x, a, l, *, n: -chi2_term_n(x, a, l, n=n),
    ref=lambda mp, x, a, l, *, n: mp.diff(lambda s: definitions.gamma_mixture(mp, x, s, l), a, n),
    x=real(0.1, 50),
    a=real(0.1, 30),
    l=real(0.01, 30),
    at=[(1e-3, 0.5, 1e-6), (90.0, 1.0, 20.0)],
    see="DLMF 8.7.1",
)

chndtr = special(
    "chndtr(x, df, nc)",
    dx=lambda y, x, df, nc: known(y, chi2_pdf(x, df, nc)),
    ddf=lambda y, x, df, nc: known(y, chi2_by_df(x, df, nc)),
    dnc=lambda y, x, df, nc: known(y, chi2_by_nc(x, df, nc)),
    ref=lambda mp, x, df, nc: definitions.chi2_cdf(mp, x, df, nc),
    x=real(0, 150),
    df=real(0.1, 100),
    nc=real(0, 100),
    at=[(3.0, 2.0, 0.0), (0.0, 3.0, 1.0), (1e-4, 0.2, 5.0), (150.0, 4.0, 1.0), (5.0, 60.0, 40.0)],
    see="Johnson, Kotz and Balakrishnan (1995), 29.3",
)
chndtrix = special(
    "chndtrix(p, df, nc)",
    orders=orders(chi2_inverses.chndtrix_n, guarded=True, loops=True),
    ref=lambda mp, p, df, nc: inverses.chndtrix(mp, p, df, nc),
    p=real(0.001, 0.999),
    df=real(0.3, 60),
    nc=real(0.01, 60),
    at=[(1e-10, 4.0, 3.0), (1e-6, 0.5, 10.0), (1 - 1e-9, 4.0, 3.0)],
    see="implicit function theorem",
)
chndtridf = special(
    "chndtridf(x, p, nc)",
    orders=orders(chi2_inverses.chndtridf_n, guarded=True, loops=True),
    ref=lambda mp, x, p, nc: inverses.chndtridf(mp, x, p, nc),
    x=real(2, 80),
    p=real(1e-4, 0.9),
    nc=real(0.01, 10),
    at=[(5.0, 1e-10, 1.0), (60.0, 0.3, 10.0)],
    see="implicit function theorem; NaN where there is no root",
)
chndtrinc = special(
    "chndtrinc(x, df, p)",
    orders=orders(chi2_inverses.chndtrinc_n, guarded=True, loops=True),
    ref=lambda mp, x, df, p: inverses.chndtrinc(mp, x, df, p),
    x=real(5, 80),
    df=real(0.5, 20),
    p=real(1e-4, 0.8),
    at=[(20.0, 4.0, 1e-9), (60.0, 30.0, 0.9)],
    see="implicit function theorem; NaN where there is no root",
)
