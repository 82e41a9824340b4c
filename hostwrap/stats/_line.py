"""Laws on the whole line."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from hostwrap.special import (
    betaln,
    erf,
    erfc,
    expit,
    expm1,
    gammaln,
    log_expit,
    log_ndtr,
    nctdtr,
    ndtr,
    owens_t,
    stdtr,
    xlogy,
)
from hostwrap.special._math import (
    abs,
    arcsinh,
    arctan,
    arctan2,
    exp,
    inf,
    log,
    log1p,
    nan,
    pi,
    sqrt,
    where,
)
from hostwrap.stats._functions import (
    beta_part,
    exp_rest,
    log1p_square,
    log_cosh,
    log_gamma_over_power,
    log_phi,
    log_student,
    log_tilted,
    ndtr_over,
    phi_difference,
    power,
)
from hostwrap.stats._gammas import gamma_above, gamma_below, upper_half, upper_half_of_power
from hostwrap.stats._integral import probabilities
from hostwrap.stats._law import Law
from hostwrap.stats._positive import gamma_logpdf
from hostwrap.stats._saddle import log_beta_term, log_gamma_term


def _t_logpdf(x: Any, df: Any) -> Any:
    """Infinite df is the normal distribution."""
    finite = where(df == inf, 1.0, df)
    near = x * x < 0.1 * finite
    some = where(near, x, 0 * x)
    far = where(near, 0 * x, x)
    log_power = where(
        near, log_student(some * some, finite, 1.0), (finite + 1) / 2 * log1p_square(far / sqrt(finite))
    )
    t = log_gamma_over_power(finite / 2, 0.5 + 0 * finite) - log(2 * pi) / 2 - log_power
    return where(df == inf, log_phi(x), t)


def _nct_pdf(x: Any, df: Any, nc: Any) -> Any:
    return jax.jvp(lambda x: nctdtr(df, nc, x), (x,), (jnp.ones_like(x),))[1]


def _nct_far(x: Any, df: Any, nc: Any) -> tuple[Any, Any]:
    """Whether |x| is so large that the probability behind it is a multiple of |x|^-df; and from where."""
    limit = 1e30 * (1 + df) * (1 + nc * nc)
    return abs(x) > limit, limit


def _nct_logpdf(x: Any, df: Any, nc: Any) -> Any:
    """Far out df / |x| times the probability behind x: the density itself may underflow."""
    far, limit = _nct_far(x, df, nc)
    size = where(far, abs(x), limit)
    tail = log(nctdtr(df, where(x < 0, nc, -nc), where(far, -limit, 0 * x))) - df * log(size / limit)
    near = jnp.log(_nct_pdf(where(far, 0 * x, x), df, nc))
    return where(far, log(df) - log(size) + tail, near)


def _nct_logcdf(x: Any, df: Any, nc: Any) -> Any:
    """On the short side SciPy's function is a difference, which has lost its digits where it is small: NaN."""
    far, limit = _nct_far(x, df, nc)
    far = far & (x < 0)
    part = nctdtr(df, nc, where(far, -limit, x))
    found = log(where((x < 0) & (nc > 4) & (part < 1e-6), nan, part))
    return where(far, found - df * log(where(far, -x, limit) / limit), found)


