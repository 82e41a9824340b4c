"""Derivatives of functions that P(a, x) gives implicitly, from the third on, by power series in a and u = log x.

The density phi(a, u) = x^a e^-x / Gamma(a) of u has a power series next to a point, and P has its integral in u. What P
depends on in a alone comes of the moments of log(t / x) over the smaller tail, as in `beta_incomplete/further.py`.
"""

from __future__ import annotations

import math

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.series import Series, pair
from hostwrap.special.gamma_beta.gamma import BERNOULLI, psi_n
from hostwrap.special.gamma_incomplete._scale import STIRLING, exp_minus, log_ratio_minus, score
from hostwrap.special.gamma_incomplete._scale import density as gamma_density
from hostwrap.special.gamma_incomplete.shape import one_side

RAISED = 1.0  # a smaller a is raised by one, because its tail is long and its score large
A, U = range(2)


def density(a, x, n, raised=False):
    """phi divided by phi at the point, up to the degree n; or phi / a."""
    log = Series({(0, 1): pair(1 + 0 * a)}, n)
    falling = Series({(0, k): pair(-x / math.factorial(k)) for k in range(1, n + 1)}, n)
    of_a = _of_shape(a + 1 if raised else a, x, n)
    return (of_a + log.scaled(a) + log * Series({(1, 0): pair(1 + 0 * a)}, n) + falling).exponential()


def _of_shape(a, x, n):
    """The logarithm of x^a / Gamma(a) in a."""
    terms = {(k, 0): pair(-psi_n(a, k - 1) / math.factorial(k)) for k in range(2, n + 1)}
    return Series({(1, 0): pair(score(a, x)), **terms}, n)


def distribution(a, x, n):
    """P divided by phi at the point, without its first coefficient; a > 0, x > 0."""
    small = a < RAISED
    above = np.where(small, a + 1, a)
    moments = [pair(-one_side(_power(p), above, x) / math.factorial(p)) for p in range(n + 1)]
    total = Series({(p, 0): m for p, m in enumerate(moments)}, n) * _of_shape(above, x, n).exponential()
    # P(a, x) = P(a + 1, x) + phi / a, DLMF 8.8.5
    total = total.scaled(np.where(small, x / a, 1.0))
    total = total + density(a, x, n, raised=True).scaled(np.where(small, 1 / a, 0.0))
    alone = Series({k: c for k, c in total.terms.items() if k[A] and not k[U]}, n)
    return alone + density(a, x, n).integrated(U)


def _power(p):
    return lambda u, a, x: u**p


def quantile(a, x, i, j):
    """(d/da)^i (d/dp)^j of the x with P(a, x) = p."""
    n = i + j + 1
    value = piecewise(
        [a, x],
        [
            (a < RAISED, lambda a, x: _quantile(a, distribution(a, x, n), 0 * a, i, j)),
            (None, lambda a, x: _quantile(a, _along_mean(a, x, n), 1 / a, i, j)),
        ],
    )
    value, phi = x * value, x * gamma_density(a, x)
    for _ in range(j):  # in turn: a power of it may leave the doubles where the quotient does not
        value = value / phi
    return value


def _quantile(a, distribution, rate, i, j):
    """The same divided by x, in units of phi; from P where x = x0 (1 + rate alpha) e^u."""
    n = distribution.degree
    log = distribution.solved()  # in a and the change of p
    growth = log.of([pair(1 / math.factorial(k) + 0 * a) for k in range(n + 1)])
    moved = growth * Series({(0, 0): pair(1 + 0 * a), (1, 0): pair(rate)}, n)
    return moved.derivative((i, j), (a, 1.0))


def _along_mean(a, x, n):
    """P divided by phi at the point, in a and u = log(x / a), where the bulk of the density stays; a >= 1.

    Then phi = e^(a u - a e^u) a^a / Gamma(a), at another x by e^-h larger, of which the derivative in a is -h / a.
    """
    power = lambda p: lambda u, a, x: (-(x * exp_minus(u) + (x - a) * u) / a) ** p
    moments = [pair(-one_side(power(p), a, x) / math.factorial(p)) for p in range(n + 1)]
    first = log_ratio_minus(a, x) + _excess(a, 1)
    of_a = Series(
        {(1, 0): pair(first), **{(k, 0): pair(_excess(a, k) / math.factorial(k)) for k in range(2, n + 1)}}, n
    )
    alone = (Series({(p, 0): m for p, m in enumerate(moments)}, n) * of_a.exponential()).without_first()
    along = {(0, 1): pair(a - x), **{(0, k): pair(-x / math.factorial(k)) for k in range(2, n + 1)}}
    along = Series(along, n)
    phi = (of_a + along * Series({(0, 0): pair(1 + 0 * a), (1, 0): pair(1 / a)}, n)).exponential()
    return alone + phi.integrated(U)


def _excess(a, k):
    """The k-th derivative of a log a - a - log Gamma(a); DLMF 5.11.1."""

    def direct(a):
        return (np.log(a) if k == 1 else (-1.0) ** k * math.factorial(k - 2) / a ** (k - 1)) - psi_n(a, k - 1)

    def series(a):
        total = -((-1.0) ** k) * math.factorial(k - 1) / (2 * a**k)
        for m in range(8, 0, -1):
            rising = math.prod(range(2 * m - 1, 2 * m + k - 1))
            total = total - (-1.0) ** k * rising * BERNOULLI[2 * m] / (2 * m * (2 * m - 1)) / a ** (
                2 * m - 1 + k
            )
        return total

    return piecewise([a], [(a < STIRLING, direct), (None, series)])


def shift_of_shape(a, x, i, j):
    """(d/da)^i (d/du)^j of da/du at constant P(a, x)."""
    n = i + j + 1
    shift = distribution(a, x, n + 1).derived(A).inverse() * density(a, x, n)
    return -shift.derivative((i, j), (a, 1.0))
