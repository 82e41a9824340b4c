"""The beta density x^(a-1) y^(b-1) / B(a, b), y = 1 - x, and its mixed derivatives."""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import falling_factorial
from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets, pointwise
from hostwrap.special._numerics.trigpi import cospi_n, is_integer
from hostwrap.special.beta_incomplete._score import log_shares, relative_to_mean, score
from hostwrap.special.gamma_beta._quotient import scaled
from hostwrap.special.gamma_beta.beta import parts_on_the_right
from hostwrap.special.gamma_beta.gamma import psi_right
from hostwrap.special.gamma_beta.pochhammer import poch_mixed
from hostwrap.special.gamma_beta.psi_difference import psi_rise
from hostwrap.special.gamma_incomplete._scale import STIRLING, stirling_rest

POINTLIKE = 1e-50  # parameters with which all mass is at the ends
NEXT = 1e-30  # to an end
TINY, HUGE = 1e-290, 1e290  # in place of parameters 0 and infinity, where derivatives have limits


def shares(p, q):
    """x and y = 1 - x, which are to each other as p and q."""
    return 1 / (1 + q / p), 1 / (1 + p / q)


def logit_density(a, b, x, y, *factors):
    """phi = x^a y^b / B(a, b), times factors: a number also where phi underflows and the product does not."""
    m, l = density_parts(a, b, x, y)
    return scaled(l, m, *factors)


def density_over(a, b, x, y, part, factor=1.0):
    """phi factor / part: a number also where phi underflows, as x^a may do where x^(a-1) does not."""
    m, l = density_parts(a, b, x, y)
    half = np.exp(l / 2)
    whole, weight = half / part * m * half, m * factor
    return np.where(
        np.abs(whole) > TINY,
        whole * factor,
        np.where(np.abs(part) < 1, half / part * weight, half * weight / part) * half,
    )


def density_over_power(a, b, x, y, part, n):
    """phi / part^n, n >= 1, in n equal factors: none of them leaves the range of numbers where the result does not."""
    m, l = density_parts(a, b, x, y)
    return m * (np.exp(l / n) / part) ** n


def density_parts(a, b, x, y):
    """m and l with phi = m e^l."""
    return piecewise_jets([a, b, x, y], 1, [(np.minimum(a, b) < STIRLING, _by_powers), (None, _by_stirling)])


def _by_powers(a, b, x, y):
    m, l = parts_on_the_right(np.minimum(a, b), np.maximum(a, b))
    log_x, log_y = log_shares(x, y)
    return np.stack([1 / m, a * log_x + b * log_y - l])


def _by_stirling(a, b, x, y):
    """DLMF 5.11.1; in the exponent no large terms cancel (Loader 2000)."""
    n = a + b
    rest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b)
    exponent = a * relative_to_mean(a, b, x, y) + b * relative_to_mean(b, a, y, x) + rest
    return np.stack([np.sqrt(a / n * b / (2 * math.pi)), exponent])


@pointwise
def beta_density(a, b, p, q, *, i, j, k):
    """(d/da)^i (d/db)^j (d/dx)^k of the density at x = p / (p + q)."""
    inside = (a >= 0) & (b >= 0) & (a + b > 0) & (p >= 0) & (q >= 0)
    x, y = shares(p, q)
    return piecewise(
        [a, b, p, q],
        [
            (~inside, lambda *_: np.nan),
            (x == 0, lambda a, b, p, q: _at_zero(a, b, i, j, k)),
            (y == 0, lambda a, b, p, q: (-1) ** k * _at_zero(b, a, j, i, k)),
            (np.isinf(a) | np.isinf(b), lambda *_: 0.0),
            (None, lambda a, b, p, q: _off_the_ends(*within_reach(a, b, p, q, i, j, k + 1), i, j, k)),
        ],
    )


def within_reach(a, b, p, q, i, j, k):
    """Parameters as the kernels take them, x / y = p / q with them, and the factor of (d/da)^i (d/db)^j (d/dx)^k.

    Two small parameters are taken times one number, by which their density I' is multiplied then. One of them alone
    that is smaller still is a factor of it. With a large b all is a function of b x, with a large a one of a y.
    """
    most = np.maximum(a, b)
    up = np.where((most > 0) & (most < POINTLIKE), POINTLIKE / most, 1.0)
    a, b = a * up, b * up
    linear = np.where((i == 0) & (a < TINY), a / TINY, 1.0) * np.where((j == 0) & (b < TINY), b / TINY, 1.0)
    a, b = np.maximum(a, TINY), np.maximum(b, TINY)
    of_a, of_b = (
        np.where((c > HUGE) & (c < np.inf) & (d <= HUGE), c / HUGE, 1.0) for c, d in ((a, b), (b, a))
    )
    most = np.maximum(p, q)
    p, q = (
        np.where(of_b > 1, np.minimum(p * of_b, most), p),
        np.where(of_a > 1, np.minimum(q * of_a, most), q),
    )
    factor = up ** (i + j - 1) * linear * of_a ** (k - i) * of_b ** (k - j)
    a, b = (np.where((of_c > 1) | np.isinf(c), HUGE, c) for c, of_c in ((a, of_a), (b, of_b)))
    return a, b, p, q, factor


