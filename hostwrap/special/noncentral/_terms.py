"""The terms U(A) of which incomplete gamma and beta functions are sums, A = a, a + 1, ..., as a running state.

P(a, x) = sum T(a + m), T(A) = x^A e^-x / Gamma(A + 1), DLMF 8.7.1; I_y(a, b) = sum V(a + m) with
V(A) = y^A (1 - y)^b Gamma(A + b) / (Gamma(A + 1) Gamma(b)), DLMF 8.17.20. A state holds `a`, the current A, and the
derivatives of log U in the parameters, which the recurrence of psi (DLMF 5.15.5) carries from A to A + 1. U itself
is carried by those who sum, relative to its first value exp(log_value).

With `lowered` m, `jet` is that of A .. (A - m + 1) U(A) divided by x^m, or by r^m with r = y / (1 - y): of T(A - m), or
of b .. (b + m - 1) V at A - m and b + m.

`state` holds what moves with A, so that a loop can carry it. `whole` and `rest` are the sums of U from A on, and of
all below A; like `jet`, which is U's, they give the derivative of order `orders`, in units of U(A).
"""

from __future__ import annotations

import math

import numpy as np

from hostwrap.special._numerics.jets import falling_factorial
from hostwrap.special._numerics.quadrature import reach
from hostwrap.special.gamma_beta._quotient import product_derivative
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.gamma_beta.psi_difference import power_differences, psi_difference
from hostwrap.special.noncentral._logarithms import log_beta_term, log_poisson
from hostwrap.special.noncentral._panels import falling

DEEP = 44.0  # e^-44 is 8e-20
STEEP = 700.0  # e^700 is still a number


def fall(a, m, n):
    """The derivatives up to the n-th of a (a - 1) .. (a - m + 1)."""
    return falling_factorial(a, m, n) if m else [1.0] + [0.0] * n


class GammaTerms:
    """T(A), and its derivatives in a."""

    def __init__(self, a, x, orders, lowered=0):
        self.a, self.x, (self.order, _), self.lowered = a, x, orders, lowered
        self.log_x = np.log(x)
        self.log_value = log_poisson(a, x) - lowered * self.log_x
        self.psi = [psi_n(a + 1, k) for k in range(self.order)]

    @property
    def state(self):
        return [self.a, *self.psi]

    @state.setter
    def state(self, state):
        self.a, *self.psi = state

    def step(self):
        """To the next term; the ratio of the two."""
        self.a = self.a + 1
        for k in range(self.order):
            self.psi[k] = self.psi[k] + (-1) ** k * math.factorial(k) / self.a ** (k + 1)
        return self.x / self.a

    def jet(self):
        fallen = fall(self.a, self.lowered, self.order)
        return product_derivative(1.0, self._logs(self.log_x), lambda i, j: fallen[i], self.order, 0)

    def whole(self):
        """P(A, x) = T(A) A times the integral over log t, t < x."""
        longest = (DEEP + self.x) / self.a
        end = reach(lambda s: -self.a * s - self.x * np.expm1(-s), longest)
        return falling(lambda s, w: self._weighted(-s, w), end)

    def rest(self):
        """Q(A, x), t > x."""
        c = 2 * DEEP / self.x
        longest = np.minimum(np.sqrt(c), np.log1p(c) + 1)
        return falling(self._weighted, reach(lambda s: self.a * s - self.x * np.expm1(s), longest))

    def _weighted(self, s, w):
        weight = w * np.exp(self.a * s - self.x * np.expm1(s))
        factor = lambda i, j: (self.a, 1.0)[i] if i < 2 else 0.0
        return product_derivative(weight, self._logs(self.log_x + s), factor, self.order, 0)

    def _logs(self, log_x):
        return lambda i, j: (log_x if i == 1 else 0.0) - self.psi[i - 1]


