"""Lame polynomials E(s; h2, k2) and their derivatives.

E = s^a |x|^(b/2) |s^2 - k2|^(c/2) P(x) with x = s^2 - h2, a, b, c = 0 or 1, and a monic polynomial P of degree m, a
Heun polynomial (DLMF 29.12, 31.5): its coefficients are an eigenvector of a tridiagonal matrix T. As T depends on h2
and k2 so does the eigenvector, whose Taylor series has the coefficients

    (T - l) v_i = -sum over 0 < j <= i of (T_j - l_j) v_(i-j),      v_i = 0 for i > 0 in one row,

with the eigenvalue's l_i from the product with the left eigenvector. T is factored from both ends towards the row where
the eigenvector is largest (Dhillon and Parlett, Linear Algebra Appl. 387, 2004): so its small components have few
errors relative to themselves, and the last one may be tiny, which is 1 in a monic polynomial.

All points have as many rows as the one with the most of them. Those behind the row m are coupled to nothing: there the
eigenvector is 0, and the bits of the others do not depend on their number.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from hostwrap.special._numerics.pointwise import hand_back, in_chunks, places, tape_of
from hostwrap.special._numerics.until import until
from hostwrap.special.elliptic._taylor import Taylor, added, constant, indices, less, variable

CHUNK = 1024  # points at a time
ROWS = 8  # in a compiled program; Python computes the points that have more
TINY = 1e-290  # in place of a pivot that is 0
LEAST = 1e-290  # of an argument next to such a k2
DECADES = 6.5  # of k2 / h2, to the power of the degree: beyond, the integrals' nodes lose digits
WIDEST = 9.0  # decades of k2 / h2 in which coefficients of a polynomial were compared with mpmath
# k2 / h2 from which on a derivative of coefficients so far below its size has lost digits
SPREAD, SMALL = 100.0, 1e-6
LARGER = 2.0  # a component so much larger than that in the row takes its place
HALVINGS = 30  # of the interval of all eigenvalues: for the iteration that is close enough
ITERATIONS = 3  # of inverse iteration, which converges like a cube
# powers of 2 that k2 may be from 1 before the products of a matrix or a polynomial leave the doubles
FAR = 200


class Kind(NamedTuple):
    """The exponents a, b, c, and the degree m and number of the polynomial P, at each point."""

    a: Any
    b: Any
    c: Any
    degree: Any
    number: Any


class Polynomial(NamedTuple):
    """The series in h2 and k2 of P's coefficients, that of x^j at j; no matter what is behind the degree."""

    kind: Kind
    coefficients: list[Taylor]

    def at(self, x, scale=None):
        """The series of P(x / scale) scale^m."""
        total, weight = constant(1.0, x.orders), np.float64(1.0)
        for j, f in list(enumerate(self.coefficients))[::-1]:
            there = self.kind.degree > float(j)
            if scale is not None:
                weight = np.where(there, weight * scale, 1.0)
            total = (total * x + f.of(x.orders) * weight).where(there, 1.0)
        return total


def lame_n(h2, k2, n, p, s, *, dh2, dk2, ds):
    """(d/dh2)^i (d/dk2)^j (d/ds)^k of E."""
    degree = lambda n: n - 2 * (dh2 + dk2) - ds
    function = functools.partial(_partial, orders=(dh2, dk2, ds))
    return by_polynomial(h2, k2, n, p, s, function=function, orders=(dh2, dk2), degree=degree, decades=np.inf)


