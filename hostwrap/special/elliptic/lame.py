"""Lame polynomials E(s; h2, k2) and their derivatives up to second order.

E = s^a |x|^(b/2) |s^2 - k2|^(c/2) P(x) with x = s^2 - h2, a, b, c = 0 or 1, and a monic polynomial P of degree m, a
Heun polynomial (DLMF 29.12, 31.5): its coefficients are an eigenvector of a tridiagonal matrix. Where the matrix
depends on h2 and k2 so does the eigenvector, by perturbation theory.
"""

import functools

import numpy as np

from hostwrap.special.elliptic._hessian import minus, partial, plus, power, product, variable

CHUNK = 1024  # points at a time
LEAST = 1e-290  # of an argument next to such a k2
DECADES = 6.5  # of k2 / h2, to the power of the degree: so many digits the coefficients lose
FAR = (
    200  # powers of 2 that k2 may be from 1 before the products of a matrix or a polynomial leave the doubles
)


def lame_n(h2, k2, n, p, s, *, dh2, dk2, ds):
    """(d/dh2)^i (d/dk2)^j (d/ds)^k of E."""
    orders = dh2, dk2, ds
    degree = lambda n: n - 2 * (dh2 + dk2) - ds
    return by_polynomial(functools.partial(_partial, orders=orders), degree, h2, k2, n, p, s)


def by_polynomial(function, degree, h2, k2, n, p, *s):
    """function(polynomial, h2, k2, *s) for the points of each (n, p); NaN outside 0 < h2 < k2, and without digits.

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
        (spread * _type(n, p)[3] <= DECADES)
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
                result[part] = function(_polynomial(*pair, *points[:2]), *points)
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


def _polynomial(n, p, h2, k2):
    """(a, b, c), and the jets in (h2, k2) of P's coefficients, as value [j], gradient [., j], Hessian [., ., j]."""
    a, b, c, degree, number = (int(x) for x in _type(n, p))
    matrix, slopes, curvatures = _matrices(a + 0.5, b + 0.5, c + 0.5, degree, h2, k2)
    value, vector = _eigenpair(matrix, number)
    border = np.concatenate([matrix - value[:, None, None] * np.eye(degree + 1), -vector[:, :, None]], axis=2)
    border = np.delete(border, degree, axis=2)  # the last coefficient is 1 and has no derivatives
    first = [_solve(border, -_times(slope, vector)) for slope in slopes]
    moved = [np.concatenate([f[:, :-1], 0 * f[:, :1]], axis=1) for f in first]
    second = np.empty((2, 2, *vector.shape))
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        known = _times(curvatures[i][j], vector) + _times(slopes[i], moved[j]) + _times(slopes[j], moved[i])
        known -= first[i][:, -1:] * moved[j] + first[j][:, -1:] * moved[i]
        second[i, j] = _solve(border, -known)
        second[i, j, :, -1] = 0
    return (a, b, c), (vector.T, np.stack(moved).swapaxes(1, 2), second.swapaxes(2, 3))


def _times(matrix, vector):
    return (matrix @ vector[:, :, None])[:, :, 0]


def _solve(matrix, vector):
    return np.linalg.solve(matrix, vector[:, :, None])[:, :, 0]


def _matrices(a, b, c, degree, h2, k2):
    """The matrix of Heun's operator on powers of x, with its derivatives in h2 and k2."""
    j = np.arange(degree + 1.0)
    upper = np.diag((j - degree) * (j + degree + a + b + c - 1), -1)[:-1, :-1]
    lower = np.diag(-(j[1:]) * (j[1:] - 1 + b), 1)  # times h2 (k2 - h2)
    of_h2, of_rest = np.diag(j * (j - 1 + b + c)), np.diag(-j * (j - 1 + a + b))
    h2, k2, one = h2[:, None, None], k2[:, None, None], np.ones((h2.size, 1, 1))
    matrix = upper + h2 * of_h2 + (k2 - h2) * of_rest + h2 * (k2 - h2) * lower
    slopes = [one * (of_h2 - of_rest) + (k2 - 2 * h2) * lower, one * of_rest + h2 * lower]
    return matrix, slopes, [[-2 * one * lower, one * lower], [one * lower, 0 * one * lower]]


def _eigenpair(matrix, number):
    """An eigenvalue and its vector with 1 as last component, by way of the similar symmetric matrix."""
    size = matrix.shape[1]
    down = np.diagonal(matrix, -1, 1, 2)
    ratio = np.sqrt(np.diagonal(matrix, 1, 1, 2) / down)
    scale = np.concatenate([np.cumprod(ratio[:, ::-1], axis=1)[:, ::-1], np.ones((len(matrix), 1))], axis=1)
    values, vectors = np.linalg.eigh(matrix * scale[:, None, :] / scale[:, :, None] if size > 1 else matrix)
    vector = vectors[:, :, number] * scale
    return values[:, number], vector / vector[:, -1:]


def _partial(polynomial, h2, k2, s, orders):
    """From the jet of E in h2, k2 and s."""
    (a, b, c), coefficients = polynomial
    square = product(variable(s, 2, 3), variable(s, 2, 3))
    x, y = minus(square, variable(h2, 0, 3)), minus(square, variable(k2, 1, 3))
    factors = product(power(variable(s, 2, 3), a), product(power(x, b / 2), power(y, c / 2)))
    return partial(product(factors, evaluate(coefficients, x)), orders)


def evaluate(coefficients, x):
    """The jet of P(x), where x may depend on more variables than h2 and k2, and have more axes."""
    more, axes = len(x[1]) - 2, (np.newaxis,) * (x[0].ndim - 1)
    value, gradient, hessian = coefficients
    gradient = np.pad(gradient, [(0, more), (0, 0), (0, 0)])
    hessian = np.pad(hessian, [(0, more), (0, more), (0, 0), (0, 0)])
    jets = [
        (value[j][:, *axes], gradient[:, j][:, :, *axes], hessian[:, :, j][..., *axes])
        for j in range(len(value))
    ]
    total = jets.pop()
    while jets:
        total = plus(product(total, x), jets.pop())
    return total
