"""Laws between two ends, or with ends that depend on their shapes."""

from __future__ import annotations

from typing import Any

from hostwrap.special import (
    betainc,
    betaincc,
    betaln,
    erf,
    erfc,
    expm1,
    gammainc,
    gammaincc,
    log_ndtr,
    logit,
    ndtr,
    xlog1py,
    xlogy,
)
from hostwrap.special._math import (
    abs,
    arcsin,
    arctan2,
    cos,
    exp,
    inf,
    log,
    log1p,
    pi,
    sin,
    sqrt,
    tanh,
    where,
)
from hostwrap.stats._functions import (
    exp_rest,
    expm1_over,
    log1mexp,
    log1p_over,
    log1p_rest,
    log1p_series,
    log_ndtr_over,
    log_phi,
    minus_sine,
    over_unit,
    power_difference,
)
from hostwrap.stats._law import Law
from hostwrap.stats._saddle import log_beta_term


def _argus_sf(x: Any, chi: Any) -> Any:
    return gammainc(1.5, chi * chi * (1 - x) * (1 + x) / 2) / gammainc(1.5, chi * chi / 2)


def _argus_logpdf(x: Any, chi: Any) -> Any:
    rest = (1 - x) * (1 + x)
    constant = 3 * log(chi) - log(2 * pi) / 2 - log(gammainc(1.5, chi * chi / 2) / 2)
    return constant + log(x) + log(rest) / 2 - chi * chi * rest / 2


def _argus_cdf(x: Any, chi: Any) -> Any:
    """By quadrature of the density next to 0, and by upper tails where these are small: 1 - sf would cancel."""
    low = (x < 0.4) & (chi * x < 1.5)
    end = where(low, x, 0.2 + 0 * x)
    whole = chi * chi / 2
    rest = where(low, 2 + 0 * x, whole * (1 - x) * (1 + x))
    between = (gammaincc(1.5, rest) - gammaincc(1.5, whole)) / gammainc(1.5, whole)
    apart = where(rest > 1.5, between, 1 - _argus_sf(x, chi))
    return where(low, end * over_unit(lambda t: exp(_argus_logpdf(end * t, chi))), apart)


def _cosine_cdf(x: Any) -> Any:
    return minus_sine(pi + x) / (2 * pi)


def _gev_support(c: Any) -> tuple[Any, Any]:
    edge = 1 / where(c == 0, 1.0, c)
    return where(c < 0, edge, -inf), where(c > 0, edge, inf)


def _gev_log(x: Any, c: Any) -> Any:
    return log1p_over(c, x)


def _pareto_support(c: Any) -> tuple[Any, Any]:
    return 0.0, where(c < 0, -1 / where(c < 0, c, -1.0), inf)


def _pareto_log_sf(x: Any, c: Any) -> Any:
    """-log(1 + c x) / c"""
    return log1p_over(-c, x)


def _kappa4_support(h: Any, k: Any) -> tuple[Any, Any]:
    """(1 - h^-k) / k below for positive h, 1 / k where k is negative, or above where it is positive."""
    edge = 1 / where(k == 0, 1.0, k)
    low = -expm1_over(k, -log(where(h > 0, h, 1.0)))
    return where(h > 0, low, where(k < 0, edge, -inf)), where(k > 0, edge, inf)


def _kappa4_log_cdf(x: Any, h: Any, k: Any) -> Any:
    inner = exp(log1p_over(k, x))
    return log1p_over(h, where((h == 0) & (inner == inf), 1e300 + 0 * h, inner))  # not 0 times infinity


def _kappa4_logpdf(x: Any, h: Any, k: Any) -> Any:
    """(1 - k) u + (1 - h) / h log(1 - h exp(u)), u = log(1 - k x) / k.

    For k = 0 its largest value is at u = 0. There, with w = exp(u) - 1 and s = h / (1 - h), all but -k u is
    log(1 + w) + log(1 - s w) / s, and a constant.
    """
    u = log1p_over(k, x)
    near = (abs(u) < 0.05) & (h < 0.5) & (h > -1e6)
    w, g = expm1(where(near, u, 0 * u)), where(near, h, 0 * h)
    s = g / (1 - g)
    close = log1p_rest(w) - s * w * w * log1p_series(-s * w) + (1 - g) * log1p_over(g, 1 + 0 * g)
    return -k * u + where(near, close, u + (1 - h) * _kappa4_log_cdf(x, h, k))


