"""Closed forms of expectations, where densities have kinks or poles, or no second moment is needed for them.

In standard form, as SciPy's; all others are integrals of the density (`_expectation`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hostwrap.special import betaln, gammaln, ndtr, psi, zeta
from hostwrap.special._math import exp, log, log1p, pi, sqrt

Formulas = Mapping[str, Callable[..., Any]]


def _beta_entropy(a: Any, b: Any) -> Any:
    return betaln(a, b) - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)


def _trapezoid_mean(c: Any, d: Any) -> Any:
    return (1 + d + d * d - c * c) / (3 * (1 + d - c))


def _trapezoid_var(c: Any, d: Any) -> Any:
    return (1 + d + d * d + d**3 - c**3) / (6 * (1 + d - c)) - _trapezoid_mean(c, d) ** 2


def _pareto_var(b: Any) -> Any:
    return b / (b - 2) / (b - 1) ** 2


def _genpareto_var(c: Any) -> Any:
    return 1 / ((1 - c) ** 2 * (1 - 2 * c))


def _ball(m: Any, beta: Any) -> tuple[Any, Any, Any]:
    """(of the normal part: its integral over the density at -beta; of the power: where it starts; 1 / the constant)"""
    normal, start = sqrt(2 * pi) * ndtr(beta) * exp(beta * beta / 2), m / beta
    return normal, start, normal + start / (m - 1)


def _ball_mean(beta: Any, m: Any) -> Any:
    _, start, whole = _ball(m, beta)
    shift = start - beta
    return (1 + shift * start / (m - 1) - start**2 / (m - 2)) / whole


def _ball_var(beta: Any, m: Any) -> Any:
    normal, start, whole = _ball(m, beta)
    shift = start - beta
    tail = shift**2 * start / (m - 1) - 2 * shift * start**2 / (m - 2) + start**3 / (m - 3)
    return (normal - beta + tail) / whole - _ball_mean(beta, m) ** 2


def _ball_entropy(beta: Any, m: Any) -> Any:
    normal, start, whole = _ball(m, beta)
    half = beta * beta / 2
    tail = start / (m - 1) * (half + m / (m - 1))
    return log(whole) - half + (tail + (normal - beta) / 2) / whole


# a kink of the density that moves with a shape: its second derivative has a part that nodes do not see
KINKED = ("crystalball", "trapezoid", "triang")
_GAMMA: Formulas = {
    "mean": lambda a: a, "var": lambda a: a, "entropy": lambda a: a + gammaln(a) + (1 - a) * psi(a),
}  # fmt: skip

FORMULAS: Mapping[str, Formulas] = {
    "bernoulli": {
        "mean": lambda p: p, "var": lambda p: p * (1 - p), "entropy": lambda p: -p * log(p) - (1 - p) * log1p(-p),
    },
    "beta": {
        "mean": lambda a, b: a / (a + b), "var": lambda a, b: a * b / (a + b) ** 2 / (a + b + 1),
        "entropy": _beta_entropy,
    },
    "betanbinom": {
        "mean": lambda n, a, b: n * b / (a - 1),
        "var": lambda n, a, b: n * (n + a - 1) * b * (a + b - 1) / (a - 2) / (a - 1) ** 2,
    },
    "binom": {"mean": lambda n, p: n * p, "var": lambda n, p: n * p * (1 - p)},
    "chi2": {"mean": lambda df: df, "var": lambda df: 2 * df},
    "crystalball": {"mean": _ball_mean, "var": _ball_var, "entropy": _ball_entropy},
    "erlang": _GAMMA,
    "gamma": _GAMMA,
    "genpareto": {"mean": lambda c: 1 / (1 - c), "var": _genpareto_var, "entropy": lambda c: 1 + c},
    "geom": {"mean": lambda p: 1 / p, "var": lambda p: (1 - p) / (p * p)},
    "laplace_asymmetric": {
        "mean": lambda k: 1 / k - k, "var": lambda k: 1 / (k * k) + k * k, "entropy": lambda k: 1 + log(k + 1 / k),
    },
    "levy_stable": {"mean": lambda alpha, beta: 0 * alpha},
    "lomax": {
        "mean": lambda c: 1 / (c - 1), "var": _pareto_var, "entropy": lambda c: 1 + 1 / c - log(c),
    },
    "nbinom": {"mean": lambda n, p: n * (1 - p) / p, "var": lambda n, p: n * (1 - p) / (p * p)},
    "pareto": {
        "mean": lambda b: b / (b - 1), "var": _pareto_var, "entropy": lambda b: 1 + 1 / b - log(b),
    },
    "poisson": {"mean": lambda mu: mu, "var": lambda mu: mu},
    "rdist": {
        "mean": lambda c: 0 * c, "var": lambda c: 1 / (c + 1),
        "entropy": lambda c: log(2.0) + _beta_entropy(c / 2, c / 2),
    },
    "skewcauchy": {"entropy": lambda a: 0 * a + log(4 * pi)},
    "skellam": {"mean": lambda m, n: m - n, "var": lambda m, n: m + n},
    "trapezoid": {
        "mean": _trapezoid_mean, "var": _trapezoid_var,
        "entropy": lambda c, d: (1 - d + c) / (2 * (1 + d - c)) + log((1 + d - c) / 2),
    },
    "triang": {
        "mean": lambda c: (1 + c) / 3, "var": lambda c: (1 - c + c * c) / 18,
        "entropy": lambda c: 0 * c + 0.5 - log(2.0),
    },
    "yulesimon": {
        "mean": lambda a: a / (a - 1), "var": lambda a: a * a / (a - 2) / (a - 1) ** 2,
    },
    "zipf": {
        "mean": lambda a: zeta(a - 1, 1.0) / zeta(a, 1.0),
        "var": lambda a: zeta(a - 2, 1.0) / zeta(a, 1.0) - (zeta(a - 1, 1.0) / zeta(a, 1.0)) ** 2,
    },
}  # fmt: skip
