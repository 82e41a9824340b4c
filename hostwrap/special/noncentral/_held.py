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
        self.start = a
        self.slope = self._slope(self.log_y, self.log_yc) - self._outside()

    @property
    def state(self):
        return [self.a, self.slope]

    @state.setter
    def state(self, state):
        self.a, self.slope = state

    def step(self):
        self.slope = self.slope + self._change()
        return super().step()

    def jet(self):
        return self.b * self.slope

    def _weighted(self, s, w, log, log_y, log_yc, decay):
        weight = w * np.exp(-decay * s - (self.a + self.b) * log)
        return self.a * self.b * (weight * self._slope(log_y, log_yc))

    def _slope(self, log_y, log_yc):
        """Of log(A V). The odds of y are proportional to r, so they move with it."""
        y, yc, ratio = np.exp(log_y), np.exp(log_yc), self.a / self.b
        return _log_plus(y - yc * ratio, log_yc + np.log1p(ratio)) + _phi(self.a + self.b) - _phi(self.b)

    def _outside(self):
        """The derivative of log A."""
        return 0.0

    def _change(self):
        """From A to A + 1."""
        return 1 / (self.a + self.b) - self.yc / self.b


class HeldInA(HeldInB):
    """V(A) and its derivative in a."""

    def _slope(self, log_y, log_yc):
        y, yc, ratio = np.exp(log_y), np.exp(log_yc), self.b / self.a
        later, u = (self.a - self.start) / self.start, yc - y * ratio
        return _log_plus(u, log_y + np.log1p(ratio)) + later * u + _phi(self.a + self.b) - _phi(self.a)

    def _outside(self):
        return 1 / self.a

    def _change(self):
        return 1 / (self.a + self.b) - 1 / (self.a + 1) + self.yc / self.start


def _log_plus(u, log_v):
    """log(v) + u <= 0, where u + v = 1; v may underflow."""
    near = np.abs(u) < NEAR
    series = np.polynomial.polynomial.polyval(np.where(near, u, 0.0), SERIES)
    return np.where(near, series, log_v + u)


def _phi(z):
    """psi(z) - log z < 0, z > 0, DLMF 5.11.2; 5.5.2 leads to large z."""
    total = 0.0
    for k in range(LARGE):
        total = total - np.where(z < LARGE, _phi_step(np.minimum(z, LARGE) + k), 0.0)
    z = np.where(z < LARGE, z + LARGE, z)
    return total - 1 / (2 * z) - sum(BERNOULLI[2 * k] / (2 * k) * z ** (-2.0 * k) for k in range(1, 10))


def _phi_step(z):
    """phi(z + 1) - phi(z)."""
    return 1 / z - np.log1p(1 / z)
