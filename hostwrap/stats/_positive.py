"""Laws on the positive half of the line, or what lies above 1."""

from __future__ import annotations

from typing import Any

from hostwrap.special import (
    erf,
    erfc,
    expit,
    expm1,
    fdtr,
    fdtrc,
    gammaln,
    hyp1f1,
    log_expit,
    log_ndtr,
    ndtr,
    xlogy,
)
from hostwrap.special._math import abs, arctan, arctan2, exp, inf, log, log1p, pi, sqrt, tanh, where
from hostwrap.stats._functions import (
    beta_part,
    log1mexp,
    log1p_rest,
    log1p_square,
    log_cosh,
    log_mills,
    log_phi,
    log_sum,
    log_tilted,
    mills_drop,
    ndtr_over,
    phi_difference,
    power,
    stirling_rest,
)
from hostwrap.stats._gammas import gamma_above, gamma_below
from hostwrap.stats._law import Law
from hostwrap.stats._saddle import log_beta_term, log_gamma_term


def gamma_logpdf(x: Any, a: Any) -> Any:
    return log_gamma_term(x, a, xlogy(a - 1, x) - x - gammaln(a), 1 / x)


def f_logpdf(x: Any, dfn: Any, dfd: Any) -> Any:
    """log(p^n q^m / B(n, m) / x), p = n x / (n x + m): for a large n or m the slope in it is like that of 1 / n.

    With u = p (n + m) / n - 1 and v = q (n + m) / m - 1, of which n u + m v = 0, p^n q^m is what `_saddle` says.
    """
    n, m, r = dfn / 2, dfd / 2, dfn / dfd
    whole, far = n + m, (x > 1e20) & (r * x > 1e20)  # there u = 1 / r, and the square of r x may overflow
    at = where(far, 1 + 0 * x, x)
    u = where(far, 1 / r, (at - 1) / (1 + r * at))
    v = where(far, -1 + 0 * u, -r * u)
    close, small = abs(v) < 0.5, where(far, -log(r) - log(where(far, x, at)), -log1p(r * at))
    log_v = where(close, log1p(where(close, v, 0 * v)), log1p(r) + small)
    near = abs(u) < 0.1
    by_u = n * log1p_rest(where(near, u, 0 * u)) - log(where(near, x, 1 + 0 * x))
    by_x = xlogy(n - 1, x) + n * (log_v - where(near, 0 * u, u))
    rest = stirling_rest(n, 1 / n) + stirling_rest(m, 1 / m) - stirling_rest(whole, 1 / whole)
    constant = -log(1 / n + 1 / m) / 2 - log(2 * pi) / 2 - rest
    return where(near, by_u, by_x) + m * log1p_rest(v, log_v) + constant


def _invgauss_parts(x: Any, mu: Any) -> tuple[Any, Any]:
    root = sqrt(x)
    return (x / mu - 1) / root, (x / mu + 1) / root


def _invgauss_logpdf(x: Any, mu: Any) -> Any:
    return -log(2 * pi) / 2 - 1.5 * log(x) - _invgauss_parts(x, mu)[0] ** 2 / 2


def _invgauss_cdf(x: Any, mu: Any) -> Any:
    """phi of the second is exp(-2 / mu) phi of the first."""
    first, second = _invgauss_parts(x, mu)
    return ndtr(first) + exp(log_phi(first) + log_mills(second))


def _invgauss_sf(x: Any, mu: Any) -> Any:
    """The second of the two parts is the first plus 2 / sqrt(x)."""
    return phi_difference(_invgauss_parts(x, mu)[0], 2 / sqrt(x))


def _invgauss_logcdf(x: Any, mu: Any) -> Any:
    first, second = _invgauss_parts(x, mu)
    return log_phi(first) + log_sum(log_mills(-first), log_mills(second))


def _invgauss_logsf(x: Any, mu: Any) -> Any:
    first, _ = _invgauss_parts(x, mu)
    far = first > 0
    tail = log_phi(first) + log(mills_drop(where(far, first, 0 * first), 2 / sqrt(x)))
    return where(far, tail, log(_invgauss_sf(x, mu)))


def _recipinvgauss_logpdf(x: Any, mu: Any) -> Any:
    return -log(2 * pi * x) / 2 - ((1 / mu - x) / sqrt(x)) ** 2 / 2


