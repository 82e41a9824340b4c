"""`scipy.stats`, differentiable in all parameters: distributions under SciPy's names, with SciPy's arguments.

`gamma.cdf(x, a, loc=0, scale=1)`; a distribution has pdf, logpdf, cdf, sf, logcdf, logsf, ppf and isf, a discrete one
pmf and logpmf in place of the densities, and no quantiles, which are integers. They are made of `hostwrap.special`:
derivatives are of the order that there is (any in a log-density), forward and reverse. The logarithms of
probabilities keep their digits near 0, where SciPy often takes `log(1 - tiny)`; they are -inf where the probability
underflows, as SciPy's are.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from hostwrap import special as sc
from hostwrap._recipes.distribution_kinds import continuous, discrete, positive

__all__ = [
    "beta",
    "binom",
    "chi2",
    "f",
    "gamma",
    "invgamma",
    "lognorm",
    "nbinom",
    "nct",
    "norm",
    "poisson",
    "t",
]

REAL, POSITIVE, UNIT = (-jnp.inf, jnp.inf), (0.0, jnp.inf), (0.0, 1.0)


def _norm_logpdf(x: Any) -> Any:
    return -(x**2) / 2 - jnp.log(2 * jnp.pi) / 2


def _t_logpdf(x: Any, df: Any) -> Any:
    """Infinite df is the normal distribution."""
    finite = jnp.where(df == jnp.inf, 1.0, df)
    scale = jnp.log(sc.poch(finite / 2, 0.5)) - jnp.log(finite * jnp.pi) / 2
    return jnp.where(df == jnp.inf, _norm_logpdf(x), scale - (finite + 1) / 2 * jnp.log1p(x * (x / finite)))


def _gamma_logpdf(x: Any, a: Any) -> Any:
    return sc.xlogy(a - 1, x) - x - sc.gammaln(a)


def _f_logpdf(x: Any, dfn: Any, dfd: Any) -> Any:
    n, m = dfn / 2, dfd / 2
    powers = m * jnp.log(dfd) + n * jnp.log(dfn) + sc.xlogy(n - 1, x)
    return powers - (n + m) * jnp.log(dfd + dfn * x) - sc.betaln(n, m)


def _nct_pdf(x: Any, df: Any, nc: Any) -> Any:
    return jax.jvp(lambda x: sc.nctdtr(df, nc, x), (x,), (jnp.ones_like(x),))[1]


norm = continuous(
    "norm()", REAL, logpdf=_norm_logpdf,
    cdf=lambda x: sc.ndtr(x), sf=lambda x: sc.ndtr(-x),
    logcdf=lambda x: sc.log_ndtr(x), logsf=lambda x: sc.log_ndtr(-x),
    ppf=lambda q: sc.ndtri(q), isf=lambda q: -sc.ndtri(q),
)  # fmt: skip
lognorm = continuous(
    "lognorm(s)", POSITIVE, edges=False,
    logpdf=lambda x, s: _norm_logpdf(jnp.log(x) / s) - jnp.log(s * x),
    cdf=lambda x, s: sc.ndtr(jnp.log(x) / s), sf=lambda x, s: sc.ndtr(-jnp.log(x) / s),
    logcdf=lambda x, s: sc.log_ndtr(jnp.log(x) / s), logsf=lambda x, s: sc.log_ndtr(-jnp.log(x) / s),
    ppf=lambda q, s: jnp.exp(s * sc.ndtri(q)), isf=lambda q, s: jnp.exp(-s * sc.ndtri(q)),
)  # fmt: skip
t = continuous(
    "t(df)", REAL, logpdf=_t_logpdf,
    cdf=lambda x, df: sc.stdtr(df, x), sf=lambda x, df: sc.stdtr(df, -x),
    ppf=lambda q, df: sc.stdtrit(df, q), isf=lambda q, df: -sc.stdtrit(df, q),
)  # fmt: skip
nct = continuous(  # minus a variable with nc has -nc
    "nct(df, nc)", REAL, allowed=lambda df, nc: (df > 0) & (nc == nc),
    logpdf=lambda x, df, nc: jnp.log(_nct_pdf(x, df, nc)),
    cdf=lambda x, df, nc: sc.nctdtr(df, nc, x), sf=lambda x, df, nc: sc.nctdtr(df, -nc, -x),
    ppf=lambda q, df, nc: sc.nctdtrit(df, nc, q), isf=lambda q, df, nc: -sc.nctdtrit(df, -nc, q),
)  # fmt: skip
gamma = continuous(
    "gamma(a)", POSITIVE, logpdf=_gamma_logpdf,
    cdf=lambda x, a: sc.gammainc(a, x), sf=lambda x, a: sc.gammaincc(a, x),
    ppf=lambda q, a: sc.gammaincinv(a, q), isf=lambda q, a: sc.gammainccinv(a, q),
)  # fmt: skip
invgamma = continuous(
    "invgamma(a)", POSITIVE, edges=False,
    logpdf=lambda x, a: -(a + 1) * jnp.log(x) - 1 / x - sc.gammaln(a),
    cdf=lambda x, a: sc.gammaincc(a, 1 / x), sf=lambda x, a: sc.gammainc(a, 1 / x),
    ppf=lambda q, a: 1 / sc.gammainccinv(a, q), isf=lambda q, a: 1 / sc.gammaincinv(a, q),
)  # fmt: skip
chi2 = continuous(
    "chi2(df)", POSITIVE, logpdf=lambda x, df: _gamma_logpdf(x / 2, df / 2) - jnp.log(2.0),
    cdf=lambda x, df: sc.chdtr(df, x), sf=lambda x, df: sc.chdtrc(df, x),
    ppf=lambda q, df: 2 * sc.gammaincinv(df / 2, q), isf=lambda q, df: sc.chdtri(df, q),
)  # fmt: skip
beta = continuous(
    "beta(a, b)", UNIT,
    logpdf=lambda x, a, b: sc.xlog1py(b - 1, -x) + sc.xlogy(a - 1, x) - sc.betaln(a, b),
    cdf=lambda x, a, b: sc.betainc(a, b, x), sf=lambda x, a, b: sc.betaincc(a, b, x),
    ppf=lambda q, a, b: sc.betaincinv(a, b, q), isf=lambda q, a, b: sc.betainccinv(a, b, q),
)  # fmt: skip
f = continuous(  # 1 / x has its degrees of freedom the other way round
    "f(dfn, dfd)", POSITIVE, logpdf=_f_logpdf,
    cdf=lambda x, dfn, dfd: sc.fdtr(dfn, dfd, x), sf=lambda x, dfn, dfd: sc.fdtrc(dfn, dfd, x),
    ppf=lambda q, dfn, dfd: sc.fdtri(dfn, dfd, q), isf=lambda q, dfn, dfd: 1 / sc.fdtri(dfd, dfn, q),
)  # fmt: skip

poisson = discrete(
    "poisson(mu)", allowed=lambda mu: mu >= 0,
    logpmf=lambda k, mu: sc.xlogy(k, mu) - sc.gammaln(k + 1) - mu,
    cdf=lambda k, mu: sc.pdtr(k, mu), sf=lambda k, mu: sc.pdtrc(k, mu),
)  # fmt: skip
binom = discrete(
    "binom(n, p)", integers=("n",), highest=lambda n, p: n,
    allowed=lambda n, p: (n >= 0) & (jnp.floor(n) == n) & (p >= 0) & (p <= 1),
    logpmf=lambda k, n, p: sc.xlogy(k, p) + sc.xlog1py(n - k, -p) - sc.betaln(n - k + 1, k + 1) - jnp.log(n + 1),
    cdf=lambda k, n, p: sc.betaincc(k + 1, n - k, p), sf=lambda k, n, p: sc.betainc(k + 1, n - k, p),
)  # fmt: skip
nbinom = discrete(
    "nbinom(n, p)", allowed=lambda n, p: positive(n, p) & (p <= 1),
    logpmf=lambda k, n, p: n * jnp.log(p) + sc.xlog1py(k, -p) - sc.betaln(n, k + 1) - jnp.log(n + k),
    cdf=lambda k, n, p: sc.betainc(n, k + 1, p), sf=lambda k, n, p: sc.betaincc(n, k + 1, p),
)  # fmt: skip
