"""The density p(a, x) = x^(a-1) e^-x / Gamma(a) of the gamma distribution, and its mixed derivatives."""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import falling_factorial, times
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.trigpi import cospi_n, is_integer
from hostwrap.special.gamma_beta._quotient import one, product_derivative
from hostwrap.special.gamma_beta.gamma import psi_right, rgamma_jet
from hostwrap.special.gamma_incomplete._scale import density, score
from hostwrap.special.gamma_incomplete.shape import defined

NEXT = 1e-30  # to 0
TINY = 1e-290  # where 1 / (c x) is about to leave the doubles


@pointwise
def gamma_density_ij(a, x, *, i, j):
    """(d/da)^i (d/dx)^j p(a, x)."""
    a = a + 0.0  # no -0.0, as in `shape.py`
    if i == j == 0:
        return defined(a, x, _value(a, x))
    value = piecewise(
        [a, x],
        [
            (x == 0, lambda a, x: _at_zero(a, i, j)),
            (np.isinf(x) | np.isinf(a) | (a == 0) & (i == 0), lambda a, x: np.zeros_like(a)),
            (_is_power(a, x, j), lambda a, x: _by_powers(a, x, i, j)),
            (a < 1, lambda a, x: _small_shape(a, x, i, j)),
            (None, lambda a, x: _regular(a, x, i, j)),
        ],
    )
    return defined(a, x, value)


@pointwise
def rate_density(c, b, x):
    """c p(b, c x); next to c x = 0 without 1 / (c x), which may be infinite."""
    value = _value(b, c * x)
    near = (b < 1) & (c > 0) & (x > 0) & (c * x < TINY)
    first, second = (np.float_power(np.where(near, s, 1.0), b) for s in (c, x))
    power = first * second * sc.rgamma(b) / np.where(near, x, 1.0)
    rate = np.where(near, power, np.where((c == 0) | (value == 0), 0.0, c * value))
    return defined(b, c * x, rate)


def _value(a, x):
    """The density itself, made of loops alone."""
    at_zero = np.where(a > 1, 0.0, np.where(a == 1, 1.0, np.inf))
    vanishing = np.isinf(x) | np.isinf(a) | (a == 0)
    return np.where(x == 0, at_zero, np.where(vanishing, 0.0, density(a, x)))


def slope(a, x):
    """d log p / dx."""
    return (a - 1 - x) / x


def _regular(a, x, i, j):
    def logs(i, j):
        return (
            -psi_right(a, i - 1) if i > 1 and j == 0 else score(a, x) if i and j == 0 else _logs_x(a, x, i, j)
        )

    return product_derivative(density(a, x), logs, one, i, j)


def _is_power(a, x, j):
    """Where x^(a - 1) may underflow, or nearly all of its j-th derivative does: (a - 1) .. (a - j) is next to 0."""
    return (x < NEXT) | (x < 1) & (a < j + 1.5) & (j > 1)


def _by_powers(a, x, i, j):
    """As `_at_zero`: x^(c - 1) / Gamma(c) are numbers though p(a, x) may be 0."""
    found = powers(a, x, i, range(j, -1, -1))
    return np.exp(-x) * sum((-1) ** m * math.comb(j, m) * power for m, power in enumerate(found))


def powers(a, x, i, counts):
    """(d/da)^i of x^(a - k - 1) / Gamma(a - k) for each k, of which 1 / Gamma is (a - 1) .. (a - k) / Gamma(a)."""
    rgammas = rgamma_jet(a, i)
    return [_power(a, x, i, k, rgammas) for k in counts]


def _power(a, x, i, k, rgammas):
    half = np.float_power(x, (a - (k + 1)) / 2)  # the power may overflow, and weights be as small
    log = np.log(x)
    powers = np.stack([half * log**m for m in range(i + 1)])
    weights = times(falling_factorial(a, k, i, -1.0), rgammas)  # with the digits of a small a
    parts = [np.where(f == 0, 0.0, powers[i - m] * f * half) for m, f in enumerate(weights)]
    return sum(math.comb(i, m) * part for m, part in enumerate(parts))


def _small_shape(a, x, i, j):
    """psi(a) and its derivatives are large and cancel: Leibniz, with 1 / Gamma(a) as the other factor."""

    def logs(i, j):
        return 0.0 if i > 1 and j == 0 else np.log(x) if i and j == 0 else _logs_x(a, x, i, j)

    rgammas = rgamma_jet(a, i)
    factor = lambda i, j: 0.0 if j else rgammas[i]
    return product_derivative(np.float_power(x, a - 1) * np.exp(-x), logs, factor, i, j)


def _logs_x(a, x, i, j):
    """Of (a - 1) log x - x, for j > 0."""
    if i > 1:
        return 0.0
    power = -((-1) ** j) * math.factorial(j - 1) / x**j
    return power if i else slope(a, x) if j == 1 else (a - 1) * power


def _at_zero(a, i, j):
    """The limit x -> 0, from (d/dx)^j p(a, x) = sum over m of binom(j, m) (-1)^m p(a - j + m, x).

    The lowest shape c = a - j decides, unless 1 / Gamma(c) = 0.
    """
    c = a - j
    integral = is_integer(c) & (c <= 1)
    if i == 0:
        finite = sc.binom(j, 1 - c) * cospi_n(1 - c)
        return np.where(c > 1, 0.0, np.where(integral, finite, sc.gammasgn(c) * np.inf))
    sign = np.where(integral & (c < 1), -cospi_n(c), sc.gammasgn(c)) * (-1) ** i
    return np.where(c > 1, 0.0, sign * np.inf)