def _skew_t_sides(x: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """(1 + d) / 2 and (1 - d) / 2 for d = |x| / sqrt(a + b + x^2), and the log of the second, which may underflow."""
    s = sqrt(a + b)
    size = where(x < 0, -x, x)  # at 0 it is x, to all orders
    far = size > 1e9 * s  # there x^2 may overflow, and a + b is nothing beside it
    t = where(far, s, size)
    r, quotient = sqrt(a + b + t * t), s / where(far, 2 * size, 2 * s)
    small = (a + b) / (2 * r * (r + t))
    log_size = log(where(far, size, 1 + 0 * x))  # the slope of s / x is a number over x^2, which is subnormal
    return (
        where(far, 1.0, (r + t) / (2 * r)),
        where(far, quotient**2, small),
        where(far, 2 * (log(s / 2) - log_size), log(small)),
    )


def _skew_t_log_side(a: Any, b: Any, p: Any, q: Any, log_p: Any) -> Any:
    """log(betainc(a, b, p)): by p^a / (a B(a, b)) where p may underflow, for (1 - t)^(b - 1) is 1 there."""
    far = log_p < -60
    near = log(beta_part(a, b, where(far, 0.5 + 0 * p, p), where(far, 0.5 + 0 * q, q)))
    return where(far, a * log_p - log(a) - betaln(a, b), near)


def _skew_t_logcdf(x: Any, a: Any, b: Any) -> Any:
    large, small, log_small = _skew_t_sides(x, a, b)
    return _skew_t_log_side(
        a, b, where(x < 0, small, large), where(x < 0, large, small), where(x < 0, log_small, 0 * x)
    )


def _skew_t_logsf(x: Any, a: Any, b: Any) -> Any:
    return _skew_t_logcdf(-x, b, a)


def _skew_t_logpdf(x: Any, a: Any, b: Any) -> Any:
    """4 (p q)^(1/2) p^a q^b / B(a, b) / (a + b)^(1/2), where p and q are the two sides."""
    large, small, log_small = _skew_t_sides(x, a, b)
    in_large, in_small = where(x < 0, b, a) + 0.5, where(x < 0, a, b) + 0.5
    powers = log(4.0) - log(a + b) / 2 + in_large * log1p(-small) + in_small * log_small
    p, q = where(x < 0, small, large), where(x < 0, large, small)
    return log_beta_term(a, b, p, q, powers, 4 * sqrt(p * q / (a + b)))


def _normal_of(x: Any, a: Any, b: Any) -> Any:
    """a + b arcsinh(x). Where x^2 may overflow, the slope of log(2 |x|) does not."""
    far, size = abs(x) > 1e9, where(x < 0, -x, x)
    log_size = log(2 * where(far, size, 1 + 0 * x))
    return a + b * where(far, where(x < 0, -log_size, log_size), arcsinh(where(far, 0 * x, x)))


def _crystalball_norm(beta: Any, m: Any) -> Any:
    return (1 + 1 / (m - 1)) / beta * exp(-beta * beta / 2) + sqrt(2 * pi) * ndtr(beta)


def _crystalball_logpdf(x: Any, beta: Any, m: Any) -> Any:
    tail = x < -beta
    log_tail = -beta * beta / 2 - log_student(2 * beta * where(tail, -beta - x, 0 * x), 2 * m, 0.0)
    return where(tail, log_tail, -x * x / 2) - log(_crystalball_norm(beta, m))


def _crystalball_cdf(x: Any, beta: Any, m: Any) -> Any:
    tail = x < -beta
    behind = beta * where(tail, -beta - x, 0 * x)
    # (1 + behind / m)^(1 - m)
    below = (
        exp(log1p(behind / m) - log_student(2 * behind, 2 * m, 0.0) - beta * beta / 2)
        * (1 + 1 / (m - 1))
        / beta
    )
    core = sqrt(2 * pi) * (ndtr(where(tail, -beta, x)) - ndtr(-beta))
    return (below + core) / _crystalball_norm(beta, m)


def _crystalball_sf(x: Any, beta: Any, m: Any) -> Any:
    core = sqrt(2 * pi) * ndtr(-x) / _crystalball_norm(beta, m)
    return where(x < -beta, 1 - _crystalball_cdf(x, beta, m), core)


def _exponnorm_cdf(x: Any, K: Any) -> Any:
    """phi_difference(-x, 1 / K); above 1 / K as a sum of two positive terms."""
    w = 1 / K
    above = x > w
    high, low = where(above, x, 1 + w), where(above, -1 - 0 * x, x)
    between = ndtr_over(high - w, w) - ndtr(high - w) * expm1(w * (w / 2 - high))
    return where(above, between, phi_difference(-low, w))


def _laplace_tail(x: Any) -> Any:
    return exp(-abs(x)) / 2


def _log_gamma_low(x: Any) -> Any:
    """Where exp(x) is nothing beside 1, and may be 0: all but the first term of the series, DLMF 8.7.1, is left out."""
    return x < -40


def _log_gamma_side(x: Any, c: Any, lower: bool) -> Any:
    low = _log_gamma_low(x)
    log_first = c * where(low, x, -40 + 0 * x) - gammaln(c + 1)
    z = exp(where(low, 0 * x, x))
    return where(
        low, exp(log_first) if lower else -expm1(log_first), (gamma_below if lower else gamma_above)(c, z)
    )


def _log_gamma_logcdf(x: Any, c: Any) -> Any:
    low = _log_gamma_low(x)
    return where(low, c * x - gammaln(c + 1), log(gamma_below(c, exp(where(low, 0 * x, x)))))


def _asymmetric_cdf(x: Any, k: Any) -> Any:
    """exp(x / k) / (1 + 1 / k^2) below 0, else 1 - exp(-x k) / (1 + k^2), where the tail above may be all but 1."""
    left, r = x < 0, 1 / k
    below = exp(where(left, x, 0 * x) * r) / (1 + r * r)
    return where(left, below, (k * k - expm1(-where(left, 0 * x, x) * k)) / (1 + k * k))


def _skew_cauchy_below(x: Any, a: Any) -> Any:
    return (1 - a) * arctan2(1 - a, abs(x)) / pi


def _skew_cauchy_cdf(x: Any, a: Any) -> Any:
    return where(x < 0, _skew_cauchy_below(x, a), 1 - _skew_cauchy_below(x, -a))


def _with_tail(upper: Any) -> tuple[Any, Any]:
    """cdf and sf of a symmetric law, by its upper tail at abs(x)."""
    return (
        lambda x, *shapes: where(x < 0, upper(x, *shapes), 1 - upper(x, *shapes)),
        lambda x, *shapes: where(x < 0, 1 - upper(x, *shapes), upper(x, *shapes)),
    )


def _symmetric(logpdf: Any, upper: Any) -> Law:
    cdf, sf = _with_tail(upper)
    return Law(logpdf=logpdf, cdf=cdf, sf=sf)


def _skewnorm_logpdf(x: Any, a: Any) -> Any:
    return log(2.0) + log_phi(x) + log_ndtr(a * x)


_SKEWNORM_SHORT, _ = probabilities(_skewnorm_logpdf, -inf, inf)


def _skewnorm_below(x: Any, a: Any) -> Any:
    """By sums of positive terms; in the short tail, that of x < 0 < a, by quadrature.

    For positive a and x the cdf is ndtr(x) - 2 T(x, a) = erf(x / sqrt(2)) ndtr(a x) + 2 T(a x, 1 / a), by what the two
    values of Owen's T have in common (D. B. Owen, Annals of Mathematical Statistics 27, 1075 (1956), 2.3).
    """
    right, short = a > 0, (a > 0) & (x < 0)
    y, b = where(right, x, 0 * x), where(right, a, 1 + 0 * a)
    positive = erf(y / sqrt(2)) * ndtr(b * y) + 2 * owens_t(b * y, 1 / b)
    long = where(right, positive, ndtr(x) - 2 * owens_t(x, where(right, 0 * a, a)))
    return where(short, _SKEWNORM_SHORT(where(short, x, -1 + 0 * x), where(short, a, 1 + 0 * a)), long)


LAWS = {
    "cauchy": Law(
        logpdf=lambda x: -log(pi) - log1p_square(x),
        cdf=lambda x: arctan2(1.0, -x) / pi, sf=lambda x: arctan2(1.0, x) / pi,
    ),
    "crystalball": Law(logpdf=_crystalball_logpdf, cdf=_crystalball_cdf, sf=_crystalball_sf),
    "dgamma": _symmetric(
        lambda x, a: gamma_logpdf(abs(x), a) - log(2.0), lambda x, a: upper_half(a, abs(x))
    ),
    "dweibull": _symmetric(
        lambda x, c: log(c / 2) + xlogy(c - 1, abs(x)) - power(abs(x), c), lambda x, c: exp(-power(abs(x), c)) / 2
    ),
    "exponnorm": Law(
        logpdf=lambda x, K: log_tilted(x, 1.0, 1 / K) - log(K),
        cdf=_exponnorm_cdf, sf=lambda x, K: ndtr(-x) + exp(log_tilted(x, 1.0, 1 / K)),
    ),
    "genlogistic": Law(
        logpdf=lambda x, c: log(c) + c * log_expit(x) + log_expit(-x),
        cdf=lambda x, c: exp(c * log_expit(x)), sf=lambda x, c: -expm1(c * log_expit(x)),
        logcdf=lambda x, c: c * log_expit(x),
    ),
    "gennorm": _symmetric(
        lambda x, beta: log(beta / 2) - gammaln(1 / beta) - power(abs(x), beta),
        lambda x, beta: upper_half_of_power(abs(x), beta),
    ),
    "gumbel_l": Law(
        logpdf=lambda x: -1 - exp_rest(x), cdf=lambda x: -expm1(-exp(x)), sf=lambda x: exp(-exp(x)),
        logsf=lambda x: -exp(x),
    ),
    "gumbel_r": Law(
        logpdf=lambda x: -1 - exp_rest(-x), cdf=lambda x: exp(-exp(-x)), sf=lambda x: -expm1(-exp(-x)),
        logcdf=lambda x: -exp(-x),
    ),
    "hypsecant": Law(
        logpdf=lambda x: -log(pi) - log_cosh(x),
        cdf=lambda x: 2 / pi * arctan(exp(x)), sf=lambda x: 2 / pi * arctan(exp(-x)),
    ),
    "jf_skew_t": Law(
        logpdf=_skew_t_logpdf,
        cdf=lambda x, a, b: exp(_skew_t_logcdf(x, a, b)), sf=lambda x, a, b: exp(_skew_t_logsf(x, a, b)),
        logcdf=_skew_t_logcdf, logsf=_skew_t_logsf,
    ),
    "johnsonsu": Law(
        logpdf=lambda x, a, b: log(b) - log1p_square(x) / 2 + log_phi(_normal_of(x, a, b)),
        cdf=lambda x, a, b: ndtr(_normal_of(x, a, b)), sf=lambda x, a, b: ndtr(-_normal_of(x, a, b)),
        logcdf=lambda x, a, b: log_ndtr(_normal_of(x, a, b)), logsf=lambda x, a, b: log_ndtr(-_normal_of(x, a, b)),
    ),
    "laplace": Law(
        logpdf=lambda x: -log(2.0) - abs(x),
        cdf=lambda x: where(x < 0, _laplace_tail(x), 1 - _laplace_tail(x)),
        sf=lambda x: where(x < 0, 1 - _laplace_tail(x), _laplace_tail(x)),
        logcdf=lambda x: where(x < 0, x - log(2.0), log1p(-_laplace_tail(x))),
        logsf=lambda x: where(x < 0, log1p(-_laplace_tail(x)), -x - log(2.0)),
    ),
    "laplace_asymmetric": Law(
        logpdf=lambda x, kappa: -log(kappa + 1 / kappa) + where(x < 0, x / kappa, -x * kappa),
        cdf=_asymmetric_cdf, sf=lambda x, kappa: _asymmetric_cdf(-x, 1 / kappa),
    ),
    "loggamma": Law(
        logpdf=lambda x, c: log_gamma_term(exp(x), c, c * x - exp(x) - gammaln(c)),
        cdf=lambda x, c: _log_gamma_side(x, c, True), sf=lambda x, c: _log_gamma_side(x, c, False),
        logcdf=_log_gamma_logcdf,
    ),
    "logistic": Law(
        logpdf=lambda x: -2 * log(2.0) - 2 * log_cosh(x / 2), cdf=lambda x: expit(x), sf=lambda x: expit(-x),
        logcdf=lambda x: log_expit(x), logsf=lambda x: log_expit(-x),
    ),
    "moyal": Law(
        logpdf=lambda x: -(1 + exp_rest(-x)) / 2 - log(2 * pi) / 2,
        cdf=lambda x: erfc(exp(-x / 2) / sqrt(2)), sf=lambda x: erf(exp(-x / 2) / sqrt(2)),
        logcdf=lambda x: log(2.0) + log_ndtr(-exp(-x / 2)),
    ),
    "nct": Law(  # minus a variable with nc has -nc
        logpdf=_nct_logpdf,
        cdf=lambda x, df, nc: nctdtr(df, nc, x), sf=lambda x, df, nc: nctdtr(df, -nc, -x),
        logcdf=_nct_logcdf, logsf=lambda x, df, nc: _nct_logcdf(-x, df, -nc),
    ),
    "norm": Law(
        logpdf=log_phi, cdf=lambda x: ndtr(x), sf=lambda x: ndtr(-x),
        logcdf=lambda x: log_ndtr(x), logsf=lambda x: log_ndtr(-x),
    ),
    "powernorm": Law(
        logpdf=lambda x, c: log(c) + log_phi(x) + (c - 1) * log_ndtr(-x),
        cdf=lambda x, c: -expm1(c * log_ndtr(-x)), sf=lambda x, c: exp(c * log_ndtr(-x)),
        logsf=lambda x, c: c * log_ndtr(-x),
    ),
    "skewcauchy": Law(
        logpdf=lambda x, a: -log(pi) - log1p_square(x / (1 + where(x < 0, -a, a))),
        cdf=_skew_cauchy_cdf, sf=lambda x, a: _skew_cauchy_cdf(-x, -a),
    ),
    "skewnorm": Law(
        logpdf=_skewnorm_logpdf,
        cdf=lambda x, a: ndtr(x) - 2 * owens_t(x, a), sf=lambda x, a: ndtr(-x) + 2 * owens_t(x, a),
        below=_skewnorm_below, above=lambda x, a: _skewnorm_below(-x, -a),
    ),
    "t": Law(logpdf=_t_logpdf, cdf=lambda x, df: stdtr(df, x), sf=lambda x, df: stdtr(df, -x)),
}  # fmt: skip
