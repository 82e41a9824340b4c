"""Characteristic values and Fourier coefficients of Mathieu functions, with derivatives in q (DLMF 28.2, 28.4).

ce_m and se_m are eigenvectors of four symmetric tridiagonal matrices, one for each parity of m, made symmetric by the
factor sqrt(2) in front of A_0. A solution is a series in cos(k x) (or sin), k = first, first + 2, first + 4, ...
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import special

from hostwrap.special._numerics import tridiagonal
from hostwrap.special._numerics.taylor import inverse_root, scaled, times
from hostwrap.special._numerics.tridiagonal import Family, Matrix

MARGIN = 22  # rows beyond the turning point k^2 = a + 2 |q|: there the coefficients have fallen below 1e-17
LEAST = 12  # for small q: j rows beyond the row of m they have fallen by (q/4)^j / j!^2


class Solution(NamedTuple):
    """Taylor coefficients in q of the characteristic value `a`, and p, the row of a large coefficient.

    Row r belongs to the frequency first + 2 r, the characteristic value is number `index` of its matrix.
    """

    matrix: Matrix
    first: Any
    index: Any
    a: Any
    p: Any


def solution(m, q, n, even):
    """With the derivatives up to the n-th."""
    s = known(m, q, even, [0.0] * (n + 1), None)
    guess = special.mathieu_a(m, q) if even else special.mathieu_b(m, q)
    a, p = tridiagonal.jets(s.matrix, tridiagonal.eigenvalue(s.matrix, s.index, guess), n)
    return s._replace(a=a, p=p)


def known(m, q, even, a, p):
    """The solution whose characteristic value and p are known."""
    first, index = _place(m, even)
    size = np.sqrt(np.abs(q))
    count = np.floor(index + np.minimum(MARGIN + 1.3 * size, LEAST + 3.0 * size))
    return Solution(Matrix(_family(even), [q, 1.0][: len(a)], count, [first]), first, index, a, p)


def summed(s, terms, extra):
    """The sums of coefficients times terms, the coefficients normalized and signed as in DLMF 28.4.9-20.

    terms(k, *extra) lists two numbers that the coefficient of the frequency k is multiplied by.
    """

    def rows(lower, r, kept, first, *extra):
        weight = _of_first(r, first)
        return [[weight * f] for f in terms(first + 2 * r, *extra)], kept

    extra = [s.first, *extra]
    upper, lower = tridiagonal.ends(s.matrix, s.a, s.p, tridiagonal.sums(2, rows, extra), len(s.a))
    here, _ = rows(None, s.p, (), *extra)
    scale = inverse_root(tridiagonal.lengths(upper, lower))
    sign = _sign(s.matrix.t[0], s.index, s.p, lower.negative)
    return [scaled(sign, times(scale, tridiagonal.summed(i, f, upper, lower))) for i, f in enumerate(here)]


def ratios_summed(s, terms, here, extra, kept):
    """Sums over rows r of (-1)^(r + index) A_r / (A_p epsilon), epsilon = 2 where A_p is A_0, times terms.

    Terms and what is kept are as in `Sums`; `here` are the terms of the row p.
    """

    def rows(lower, r, kept, first, *extra):
        found, kept = terms(lower, r, kept, first, *extra)
        weight = _alternating(r) * _of_first(r, first)
        return [scaled(weight, f) for f in found], kept

    upper, lower = tridiagonal.ends(s.matrix, s.a, s.p, tridiagonal.sums(2, rows, [s.first, *extra], kept))
    weight, index = _of_first(s.p, s.first), _alternating(s.index) * _of_first(s.p, s.first)
    here = [scaled(weight * _alternating(s.p), f) for f in here]
    return [scaled(index, tridiagonal.summed(i, f, upper, lower)) for i, f in enumerate(here)]


def _alternating(r):
    return np.where(np.mod(r, 2) == 0, 1.0, -1.0)


def _of_first(r, first):
    """A_0 has a factor of its own."""
    return np.where((first == 0) & (r == 0), np.sqrt(0.5), 1.0)


def _family(even):
    def row(r, first):
        k = first + 2 * r
        return k * k, np.where((first == 1) & (r == 0), 1.0 if even else -1.0, 0.0)

    def coupling(r, first):
        return np.where(r < 0, 0.0, np.where((first == 0) & (r == 0), np.sqrt(2), 1.0))

    def bounds(q, index, first):
        """2 q cos(2 x) is at most 2 |q|."""
        return (first * first - 2 * np.abs(q), (first + 2 * index) ** 2 + 2 * np.abs(q))

    def last(a, q, first):
        """k^2 = a + 2 |q|."""
        return np.floor(0.5 * (np.sqrt(np.maximum(a + 2 * np.abs(q) + 1, 0.0)) - first))

    return Family(row, coupling, bounds, last)


def _place(m, even):
    """The lowest frequency, and the number of the eigenvalue."""
    parity = np.mod(m, 2)
    if even:
        return parity, np.floor(m / 2)
    return np.where(parity == 1, 1.0, 2.0), np.floor((m - 1) / 2)


def _sign(q, index, pivot, negative):
    """A_m > 0 at q = 0, and the last coefficient, which nowhere vanishes, keeps the sign that it has for small q.

    From row to row behind the pivot the sign changes with -q / D, D the pivots of the factorization.
    """
    return np.where(np.mod(negative + np.where(q > 0, index - pivot, 0.0), 2) == 0, 1.0, -1.0)