def _log_between(a: Any, b: Any) -> Any:
    """log(ndtr(b) - ndtr(a))"""
    return log_ndtr_over(a, b - a)


def _truncexpon_sf(x: Any, b: Any) -> Any:
    return exp(-x) * expm1(x - b) / expm1(-b)


def _weibull_between(high: Any, low: Any, c: Any) -> Any:
    """1 - exp(low^c - high^c); 1 where the larger power may overflow, from exp(100) on."""
    far = c * log(high) > 100
    top, bottom = where(far, 1 + 0 * high, high), where(far, 0 * low, low)
    return where(far, 1.0, -expm1(-power_difference(top, bottom, c)))


def _trunc_weibull_cdf(x: Any, c: Any, a: Any, b: Any) -> Any:
    return _weibull_between(x, a, c) / _weibull_between(b, a, c)


def _trunc_weibull_sf(x: Any, c: Any, a: Any, b: Any) -> Any:
    rest = _weibull_between(b, x, c) / _weibull_between(b, a, c)
    return exp(-power_difference(x, a, c)) * rest


def _trunc_pareto_logpdf(x: Any, b: Any, c: Any) -> Any:
    """b may be negative; then c^-b, which may be huge, is taken out of (1 - c^-b) / b."""
    size = abs(b)
    whole = log1mexp(size * log(c)) - log(size) + where(b < 0, -b, 0 * b) * log(c)
    return -(b + 1) * log(x) - whole


def _trunc_pareto_cdf(x: Any, b: Any, c: Any) -> Any:
    size, rest = abs(b), log1p((x - c) / c)
    return exp(where(b < 0, -b, 0 * b) * rest) * expm1(-size * log(x)) / expm1(-size * log(c))


def _trunc_pareto_sf(x: Any, b: Any, c: Any) -> Any:
    size, rest = abs(b), log1p((x - c) / c)
    return exp(-where(b < 0, 0 * b, b) * log(x)) * expm1(size * rest) / expm1(-size * log(c))


def _rdist_side(x: Any, c: Any) -> Any:
    """The probability below x; next to 0, which it is symmetric about, by x^2, for 1 + x has no digits of x there."""
    near = (abs(x) < 0.25) & (c * x * x < 4)  # elsewhere a tail, which the difference from 1 / 2 would lose
    t = where(near, x, 0.25 + 0 * x)
    centre = 0.5 + where(x < 0, -0.5, 0.5) * betainc(0.5 + 0 * c, c / 2, t * t)
    return where(near, centre, betainc(c / 2, c / 2, (1 + where(near, 0 * x, x)) / 2))


def _trapezoid_height(c: Any, d: Any) -> Any:
    return 2 / (d - c + 1)


def _trapezoid_logpdf(x: Any, c: Any, d: Any) -> Any:
    side = where(
        x < c, x / where(c > 0, c, 1.0), where(x > d, (1 - x) / where(d < 1, 1 - d, 1.0), 1.0 + 0 * x)
    )
    return log(_trapezoid_height(c, d) * side)


def _trapezoid_cdf(x: Any, c: Any, d: Any) -> Any:
    low, middle = x * x / (2 * where(c > 0, c, 1.0)), x - c / 2
    total = _trapezoid_height(c, d)
    last = 1 - total * (1 - x) ** 2 / (2 * where(d < 1, 1 - d, 1.0))
    return where(x < c, total * low, where(x > d, last, total * middle))


def _trapezoid_sf(x: Any, c: Any, d: Any) -> Any:
    return _trapezoid_cdf(1 - x, 1 - d, 1 - c)


def _triangle_logpdf(x: Any, c: Any) -> Any:
    return log(2 * where(x < c, x / where(c > 0, c, 1.0), (1 - x) / where(c < 1, 1 - c, 1.0)))


