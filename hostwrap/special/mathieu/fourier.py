"""Characteristic values and Fourier coefficients of Mathieu functions, with derivatives in q (DLMF 28.2, 28.4).

ce_m and se_m are eigenvectors of four symmetric tridiagonal matrices, one for each parity of m, made symmetric by the
factor sqrt(2) in front of A_0. A solution is a series in cos(k x) (or sin), k = first, first + 2, first + 4, ...
"""

from math import comb

import numpy as np

from hostwrap.special._numerics.tridiagonal_jets import eigen_jets
from hostwrap.special._numerics.tridiagonal_pairs import add_up

MARGIN = 22  # rows beyond the turning point k^2 = a + 2 |q|: there the coefficients have fallen below 1e-17


class Solution:
    """Jets in q, orders 0..n: the characteristic value `a`, and an eigenvector with v_p = 1 for all q, row first.

    Row r belongs to the frequency k[r], `first` is the lowest; p is the row of the largest component.
    """

    def __init__(self, m, q, n, even):
        self.q = q
        self.first, self.index = _place(m, even)
        count = MARGIN + int(np.max(self.index + 1.3 * np.sqrt(np.abs(q)), initial=0))
        self.k = self.first + 2.0 * np.arange(count)[:, None]
        b, e = np.zeros_like(self.k), np.ones((count - 1, m.size))
        b[0] = np.where(self.first == 1, 1.0 if even else -1.0, 0.0)
        e[0, self.first == 0] = np.sqrt(2)
        self.a, self.v, self.p, self.negative = eigen_jets(self.k**2, b, e, q, self.index, n)

    def coefficients(self):
        """A (or B), normalized and signed as in DLMF 28.4.9-20."""
        c = _normalized(self.v) * _sign(self.q, self.index, self.p, self.negative)
        c[:, 0, self.first == 0] /= np.sqrt(2)
        return c

    def ratios(self):
        """The coefficients over the one in row p."""
        c = self.v.copy()
        c[:, 0, self.first == 0] /= np.sqrt(2)
        c[:, :, (self.first == 0) & (self.p == 0)] *= np.sqrt(2)
        return c


def _place(m, even):
    """The lowest frequency, and the number of the eigenvalue."""
    parity = np.mod(m, 2)
    if even:
        return parity.astype(int), (m // 2).astype(int)
    return np.where(parity == 1, 1, 2), ((m - 1) // 2).astype(int)


def _normalized(vectors):
    """Unit length for all q."""
    n = len(vectors) - 1
    square = [sum(comb(k, j) * _dot(vectors[j], vectors[k - j]) for j in range(k + 1)) for k in range(n + 1)]
    inverse = [square[0] ** -0.5]
    for k in range(n):  # from s r' = -s' r / 2 for r = s^(-1/2)
        total = -sum(comb(k, j) * square[j + 1] * inverse[k - j] for j in range(k + 1)) / 2
        total -= sum(comb(k, j) * square[j] * inverse[k + 1 - j] for j in range(1, k + 1))
        inverse.append(total / square[0])
    return np.stack(
        [sum(comb(k, j) * inverse[j] * vectors[k - j] for j in range(k + 1)) for k in range(n + 1)]
    )


def _dot(u, v):
    return add_up(u * v)


def _sign(q, index, pivot, negative):
    """A_m > 0 at q = 0, and the last coefficient, which nowhere vanishes, keeps the sign that it has for small q.

    From row to row behind the pivot the sign changes with -q / D, D the pivots of the factorization.
    """
    return np.where((negative + np.where(q > 0, index - pivot, 0)) % 2 == 0, 1.0, -1.0)
