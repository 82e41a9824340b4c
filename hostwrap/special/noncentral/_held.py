"""The terms V(A) with their derivative in a or b where r b / a is held, as f is: not in a or b, and then in r.

The two parts in b, log(1 - y) + psi(A + b) - psi(b) and y - (1 - y) A / b, are almost opposite. In the u that says
how far y is from A / (A + b), 1 - u = (1 - y) (A + b) / b, they are log(1 - u) + u and phi(A + b) - phi(b), with
phi(z) = psi(z) - log z: both as small as their sum. In a likewise, but for the a + m = A of later terms.
"""

import numpy as np

from hostwrap.special.gamma_beta.gamma import BERNOULLI
from hostwrap.special.noncentral._terms import BetaTerms

NEAR = 0.1  # |u| below which the logarithm's series is taken
SERIES = [0, 0, *(-1 / k for k in range(2, 17))]
LARGE = 10  # z above which the asymptotic series of phi is


class HeldInB(BetaTerms):
    """V(A) and its derivative in b."""

    def __init__(self, first, a, b, r, fine=False):
        super().__init__(a + first, b, r, (0, 0), fine)
        self.start, self.later = a, first  # A is their sum, in which the second may be lost
        self.slope = self._slope(self.log_y, self.log_yc) - self._outside()

    @property
    def state(self):
        return [self.a, self.later, self.slope]

    @state.setter
    def state(self, state):
        self.a, self.later, self.slope = state

    def step(self):
        self.slope = self.slope + self._change()
        ratio = super().step()
        self.later = self.later + 1
        self.a = self.start + self.later
        return ratio

    def jet(self):
        return self.b * self.slope

    def _weighted(self, weight, log_y, log_yc):
        return self.a * self.b * (weight * self._slope(log_y, log_yc))

    def _slope(self, log_y, log_yc):
        """Of log(A V). The odds of y are proportional to r, so they move with it."""
        y, yc, ratio = np.exp(log_y), np.exp(log_yc), self.a / self.b
        return _log_plus(y - yc * ratio, log_yc + np.log1p(ratio)) + _phi_rise(self.b, self.a)

    def _outside(self):
        """The derivative of log A."""
        return 0.0

    def _change(self):
        """From A to A + 1: 1 / (A + b) - (1 - y) / b, in which only u may cancel."""
        return (self.y - self.yc * (self.a / self.b)) / (self.a + self.b)


class HeldInA(HeldInB):
    """V(A) and its derivative in a."""

    def _slope(self, log_y, log_yc):
        y, yc, ratio = np.exp(log_y), np.exp(log_yc), self.b / self.a
        u = yc - y * ratio
        change = _log_plus(u, log_y + np.log1p(ratio)) + self.later / self.start * u
        return change + _phi_rise(self.a, self.b)

    def _outside(self):
        return 1 / self.a

    def _change(self):
        """1 / (A + b) - 1 / (A + 1) + (1 - y) / a, likewise."""
        a, b, start = self.a, self.b, self.start
        u, share = self.yc - self.y * (b / a), 1 / (a + b)
        return u * (a * share) / start + (1 + b * ((self.later + 1) / start)) * share / (a + 1)


def _log_plus(u, log_v):
    """log(v) + u <= 0, where u + v = 1; v may underflow."""
    near = np.abs(u) < NEAR
    series = np.polynomial.polynomial.polyval(np.where(near, u, 0.0), SERIES)
    return np.where(near, series, log_v + u)


def _phi_rise(z, h):
    """phi(z + h) - phi(z) for phi(z) = psi(z) - log z, z, h > 0: the series' powers apart, so that nothing cancels.

    DLMF 5.11.2; 5.5.2 leads to large z.
    """
    total, low = 0.0, np.minimum(z, LARGE)
    for k in range(LARGE):
        total = total + np.where(z < LARGE, _rise_falls(low + k, h), 0.0)
    z = np.where(z < LARGE, z + LARGE, z)
    growth = np.log1p(h / z)
    fall = lambda k: -np.expm1(-k * growth) / z**k  # 1 / z^k - 1 / (z + h)^k
    return total + fall(1) / 2 + sum(BERNOULLI[2 * k] / (2 * k) * fall(2 * k) for k in range(1, 10))


def _rise_falls(z, h):
    """By how much phi(z + h) - phi(z) falls from z to z + 1."""
    part = h / z
    return part / (z + h) - np.log1p(part / (z + h + 1))
