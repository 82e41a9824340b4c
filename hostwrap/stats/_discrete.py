"""Laws on integers."""

from __future__ import annotations

from typing import Any

from hostwrap.special import (
    betainc,
    betaincc,
    betaln,
    chndtr,
    expm1,
    gammaln,
    log_ive,
    psi,
    xlog1py,
    xlogy,
    zeta,
)
from hostwrap.special._math import abs, exp, floor, log, log1p, sqrt, where
from hostwrap.stats._functions import log_gamma_over_power, over_unit
from hostwrap.stats._gammas import gamma_above, gamma_below
from hostwrap.stats._integral import Total
from hostwrap.stats._law import DiscreteLaw
from hostwrap.stats._saddle import log_beta, log_beta_moved, log_beta_ratio, log_beta_term, log_gamma_term
from hostwrap.stats._unclosed import NCX2_SF
from hostwrap.stats._wallenius import Taken


def _log_rising(a: Any, k: Any) -> Any:
    """log(a (a + 1) .. (a + k - 1) / a^k), for k = 0 too."""
    some = k > 0
    return where(some, log_gamma_over_power(a, where(some, k, 1 + 0 * k)), 0 * a)


def _log_mixed(a: Any, i: Any, b: Any, j: Any, ways: Any, more: Any) -> Any:
    """ways + log(B(a + i, b + j) / B(a, b)), for counts i and j, and ways = more - log(B(i, j)).

    What is added to a large number is in small terms: a and b may be large beside the counts, where the slope in a
    is like that of 1 / a, or the counts beside a and b, or all are. If a count is 0, it is two beta functions.
    """
    none, both = (i == 0) | (j == 0), i + j > a + b
    alone, own = where(j == 0, b, a), where(j == 0, a, b)
    simple = none & (i + j > sqrt(own) * sqrt(alone))  # where it loses fewer digits
    single = log_beta_moved(alone, own, i + j)
    i, j, both = where(simple, 1 + 0 * i, i), where(simple, 1 + 0 * j, j), both & (i != 0) & (j != 0)
    p, m, q, n = (where(both, x, y) for x, y in ((i, a), (a, i), (j, b), (b, j)))
    rising = _log_rising(p, m) + _log_rising(q, n) - _log_rising(p + q, m + n)
    apart = rising - m * log1p(q / p) - n * log1p(p / q) + where(both, more - log_beta(a, b), ways)
    return where(simple, single, log_beta_ratio(a, i, b, j, apart - more) + more)


def _log_or_0(k: Any) -> Any:
    return log(where(k > 0, k, 1 + 0 * k))


def _betabinom_logpmf(k: Any, n: Any, a: Any, b: Any) -> Any:
    ways = -log1p(n) - log_beta(n - k + 1, k + 1)
    return _log_mixed(a, k, b, n - k, ways, _log_or_0(n) - _log_or_0(k) - _log_or_0(n - k))


def _betanbinom_logpmf(k: Any, n: Any, a: Any, b: Any) -> Any:
    return _log_mixed(a, n, b, k, -log(n + k) - log_beta(n, k + 1), -_log_or_0(k))


def _binom_logpmf(k: Any, n: Any, p: Any) -> Any:
    i, j = k + 1, n - k + 1
    powers = xlogy(k, p) + xlog1py(n - k, -p)
    return log_beta_term(i, j, p, 1 - p, powers, 1 / (p * (1 - p))) - log(n + 1)


def _nbinom_logpmf(k: Any, n: Any, p: Any) -> Any:
    return log_beta_term(n, k + 1, p, 1 - p, n * log(p) + xlog1py(k, -p), 1 / (1 - p)) - log(n + k)


def _laplace_tail(k: Any, a: Any) -> Any:
    """The probability above k >= 0."""
    return exp(-a * k) / (exp(a) + 1)


def _dlaplace_cdf(k: Any, a: Any) -> Any:
    right = k >= 0
    return where(
        right, 1 - _laplace_tail(where(right, k, 0 * k), a), _laplace_tail(where(right, 0 * k, -k - 1), a)
    )


def _logser_sf(k: Any, p: Any) -> Any:
    """The incomplete beta function B(k + 1, 0; p), not regularized, over -log(1 - p); as SciPy's, next to b = 0."""
    b = 1e-20
    return -betainc(k + 1, b + 0 * k, p) / b / log1p(-p)


def _skellam_logpmf(k: Any, mu1: Any, mu2: Any) -> Any:
    between = (sqrt(mu1) - sqrt(mu2)) ** 2
    return -between + k / 2 * log(mu1 / mu2) + log_ive(abs(k), 2 * sqrt(mu1 * mu2))