def _triangle_cdf(x: Any, c: Any) -> Any:
    return where(x < c, x * x / where(c > 0, c, 1.0), 1 - (1 - x) ** 2 / where(c < 1, 1 - c, 1.0))


def _wrapped(x: Any, c: Any) -> tuple[Any, Any]:
    return (1 + c) / (1 - c) * sin(x / 2), cos(x / 2)


_log_uniform = Law(
    support=lambda a, b: (a, b),
    logpdf=lambda x, a, b: -log(x) - log(log(b / a)),
    cdf=lambda x, a, b: log1p((x - a) / a) / log(b / a),
    sf=lambda x, a, b: -log1p((x - b) / b) / log(b / a),
)

LAWS = {
    "anglit": Law(
        logpdf=lambda x: log(cos(2 * x)), cdf=lambda x: sin(x + pi / 4) ** 2, sf=lambda x: sin(pi / 4 - x) ** 2
    ),
    "arcsine": Law(
        logpdf=lambda x: -log(pi) - log(x * (1 - x)) / 2,
        cdf=lambda x: 2 / pi * arcsin(sqrt(x)), sf=lambda x: 2 / pi * arcsin(sqrt(1 - x)),
    ),
    "argus": Law(logpdf=_argus_logpdf, cdf=_argus_cdf, sf=_argus_sf),
    "beta": Law(
        logpdf=lambda x, a, b: log_beta_term(
            a, b, x, 1 - x, xlog1py(b - 1, -x) + xlogy(a - 1, x), 1 / (x * (1 - x))
        ),
        cdf=lambda x, a, b: betainc(a, b, x), sf=lambda x, a, b: betaincc(a, b, x),
    ),
    "bradford": Law(
        logpdf=lambda x, c: log(c) - log1p(c * x) - log(log1p(c)),
        cdf=lambda x, c: log1p(c * x) / log1p(c), sf=lambda x, c: log1p(c * (1 - x) / (1 + c * x)) / log1p(c),
    ),
    "cosine": Law(
        logpdf=lambda x: 2 * log(cos(x / 2)) - log(pi), cdf=_cosine_cdf, sf=lambda x: _cosine_cdf(-x)
    ),
    "genextreme": Law(
        support=_gev_support,
        logpdf=lambda x, c: -1 - c * _gev_log(x, c) - exp_rest(_gev_log(x, c)),
        cdf=lambda x, c: exp(-exp(_gev_log(x, c))), sf=lambda x, c: -expm1(-exp(_gev_log(x, c))),
        logcdf=lambda x, c: -exp(_gev_log(x, c)),
    ),
    "genhalflogistic": Law(
        support=lambda c: (0.0, 1 / c),
        logpdf=lambda x, c: log(2.0) + (1 - c) * log1p_over(c, x) - 2 * log1p(exp(log1p_over(c, x))),
        cdf=lambda x, c: tanh(-log1p_over(c, x) / 2),
        sf=lambda x, c: 2 / (1 + exp(-log1p_over(c, x))),
    ),
    "genpareto": Law(
        support=_pareto_support, logpdf=lambda x, c: (1 + c) * _pareto_log_sf(x, c),
        cdf=lambda x, c: -expm1(_pareto_log_sf(x, c)), sf=lambda x, c: exp(_pareto_log_sf(x, c)),
        logsf=_pareto_log_sf,
    ),
    "johnsonsb": Law(
        logpdf=lambda x, a, b: log(b) - log(x * (1 - x)) + log_phi(a + b * logit(x)),
        cdf=lambda x, a, b: ndtr(a + b * logit(x)), sf=lambda x, a, b: ndtr(-a - b * logit(x)),
        logcdf=lambda x, a, b: log_ndtr(a + b * logit(x)), logsf=lambda x, a, b: log_ndtr(-a - b * logit(x)),
    ),
    "kappa4": Law(
        support=_kappa4_support,
        logpdf=_kappa4_logpdf,
        cdf=lambda x, h, k: exp(_kappa4_log_cdf(x, h, k)), sf=lambda x, h, k: -expm1(_kappa4_log_cdf(x, h, k)),
        logcdf=_kappa4_log_cdf,
    ),
    "levy_l": Law(
        logpdf=lambda x: -log(2 * pi) / 2 - 1.5 * log(-x) + 1 / (2 * x),
        cdf=lambda x: erf(1 / sqrt(-2 * x)), sf=lambda x: erfc(1 / sqrt(-2 * x)),
        logsf=lambda x: log(2.0) + log_ndtr(-1 / sqrt(-x)),
    ),
    "loguniform": _log_uniform,
    "powerlaw": Law(
        logpdf=lambda x, a: log(a) + xlogy(a - 1, x), cdf=lambda x, a: exp(a * log(x)),
        sf=lambda x, a: -expm1(a * log(x)), logcdf=lambda x, a: a * log(x),
    ),
    "rdist": Law(
        logpdf=lambda x, c: (c / 2 - 1) * log1p(-x * x) - betaln(0.5, c / 2),
        cdf=_rdist_side, sf=lambda x, c: _rdist_side(-x, c),
    ),
    "reciprocal": _log_uniform,
    "semicircular": Law(
        logpdf=lambda x: log(2 / pi) + log1p(-x * x) / 2,
        cdf=lambda x: betainc(1.5, 1.5, (1 + x) / 2), sf=lambda x: betainc(1.5, 1.5, (1 - x) / 2),
    ),
    "trapezoid": Law(logpdf=_trapezoid_logpdf, cdf=_trapezoid_cdf, sf=_trapezoid_sf),
    "triang": Law(logpdf=_triangle_logpdf, cdf=_triangle_cdf, sf=lambda x, c: _triangle_cdf(1 - x, 1 - c)),
    "truncexpon": Law(
        support=lambda b: (0.0, b),
        logpdf=lambda x, b: -x - log(-expm1(-b)), cdf=lambda x, b: expm1(-x) / expm1(-b), sf=_truncexpon_sf,
    ),
    "truncnorm": Law(
        support=lambda a, b: (a, b),
        logpdf=lambda x, a, b: log_phi(x) - _log_between(a, b),
        cdf=lambda x, a, b: exp(_log_between(a, x) - _log_between(a, b)),
        sf=lambda x, a, b: exp(_log_between(x, b) - _log_between(a, b)),
        logcdf=lambda x, a, b: _log_between(a, x) - _log_between(a, b),
        logsf=lambda x, a, b: _log_between(x, b) - _log_between(a, b),
    ),
    "truncpareto": Law(
        support=lambda b, c: (1.0, c), logpdf=_trunc_pareto_logpdf, cdf=_trunc_pareto_cdf, sf=_trunc_pareto_sf
    ),
    "truncweibull_min": Law(
        support=lambda c, a, b: (a, b),
        logpdf=lambda x, c, a, b: log(c) + (c - 1) * log(x) - power_difference(x, a, c)
        - log(_weibull_between(b, a, c)),
        cdf=_trunc_weibull_cdf, sf=_trunc_weibull_sf,
    ),
    "uniform": Law(logpdf=lambda x: 0 * x, cdf=lambda x: x, sf=lambda x: 1 - x),
    "weibull_max": Law(
        logpdf=lambda x, c: log(c) + xlogy(c - 1, -x) - exp(c * log(-x)),
        cdf=lambda x, c: exp(-exp(c * log(-x))), sf=lambda x, c: -expm1(-exp(c * log(-x))),
        logcdf=lambda x, c: -exp(c * log(-x)),
    ),
    "wrapcauchy": Law(
        logpdf=lambda x, c: log((1 - c) * (1 + c) / (2 * pi)) - log((1 - c) ** 2 + 4 * c * sin(x / 2) ** 2),
        cdf=lambda x, c: arctan2(*_wrapped(x, c)) / pi, sf=lambda x, c: arctan2(*_wrapped(2 * pi - x, c)) / pi,
    ),
}  # fmt: skip
