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
from hostwrap.special.gamma_beta.psi_difference import psi_difference
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


def _psi_of_sum_minus(a, b, k):
    """psi_k(a + b) - psi_k(a + 1)."""
    return np.where(a + b < 1, psi_n(a + b, k) - psi_n(a + 1, k), psi_difference(a + 1, b - 1, k))


def _fallen(s, a, b, y, yc):
    """log(yc + y e^-s), y + yc = 1, and -a s - (a + b) times it, in which -a s or b s may be the small part."""
    low, turn = y < 0.5, np.minimum(s, STEEP)
    part = np.log1p(np.where(low, y, yc) * np.expm1(np.where(low, -turn, turn)))
    exponent = np.where(low, -a, b) * turn - (a + b) * part - a * (s - turn)
    return np.where(low, part, part - turn), exponent


class BetaTerms:
    """V(A) for the odds r = y / (1 - y), and its derivatives in a and b."""

    def __init__(self, a, b, r, orders, fine=False, lowered=0):
        self.a, self.b, self.orders, self.fine, self.lowered = a, b, orders, fine, lowered
        self.y, self.yc = r / (1 + r), 1 / (1 + r)
        self.log_y, self.log_yc = -np.log1p(1 / r), -np.log1p(r)
        self.log_value = log_beta_term(a, b, self.y, self.yc) - lowered * np.log(r)
        n = sum(orders)
        self.psi_a = [_psi_of_sum_minus(a, b, k) for k in range(n)]
        self.psi_b = [_psi_of_sum_minus(b, a, k) for k in range(n)]
        self.psi_ab = [psi_n(a + b, k) for k in range(n)]

    @property
    def state(self):
        return [self.a, *self.psi_a, *self.psi_b, *self.psi_ab]

    @state.setter
    def state(self, state):
        n, (self.a, *psi) = sum(self.orders), state
        self.psi_a, self.psi_b, self.psi_ab = psi[:n], psi[n : 2 * n], psi[2 * n :]

    def step(self):
        n = self.a + self.b
        self.a = self.a + 1
        for k in range(sum(self.orders)):
            factor = (-1) ** k * math.factorial(k)
            above, below = factor / n ** (k + 1), factor / self.a ** (k + 1)
            self.psi_ab[k] = self.psi_ab[k] + above
            self.psi_b[k] = self.psi_b[k] + above
            self.psi_a[k] = self.psi_a[k] + (above - below)
        return self.y * n / self.a

    def jet(self):
        fallen = fall(self.a, self.lowered, self.orders[0])
        factor = lambda i, j: fallen[i] * (self.b, 1.0)[j] if j < 2 else 0.0
        return product_derivative(1.0, self._logs(self.log_y, self.log_yc), factor, *self.orders)

    def whole(self):
        """I_y(A, b) = V(A) A times the integral over the logit of t, t < y."""

        def weighted(s, w):
            log, exponent = _fallen(s, self.a, self.b, self.y, self.yc)
            return self._weighted(w * np.exp(exponent), self.log_y - s - log, self.log_yc - log)

        return falling(weighted, self._reach(self.a, self.b, self.y, self.yc, self.log_yc), self.fine)

    def rest(self):
        """1 - I_y(A, b), t > y."""

        def weighted(s, w):
            log, exponent = _fallen(s, self.b, self.a, self.yc, self.y)
            return self._weighted(w * np.exp(exponent), self.log_y - log, self.log_yc - s - log)

        return falling(weighted, self._reach(self.b, self.a, self.yc, self.y, self.log_y), self.fine)

    @staticmethod
    def _reach(a, b, y, yc, log_yc):
        return reach(lambda s: _fallen(s, a, b, y, yc)[1], (DEEP - (a + b) * log_yc) / a)

    def _weighted(self, weight, log_y, log_yc):
        factor = lambda i, j: (self.a, 1.0)[i] * (self.b, 1.0)[j] if max(i, j) < 2 else 0.0
        return product_derivative(weight, self._logs(log_y, log_yc), factor, *self.orders)

    def _logs(self, log_y, log_yc):
        def logs(i, j):
            if i and j:
                return self.psi_ab[i + j - 1]
            if i:
                return (log_y if i == 1 else 0.0) + self.psi_a[i - 1]
            return (log_yc if j == 1 else 0.0) + self.psi_b[j - 1]

        return logs