def _fatigue(x: Any, c: Any) -> Any:
    return (x - 1) / sqrt(x) / c


def _genexpon_log_sf(x: Any, a: Any, b: Any, c: Any) -> Any:
    """-(a + b) x + b (1 - exp(-c x)) / c; next to 0 by exp(-z) - 1 + z = z^2 / 2 hyp1f1(1, 3, -z)."""
    z = c * x
    near = z < 1
    small = where(near, x, 0 * x)
    series = -a * x - b * c * small * small / 2 * hyp1f1(1.0, 3.0, -c * small)
    return where(near, series, -(a + b) * x - b * expm1(-z) / c)


def _pareto_lognorm(x: Any, u: Any, s: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """z, and the logs of phi(z) / a and phi(z) / b times the two normal tails over their densities."""
    y = log(x) - u
    return y / s, log_tilted(y, s, a), log_tilted(-y, s, b)


def _pareto_lognorm_logpdf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    _, right, left = _pareto_lognorm(x, u, s, a, b)
    return log(a * b / (a + b)) - log(x) + log_sum(right, left)


def _pareto_lognorm_cdf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z, right, left = _pareto_lognorm(x, u, s, a, b)
    return ndtr(z) - (b * exp(right) - a * exp(left)) / (a + b)


def _pareto_lognorm_sf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z, right, left = _pareto_lognorm(x, u, s, a, b)
    return ndtr(-z) + (b * exp(right) - a * exp(left)) / (a + b)


def _pareto_lognorm_logcdf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    return _by_power(*_pareto_lognorm(x, u, s, a, b), a, b, _pareto_lognorm_cdf(x, u, s, a, b))


def _pareto_lognorm_logsf(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z, right, left = _pareto_lognorm(x, u, s, a, b)
    return _by_power(-z, left, right, b, a, _pareto_lognorm_sf(x, u, s, a, b))


def _by_power(z: Any, other: Any, own: Any, a: Any, b: Any, side: Any) -> Any:
    """log(side) by its term that falls like a power of x, which may be all; if that is not tiny."""
    more = log_ndtr(z) - own
    falls = more < 30
    rest = exp(where(falls, more, 0 * z)) - b / (a + b) * exp(where(falls, other - own, 0 * z))
    return where(falls, log(a / (a + b)) + own + log1p(rest * (a + b) / a), log(where(falls, 1.0, side)))


def _exponpow_logpdf(x: Any, b: Any) -> Any:
    """Far out z and exp(z) may both be infinite."""
    z = power(x, b)
    far = z > 700
    near = where(far, 0 * x, z)
    return where(far, -inf, 1 + log(b) + xlogy(b - 1, x) + near - exp(near))


def _mielke_log_cdf(x: Any, k: Any, s: Any) -> Any:
    """k log(x) - k / s log(1 + x^s)"""
    u = s * log(x)
    return where(x < 1, k * log(x) + k / s * log_expit(-u), k / s * log_expit(u))


def _mielke_logpdf(x: Any, k: Any, s: Any) -> Any:
    return log(k) - log(x) + _mielke_log_cdf(x, k, s) + log_expit(-s * log(x))


def _loglaplace_tail(x: Any, c: Any) -> Any:
    return exp(-c * abs(log(x))) / 2


def _foldcauchy_logpdf(x: Any, c: Any) -> Any:
    """log(2 / pi (1 + x^2 + c^2) / ((1 + c^2 - x^2)^2 + 4 x^2)); over a power of the larger of x, c and 1.

    For a large c the slope in x is like x / c^2, so no term may have the slope 1 / x.
    """
    far = (x > 1) & (x > 2 * c)
    t, s = where(far, x, 1 + 0 * x), where(far, 0 * x, x)
    r = (1 + c * c) / t / t
    away = log1p(r) - 2 * log(t) - log((1 - r) ** 2 + (2 / t) ** 2)
    m = where(c > 1, c, 1 + 0 * c)
    p, q, one = c / m, s / m, 1 / m
    squares = where(
        q > p / 2, (p - q) * (p + q), p * p - q * q
    )  # the slope of the first is a difference, too
    near = log(one**2 + p * p + q * q) - log((one**2 + squares) ** 2 + (2 * q * one) ** 2)
    return log(2 / pi) + where(far, away, near - 2 * log(m))


def _betaprime_logpdf(x: Any, a: Any, b: Any) -> Any:
    above = x > 1
    powers = where(
        above,
        -log(where(above, x, 1 + 0 * x)) - a * log1p(1 / where(above, x, 1 + 0 * x)) - b * log1p(x),
        xlogy(a - 1, where(above, 1 + 0 * x, x)) - (a + b) * log1p(where(above, 0 * x, x)),
    )
    return log_beta_term(a, b, x / (1 + x), 1 / (1 + x), powers, 1 / x)


def _foldnorm_logpdf(x: Any, c: Any) -> Any:
    """log(phi(x - c) + phi(x + c))"""
    apart = c * x > 1
    far = log1p(exp(-2 * where(apart, c * x, 1.0))) - log(2.0) - (x - c) ** 2 / 2
    return log(2 / pi) / 2 + where(apart, far, log_cosh(where(apart, 0 * x, c * x)) - (x * x + c * c) / 2)


def _foldnorm_cdf(x: Any, c: Any) -> Any:
    """Phi(x - c) - Phi(-x - c), of which the second is at most exp(-2 c x) of the first."""
    alone = c * x > 20
    near = where(alone, 0 * x, x)
    return where(alone, ndtr(x - c), ndtr_over(-near - c, 2 * near))


def _of_normal(z: Any, logpdf: Any) -> Law:
    """The law of a variable that z takes to a normal one."""
    return Law(
        logpdf=logpdf,
        cdf=lambda *args: ndtr(z(*args)), sf=lambda *args: ndtr(-z(*args)),
        logcdf=lambda *args: log_ndtr(z(*args)), logsf=lambda *args: log_ndtr(-z(*args)),
    )  # fmt: skip


def _by_log_sf(logpdf: Any, log_sf: Any) -> Law:
    """A law whose survival function is the exponential of a formula."""
    return Law(
        logpdf=logpdf, cdf=lambda *args: -expm1(log_sf(*args)), sf=lambda *args: exp(log_sf(*args)), logsf=log_sf
    )  # fmt: skip


def _by_log_cdf(logpdf: Any, log_cdf: Any) -> Law:
    return Law(
        logpdf=logpdf, cdf=lambda *args: exp(log_cdf(*args)), sf=lambda *args: -expm1(log_cdf(*args)), logcdf=log_cdf
    )  # fmt: skip


def _by_gamma(logpdf: Any, a: Any, z: Any) -> Law:
    """A law of a variable that z takes to a gamma variable of shape a."""
    return Law(
        logpdf=logpdf,
        cdf=lambda x, *s: gamma_below(a(*s), z(x, *s)), sf=lambda x, *s: gamma_above(a(*s), z(x, *s)),
    )  # fmt: skip


_gamma = _by_gamma(gamma_logpdf, lambda a: a, lambda x, a: x)

LAWS = {
    "alpha": Law(
        logpdf=lambda x, a: -2 * log(x) + log_phi(a - 1 / x) - log_ndtr(a),
        cdf=lambda x, a: ndtr(a - 1 / x) / ndtr(a), sf=lambda x, a: ndtr_over(-a, 1 / x) / ndtr(a),
        logcdf=lambda x, a: log_ndtr(a - 1 / x) - log_ndtr(a),
    ),
    "betaprime": Law(
        logpdf=_betaprime_logpdf,
        cdf=lambda x, a, b: beta_part(a, b, x / (1 + x), 1 / (1 + x)),
        sf=lambda x, a, b: beta_part(b, a, 1 / (1 + x), x / (1 + x)),
    ),
    "burr": _by_log_cdf(
        lambda x, c, d: log(c * d) - (c + 1) * log(x) + (d + 1) * log_expit(c * log(x)),
        lambda x, c, d: d * log_expit(c * log(x)),
    ),
    "burr12": _by_log_sf(
        lambda x, c, d: log(c * d) + xlogy(c - 1, x) + (d + 1) * log_expit(-c * log(x)),
        lambda x, c, d: d * log_expit(-c * log(x)),
    ),
    "chi": _by_gamma(
        lambda x, df: log_gamma_term(
            x * x / 2, df / 2, (1 - df / 2) * log(2.0) - gammaln(df / 2) + xlogy(df - 1, x) - x * x / 2, 2 / x
        ),
        lambda df: df / 2, lambda x, df: x * x / 2,
    ),
    "chi2": Law(
        logpdf=lambda x, df: gamma_logpdf(x / 2, df / 2) - log(2.0),
        cdf=lambda x, df: gamma_below(df / 2, x / 2), sf=lambda x, df: gamma_above(df / 2, x / 2),
    ),
    "dpareto_lognorm": Law(
        logpdf=_pareto_lognorm_logpdf, cdf=_pareto_lognorm_cdf, sf=_pareto_lognorm_sf,
        logcdf=_pareto_lognorm_logcdf, logsf=_pareto_lognorm_logsf,
    ),
    "erlang": _gamma,
    "expon": _by_log_sf(lambda x: -x, lambda x: -x),
    "exponpow": _by_log_sf(_exponpow_logpdf, lambda x, b: -expm1(power(x, b))),
    "exponweib": _by_log_cdf(
        lambda x, a, c: log(a * c) + (a - 1) * log1mexp(power(x, c)) - power(x, c) + xlogy(c - 1, x),
        lambda x, a, c: a * log1mexp(power(x, c)),
    ),
    "f": Law(
        logpdf=f_logpdf, cdf=lambda x, dfn, dfd: fdtr(dfn, dfd, x), sf=lambda x, dfn, dfd: fdtrc(dfn, dfd, x)
    ),
    "fatiguelife": _of_normal(
        _fatigue, lambda x, c: log1p(x) - log(2 * c) - 1.5 * log(x) + log_phi(_fatigue(x, c))
    ),
    "fisk": Law(
        logpdf=lambda x, c: log(c) - log(x) + log_expit(c * log(x)) + log_expit(-c * log(x)),
        cdf=lambda x, c: expit(c * log(x)), sf=lambda x, c: expit(-c * log(x)),
        logcdf=lambda x, c: log_expit(c * log(x)), logsf=lambda x, c: log_expit(-c * log(x)),
    ),
    "foldcauchy": Law(
        logpdf=_foldcauchy_logpdf,
        cdf=lambda x, c: arctan2(2 * x, 1 - x * x + c * c) / pi,
        sf=lambda x, c: arctan2(2.0, x - (1 + c * c) / x) / pi,
    ),
    "foldnorm": Law(
        logpdf=_foldnorm_logpdf,
        cdf=_foldnorm_cdf, sf=lambda x, c: ndtr(c - x) + ndtr(-x - c),
    ),
    "gamma": _gamma,
    "genexpon": _by_log_sf(
        lambda x, a, b, c: log(a - b * expm1(-c * x)) + _genexpon_log_sf(x, a, b, c), _genexpon_log_sf
    ),
    "gengamma": Law(
        logpdf=lambda x, a, c: log_gamma_term(
            x**c, a, log(abs(c)) + xlogy(c * a - 1, x) - x**c - gammaln(a), abs(c) / x
        ),
        cdf=lambda x, a, c: where(c > 0, gamma_below(a, x**c), gamma_above(a, x**c)),
        sf=lambda x, a, c: where(c > 0, gamma_above(a, x**c), gamma_below(a, x**c)),
    ),
    "gibrat": _of_normal(lambda x: log(x), lambda x: log_phi(log(x)) - log(x)),
    "gompertz": _by_log_sf(lambda x, c: log(c) + x - c * expm1(x), lambda x, c: -c * expm1(x)),
    "halfcauchy": Law(
        logpdf=lambda x: log(2 / pi) - log1p_square(x),
        cdf=lambda x: 2 / pi * arctan(x), sf=lambda x: 2 / pi * arctan2(1.0, x),
    ),
    "halfgennorm": _by_gamma(
        lambda x, beta: log(beta) - gammaln(1 / beta) - power(x, beta),
        lambda beta: 1 / beta, lambda x, beta: power(x, beta),
    ),
    "halflogistic": Law(
        logpdf=lambda x: -log(2.0) - 2 * log_cosh(x / 2),
        cdf=lambda x: tanh(x / 2), sf=lambda x: 2 * expit(-x), logsf=lambda x: log(2.0) + log_expit(-x),
    ),
    "halfnorm": Law(
        logpdf=lambda x: log(2 / pi) / 2 - x * x / 2,
        cdf=lambda x: erf(x / sqrt(2)), sf=lambda x: erfc(x / sqrt(2)), logsf=lambda x: log(2.0) + log_ndtr(-x),
    ),
    "invgamma": Law(
        logpdf=lambda x, a: log_gamma_term(1 / x, a, -(a + 1) * log(x) - 1 / x - gammaln(a), 1 / x),
        cdf=lambda x, a: gamma_above(a, 1 / x), sf=lambda x, a: gamma_below(a, 1 / x),
    ),
    "invgauss": Law(
        logpdf=_invgauss_logpdf, cdf=_invgauss_cdf, sf=_invgauss_sf, logcdf=_invgauss_logcdf, logsf=_invgauss_logsf
    ),
    "invweibull": _by_log_cdf(
        lambda x, c: log(c) - (c + 1) * log(x) - exp(-c * log(x)), lambda x, c: -exp(-c * log(x))
    ),
    "kappa3": _by_log_cdf(
        lambda x, a: log(a) - (1 / a + 1) * log(a + power(x, a)), lambda x, a: log_expit(a * log(x) - log(a)) / a
    ),
    "levy": Law(
        logpdf=lambda x: -log(2 * pi) / 2 - 1.5 * log(x) - 1 / (2 * x),
        cdf=lambda x: erfc(1 / sqrt(2 * x)), sf=lambda x: erf(1 / sqrt(2 * x)),
        logcdf=lambda x: log(2.0) + log_ndtr(-1 / sqrt(x)),
    ),
    "loglaplace": Law(
        logpdf=lambda x, c: log(c / 2) + where(x < 1, c - 1, -c - 1) * log(x),
        cdf=lambda x, c: where(x < 1, _loglaplace_tail(x, c), 1 - _loglaplace_tail(x, c)),
        sf=lambda x, c: where(x < 1, 1 - _loglaplace_tail(x, c), _loglaplace_tail(x, c)),
    ),
    "lognorm": _of_normal(lambda x, s: log(x) / s, lambda x, s: log_phi(log(x) / s) - log(s * x)),
    "lomax": _by_log_sf(lambda x, c: log(c) - (c + 1) * log1p(x), lambda x, c: -c * log1p(x)),
    "maxwell": _by_gamma(
        lambda x: log(2 / pi) / 2 + 2 * log(x) - x * x / 2, lambda: 1.5, lambda x: x * x / 2
    ),
    "mielke": _by_log_cdf(_mielke_logpdf, _mielke_log_cdf),
    "nakagami": _by_gamma(
        lambda x, nu: log_gamma_term(
            nu * x * x, nu, log(2.0) + nu * log(nu) - gammaln(nu) + xlogy(2 * nu - 1, x) - nu * x * x, 2 / x
        ),
        lambda nu: nu, lambda x, nu: nu * x * x,
    ),
    "pareto": _by_log_sf(lambda x, b: log(b) - (b + 1) * log(x), lambda x, b: -b * log(x)),
    "powerlognorm": _by_log_sf(
        lambda x, c, s: log(c / s) - log(x) + log_phi(log(x) / s) + (c - 1) * log_ndtr(-log(x) / s),
        lambda x, c, s: c * log_ndtr(-log(x) / s),
    ),
    "rayleigh": _by_log_sf(lambda x: log(x) - x * x / 2, lambda x: -x * x / 2),
    "recipinvgauss": Law(
        logpdf=_recipinvgauss_logpdf,
        cdf=lambda x, mu: _invgauss_sf(1 / x, mu), sf=lambda x, mu: _invgauss_cdf(1 / x, mu),
    ),
    "wald": Law(
        logpdf=lambda x: _invgauss_logpdf(x, 1.0),
        cdf=lambda x: _invgauss_cdf(x, 1.0), sf=lambda x: _invgauss_sf(x, 1.0),
        logcdf=lambda x: _invgauss_logcdf(x, 1.0), logsf=lambda x: _invgauss_logsf(x, 1.0),
    ),
    "weibull_min": _by_log_sf(
        lambda x, c: log(c) + xlogy(c - 1, x) - power(x, c), lambda x, c: -power(x, c)
    ),
}  # fmt: skip
