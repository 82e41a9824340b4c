"""Kernels of this folder in JAX operations, for derivatives that XLA computes. Same accuracy, same NaNs."""

from math import pi

from hostwrap._table.words import HIGHEST, LOWEST, exp_in_range, log_minus, polynomial_in_pairs
from hostwrap.special._math import abs, inf, isinf, maximum, minimum, nan, sqrt, where

# for w >= SHIFT, w (log Gamma(w) - (w - 1/2) log w + w - log(2 pi) / 2) in powers of 1 / w^2; to 1e-17
SHIFT = 4
REST = (
    0.08333333333333331, -0.0027777777777176055, 0.0007936507676291937, -0.0005952337085914222, 0.0008413741438815142,
    -0.0018988790775843355, 0.005842830219816524, -0.018529842349409912, 0.03686739114470535,
)  # fmt: skip


def beta_density(a, b, p, q, *, i, j, k):
    """x^(a-1) y^(b-1) / B(a, b), by Stirling's formula at a + 4, b + 4 and a + b + 4 (DLMF 5.11.1).

    What is large in its exponents is taken together, as in `density.py`: x = (a + 4) / (a + b + 4) (1 + d), d small.
    """
    if i or j or k:
        raise NotImplementedError
    inside = (a >= 0) & (b >= 0) & (a + b > 0) & (p >= 0) & (q >= 0)
    x, y, n = 1 / (1 + q / p), 1 / (1 + p / q), a + b
    u, v, w = 1 / (a + SHIFT), 1 / (b + SHIFT), 1 / (n + SHIFT)
    off = x * b - y * a
    left = (off - SHIFT * y) * u, x * ((n + SHIFT) * u)
    right = -(off + SHIFT * x) * v, y * ((n + SHIFT) * v)
    exponent = a * _log_minus(*left) + b * _log_minus(*right) + _rest(w) - _rest(u) - _rest(v)
    exponent = exponent + SHIFT * (off * ((a - b) * u * v) + SHIFT * (y * u + x * v))
    half = exp_in_range(minimum(maximum(exponent / 2, LOWEST), HIGHEST))
    gammas = (
        _rising(a, u) * (_rising(b, v) / _rising(n, w)) * sqrt((a + SHIFT) * ((b + SHIFT) * w) / (2 * pi))
    )
    density = half / (x * y) * gammas * half
    density = where(x == 0, _at_zero(a, b), where(y == 0, _at_zero(b, a), where(isinf(n), 0.0, density)))
    return where(inside, density, nan)


def _log_minus(d, ratio):
    """log(1 + d) - d, where 1 + d is the ratio."""
    near = abs(d) < 0.5
    x = where(near, 1 + d, ratio)
    return log_minus(x, d, where(near, (d - (x - 1)) / x, 0.0))


def _rest(u):
    return u * polynomial_in_pairs(REST, u * u)


def _rising(a, u):
    """a (a + 1) (a + 2) (a + 3) / (a + 4)^4."""
    return a * u * ((a + 1) * u) * ((a + 2) * u * ((a + 3) * u))


def _at_zero(a, b):
    return where((a > 1) | (b == 0), 0.0, where(a == 1, b, inf * a))
