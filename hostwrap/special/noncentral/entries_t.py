"""The noncentral t distribution and its inverses.

F(t) = E Phi(t s - nc), where df s^2 has the chi-square distribution of df degrees of freedom. Derivatives in nc and t
are integrals of s^k He_q(t s - nc) phi(t s - nc) over the density of s, and those in df differentiate that density.
The inverses in df and nc have their derivatives at the root itself (see `noncentral_f_inverses`).
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import nan, where
from hostwrap.special.noncentral import mp as definitions
from hostwrap.special.noncentral import mp_inverses as inverses
from hostwrap.special.noncentral import roots
from hostwrap.special.noncentral import t as kernels

__all__ = ["nctdtr", "nctdtridf", "nctdtrinc", "nctdtrit"]


def by_df(df, nc, t):
    return nct_cdf_n(df, nc, t, n=1)


def by_nc(df, nc, t):
    return -nct_moment_n(df, nc, t, k=0, q=0, n=0)


def by_t(df, nc, t):
    return nct_moment_n(df, nc, t, k=1, q=0, n=0)


def normal(density):
    """NaN where it underflows: a quotient of it may be in range."""
    return where(density < 1e-305, nan, density)


def at_df(slope, p, nc, t):
    return slope(root_df(p, nc, t), nc, t)


def at_nc(slope, df, p, t):
    return slope(df, root_nc(df, p, t), t)


nct_moment_n = kernel(
    "nct_moment_n(df, nc, t, *, k, q, n)",
    host=kernels.nct_moment_n,
    loops=True,
    ddf=lambda y, df, nc, t, *, k, q, n: nct_moment_n(df, nc, t, k=k, q=q, n=n + 1),
    dnc=lambda y, df, nc, t, *, k, q, n: nct_moment_n(df, nc, t, k=k, q=q + 1, n=n),
    dt=lambda y, df, nc, t, *, k, q, n: -nct_moment_n(df, nc, t, k=k + 1, q=q + 1, n=n),
    ref=lambda mp, df, nc, t, *, k, q, n: mp.diff(
        lambda v, d: definitions.t_moment(mp, v, d, t, k), (df, nc), (n, q)
    ),
    df=real(0.5, 60),
    nc=real(-3, 6),
    t=real(-4, 10),
    see="Johnson, Kotz and Balakrishnan (1995), 31.5",
)
nct_cdf_n = kernel(
    "nct_cdf_n(df, nc, t, *, n)",
    host=kernels.nct_cdf_n,
    loops=True,
    ddf=lambda y, df, nc, t, *, n: nct_cdf_n(df, nc, t, n=n + 1),
    dnc=lambda y, df, nc, t, *, n: -nct_moment_n(df, nc, t, k=0, q=0, n=n),
    dt=lambda y, df, nc, t, *, n: nct_moment_n(df, nc, t, k=1, q=0, n=n),
    ref=lambda mp, df, nc, t, *, n: mp.diff(lambda v: definitions.t_cdf(mp, v, nc, t), df, n),
    df=real(0.5, 60),
    nc=real(-3, 6),
    t=real(-4, 10),
    see="Johnson, Kotz and Balakrishnan (1995), 31.5",
)

nctdtr = special(
    "nctdtr(df, nc, t)",
    ddf=lambda y, df, nc, t: known(y, by_df(df, nc, t)),
    dnc=lambda y, df, nc, t: known(y, by_nc(df, nc, t)),
    dt=lambda y, df, nc, t: known(y, by_t(df, nc, t)),
    ref=lambda mp, df, nc, t: definitions.t_cdf(mp, df, nc, t),
    df=real(0.5, 100),
    nc=real(-4, 8),
    t=real(-6, 20),
    at=[
        (3.0, 1.0, 0.0),
        (9.0, 0.0, 1e-6),
        (60.0, 8.0, 0.2),
        (0.7, 3.0, 20.0),
        (9.0, 8.0, -3.0),
        (2.0, 6.0, -2.0),
    ],
    see="Johnson, Kotz and Balakrishnan (1995), 31.5",
)
nctdtrit = special(
    "nctdtrit(df, nc, p)",
    ddf=lambda t, df, nc, p: -by_df(df, nc, t) / normal(by_t(df, nc, t)),
    dnc=lambda t, df, nc, p: -by_nc(df, nc, t) / normal(by_t(df, nc, t)),
    dp=lambda t, df, nc, p: 1 / by_t(df, nc, t),
    ref=lambda mp, df, nc, p: inverses.nctdtrit(mp, df, nc, p),
    df=real(1, 60),
    nc=real(-3, 6),
    p=real(0.001, 0.999),
    at=[(2.0, -1.0, 0.01), (40.0, 3.0, 0.9), (9.0, 0.0, 0.3)],
    see="implicit function theorem",
)

INVERSE_DF = {
    "dp": lambda df, p, nc, t: 1 / at_df(by_df, p, nc, t),
    "dnc": lambda df, p, nc, t: -at_df(by_nc, p, nc, t) / at_df(by_df, p, nc, t),
    "dt": lambda df, p, nc, t: -at_df(by_t, p, nc, t) / at_df(by_df, p, nc, t),
    "ref": lambda mp, p, nc, t: inverses.nctdtridf(mp, p, nc, t),
    "p": real(0.7, 0.95),
    "nc": real(0.5, 2),
    "t": real(2.5, 5),
    "see": "implicit function theorem; NaN where there is no root",
}
INVERSE_NC = {
    "ddf": lambda nc, df, p, t: -at_nc(by_df, df, p, t) / at_nc(by_nc, df, p, t),
    "dp": lambda nc, df, p, t: 1 / at_nc(by_nc, df, p, t),
    "dt": lambda nc, df, p, t: -at_nc(by_t, df, p, t) / at_nc(by_nc, df, p, t),
    "ref": lambda mp, df, p, t: inverses.nctdtrinc(mp, df, p, t),
    "df": real(1, 60),
    "p": real(0.01, 0.99),
    "t": real(-2, 6),
    "see": "implicit function theorem; NaN where there is no root",
}
root_df = kernel("nctdtridf_root(p, nc, t)", host=roots.nct_df, loops=True, **INVERSE_DF)
root_nc = kernel("nctdtrinc_root(df, p, t)", host=roots.nct_nc, loops=True, **INVERSE_NC)
nctdtridf = special(
    "nctdtridf(p, nc, t)",
    at=[(0.3, 1.0, 0.5), (0.8, 1.0, 2.4), (0.05, 0.5, -1.5), (0.9, 2.0, 5.0)],
    **INVERSE_DF,
)
nctdtrinc = special(
    "nctdtrinc(df, p, t)",
    at=[(2.0, 0.05, 3.0), (9.0, 0.5, 0.5), (40.0, 0.9, 3.0)],
    unsafe=roots.endless,
    **INVERSE_NC,
)