def _skellam_side(k: Any, mu1: Any, mu2: Any, sf: Any) -> Any:
    """The probability up to k, with the survival function of a noncentral chi-square law."""
    left = k < 0
    below = chndtr(2 * mu2, where(left, -2 * k, 2 + 0 * k), 2 * mu1)
    return where(left, below, sf(2 * mu1, where(left, 2 + 0 * k, 2 * (k + 1)), 2 * mu2))


def _skellam_cdf(k: Any, mu1: Any, mu2: Any) -> Any:
    return _skellam_side(k, mu1, mu2, lambda *args: 1 - chndtr(*args))


def _skellam_below(k: Any, mu1: Any, mu2: Any) -> Any:
    """With the digits of a small one on both sides of 0."""
    return _skellam_side(k, mu1, mu2, NCX2_SF)


def _yulesimon_logsf(k: Any, alpha: Any) -> Any:
    """log(k B(k, alpha + 1)); of a small alpha, where it is small too, by the integral of its slope."""
    small = alpha < 0.5
    a = where(small, alpha, 0.25 + 0 * alpha)
    by_slope = -a * over_unit(lambda part: psi(k + 1 + part * a) - psi(1 + part * a))
    return where(small, by_slope, log(k) + betaln(k, where(small, 1 + 0 * alpha, alpha) + 1))


def _yulesimon_sf(k: Any, alpha: Any) -> Any:
    return exp(_yulesimon_logsf(k, alpha))


def _zipf_sf(k: Any, a: Any) -> Any:
    return zeta(a, k + 1) / zeta(a, 1.0)


_BETABINOM = Total(_betabinom_logpmf, 0)
_POWERS = Total(lambda k, a: -a * log(k), 1)
_POWERS_DOWN = Total(lambda j, a, n: -a * log(n - j), 0)


def _urn_support(M: Any, n: Any, N: Any, odds: Any) -> tuple[Any, Any]:
    return where(M - n < N, N - (M - n), 0.0), where(n < N, n, N)


def _fisher_weight(k: Any, M: Any, n: Any, N: Any) -> Any:
    """Impossible k have a pole of betaln, and weight 0."""
    return -betaln(n - k + 1, k + 1) - betaln(M - n - N + k + 1, N - k + 1)


def _fisher_peak(M: Any, n: Any, N: Any, odds: Any) -> tuple[Any, Any]:
    """The mode and its weight: where (n - x) (N - x) odds = x (M - n - N + x), two terms are equal."""
    linear, constant = odds * (n + N) + M - n - N, odds * n * N
    x = floor(2 * constant / (linear + sqrt(linear * linear - 4 * (odds - 1) * constant)))
    low, high = _urn_support(M, n, N, odds)
    mode = where(x < low, low, where(x > high, high, x))
    return mode, _fisher_weight(mode, M, n, N)


def _fisher_term(k: Any, M: Any, n: Any, N: Any, odds: Any, mode: Any, weight: Any) -> Any:
    """The logarithm, over that of the largest one, so that no sum overflows."""
    return (k - mode) * log(odds) + _fisher_weight(k, M, n, N) - weight


_FISHER = Total(_fisher_term, 0)
_TAKEN = Taken("mass")


