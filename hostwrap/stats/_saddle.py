"""Densities of large shapes: x^a exp(-x) / Gamma(a) and p^a q^b / B(a, b) next to their largest value.

There their logarithm is small, and made of terms as large as a log(a). What is left when these are taken away is
a (log(1 + u) - u), in which u is the distance from the largest value over a (C. Loader, Fast and accurate computation
of binomial probabilities, 2000).
"""

from __future__ import annotations

from typing import Any

from hostwrap.special._math import abs, log, log1p, pi, where
from hostwrap.stats._functions import log1p_rest, stirling_rest, stirling_series

_LARGE = 100.0  # of shapes; of smaller ones no digits are lost


def _within(x: Any, a: Any) -> Any:
    return (a > _LARGE) & (abs(x - a) < a / 2)


def log_gamma_term(x: Any, a: Any, usual: Any, factor: Any = 1.0) -> Any:
    """log(factor x^a exp(-x) / Gamma(a)); `usual` is the same, and used where a is not large, or x not close to it."""
    near = _within(x, a)
    b = where(near, a, 2 * _LARGE + 0 * a)
    u = (where(near, x, b) - b) / b
    close = b * log1p_rest(u) + log(b / (2 * pi)) / 2 - stirling_series(1 / b) + log(where(near, factor, 1.0))
    return where(near, close, usual)


def log_poisson_term(k: Any, mu: Any) -> Any:
    """log(mu^k exp(-mu) / k!) for k > 0"""
    near = abs(mu - k) < k / 2
    u = where(near, mu - k, 0 * k) / k
    power = where(near, k * log1p_rest(u), k * log(where(near, k, mu) / k) + k - mu)
    return power - stirling_rest(k, 1 / k) - log(2 * pi * k) / 2


def _beta_rest(a: Any, b: Any) -> Any:
    """log(B(a, b) (1 + b / a)^a (1 + a / b)^b)"""
    rest = stirling_rest(a, 1 / a) + stirling_rest(b, 1 / b) - stirling_rest(a + b, 1 / (a + b))
    return log(1 / a + 1 / b) / 2 + log(2 * pi) / 2 + rest


def log_beta(a: Any, b: Any) -> Any:
    """log(B(a, b)); SciPy's is a difference of gammaln, which loses digits where a and b are large."""
    return _beta_rest(a, b) - a * log1p(b / a) - b * log1p(a / b)


def log_beta_moved(a: Any, b: Any, n: Any) -> Any:
    """log(B(a, b + n) / B(a, b)), also where both have the pole of a = 0."""
    rest = stirling_rest(b + n, 1 / (b + n)) - stirling_rest(b, 1 / b)
    rest = rest - stirling_rest(a + b + n, 1 / (a + b + n)) + stirling_rest(a + b, 1 / (a + b))
    return rest - a * log1p(n / (a + b)) - (b + n - 0.5) * log1p(a / (b + n)) + (b - 0.5) * log1p(a / b)


def _beta_near(a: Any, b: Any, p: Any, q: Any) -> tuple[Any, Any]:
    """Whether p^a q^b is next to its largest value, and p b - q a, the distance from it."""
    away, least = p * b - q * a, where(a < b, a, b)
    return (least > _LARGE) & (abs(away) < least / 2), away


def _beta_close(a: Any, b: Any, away: Any) -> Any:
    """log(p^a q^b) over its largest value."""
    return a * log1p_rest(away / a) + b * log1p_rest(-away / b)


def log_beta_term(a: Any, b: Any, p: Any, q: Any, powers: Any, factor: Any = 1.0) -> Any:
    """log(factor p^a q^b / B(a, b)) for p + q = 1; `powers` is log(factor p^a q^b)."""
    near, away = _beta_near(a, b, p, q)
    close = _beta_close(a, b, where(near, away, 0 * away)) + log(where(near, factor, 1.0))
    return where(near, close, powers + a * log1p(b / a) + b * log1p(a / b)) - _beta_rest(a, b)


def log_beta_ratio(a: Any, i: Any, b: Any, j: Any, usual: Any) -> Any:
    """log(B(a + b, i + j) / (B(a, i) B(b, j))); `usual` is the same, for numbers that are not large.

    With p = (a + b) / (a + b + i + j) and q = 1 - p the powers p^a q^i p^b q^j are those of the numerator.
    """
    whole, count = a + b, i + j
    p, q = whole / (whole + count), count / (whole + count)
    (near, away), (other, rest) = _beta_near(a, i, p, q), _beta_near(b, j, p, q)
    near = near & other
    a, i, b, j = (where(near, x, 2 * _LARGE + 0 * x) for x in (a, i, b, j))
    close = _beta_close(a, i, where(near, away, 0 * away)) + _beta_close(b, j, where(near, rest, 0 * rest))
    return where(near, close - _beta_rest(a, i) - _beta_rest(b, j) + _beta_rest(a + b, i + j), usual)
