"""Characteristic values and expansion coefficients of spheroidal functions, with derivatives in c (DLMF 30.8).

In the basis of normalized Legendre functions P_l^m, l = m + p, m + p + 2, ..., the equation is the eigenvalue problem
of l(l + 1) + t <x^2>, t = c^2 (prolate) or -c^2 (oblate), symmetric and tridiagonal.
"""

import copy
from math import factorial

import numpy as np

from hostwrap.special._numerics.tridiagonal_jets import eigen_jets

PROLATE, OBLATE = 1, -1
MARGIN = 24  # rows beyond the largest coefficient, where they have fallen below 1e-17


class Expansion:
    """Jets in c, orders 0..i: the characteristic value, and the coefficients v[order, row, point] of degree `l`."""

    def __init__(self, m, n, c, sign, i):
        self.sign = sign
        self.parity, self.index = np.mod(n - m, 2), ((n - m) // 2).astype(int)
        count = MARGIN + int(np.max(self.index + 0.7 * np.abs(c), initial=0))
        self.l = m + self.parity + 2.0 * np.arange(count)[:, None]
        l, t = self.l, sign * c * c
        b = (2 * l * (l + 1) - 2 * m * m - 1) / ((2 * l - 1) * (2 * l + 3))
        e = np.sqrt(((l + 1) ** 2 - m * m) * ((l + 2) ** 2 - m * m) / ((2 * l + 1) * (2 * l + 5))) / (
            2 * l + 3
        )
        value, v, _, _ = eigen_jets(l * (l + 1), b, e[:-1], t, self.index, i)
        self.value, self.v = in_c(value, c, sign), in_c(v, c, sign)

    def part(self, here):
        """At some of the points only."""
        chosen = copy.copy(self)
        chosen.parity, chosen.index = self.parity[here], self.index[here]
        chosen.l, chosen.value, chosen.v = self.l[:, here], self.value[:, here], self.v[:, :, here]
        return chosen


def in_c(jet, c, sign):
    """Derivatives in c of g(sign c^2), from those of g: (c + h)^2 = c^2 + (2 c h + h^2), by the binomial theorem."""
    return np.stack([sum(_term(jet, c, sign, n, k) for k in range(n // 2 + 1)) for n in range(len(jet))])


def _term(jet, c, sign, n, k):
    weight = factorial(n) // (factorial(k) * factorial(n - 2 * k)) * sign ** (n - k)
    return weight * (2 * c) ** (n - 2 * k) * jet[n - k]