def _psi_below(x, y, k, inside=False):
    """psi_k(x + y) - psi_k(x) where `inside`, else psi_k(x + y) - psi_k(x + 1): of Gamma(x + y) / Gamma(x or x + 1)."""
    start, h = np.where(inside, x, x + 1), np.where(inside, y, y - 1)
    near = np.logical_not(inside) & (x + y < 1)
    return np.where(near, psi_n(x + y, k) - psi_n(x + 1, k), psi_difference(start, h, k))


def _factor(x, inside, k):
    """The k-th derivative of the factor x, which Gamma(x) has taken up where `inside`."""
    return x if k == 0 else np.where(inside, 0.0, 1.0) if k == 1 else 0.0


def _fallen(s, a, b, y, yc):
    """log(yc + y e^-s), y + yc = 1, and -a s - (a + b) times it, in which -a s or b s may be the small part."""
    low, turn = y < 0.5, np.minimum(s, STEEP)
    part = np.log1p(np.where(low, y, yc) * np.expm1(np.where(low, -turn, turn)))
    exponent = np.where(low, -a, b) * turn - (a + b) * part - a * (s - turn)
    return np.where(low, part, part - turn), exponent


def _logarithms(odds, log_t, log_tc):
    """log(t) and log(1 - t): of the one that is near 0, a sum has no digits."""
    low = odds < 1
    return (
        np.where(low, log_t, -np.log1p(1 / np.where(low, 1.0, odds))),
        np.where(low, -np.log1p(np.where(low, odds, 1.0)), log_tc),
    )


def psi_rise(x, k):
    """psi_k(x + 1) - psi_k(x), DLMF 5.15.5."""
    return (-1) ** k * math.factorial(k) / x ** (k + 1)


def psi_rise_falls(x, h, k):
    """By how much it falls from x to x + h."""
    return (-1) ** k * math.factorial(k) * power_differences(x, h, k + 1)[-1]


