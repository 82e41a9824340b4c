"""Lame polynomials E(s; h2, k2) and their derivatives.

E = s^a |x|^(b/2) |s^2 - k2|^(c/2) P(x) with x = s^2 - h2, a, b, c = 0 or 1, and a monic polynomial P of degree m, a
Heun polynomial (DLMF 29.12, 31.5): its coefficients are an eigenvector of a tridiagonal matrix T. As T depends on h2
and k2 so does the eigenvector, whose Taylor series has the coefficients

    (T - l) v_i = -sum over 0 < j <= i of (T_j - l_j) v_(i-j),      v_i = 0 for i > 0 in one row,

with the eigenvalue's l_i from the product with the left eigenvector. T is factored from both ends towards the row where
the eigenvector is largest (Dhillon and Parlett, Linear Algebra Appl. 387, 2004): so its small components have few
errors relative to themselves, and the last one may be tiny, which is 1 in a monic polynomial.
"""

import functools

import numpy as np

from hostwrap.special.elliptic._taylor import (
    below,
    constant,
    indices,
    less,
    partial,
    power,
    product,
    variable,
)

CHUNK = 1024  # points at a time
TINY = 1e-290  # in place of a pivot that is 0
LEAST = 1e-290  # of an argument next to such a k2
DECADES = 6.5  # of k2 / h2, to the power of the degree: beyond, the integrals' nodes lose digits
WIDEST = 9.0  # decades of k2 / h2 in which coefficients of a polynomial were compared with mpmath
SPREAD, SMALL = (
    100.0,
    1e-6,
)  # k2 / h2 from which on a derivative of coefficients so far below its size has lost digits
LARGER = 2.0  # a component so much larger than that in the row takes its place
ITERATIONS = 3  # of inverse iteration, which converges like a cube
FAR = (
    200  # powers of 2 that k2 may be from 1 before the products of a matrix or a polynomial leave the doubles
)


def nonzero(pivot):
    return np.where(pivot == 0, TINY, pivot)


def lame_n(h2, k2, n, p, s, *, dh2, dk2, ds):
    """(d/dh2)^i (d/dk2)^j (d/ds)^k of E."""
    degree = lambda n: n - 2 * (dh2 + dk2) - ds
    function = functools.partial(_partial, orders=(dh2, dk2, ds))
    return by_polynomial(function, (dh2, dk2), degree, h2, k2, n, p, s, decades=np.inf)