@in_chunks(CHUNK)
def by_polynomial(h2, k2, n, p, *s, function, orders, degree, decades=DECADES):
    """function(polynomial, h2, k2, n, *s), the polynomial to these orders.

    It is NaN outside 0 < h2 < k2, and without digits.

    It is homogeneous, of degree(n), in the root of h2, that of k2, and s: so a k2 far from 1 is computed next to 1.
    """
    half = np.floor(np.frexp(k2)[1] * 0.5)
    half = np.where(np.abs(half) > FAR // 2, half, 0.0)
    given, powers = (h2, k2, *s), (-2, -2, -1)
    reals = [np.ldexp(x, (power * half).astype(int)) for power, x in zip(powers, given, strict=False)]
    spread, kind = np.log10(reals[1] / reals[0]), kind_of(n, p)
    good = spread * kind.degree <= np.minimum(decades, WIDEST * kind.degree)
    good = good & (reals[0] > 0) & (reals[1] > reals[0]) & (n >= 0) & (p >= 1) & (p <= 2 * n + 1)
    for x, y in zip(reals, given, strict=True):
        good = good & np.isfinite(x) & ((np.abs(x) >= LEAST) | (y == 0))
    n, p, *reals = (
        np.where(good, x, y) for x, y in zip((n, p, *reals), (0.0, 1.0, 1.0, 2.0, 3.0), strict=False)
    )
    result = _by_rows(
        functools.partial(_of_polynomial, function=function, orders=orders), *reals[:2], n, p, *reals[2:]
    )
    return np.where(good, np.ldexp(result, (degree(n) * half).astype(int)), np.nan)


def _by_rows(function, h2, k2, n, p, *s):
    """function(rows, ...) where so many are enough."""
    args, rows = (h2, k2, n, p, *s), kind_of(n, p).degree + 1
    recorder = tape_of(*args)
    if recorder is not None:
        hand_back(recorder, rows > ROWS)
        return function(ROWS, *args)
    result, sizes = np.empty(n.shape), np.exp2(np.ceil(np.log2(rows)))
    for size in np.unique(sizes):
        here = places(sizes == size)
        result[here] = function(int(size), *(x[here] for x in args))
    return result


def _of_polynomial(rows, h2, k2, n, p, *s, function, orders):
    return function(_polynomial(kind_of(n, p), rows, h2, k2, orders), h2, k2, n, *s)


def kind_of(n, p):
    """In SciPy's order of p."""
    r = np.floor(0.5 * n)
    odd = n - 2 * r
    ends = r + 1, n + 1, 2 * n - r + 1  # of the first three kinds
    first, second, third = (p <= end for end in ends)
    outer = first | ~third  # the first kind or the last
    a = np.where(outer, odd, 1 - odd)
    b = np.where(first, 0.0, np.where(second, 1.0, np.where(third, 0.0, 1.0)))
    c = np.where(second, 0.0, 1.0)
    degree = np.where(first, r, np.where(third, n - r - 1, r - 1))
    before = np.where(first, 0.0, np.where(second, ends[0], np.where(third, ends[1], ends[2])))
    return Kind(a, b, c, degree, degree - (p - 1 - before))


def _polynomial(kind, rows, h2, k2, orders):
    vector = _eigenvector(kind, rows, h2, k2, orders)
    once = _picked(kind.degree, vector).power(-1)
    return Polynomial(kind, [f * once for f in vector])


def _picked(row, rows):
    """Of numbers or series in rows, the one in a row that is another one at each point."""
    result = rows[0]
    for r, f in enumerate(rows[1:], 1):
        here = row == float(r)
        if isinstance(f, Taylor):
            terms = {i: np.where(here, f.terms[i], x) for i, x in result.terms.items()}
            result = Taylor(terms, f.orders)
        else:
            result = np.where(here, f, result)
    return result


def _matrix(kind, rows, h2, k2, orders):
    """Heun's operator on powers of x: the series of the diagonal, of that above and that below."""
    a, b, c, degree, _ = kind
    a, b, c = a + 0.5, b + 0.5, c + 0.5
    h, between = variable(h2, 0, orders), variable(k2, 1, orders) - variable(h2, 0, orders)
    both, numbers = h * between, [float(j) for j in range(rows)]
    diagonal = [h * (j * (j - 1 + b + c)) - between * (j * (j - 1 + a + b)) for j in numbers]
    above = [both * np.where(j < degree, -(j + 1) * (j + b), 0.0) for j in numbers[:-1]]
    below = [np.where(j < degree, (j - degree) * (j + degree + a + b + c - 1), 0.0) for j in numbers[:-1]]
    return diagonal, above, [constant(x, orders) for x in below]


def _eigenvector(kind, rows, h2, k2, orders):
    """The series of its rows, with the constant 1 in the row where it is largest."""
    bands = _matrix(kind, rows, h2, k2, orders)
    factors = _Twisted(*([f.first for f in band] for band in bands), kind)
    right, left = factors.right, factors.left
    norm = added(x * y for x, y in zip(left, right, strict=True))
    first = (0, 0)
    values, vectors = {first: factors.value}, {first: right}
    for index in indices(orders)[1:]:
        total = [0.0 * x for x in right]
        for part in indices(index)[1:]:
            here = vectors[less(index, part)]
            moved = _times([[f.terms.get(part) for f in band] for band in bands], here)
            total = [x + y for x, y in zip(total, moved, strict=True)]
            if part in values:
                total = [x - values[part] * y for x, y in zip(total, here, strict=True)]
        values[index] = added(x * y for x, y in zip(left, total, strict=True)) / norm
        vectors[index] = factors.solve([values[index] * x - y for x, y in zip(right, total, strict=True)])
    return [Taylor({index: vector[r] for index, vector in vectors.items()}, orders) for r in range(rows)]


def _times(bands, vector):
    """A band may lack numbers, which are 0."""
    diagonal, above, below = bands
    total = [0.0 * x if d is None else d * x for d, x in zip(diagonal, vector, strict=True)]
    for r in range(len(vector) - 1):
        total[r] = total[r] if above[r] is None else total[r] + above[r] * vector[r + 1]
        total[r + 1] = total[r + 1] if below[r] is None else total[r + 1] + below[r] * vector[r]
    return total


class _Twisted:
    """T - l for an eigenvalue l, factored from the first row downwards and from the last one upwards."""

    def __init__(self, diagonal, above, below, kind):
        self.above, self.below, self.degree = above, below, kind.degree
        self.products = [x * y for x, y in zip(above, below, strict=True)]
        self.value = _eigenvalue(diagonal, self.products, kind)
        for _ in range(ITERATIONS):
            gamma = self._factor(diagonal)
            self._meet(_largest([-np.abs(x) for x in gamma], self.degree)[0])
            sizes = [np.abs(x * y) for x, y in zip(self.left, self.right, strict=True)]
            row, size = _largest(
                sizes, self.degree
            )  # at an eigenvalue to the last bit all gamma are roundings
            self._meet(np.where(size > LARGER, row, self.row))
            norm = added(x * y for x, y in zip(self.left, self.right, strict=True))
            self.value = self.value + _picked(self.row, gamma) / norm

    def _factor(self, diagonal):
        rows, shifted = len(diagonal), [nonzero(d - self.value) for d in diagonal]
        self.down, self.up = list(shifted), list(shifted)
        for r in range(1, rows):
            self.down[r] = nonzero(shifted[r] - self.products[r - 1] / self.down[r - 1])
        for r in range(rows - 2, -1, -1):
            self.up[r] = nonzero(shifted[r] - self.products[r] / self.up[r + 1])
        return [x + y - z for x, y, z in zip(self.down, self.up, shifted, strict=True)]

    def _meet(self, row):
        """The row where the two factorizations meet, and the eigenvectors from both sides."""
        self.row = row
        self.right, self.left = self._null(self.above, self.below), self._null(self.below, self.above)

    def _null(self, above, below):
        """The vector with 1 in the row that T - l maps to a multiple of the unit vector of that row."""
        rows = len(self.down)
        v = [np.where(self.row == float(r), 1.0, 0.0) for r in range(rows)]
        for r in range(1, rows):
            v[r] = np.where(self.row < r, -below[r - 1] * v[r - 1] / self.up[r], v[r])
        for r in range(rows - 2, -1, -1):
            v[r] = np.where(self.row > r, -above[r] * v[r + 1] / self.down[r], v[r])
        return v

    def solve(self, right):
        """x with 0 in the row, and (T - l) x = right in all others."""
        rows, top, bottom = len(right), list(right), list(right)
        for r in range(1, rows):
            top[r] = top[r] - self.below[r - 1] * top[r - 1] / self.down[r - 1]
        for r in range(rows - 2, -1, -1):
            bottom[r] = bottom[r] - self.above[r] * bottom[r + 1] / self.up[r + 1]
        x = [0.0 * y for y in right]
        for r in range(rows - 2, -1, -1):
            x[r] = np.where(self.row > r, (top[r] - self.above[r] * x[r + 1]) / self.down[r], x[r])
        for r in range(1, rows):
            x[r] = np.where(self.row < r, (bottom[r] - self.below[r - 1] * x[r - 1]) / self.up[r], x[r])
        return x


def _largest(sizes, last):
    """The row of the first largest one up to the last row, and it."""
    row, size = 0.0 * last, sizes[0]
    for r, x in enumerate(sizes[1:], 1):
        larger = (x > size) & (last >= float(r))
        row, size = np.where(larger, float(r), row), np.where(larger, x, size)
    return row, size


def _eigenvalue(diagonal, products, kind):
    """By the number of negative pivots (Sturm's theorem), of the similar symmetric matrix."""
    rows, sides = len(diagonal), [0.0, *map(np.sqrt, products), 0.0]
    radii = [sides[r] + sides[r + 1] for r in range(rows)]  # Gershgorin's
    low, high = (
        sign * _largest([sign * d + x for d, x in zip(diagonal, radii, strict=True)], kind.degree)[1]
        for sign in (-1.0, 1.0)
    )

    def step(turn, low, high, number, degree, *bands):
        middle, negative, pivot = 0.5 * (low + high), 0.0, 1.0
        for r, (d, product) in enumerate(zip(bands[:rows], (0.0, *bands[rows:]), strict=True)):
            pivot = nonzero(d - middle - product / pivot)
            negative = negative + ((pivot < 0) & (degree >= float(r)))
        below = negative <= number
        return np.where(below, middle, low), np.where(below, high, middle), turn < HALVINGS - 1

    low, high = until(step, [low, high], [kind.number, kind.degree, *diagonal, *products], HALVINGS)
    return 0.5 * (low + high)


def _partial(polynomial, h2, k2, n, s, orders):
    """From the series of E in h2, k2 and s."""
    a, b, c, degree, _ = polynomial.kind
    h, k, t = (variable(x, axis, orders) for axis, x in enumerate((h2, k2, s)))
    square = t * t
    x, y = square - h, square - k
    factors = t.where(a == 1, 1.0) * x.power(0.5).where(b == 1, 1.0) * y.power(0.5).where(c == 1, 1.0)
    result = (factors * polynomial.at(x)).partial()
    moving, power = 0.0, 1.0
    for j, f in enumerate(polynomial.coefficients):
        moving = moving + np.where(degree > float(j), np.abs(f.first * power), 0.0)
        power = power * x.first
    size = np.abs(factors.first) * moving / k2 ** (orders[0] + orders[1]) / np.abs(s) ** orders[2]
    lost = np.isnan(result)
    if orders[0] + orders[1]:
        lost = lost | ((k2 > SPREAD * h2) & (np.abs(result) < SMALL * size))
    if orders[0] and orders[1]:  # of coefficients as small as h2: what is lost in k2 is divided by h2
        lost = lost | (SMALL * k2 > h2)
    return np.where(lost, np.nan, result)


def nonzero(pivot):
    return np.where(pivot == 0, TINY, pivot)