def _off_the_ends(a, b, p, q, factor, i, j, k):
    x, y = shares(p, q)
    return factor * piecewise(
        [a, b, x, y],
        [
            (is_power(a, b, x, k), lambda a, b, x, y: _by_powers_of_x(a, b, x, y, i, j, k)),
            (is_power(b, a, y, k), lambda a, b, x, y: (-1) ** k * _by_powers_of_x(b, a, y, x, j, i, k)),
            (None, lambda a, b, x, y: _inside(a, b, x, y, i, j, k)),
        ],
    )


def is_power(a, b, x, k):
    """Where nearly all of the k-th derivative of x^(a - 1) underflows, or (a - 1) .. (a - k) is next to 0."""
    return ((x < NEXT) | (a < k + 1.5)) & (x * (b + k) < 1) & (k > 1)


def _by_powers_of_x(a, b, x, y, i, j, k):
    """By Leibniz, because next to x = 0 the derivatives of x^(a - 1) have sizes of their own."""

    def term(m):
        """m times x^(a - 1), k - m times y^(b - 1)."""
        of_x, of_y = falling_factorial(a, m, i, -1.0), falling_factorial(b, k - m, j, -1.0)
        parts = [
            math.comb(i, s) * math.comb(j, t) * of_x[s] * of_y[t] * _exponential(logs, i - s, j - t, 0)
            for s in range(i + 1)
            for t in range(j + 1)
        ]
        factor = sum(parts) / y ** (k - m + 1)
        return np.where(factor == 0, 0.0, density_over_power(a, b, x, y, x, m + 1) * factor)

    logs = functools.cache(lambda i, j, k: _log_derivative(a, b, x, y, i, j, k))
    return sum((-1) ** (k - m) * math.comb(k, m) * term(m) for m in range(k + 1))


def _inside(a, b, x, y, i, j, k):
    logs = functools.cache(lambda i, j, k: _log_derivative(a, b, x, y, i, j, k))
    return density_over(a, b, x, y, x * y, _exponential(logs, i, j, k))


def _log_derivative(a, b, x, y, i, j, k):
    if k:
        left, right = -math.factorial(k - 1) / (-x) ** k, -math.factorial(k - 1) / y**k
        return {(0, 0): (a - 1) * left + (b - 1) * right, (1, 0): left, (0, 1): right}.get((i, j), 0.0)
    if i and j:
        return psi_right(a + b, i + j - 1)
    if i + j == 1:
        return score(a, b, x, y) if i else score(b, a, y, x)
    return psi_rise(a, b, i - 1) if i else psi_rise(b, a, j - 1)


def _exponential(logs, i, j, k):
    """(d/da)^i (d/db)^j (d/dx)^k e^f / e^f from the derivatives of f, by one of them applied to e^f f'."""
    if i == j == k == 0:
        return 1.0
    s, t, r = (1, 0, 0) if i else (0, 1, 0) if j else (0, 0, 1)
    return sum(
        math.comb(i - s, l)
        * math.comb(j - t, m)
        * math.comb(k - r, n)
        * logs(l + s, m + t, n + r)
        * _exponential(logs, i - s - l, j - t - m, k - r - n)
        for l in range(i - s + 1)
        for m in range(j - t + 1)
        for n in range(k - r + 1)
    )


def _at_zero(a, b, i, j, k):
    """The limit x -> 0: of the powers of x the lowest decides, unless Gamma(a) / Gamma(a - k), which it has, is 0.

    Then a is an integer, and the constant term is a product of k + 1 factors next to b.
    """
    c = a - k
    whole = is_integer(c) & (c <= 1)
    if i == 0:
        least = b + (c - 1)
        factors = poch_mixed(least, k + 1, dz=j, dm=0) if j else math.prod(least + m for m in range(k + 1))
        finite = cospi_n(1 - c) * sc.binom(k, a - 1) * factors
        limit = np.where(c > 1, 0.0, np.where(whole, finite, sc.gammasgn(c) * np.inf))
        limit = np.where(a == 0, np.nan, limit)  # all mass is here
    else:
        sign = np.where(whole & (c < 1), -cospi_n(c), sc.gammasgn(c)) * (-1) ** i
        limit = np.where(c > 1, 0.0, sign * np.inf)
    return limit if j else np.where(b == 0, 0.0, limit)  # or at the other end