class BetaTerms:
    """V(A) for the odds r = y / (1 - y), and its derivatives in a and b.

    The larger one of A and b, as a factor, goes with the Gamma function below, as in A / Gamma(A + 1) = 1 / Gamma(A):
    else A times the derivative of the logarithm is next to -1, and of their sum little is left. The smaller one does
    not: psi(A) is large there, and its square almost cancels its derivative. With `per_b`, `jet` is that of V(A) / b.
    """

    def __init__(self, a, b, r, orders, fine=False, per_b=False):
        self.a, self.b, self.orders, self.fine, self.per_b = a, b, orders, fine, per_b
        self.r, self.y, self.yc = r, r / (1 + r), 1 / (1 + r)
        self.log_y, self.log_yc = -np.log1p(1 / r), -np.log1p(r)
        self.log_value = log_beta_term(a, b, self.y, self.yc)
        i, j = orders
        self.inside = (b > a) & (not per_b)
        self.psi_a = [self._psi_a(k) for k in range(i)]
        self.psi_b = [_psi_below(b, a, k, self.inside) for k in range(j)]
        self.psi_ab = [psi_n(a + b, k) for k in range(i + j if i and j else 0)]

    def _psi_a(self, k):
        """What is carried for derivatives in a."""
        return _psi_below(self.a, self.b, k)

    def _psi_a_change(self, k):
        """From A to A + 1."""
        return psi_rise(self.a + self.b, k) - psi_rise(self.a + 1, k)

    @property
    def state(self):
        return [self.a, *self.psi_a, *self.psi_b, *self.psi_ab]

    @state.setter
    def state(self, state):
        (i, j), (self.a, *psi) = self.orders, state
        self.psi_a, self.psi_b, self.psi_ab = psi[:i], psi[i : i + j], psi[i + j :]

    def step(self):
        n = self.a + self.b
        self.psi_a = [psi + self._psi_a_change(k) for k, psi in enumerate(self.psi_a)]
        self.psi_b, self.psi_ab = (
            [x + psi_rise(n, k) for k, x in enumerate(psi)] for psi in (self.psi_b, self.psi_ab)
        )
        self.a = self.a + 1
        return self.y * n / self.a

    def jet(self):
        factor = lambda i, j: 0.0 if i else self._b_factor(j)
        logs = self._logs(self.log_y, self.log_yc, self.psi_a, self.psi_b)
        return product_derivative(1.0, logs, factor, *self.orders)

    def _b_factor(self, j):
        return float(j == 0) if self.per_b else _factor(self.b, self.inside, j)

    def whole(self):
        """I_y(A, b) = V(A) A times the integral over the logit of t, t < y."""

        def weighted(s, w):
            log, exponent = _fallen(s, self.a, self.b, self.y, self.yc)
            logs = _logarithms(self.r * np.exp(-s), self.log_y - s - log, self.log_yc - log)
            return self._weighted(w * np.exp(exponent), *logs)

        return falling(weighted, self._reach(self.a, self.b, self.y, self.yc, self.log_yc), self.fine)

    def rest(self):
        """1 - I_y(A, b), t > y."""

        def weighted(s, w):
            log, exponent = _fallen(s, self.b, self.a, self.yc, self.y)
            odds = self.r * np.exp(np.minimum(s, STEEP))
            return self._weighted(
                w * np.exp(exponent), *_logarithms(odds, self.log_y - log, self.log_yc - s - log)
            )

        return falling(weighted, self._reach(self.b, self.a, self.yc, self.y, self.log_y), self.fine)

    @staticmethod
    def _reach(a, b, y, yc, log_yc):
        return reach(lambda s: _fallen(s, a, b, y, yc)[1], (DEEP - (a + b) * log_yc) / a)

    def _weighted(self, weight, log_y, log_yc):
        a, b, (i, j), inside = self.a, self.b, self.orders, self.a > self.b
        psi_a = [_psi_below(a, b, k, inside) for k in range(i)]
        psi_b = [_psi_below(b, a, k, ~inside) for k in range(j)]
        factor = lambda i, j: _factor(a, inside, i) * _factor(b, ~inside, j)
        return product_derivative(weight, self._logs(log_y, log_yc, psi_a, psi_b), factor, i, j)

    def _logs(self, log_y, log_yc, psi_a, psi_b):
        def logs(i, j):
            if i and j:
                return self.psi_ab[i + j - 1]
            if i:
                return (log_y if i == 1 else 0.0) + psi_a[i - 1]
            return (log_yc if j == 1 else 0.0) + psi_b[j - 1]

        return logs


class LoweredBetaTerms(BetaTerms):
    """A .. (A - m + 1) V(A) divided by r^m, m > 0; only `jet` has a meaning."""

    def __init__(self, a, b, r, orders, fine, per_b, lowered):
        super().__init__(a, b, r, orders, fine, per_b)
        self.lowered = lowered
        self.log_value = self.log_value - lowered * np.log(r)

    def _psi_a(self, k):
        """psi_k(A + b + 1) - psi_k(A + 1): those at A, and psi_k(A + b) alone, follow without a difference."""
        return psi_difference(self.a + 1, self.b, k)

    def _psi_a_change(self, k):
        return -psi_rise_falls(self.a + 1, self.b, k)

    def jet(self):
        m, (n, _), inside = self.lowered, self.orders, self.a > self.b
        above = falling_factorial(self.a - 1, m - 1, n)
        fallen = [np.where(inside, self.a * f, g) for f, g in zip(above, fall(self.a, m, n), strict=True)]
        psi_a = [
            psi + np.where(inside, psi_rise_falls(self.a, self.b, k), -psi_rise(self.a + self.b, k))
            for k, psi in enumerate(self.psi_a)
        ]
        factor = lambda i, j: fallen[i] * self._b_factor(j)
        logs = self._logs(self.log_y, self.log_yc, psi_a, self.psi_b)
        return product_derivative(1.0, logs, factor, *self.orders)
