"""Laws whose probabilities have no closed form, or only some; and those of which SciPy alone has the density."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from hostwrap.special import (
    betaln,
    chndtr,
    gammainc,
    gammaincc,
    hyp0f1,
    hyp1f1,
    hyp2f1,
    i0e,
    ive,
    k1e,
    kolmogorov,
    log_ive,
    log_kve,
    ncfdtr,
    smirnov,
    tklmbda,
    xlog1py,
    xlogy,
)
from hostwrap.special._math import abs, exp, inf, log, log1p, pi, round, sin, sqrt, where
from hostwrap.special.kolmogorov_smirnov.smirnov import smirnov_n
from hostwrap.stats import _stable as stable
from hostwrap.stats._functions import expm1_over, log1p_over, log1p_series, log_sum, stirling_rest
from hostwrap.stats._integral import Integral, probabilities
from hostwrap.stats._landau import landau
from hostwrap.stats._law import Law
from hostwrap.stats._method import differentiable
from hostwrap.stats._positive import f_logpdf, gamma_logpdf
from hostwrap.stats._range import Range
from hostwrap.stats._two_sided import TwoSided
from hostwrap.stats._uniform_sums import spline


def _unclosed(logpdf: Any, low: float, high: float) -> Law:
    """By quadrature, which keeps the digits of both tails."""
    cdf, sf = probabilities(logpdf, low, high)
    return Law(logpdf=logpdf, cdf=cdf, sf=sf)


def _gausshyper_logpdf(x: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    constant = betaln(a, b) + log(hyp2f1(c, a, a + b, -z))
    return xlogy(a - 1, x) + xlog1py(b - 1, -x) - c * log1p(z * x) - constant


_GAUSSHYPER_CDF, _ = probabilities(_gausshyper_logpdf, 0.0, 1.0)


def _gausshyper_sf(x: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    """Of 1 - x, which has the same law with other shapes: next to 1 the density may have a pole."""
    return _GAUSSHYPER_CDF(1 - x, b, a, c, -z / (1 + z))


def _genhyperbolic_logpdf(x: Any, p: Any, a: Any, b: Any) -> Any:
    g, r = sqrt((a - b) * (a + b)), sqrt(1 + x * x)
    constant = p * log(g) - log(2 * pi) / 2 - (p - 0.5) * log(a) - log_kve(p, g) + g
    return constant + b * x + log_kve(p - 0.5, a * r) - a * r + (p - 0.5) * log(r)


def _geninvgauss_logpdf(x: Any, p: Any, b: Any) -> Any:
    return (p - 1) * log(x) - b * ((x - 1) / sqrt(x)) ** 2 / 2 - log(2.0) - log_kve(p, b)


def _norminvgauss_logpdf(x: Any, a: Any, b: Any) -> Any:
    r = sqrt(1 + x * x)
    return log(a / pi) + log(k1e(a * r)) - a * r - log(r) + sqrt((a - b) * (a + b)) + b * x


def _ncf_logpdf(x: Any, dfn: Any, dfd: Any, nc: Any) -> Any:
    """The central density times exp(-nc / 2) hyp1f1, the sum over the Poisson weights."""
    n, m = dfn / 2, dfd / 2
    y = dfn * x / (dfd + dfn * x)
    # Kummer's transformation (DLMF 13.2.39) where the sum overflows; 1 - y = dfd / (dfd + dfn x)
    z = nc * y / 2
    large = z > 100
    total = log(hyp1f1(where(large, -m, n + m), n, where(large, -z, z)))
    return f_logpdf(x, dfn, dfd) + total - nc / 2 * where(large, dfd / (dfd + dfn * x), 1.0)


def _ncx2_logpdf(x: Any, df: Any, nc: Any) -> Any:
    """The central density times exp(-nc / 2) 0F1(df / 2; nc x / 4), which is a Bessel function where it is large."""
    near = nc * x < 1 + df  # there 0F1 is at most e
    small, away = where(near, nc, 0 * nc), where(near, 1 + 0 * nc, nc)
    central = gamma_logpdf(x / 2, df / 2) - log(2.0)
    series = central - small / 2 + log(hyp0f1(df / 2, small * x / 4))
    between = (sqrt(x) - sqrt(away)) ** 2 / 2
    bessel = -log(2.0) - between + (df / 4 - 0.5) * log(x / away) + _log_bessel(df / 2 - 1, sqrt(away * x))
    return where(near, series, bessel)


NCX2_SF = Integral(_ncx2_logpdf, inf, False)


def _log_bessel(order: Any, z: Any) -> Any:
    """log(ive(order, z)) for orders from -1 on: those below 0 do not underflow.

    Of large z, where SciPy's is NaN, order and -order have the same: the rest is exp(-2 z) of it (DLMF 10.27.2).
    """
    order = where((order < 0) & (z > 30), -order, order)
    low = order < 0
    below = log(ive(where(low, order, -0.5 + 0 * order), z))
    return where(low, below, log_ive(where(low, 0 * order, order), z))


def _rice_logpdf(x: Any, b: Any) -> Any:
    return log(x) - (x - b) ** 2 / 2 + log(i0e(x * b))


def _breit_wigner_logpdf(x: Any, rho: Any) -> Any:
    s = 1 + 1 / (rho * rho)
    constant = log(2 / pi) + (log(2 * s) - log1p(sqrt(s))) / 2
    return constant - log1p(((x * x - rho * rho) / rho) ** 2)


def _log_rest(x: Any, skew: Any) -> Any:
    """(u - log(1 + u)) x^2 / u^2 for u = skew x / 2, smooth in skew through 0; u^2 may overflow."""
    u = skew * x / 2
    small = abs(u) < 0.1
    total = log1p_series(where(small, u, 0 * u))
    away, s = where(small, 1 + 0 * u, u), where(small, 1 + 0 * skew, skew / 2)
    near = where(small, x, 0 * x)
    return where(small, near * near * total, (away - log1p(away)) / (s * s))


def _pearson3_logpdf(x: Any, skew: Any) -> Any:
    """A gamma variable of shape 4 / skew^2, standardized; smooth in skew through 0."""
    inverse, u = skew * skew / 4, skew * x / 2
    alpha = 1 / where(inverse > 0, inverse, 1 + 0 * inverse)
    return -log(2 * pi) / 2 - stirling_rest(alpha, inverse) - _log_rest(x, skew) - log1p(u)


def _pearson3_support(skew: Any) -> tuple[Any, Any]:
    edge = -2 / where(skew == 0, 1.0, skew)
    return where(skew > 0, edge, -inf), where(skew < 0, edge, inf)


_PEARSON3_CDF, _PEARSON3_SF = probabilities(_pearson3_logpdf, -inf, inf)


def _pearson3_side(x: Any, skew: Any, lower: bool) -> Any:
    """By quadrature where the shape of the gamma variable is large: what lies beyond the end is nothing then."""
    small = abs(skew) < 0.3
    s = where(small, 1 + 0 * skew, skew)
    alpha = 4 / (s * s)
    t = alpha * (1 + s * where(small, 0 * x, x) / 2)
    below, above = gammainc(alpha, t), gammaincc(alpha, t)
    closed = where(s > 0, below, above) if lower else where(s > 0, above, below)
    side = _PEARSON3_CDF if lower else _PEARSON3_SF
    return where(small, side(x, where(small, skew, 0 * skew)), closed)


def _tukey_log_tail(x: Any, lam: Any) -> Any:
    """Of the probability p below -|x|. SciPy's function has 14 decimals; steps of Newton's method give the digits.

    Far out they start from p^lam + lam p = 1 + lam x, which the power of the other tail comes close to, and there from
    what one of the two terms alone would give. Where p is small and lam below 1, the first term is all there is, and p
    may underflow.
    """
    x = where(x < 0, x, -x)
    p = tklmbda(x, lam)
    far = p < 1e-9
    inside = where(far, x, 0 * x)
    log_power, line = -log1p_over(-lam, inside), inside + 1 / where(lam > 0, lam, inf)
    second = (1 - lam) * log_power + log(where(lam > 0, lam, 1 + 0 * lam))  # lam p over p^lam
    alone = (lam < 1) & (log_power < -34) & (second < -34)
    power = exp(where(alone, -34 + 0 * x, log_power))
    p = where(far, where((lam > 0) & (line < power), line, power), p)
    for _ in range(4):
        excess = expm1_over(lam, log(p)) - expm1_over(lam, log1p(-p)) - x
        p = p - excess / (exp((lam - 1) * log(p)) + exp((lam - 1) * log1p(-p)))
    return where(alone, log_power, log(p))


def _tukey_cdf(x: Any, lam: Any) -> Any:
    tail = exp(_tukey_log_tail(x, lam))
    return where(x < 0, tail, 1 - tail)


def _tukey_logcdf(x: Any, lam: Any) -> Any:
    tail = _tukey_log_tail(x, lam)
    return where(x < 0, tail, log1p(-exp(tail)))


def _tukey_logpdf(x: Any, lam: Any) -> Any:
    tail = _tukey_log_tail(x, lam)
    return -log_sum((lam - 1) * tail, (lam - 1) * log1p(-exp(tail)))


def _tukey_support(lam: Any) -> tuple[Any, Any]:
    edge = where(lam > 0, 1 / where(lam > 0, lam, 1.0), inf)
    return -edge, edge


def _vonmises_logpdf(x: Any, kappa: Any) -> Any:
    return -2 * kappa * sin(x / 2) ** 2 - log(2 * pi * i0e(kappa))


_CIRCLE_CDF, _CIRCLE_SF = probabilities(_vonmises_logpdf, -pi, pi)


def _turns(x: Any) -> Any:
    return round(x / (2 * pi))


def _landau_logpdf(x: Any) -> Any:
    """Far out 2 / (pi x^2), whose slope underflows before it does."""
    far = x > 1e20
    tail = log(2 / pi) - 2 * log(where(far, x, 1 + 0 * x))
    return where(far, tail, log(differentiable(landau, 0)(where(far, 0 * x, x))))


def _decline(function: Any, x: Any) -> Any:
    return -jax.jvp(function, (x,), (jnp.ones_like(x),))[1]


def _sum_below(x: Any, n: Any) -> Any:
    return differentiable(spline, -1, "n")(n, x)


LAWS = {
    "gausshyper": Law(logpdf=_gausshyper_logpdf, cdf=_GAUSSHYPER_CDF, sf=_gausshyper_sf),
    "genhyperbolic": _unclosed(_genhyperbolic_logpdf, -inf, inf),
    "geninvgauss": _unclosed(_geninvgauss_logpdf, 0.0, inf),
    "irwinhall": Law(
        integers=("n",), support=lambda n: (0.0, n), logpdf=lambda x, n: log(differentiable(spline, 0, "n")(n, x)),
        cdf=_sum_below, sf=lambda x, n: _sum_below(n - x, n),
    ),
    "ksone": Law(
        integers=("n",), logpdf=lambda x, n: log(-differentiable(smirnov_n, 1, "n", loops=True)(n, x)),
        sf=lambda x, n: smirnov(n, x),
    ),
    "kstwo": Law(
        integers=("n",), support=lambda n: (0.5 / n, 1.0),
        logpdf=TwoSided("log_density"), cdf=TwoSided("below"), sf=TwoSided("above"),
    ),
    "kstwobign": Law(
        logpdf=lambda x: log(_decline(lambda x: kolmogorov(x), x)), sf=lambda x: kolmogorov(x)
    ),
    "landau": Law(logpdf=_landau_logpdf),
    "levy_stable": Law(
        support=stable.support, logpdf=stable.log_density, nested=True,
        cdf=stable.Stable("below"), above=stable.Stable("above"),
    ),
    "ncf": Law(
        logpdf=_ncf_logpdf, cdf=lambda x, dfn, dfd, nc: ncfdtr(dfn, dfd, nc, x), sf=Integral(_ncf_logpdf, inf, False)
    ),
    "ncx2": Law(
        logpdf=_ncx2_logpdf, cdf=lambda x, df, nc: chndtr(x, df, nc), sf=NCX2_SF
    ),
    "norminvgauss": _unclosed(_norminvgauss_logpdf, -inf, inf),
    "pearson3": Law(
        support=_pearson3_support, logpdf=_pearson3_logpdf,
        cdf=lambda x, skew: _pearson3_side(x, skew, True), sf=lambda x, skew: _pearson3_side(x, skew, False),
    ),
    "rel_breitwigner": _unclosed(_breit_wigner_logpdf, 0.0, inf),
    "rice": Law(
        logpdf=_rice_logpdf, cdf=lambda x, b: chndtr(x * x, 2.0, b * b), sf=Integral(_rice_logpdf, inf, False)
    ),
    "studentized_range": Law(
        logpdf=Range("log_density"), nested=True, cdf=Range("below"), sf=Range("above")
    ),
    "tukeylambda": Law(
        support=_tukey_support, logpdf=_tukey_logpdf,
        cdf=_tukey_cdf, sf=lambda x, lam: _tukey_cdf(-x, lam),
        logcdf=_tukey_logcdf, logsf=lambda x, lam: _tukey_logcdf(-x, lam),
    ),
    "vonmises": Law(
        logpdf=_vonmises_logpdf, turn=lambda kappa: (-pi + 0 * kappa, pi + 0 * kappa),
        cdf=lambda x, kappa: _CIRCLE_CDF(x - 2 * pi * _turns(x), kappa) + _turns(x),
        sf=lambda x, kappa: _CIRCLE_SF(x - 2 * pi * _turns(x), kappa) - _turns(x),
    ),
    "vonmises_line": _unclosed(_vonmises_logpdf, -pi, pi),
}  # fmt: skip