def _fisher_logpmf(k: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    given = (M, n, N, odds, *_fisher_peak(M, n, N, odds))
    return _fisher_term(k, *given) - log(_FISHER(where(n < N, n, N), *given))


def _fisher_cdf(k: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    given = (M, n, N, odds, *_fisher_peak(M, n, N, odds))
    return _FISHER(k, *given) / _FISHER(where(n < N, n, N), *given)


LAWS = {
    "bernoulli": DiscreteLaw(
        logpmf=lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p), cdf=lambda k, p: 1 - p + 0 * k, sf=lambda k, p: p + 0 * k
    ),
    "betabinom": DiscreteLaw(
        integers=("n",), support=lambda n, a, b: (0.0, n), logpmf=_betabinom_logpmf,
        cdf=_BETABINOM,
        # n - k has the same law with a and b exchanged
        sf=lambda k, n, a, b: _BETABINOM(n - k - 1, n, b, a),
    ),
    "betanbinom": DiscreteLaw(
        integers=("n",), logpmf=_betanbinom_logpmf, cdf=Total(_betanbinom_logpmf, 0),
        # more than k failures come before n successes if n + k trials have at most n - 1 successes
        sf=lambda k, n, a, b: _BETABINOM(n - 1, n + k, a, b),
    ),
    "binom": DiscreteLaw(
        integers=("n",), support=lambda n, p: (0.0, n),
        logpmf=_binom_logpmf,
        cdf=lambda k, n, p: betaincc(k + 1, n - k, p), sf=lambda k, n, p: betainc(k + 1, n - k, p),
    ),
    "boltzmann": DiscreteLaw(
        integers=("N",), support=lambda lambda_, N: (0.0, N - 1),
        logpmf=lambda k, lambda_, N: -lambda_ * k + log(-expm1(-lambda_)) - log(-expm1(-lambda_ * N)),
        cdf=lambda k, lambda_, N: expm1(-lambda_ * (k + 1)) / expm1(-lambda_ * N),
        sf=lambda k, lambda_, N: exp(-lambda_ * (k + 1)) * expm1(-lambda_ * (N - k - 1)) / expm1(-lambda_ * N),
    ),
    "dlaplace": DiscreteLaw(
        logpmf=lambda k, a: log(-expm1(-a)) - log1p(exp(-a)) - a * abs(k),  # log(tanh(a / 2))
        cdf=_dlaplace_cdf, sf=lambda k, a: _dlaplace_cdf(-k - 1, a),
    ),
    "geom": DiscreteLaw(
        logpmf=lambda k, p: xlog1py(k - 1, -p) + log(p),
        cdf=lambda k, p: -expm1(k * log1p(-p)), sf=lambda k, p: exp(k * log1p(-p)),
        logsf=lambda k, p: k * log1p(-p),
    ),
    "hypergeom": DiscreteLaw(integers=("M", "n", "N")),
    "logser": DiscreteLaw(
        logpmf=lambda k, p: k * log(p) - log(k) - log(-log1p(-p)),
        cdf=lambda k, p: 1 - _logser_sf(k, p), sf=_logser_sf,
    ),
    "nbinom": DiscreteLaw(
        logpmf=_nbinom_logpmf,
        cdf=lambda k, n, p: betainc(n, k + 1, p), sf=lambda k, n, p: betaincc(n, k + 1, p),
    ),
    "nchypergeom_fisher": DiscreteLaw(
        integers=("M", "n", "N"), support=_urn_support,
        logpmf=_fisher_logpmf, cdf=_fisher_cdf,
        # of N draws, N - k have the other colour, whose odds are 1 / odds
        sf=lambda k, M, n, N, odds: _fisher_cdf(N - k - 1, M, M - n, N, 1 / odds),
    ),
    "nchypergeom_wallenius": DiscreteLaw(
        integers=("M", "n", "N"), support=_urn_support, logpmf=lambda *args: log(_TAKEN(*args)),
        cdf=Taken("below"), sf=Taken("above"),
    ),
    "nhypergeom": DiscreteLaw(integers=("M", "n", "r")),
    "planck": DiscreteLaw(
        logpmf=lambda k, lambda_: log(-expm1(-lambda_)) - lambda_ * k,
        cdf=lambda k, lambda_: -expm1(-lambda_ * (k + 1)), sf=lambda k, lambda_: exp(-lambda_ * (k + 1)),
        logsf=lambda k, lambda_: -lambda_ * (k + 1),
    ),
    "poisson": DiscreteLaw(
        logpmf=lambda k, mu: log_gamma_term(mu, k + 1, xlogy(k, mu) - gammaln(k + 1) - mu, 1 / mu),
        cdf=lambda k, mu: gamma_above(k + 1, mu), sf=lambda k, mu: gamma_below(k + 1, mu),
    ),
    "randint": DiscreteLaw(integers=("low", "high")),
    "skellam": DiscreteLaw(
        logpmf=_skellam_logpmf, cdf=_skellam_cdf, sf=lambda k, mu1, mu2: _skellam_cdf(-k - 1, mu2, mu1),
        below=_skellam_below, above=lambda k, mu1, mu2: _skellam_below(-k - 1, mu2, mu1),
    ),
    "yulesimon": DiscreteLaw(
        logpmf=lambda k, alpha: log(alpha) + betaln(k, alpha + 1),
        cdf=lambda k, alpha: -expm1(_yulesimon_logsf(k, alpha)), sf=_yulesimon_sf, logsf=_yulesimon_logsf,
    ),
    "zipf": DiscreteLaw(
        logpmf=lambda k, a: -a * log(k) - log(zeta(a, 1.0)), cdf=lambda k, a: 1 - _zipf_sf(k, a), sf=_zipf_sf
    ),
    "zipfian": DiscreteLaw(
        integers=("n",), support=lambda a, n: (1.0, n),
        logpmf=lambda k, a, n: -a * log(k) - log(_POWERS(n, a)),
        cdf=lambda k, a, n: _POWERS(k, a) / _POWERS(n, a),
        sf=lambda k, a, n: _POWERS_DOWN(n - k - 1, a, n) / _POWERS(n, a),
    ),
}  # fmt: skip