def by_polynomial(function, orders, degree, h2, k2, n, p, *s, decades=DECADES):
    """function(polynomial, h2, k2, *s), the polynomial to these orders, for the points of each (n, p).

    It is NaN outside 0 < h2 < k2, and without digits.

    It is homogeneous, of degree(n), in the root of h2, that of k2, and s: so a k2 far from 1 is computed next to 1.
    """
    arrays = np.broadcast_arrays(n, p, h2, k2, *s)
    n, p, *reals = (np.ravel(a) for a in arrays)
    reals = [a.astype(float) for a in reals]
    half = np.frexp(reals[1])[1] // 2
    half = np.where(np.abs(half) > FAR // 2, half, 0)
    given, reals = reals, [np.ldexp(a, -count * half) for count, a in zip((2, 2, 1), reals, strict=False)]
    vanished = [(np.abs(a) < LEAST) & (b != 0) for a, b in zip(reals, given, strict=True)]
    result = np.full(n.size, np.nan)
    with np.errstate(all="ignore"):
        spread = np.log10(reals[1] / reals[0])
    good = (
        (spread * _type(n, p)[3] <= np.minimum(decades, WIDEST * _type(n, p)[3]))
        & (reals[0] > 0)
        & (reals[1] > reals[0])
        & np.isfinite(sum(reals))
        & ~np.any(vanished, axis=0)
        & (n >= 0)
        & (p >= 1)
        & (p <= 2 * n + 1)
    )
    with np.errstate(all="ignore"):
        for pair in set(zip(n[good].tolist(), p[good].tolist(), strict=True)):
            here = np.flatnonzero(good & (n == pair[0]) & (p == pair[1]))
            for part in np.array_split(here, 1 + here.size // CHUNK):
                points = [a[part] for a in reals]
                result[part] = function(_polynomial(*pair, *points[:2], orders), *points)
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(result, degree(n.astype(int)) * half).reshape(arrays[0].shape)[()]


def _type(n, p):
    """The exponents a, b, c, and the degree m and number of the polynomial P, in SciPy's order of p."""
    n, p = np.asarray(n), np.asarray(p)
    r, odd = n // 2, n % 2
    ends = r + 1, n + 1, 2 * n - r + 1  # of the first three kinds
    kind = sum((p > end).astype(int) for end in ends)
    a = np.where((kind == 0) | (kind == 3), odd, 1 - odd)
    degree = np.choose(kind, [r, n - r - 1, n - r - 1, r - 1])
    number = degree - (p - 1 - np.choose(kind, [0, *ends]))
    return a, (kind % 2 == 1) * 1, (kind >= 2) * 1, degree, number


def _polynomial(n, p, h2, k2, orders):
    """(a, b, c), and the series in (h2, k2) of P's coefficients, [coefficient, *orders, point]."""
    a, b, c, degree, number = (int(x) for x in _type(n, p))
    matrix = _matrix(a + 0.5, b + 0.5, c + 0.5, degree, h2, k2, orders)
    vector = _eigenvector(*matrix, number, orders)
    once = np.sign(vector[-1, 0, 0]) * power(vector[-1], -1, 2)
    return (a, b, c), [product(f, once, 2) for f in vector[:-1]] + [constant(np.ones_like(h2), orders)]


def _matrix(a, b, c, degree, h2, k2, orders):
    """Heun's operator on powers of x: series of the diagonal, of that above and that below, [row, *orders, point]."""
    h, between = variable(h2, 0, orders), variable(k2, 1, orders) - variable(h2, 0, orders)
    both, one = product(h, between, 2), constant(np.ones_like(h2), orders)
    rows = range(degree + 1)
    diagonal = [j * (j - 1 + b + c) * h - j * (j - 1 + a + b) * between for j in rows]
    above = [-(j + 1) * (j + b) * both for j in rows[:-1]]
    below_it = [(j - degree) * (j + degree + a + b + c - 1) * one for j in rows[:-1]]
    return diagonal, above, below_it


def _eigenvector(diagonal, above, below_it, number, orders):
    """Its series [row, *orders, point], with the constant 1 in the row where it is largest."""
    size, first = len(diagonal), (0, 0)
    factors = _Twisted(
        [f[first] for f in diagonal], [f[first] for f in above], [f[first] for f in below_it], number
    )
    vector = np.zeros((size, *diagonal[0].shape))
    vector[:, 0, 0], left = factors.right, factors.left
    values = {first: factors.value}
    norm = sum(left * factors.right)
    for index in indices(orders)[1:]:
        total = np.zeros_like(left)
        for part in below(index)[1:]:
            here = vector[:, *less(index, part)]
            total += _times([[f[part] for f in band] for band in (diagonal, above, below_it)], here)
            total -= values.get(part, 0.0) * here
        values[index] = sum(left * total) / norm
        vector[:, *index] = factors.solve(values[index] * factors.right - total)
    return vector


def _times(bands, vector):
    diagonal, above, below_it = (np.array(band) for band in bands)
    total = diagonal * vector
    total[:-1] += above * vector[1:] if len(vector) > 1 else 0.0
    total[1:] += below_it * vector[:-1] if len(vector) > 1 else 0.0
    return total


class _Twisted:
    """T - l for an eigenvalue l, factored from the first row downwards and from the last one upwards."""

    def __init__(self, diagonal, above, below_it, number):
        self.above, self.below = above, below_it
        self.value = _eigenvalue(
            np.array(diagonal), [a * b for a, b in zip(above, below_it, strict=True)], number
        )
        for _ in range(ITERATIONS):
            gamma = self._factor(diagonal)
            self._meet(np.argmin(np.abs(gamma), axis=0))
            size = np.abs(self.left * self.right)  # at an eigenvalue to the last bit all gamma are roundings
            self._meet(np.where(size.max(axis=0) > LARGER, np.argmax(size, axis=0), self.row))
            residual = np.take_along_axis(gamma, self.row[None], 0)[0]
            self.value = self.value + residual / sum(self.left * self.right)

    def _factor(self, diagonal):
        size, shifted = len(diagonal), [nonzero(d - self.value) for d in diagonal]
        self.down, self.up = list(shifted), list(shifted)
        for r in range(1, size):
            self.down[r] = nonzero(shifted[r] - self.above[r - 1] * self.below[r - 1] / self.down[r - 1])
        for r in range(size - 2, -1, -1):
            self.up[r] = nonzero(shifted[r] - self.above[r] * self.below[r] / self.up[r + 1])
        return np.array(self.down) + np.array(self.up) - np.array(shifted)

    def _meet(self, row):
        """The row where the two factorizations meet, and the eigenvectors from both sides."""
        self.row = row
        self.right, self.left = self._null(self.above, self.below), self._null(self.below, self.above)

    def _null(self, above, below_it):
        """The vector with 1 in the row that T - l maps to a multiple of the unit vector of that row."""
        size = len(self.down)
        v = np.array([np.where(self.row == r, 1.0, 0.0) for r in range(size)])
        for r in range(1, size):
            v[r] = np.where(r > self.row, -below_it[r - 1] * v[r - 1] / self.up[r], v[r])
        for r in range(size - 2, -1, -1):
            v[r] = np.where(r < self.row, -above[r] * v[r + 1] / self.down[r], v[r])
        return v

    def solve(self, right):
        """x with 0 in the row, and (T - l) x = right in all others."""
        size, top, bottom = len(right), right.copy(), right.copy()
        for r in range(1, size):
            top[r] -= self.below[r - 1] * top[r - 1] / self.down[r - 1]
        for r in range(size - 2, -1, -1):
            bottom[r] -= self.above[r] * bottom[r + 1] / self.up[r + 1]
        x = np.zeros_like(right)
        for r in range(size - 2, -1, -1):
            x[r] = np.where(r < self.row, (top[r] - self.above[r] * x[r + 1]) / self.down[r], 0.0)
        for r in range(1, size):
            x[r] = np.where(r > self.row, (bottom[r] - self.below[r - 1] * x[r - 1]) / self.up[r], x[r])
        return x


def _eigenvalue(diagonal, products, number):
    """By way of the similar symmetric matrix."""
    matrix = np.zeros((diagonal.shape[1], len(diagonal), len(diagonal)))
    rows = np.arange(len(diagonal))
    matrix[:, rows, rows] = diagonal.T
    for r, both in enumerate(products):
        matrix[:, r, r + 1] = matrix[:, r + 1, r] = np.sqrt(both)
    return np.linalg.eigvalsh(matrix)[:, number]


def _partial(polynomial, h2, k2, s, orders):
    """From the series of E in h2, k2 and s."""
    (a, b, c), coefficients = polynomial
    h, k, t = (variable(x, axis, orders) for axis, x in enumerate((h2, k2, s)))
    square = product(t, t, 3)
    x, y = square - h, square - k
    factors = product(power(t, a, 3), product(power(x, b / 2, 3), power(y, c / 2, 3), 3), 3)
    result = partial(product(factors, evaluate(coefficients, x, 3), 3), orders)
    moving = sum(np.abs(f[0, 0] * x[0, 0, 0] ** j) for j, f in enumerate(coefficients[:-1]))
    size = np.abs(factors[0, 0, 0]) * moving / k2 ** (orders[0] + orders[1]) / np.abs(s) ** orders[2]
    lost = np.full(h2.shape, False)
    if orders[0] + orders[1]:
        lost = (k2 > SPREAD * h2) & (np.abs(result) < SMALL * size)
    if orders[0] and orders[1]:  # of coefficients as small as h2: what is lost in k2 is divided by h2
        lost |= SMALL * k2 > h2
    return np.where(lost, np.nan, result)


def evaluate(coefficients, x, count):
    """The series of P(x), where x may depend on a variable more than h2 and k2, and have more axes."""
    shaped = [_wider(f, x, count) for f in coefficients]
    total = shaped.pop()
    while shaped:
        total = product(total, x, count) + shaped.pop()
    return total


def _wider(f, x, count):
    """A series in two variables as one in `count`, with axes of one element for the points that x has more of."""
    wide = np.zeros((*x.shape[:count], *f.shape[2:]))
    wide[:, :, *(0,) * (count - 2)] = f
    return wide.reshape(*wide.shape, *(1,) * (x.ndim - wide.ndim))
