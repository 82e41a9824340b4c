"""Derivatives of P(a, x) in the shape a, accurate relative to themselves in both tails.

The n-th derivative of the density t^(a-1) e^-t / Gamma(a) in a is the density times a polynomial in log t. It is
integrated over that side of x on which the first of them has one sign, because its integral over both sides is 0: from
0 to x for log x < psi(a), else from x on. Below x = 1, where the integrand is singular, there is the power series.
"""

import functools
import itertools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import gauss_legendre, sums
from hostwrap.special.gamma_beta.gamma import exponential, psi_n, rgamma_n
from hostwrap.special.gamma_incomplete import first
from hostwrap.special.gamma_incomplete._scale import exp_minus, polynomial, power_over_gamma, score

SERIES_TERMS = 20
NODES, EDGES = 16, (0.0, 0.125, 0.25, 0.5, 1.0)  # of the integrand's support


@pointwise
def gammainc_order(a, x, *, n):
    """(d/da)^n P(a, x), n = 1, 2, ..."""
    return _order(a, x, n)


@pointwise
def gammainc_growth(a, x):
    """da/dP at constant x, which is negative; NaN where the rounding of a costs the density its digits."""
    blurred = first.ROUNDING * a * (np.abs(score(a, x)) + first.ROUNDING) > first.LOST
    return np.where(blurred & np.isfinite(a), np.nan, -1 / np.abs(_order(a, x, 1)))


def _order(a, x, n):
    a = a + 0.0  # no -0.0, which is on the other side of a pole of psi
    scale = power_over_gamma(a, x)
    vanishing = (scale == 0) | (x == 0) | np.isinf(x) | np.isinf(a)
    relative = first.relative(a, x) if n == 1 else relative_order(a, x, n)
    return defined(a, x, np.where(vanishing, 0.0, scale * relative))


def defined(a, x, value):
    """NaN where SciPy's P(a, x) is."""
    inside = (a >= 0) & (x >= 0) & ((a > 0) | (x > 0)) & ~(np.isinf(a) & np.isinf(x))
    return np.where(inside, value, np.nan)


def relative_order(a, x, n):
    """(d/da)^n P(a, x) divided by x^a e^-x / Gamma(a + 1)."""
    return piecewise(
        [a, x], [(x < 1, lambda a, x: _series(a, x, n)), (None, lambda a, x: _integral(a, x, n))]
    )


def _series(a, x, n):
    """x^a / Gamma(a + 1) (1 + a S), S = sum over k >= 1 of (-x)^k / (k! (a + k)), DLMF 8.7.1."""
    power, totals = 1.0, [0.0] * (n + 1)
    for k in range(1, SERIES_TERMS + 1):
        power = power * -x / k
        term = power / (a + k)
        for m in range(n + 1):
            totals[m] = totals[m] + term
            term = term * -(m + 1) / (a + k)
    factor = [1 + a * totals[0], *(a * totals[m] + m * totals[m - 1] for m in range(1, n + 1))]
    growth = score(a + 1, x)
    logs = functools.cache(lambda m: growth if m == 1 else -psi_n(a + 1, m - 1))
    return np.exp(x) * sum(math.comb(n, m) * exponential(logs, n - m) * factor[m] for m in range(n + 1))


def _integral(a, x, n):
    origin = np.where(a < 1, np.log(x), score(a, x))
    by_logarithm = lambda u, a, x, origin, *coefficients: polynomial(coefficients, origin + u)
    return -one_side(by_logarithm, a, x, origin, *_coefficients(a, n))


def one_side(term, a, x, *more):
    """The integral of term(u, a, x, *more) times p(a, t)/p(a, x) t/x, t = x e^u, over du from 0 to the end of a side.

    The density's part is e^-h with h = x (e^u - 1) - a u.
    """
    side = np.where(score(a, x) < 0, -1.0, 1.0)
    length = side * first.support(a, x, side)

    def at_node(node, weight, length, a, x, *more):
        u = length * node
        return [weight * np.exp(-_h(u, a, x)) * term(u, a, x, *more)]

    return length * sums(at_node, _panels(), [length, a, x, *more])[0]


def _h(u, a, x):
    return x * exp_minus(u) + (x - a) * u


@functools.cache
def _panels():
    """Nodes and weights on (0, 1)."""
    x, w = gauss_legendre(NODES)
    ends = list(itertools.pairwise(EDGES))
    nodes = np.concatenate([p + (q - p) * x for p, q in ends])
    return nodes, np.concatenate([(q - p) * w for p, q in ends])


def _coefficients(a, n):
    """Of the n-th derivative in a of t^a / Gamma(a), times Gamma(a + 1) t^-a: of falling powers of a logarithm.

    For small a powers of log t, because there psi(a) and its derivatives are large and cancel; else of
    log t - psi(a).
    """
    return [math.comb(n, k) * _coefficient(a, k) for k in range(n + 1)]


def _coefficient(a, k):
    return piecewise(
        [a],
        [
            (a < 1, lambda a: rgamma_n(a, dz=k) / sc.rgamma(a + 1)),
            (None, lambda a: a * exponential(lambda m: 0.0 if m == 1 else -psi_n(a, m - 1), k)),
        ],
    )
