"""Jets of an eigenpair: T(t) v = a v for the symmetric tridiagonal T(t) with diagonal d + t b and off-diagonal t e.

The matrix is factored from both ends towards the row p where v is largest (Dhillon and Parlett, Linear Algebra Appl.
387, 2004): so the small components of v have few errors relative to themselves. With v_p = 1 for all t the
derivatives of the eigenvalue equation,

    (T - a) v_k = -sum_{j >= 1} binom(k, j) (T_j - a_j) v_{k-j},      T_1 = diag(b) + e,   T_2 = T_3 = ... = 0,

are solved with the same factors; a_k follows from multiplication with v.
"""

from math import comb

import numpy as np

from hostwrap.special._numerics.tridiagonal_pairs import add_up
from hostwrap.special._numerics.tridiagonal_sturm import bracket, nonzero

ITERATIONS = 4  # of inverse iteration: it converges like a cube
LARGER = 2.0  # a component so much larger than that in the row p takes its place


def eigen_jets(d, b, e, t, index, n):
    """Jets in t, orders 0..n: eigenvalue (n + 1, points), vector (n + 1, rows, points), its pivot row and parity.

    `d`, `b` and `e` have the row first. The parity is that of the number of negative pivots after the row p.
    """
    diagonal, off = d + t * b, t * e
    low, high = bracket(diagonal, off, index)
    value = (low + high) / 2
    for _ in range(ITERATIONS):
        factors = _Twisted(diagonal, off, value)
        vector = factors.null_vector()
        value = value + factors.residual / add_up(vector * vector)
    values, vectors = [value], [vector]
    for k in range(1, n + 1):
        values.append(_next_value(values, vectors, b, e, k))
        vectors.append(factors.solve(_right_side(values, vectors, b, e, k)))
    return np.stack(values), np.stack(vectors), factors.row, factors.negative % 2


def _slope(b, e, v):
    """T_1 v."""
    product = b * v
    product[:-1] += e * v[1:]
    product[1:] += e * v[:-1]
    return product


def _next_value(values, vectors, b, e, k):
    v = vectors[0]
    total = k * add_up(v * _slope(b, e, vectors[k - 1]))
    for j in range(1, k):
        total -= comb(k, j) * values[j] * add_up(v * vectors[k - j])
    return total / add_up(v * v)


def _right_side(values, vectors, b, e, k):
    right = -k * _slope(b, e, vectors[k - 1])
    for j in range(1, k + 1):
        right += comb(k, j) * values[j] * vectors[k - j]
    return right


class _Twisted:
    """T - a, factored from the first row downwards and from the last row upwards, to meet in the row p."""

    def __init__(self, diagonal, off, shift):
        self.off, shifted = off, diagonal - shift
        self.down, self.up = nonzero(shifted), nonzero(shifted)
        for r in range(1, len(diagonal)):
            self.down[r] = nonzero(shifted[r] - off[r - 1] ** 2 / self.down[r - 1])
        for r in range(len(diagonal) - 2, -1, -1):
            self.up[r] = nonzero(shifted[r] - off[r] ** 2 / self.up[r + 1])
        gamma = self.down + self.up - shifted
        self._meet(np.argmin(np.abs(gamma), axis=0))
        size = np.abs(self.null_vector())  # at an eigenvalue to the last bit all gamma are roundings
        self._meet(np.where(size.max(axis=0) > LARGER, np.argmax(size, axis=0), self.row))
        self.residual = np.take_along_axis(gamma, self.row[None], 0)[0]
        self.negative = np.sum((self.up < 0) & self.after, axis=0)

    def _meet(self, row):
        """The row where the two factorizations meet."""
        rows = np.arange(len(self.up))[:, None]
        self.row, self.before, self.after = row, rows < row, rows > row

    def null_vector(self):
        """The vector with v_p = 1 that T - a maps to a multiple of the unit vector number p."""
        v = np.where(self.before | self.after, 0.0, 1.0)
        for r in range(len(v) - 1):
            v[r + 1] = np.where(self.after[r + 1], -self.off[r] * v[r] / self.up[r + 1], v[r + 1])
        for r in range(len(v) - 1, 0, -1):
            v[r - 1] = np.where(self.before[r - 1], -self.off[r - 1] * v[r] / self.down[r - 1], v[r - 1])
        return v

    def solve(self, right):
        """x with x_p = 0 and (T - a) x = right in all rows but p."""
        top, bottom = right.copy(), right.copy()
        for r in range(1, len(right)):
            top[r] -= self.off[r - 1] * top[r - 1] / self.down[r - 1]
        for r in range(len(right) - 2, -1, -1):
            bottom[r] -= self.off[r] * bottom[r + 1] / self.up[r + 1]
        x = np.zeros_like(right)
        for r in range(len(right) - 2, -1, -1):
            x[r] = np.where(self.before[r], (top[r] - self.off[r] * x[r + 1]) / self.down[r], 0.0)
        for r in range(1, len(right)):
            here = (bottom[r] - self.off[r - 1] * x[r - 1]) / self.up[r]
            x[r] = np.where(self.after[r], here, x[r])
        return x
