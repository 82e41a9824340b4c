"""Gamma, beta and zeta functions, and the incomplete ones, in balls."""

from __future__ import annotations

import scipy.special as sc
from flint import acb

from tests.reference.arb.expressions import Expression, Slopes
from tests.reference.arb.functions import (
    beta_lower,
    beta_upper,
    gamma_lower,
    gamma_upper,
    log,
    log_beta,
    off_cut,
    pi,
    psi,
    size,
)
from tests.reference.arb.inverses import inverse


def log_size(y):
    """log |y| next to the real axis."""
    return log(size(y))


def gammaln(x):
    return off_cut(x).lgamma() if x.real > 0 else log_size(x.gamma())


def binomial(n, k):
    return (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma()


def gamma_density(a, x):
    return (log(x) * (a - 1) - x - off_cut(a).lgamma()).exp()


def beta_density(a, b, x):
    return (log(x) * (a - 1) + log(1 - x) * (b - 1) - log_beta(a, b)).exp()


def multigammaln(a, d):
    return log(pi()) * (d * (d - 1)) / 4 + sum(
        (off_cut(a - acb(j) / 2).lgamma() for j in range(d)), start=acb(0)
    )


def lower_or_upper(lower, upper, args, p):
    """Of p = lower(*args) = 1 - upper(*args) the equation whose sides are small."""
    return lower(*args) - p if p.real < 0.5 else (1 - p) - upper(*args)


def f_lower(dfn, dfd, x):
    w = dfn * x + dfd
    return beta_lower(dfn / 2, dfd / 2, dfn * x / w, dfd / w)


def f_upper(dfn, dfd, x):
    w = dfn * x + dfd
    return beta_lower(dfd / 2, dfn / 2, dfd / w, dfn * x / w)


def t_lower(df, t):
    """The tail by the incomplete beta function, and 1 less the tail on the other side; DLMF 8.17.1 with 1/2."""
    w = df + t * t
    share = lambda: beta_lower(df / 2, acb(1) / 2, df / w, t * t / w) / 2
    if t.real < 0:
        return share()
    return 1 - share() if t.real > 0 else acb("nan")


def t_upper(df, t):
    return t_lower(df, -t)


HURWITZ = Expression(lambda x, q: x.zeta(q))
P = Expression(gamma_lower)
T = Expression(t_lower)

TABLE = {
    "gamma": Expression(lambda z: z.gamma()),
    "gammaln": Expression(gammaln),
    "loggamma": Expression(lambda z: off_cut(z).lgamma()),
    "rgamma": Expression(lambda z: z.rgamma()),
    "psi": Expression(lambda z: z.digamma()),
    "digamma": Expression(lambda z: z.digamma()),
    "psi_n": Expression(lambda n, z: psi(n, z)),
    "psi_step": Expression(lambda x, h, n: psi(n, x + h) - psi(n, x)),
    "polygamma": Expression(lambda n, x: psi(n, x)),
    "multigammaln": Expression(multigammaln),
    "multigamma_n": Expression(lambda a, d, n: sum((psi(n, a - acb(j) / 2) for j in range(d)), start=acb(0))),
    "poch": Expression(lambda z, m: (z + m).gamma() * z.rgamma()),
    "beta": Expression(lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma()),
    "betaln": Expression(
        lambda a, b: (
            log_beta(a, b)
            if a.real > 0 and b.real > 0
            else log_size(a.gamma() * b.gamma() * (a + b).rgamma())
        )
    ),
    "binom": Expression(binomial),
    "comb": Expression(lambda N, k, **_: binomial(N, k)),
    "perm": Expression(lambda N, k, **_: (N + 1).gamma() * (N - k + 1).rgamma()),
    "factorial": Expression(lambda n, **_: (n + 1).gamma()),
    "riemann_zeta": Expression(lambda x: x.zeta()),
    "zetac": Expression(lambda x: x.zeta() - 1),
    "hurwitz_zeta": HURWITZ,
    "hurwitz_n": Slopes(HURWITZ, {"x": "n"}),
    # ---- the incomplete gamma function
    "gammainc": P,
    "gammaincc": Expression(gamma_upper),
    "gammainc_order": Slopes(P, {"a": "n"}),
    "gamma_density": Slopes(Expression(gamma_density), {"a": "i", "x": "j"}),
    "rate_density": Expression(lambda c, b, x: c * gamma_density(b, c * x)),
    "gdtr": Expression(lambda a, b, x: gamma_lower(b, a * x)),
    "gdtrc": Expression(lambda a, b, x: gamma_upper(b, a * x)),
    "chdtr": Expression(lambda v, x: gamma_lower(v / 2, x / 2)),
    "chdtrc": Expression(lambda v, x: gamma_upper(v / 2, x / 2)),
    "pdtr": Expression(lambda k, m: gamma_upper(acb(k) + 1, m)),
    "pdtrc": Expression(lambda k, m: gamma_lower(acb(k) + 1, m)),
    "gammaincinv": Expression(
        inverse(lambda t, a, y: lower_or_upper(gamma_lower, gamma_upper, (a, t), y), sc.gammaincinv)
    ),
    "gammainccinv": Expression(
        inverse(lambda t, a, y: lower_or_upper(gamma_upper, gamma_lower, (a, t), y), sc.gammainccinv)
    ),
    "gdtria": Expression(
        inverse(lambda t, p, b, x: lower_or_upper(gamma_lower, gamma_upper, (b, t * x), p), sc.gdtria)
    ),
    "gdtrib": Expression(
        inverse(lambda t, a, p, x: lower_or_upper(gamma_lower, gamma_upper, (t, a * x), p), sc.gdtrib)
    ),
    "gdtrix": Expression(
        inverse(lambda t, a, b, p: lower_or_upper(gamma_lower, gamma_upper, (b, t * a), p), sc.gdtrix)
    ),
    "chdtri": Expression(
        inverse(lambda t, v, p: lower_or_upper(gamma_upper, gamma_lower, (v / 2, t / 2), p), sc.chdtri)
    ),
    "chdtriv": Expression(
        inverse(lambda t, p, x: lower_or_upper(gamma_lower, gamma_upper, (t / 2, x / 2), p), sc.chdtriv)
    ),
    "pdtri": Expression(
        inverse(lambda t, k, y: lower_or_upper(gamma_upper, gamma_lower, (acb(k) + 1, t), y), sc.pdtri)
    ),
    "pdtrik": Expression(
        inverse(lambda t, p, m: lower_or_upper(gamma_upper, gamma_lower, (t + 1, m), p), sc.pdtrik)
    ),
    # ---- the incomplete beta function
    "betainc": Expression(beta_lower),
    "betaincc": Expression(beta_upper),
    "bdtr": Expression(lambda k, n, p: beta_upper(acb(k) + 1, acb(n) - k, p)),
    "bdtrc": Expression(lambda k, n, p: beta_lower(acb(k) + 1, acb(n) - k, p)),
    "nbdtr": Expression(lambda k, n, p: beta_lower(n, acb(k) + 1, p)),
    "nbdtrc": Expression(lambda k, n, p: beta_upper(n, acb(k) + 1, p)),
    "fdtr": Expression(f_lower),
    "fdtrc": Expression(f_upper),
    "stdtr": T,
    "t_parameter": Slopes(T, {"v": "n"}),
    "betaincinv": Expression(
        inverse(lambda t, a, b, y: lower_or_upper(beta_lower, beta_upper, (a, b, t), y), sc.betaincinv)
    ),
    "betainccinv": Expression(
        inverse(lambda t, a, b, y: lower_or_upper(beta_upper, beta_lower, (a, b, t), y), sc.betainccinv)
    ),
    "btdtria": Expression(
        inverse(lambda t, p, b, x: lower_or_upper(beta_lower, beta_upper, (t, b, x), p), sc.btdtria)
    ),
    "btdtrib": Expression(
        inverse(lambda t, a, p, x: lower_or_upper(beta_lower, beta_upper, (a, t, x), p), sc.btdtrib)
    ),
    "bdtri": Expression(
        inverse(
            lambda t, k, n, y: lower_or_upper(beta_upper, beta_lower, (acb(k) + 1, acb(n) - k, t), y),
            sc.bdtri,
        )
    ),
    "bdtrik": Expression(
        inverse(
            lambda t, y, n, p: lower_or_upper(beta_upper, beta_lower, (t + 1, n - t, p), y),
            sc.bdtrik,
        )
    ),
    "bdtrin": Expression(
        inverse(
            lambda t, k, y, p: lower_or_upper(beta_upper, beta_lower, (k + 1, t - k, p), y),
            sc.bdtrin,
        )
    ),
    "nbdtri": Expression(
        inverse(
            lambda t, k, n, y: lower_or_upper(beta_lower, beta_upper, (n, acb(k) + 1, t), y),
            sc.nbdtri,
        )
    ),
    "nbdtrik": Expression(
        inverse(lambda t, y, n, p: lower_or_upper(beta_lower, beta_upper, (n, t + 1, p), y), sc.nbdtrik)
    ),
    "nbdtrin": Expression(
        inverse(lambda t, k, y, p: lower_or_upper(beta_lower, beta_upper, (t, k + 1, p), y), sc.nbdtrin)
    ),
    "fdtri": Expression(inverse(lambda t, m, n, p: lower_or_upper(f_lower, f_upper, (m, n, t), p), sc.fdtri)),
    "fdtridfd": Expression(
        inverse(lambda t, m, p, x: lower_or_upper(f_lower, f_upper, (m, t, x), p), sc.fdtridfd)
    ),
    "stdtrit": Expression(inverse(lambda t, df, p: lower_or_upper(t_lower, t_upper, (df, t), p), sc.stdtrit)),
    "stdtridf": Expression(inverse(lambda v, p, t: lower_or_upper(t_lower, t_upper, (v, t), p), sc.stdtridf)),
}
TABLE |= {
    "binomial_k": TABLE["bdtrik"],
    "binomial_n": TABLE["bdtrin"],
    "negative_k": TABLE["nbdtrik"],
    "negative_n": TABLE["nbdtrin"],
    "f_dfd": TABLE["fdtridfd"],
    "t_df": TABLE["stdtridf"],
}
