"""Derivatives of the modified functions Mc^(1), Mc^(2), Ms^(1), Ms^(2), from series of Bessel products (DLMF 28.24).

With h = sqrt(q) the terms are J(h e^-x) C(h e^x), C = J or Y. Write t1 = u d/du for the first factor and t2 for the
second: then d/dx = t2 - t1 and 2 q d/dq = t1 + t2, so all derivatives are sums of products of derivatives in log u.
The series is for x >= 0: for x < 0 its terms cancel, and the functions follow by their parity.
"""

import functools
from math import comb, factorial

import numpy as np
from numpy.polynomial import polynomial
from scipy import special

from hostwrap.special._numerics.jets import over, times
from hostwrap.special._numerics.pointwise import in_python, piecewise_jets, pointwise_rows
from hostwrap.special._numerics.quadrature import gauss_legendre, sums
from hostwrap.special._numerics.taylor import derivative
from hostwrap.special.mathieu import small
from hostwrap.special.mathieu.domain import is_order
from hostwrap.special.mathieu.fourier import known, ratios_summed, solution
from hostwrap.special.mathieu.large import LARGE

NEAR, NODES = 0.5, 8  # how far from x = 0, in units of 1 / (1 + m + h), odd functions come from their slope


def modified(even, kind):
    """(d/dq)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, q, x, *, dq, dx):
        valid = is_order(m, 0 if even else 1) & (q > 0) & (q < LARGE) & np.isfinite(x)
        m, q, x = np.where(valid, m, 1.0), np.where(valid, q, 1.0), np.where(valid, x, 1.0)
        rows = _on_both_sides(even, kind, dq, dx, m, q, x)
        return [np.where(valid, row, np.nan) for row in rows]

    return kernel


mc1_n, mc2_n = modified(True, 1), modified(True, 2)
ms1_n, ms2_n = modified(False, 1), modified(False, 2)


def _on_both_sides(even, kind, i, j, m, q, x):
    """Mc^(1) is even, Ms^(1) odd: g(-x) = p g(x)."""
    if kind == 2:
        cases = [
            (x < 0, in_python(lambda *args: _mirrored(even, i, j, *args))),
            (None, lambda *args: _series(even, 2, i, j, *args)),
        ]
        return piecewise_jets([m, q, x], 1, cases)
    rows = _first(even, i, j, m, q, np.abs(x))
    parity = (-1.0) ** j if even else -((-1.0) ** j)
    return [np.where(x < 0, sign * row, row) for sign, row in zip((parity, -parity), rows, strict=True)]


def _mirrored(even, i, j, m, q, x):
    """The second kind, x < 0: it is f = c g + r where r(-x) = -p r(x)."""
    size = -x
    at_zero = lambda kind, n: _series(even, kind, n, int(not even), m, q, np.zeros_like(q))[0]
    f, g = (np.stack([at_zero(k, n) for n in range(i + 1)]) for k in (2, 1))  # or their slopes, of Ms
    first = np.stack([_first(even, n, j, m, q, size) for n in range(i + 1)])
    rows = np.stack(_series(even, 2, i, j, m, q, size))
    rows -= 2 * times(over(f, g)[:, None], first)[i]  # r - c g, which is -p f(-x)
    parity = -1 if even else 1
    return np.array([[parity * (-1.0) ** j], [parity * (-1.0) ** (j + 1)]]) * rows


def _first(even, i, j, m, q, x):
    """The first kind, x >= 0. Next to 0 an odd derivative is the integral of the one after it."""
    s, h = solution(m, q, i, even), np.sqrt(q)
    odd = int((j % 2 == 0) == even)
    near = (x * (1 + m + h) < NEAR) & (x > 0)

    def series(j, tiny, m, q, x, p, *a):
        return _summed(even, 1, i, j, tiny, known(m, q, even, a, p), q, x)

    def integral(tiny, *args):
        def slope(t, weight, m, q, x, *rest):
            return [weight * series(j + odd, tiny, m, q, x * t, *rest)[1]]

        rows = series(j, tiny, *args)
        rows[odd] = args[2] * sums(slope, gauss_legendre(NODES), args)[0]
        return rows

    tiny = h * np.exp(x) < 1 if i > 1 else np.False_
    cases = [
        (tiny & near, in_python(functools.partial(integral, True))),
        (tiny, in_python(functools.partial(series, j, True))),
        (near, functools.partial(integral, False)),
        (None, functools.partial(series, j, False)),
    ]
    return piecewise_jets([m, q, x, s.p, *s.a], 1, cases)


def _series(even, kind, i, j, m, q, x):
    """x >= 0."""
    if kind == 2:
        return _summed(even, kind, i, j, False, solution(m, q, i, even), q, x)
    return _first(even, i, j, m, q, x)


def _summed(even, kind, i, j, tiny, s, q, x):
    """With `tiny` where u2 < 1."""
    h = np.sqrt(q)
    pair = functools.partial(_Products, kind, 1 if even else -1, i + j + 1)
    u1, u2 = h * np.exp(-x), h * np.exp(x)

    def of(pair, q, x):
        found = []
        for d in (j, j + 1):
            powers = [pair.operator(k, d) for k in range(i + 1)]  # (2 q d/dq)^k (d/dx)^d of the products
            row = [powers[0]]
            for k in range(1, i + 1):
                f = sum(a * powers[n] for n, a in enumerate(_falling(k)) if a)
                near = tiny and k > 1
                f = small.derivative(k, d, q, x, *pair.orders, pair.weights) if near else f / q**k
                row.append(f / factorial(k) if k > 1 else f)
            found.append(row)
        return found

    def terms(lower, r, kept, first, p, q, x, u1, u2):
        """Orders r - p and r + p + first; from row to row they move by one, so that a value is used twice."""
        low, high = np.abs(r - p), r + p + first
        one, other = (_bessel(kind, n, u1, u2) for n in (low, high if lower else high + 1))
        before, beyond = kept[:2], kept[2:]
        values = (one, before, other, beyond) if lower else (one, before, beyond, other)
        found = of(pair(low, high, 1.0 if lower else _parity(low), u1, u2, values), q, x)
        if (
            kind == 2 and lower
        ):  # of coefficients that fall: Y overflows only where they are nothing beside it
            counts = np.isfinite(sum(f for row in found for f in row))
            found = [[np.where(counts, f, 0.0) for f in row] for row in found]
        return found, [*one, *other]

    def kept(lower):
        low, high = (
            (s.matrix.count - s.p, s.matrix.count + s.p + s.first) if lower else (s.p + 2, s.p - 1 + s.first)
        )
        return [*_bessel(kind, low, u1, u2), *_bessel(kind, high, u1, u2)]

    low, high = 0.0 * s.p, 2 * s.p + s.first
    values = [_bessel(kind, n, u1, u2) for n in (low, low + 1, high, high + 1)]
    here = of(pair(low, high, 1.0, u1, u2, values), q, x)
    rows = ratios_summed(s, terms, here, [s.p, q, x, u1, u2], kept)
    return [derivative(row, i) for row in rows]


def _parity(n):
    """J_-n = (-1)^n J_n, and Y the same."""
    return np.where(np.mod(n, 2) == 1, -1.0, 1.0)


def _bessel(kind, n, u1, u2):
    return special.jv(n, u1), special.jv(n, u2) if kind == 1 else special.yv(n, u2)


@functools.cache
def _falling(k):
    """q^k (d/dq)^k as a polynomial in D = 2 q d/dq: with D / 2 = t it is t (t - 1) ... (t - k + 1)."""
    product = [1.0]
    for shift in range(k):
        product = polynomial.polymul(product, [-shift, 0.5])
    return tuple(product)


class _Products:
    """J_{l-s}(u1) C_{l+s+d}(u2) + sign J_{l+s+d}(u1) C_{l-s}(u2), and its derivatives in log u1, log u2.

    `values` are J(u1) and C(u2) of the lower order, of the next one, of the higher order, and of the one after it.
    """

    def __init__(self, kind, sign, degree, low, high, parity, u1, u2, values):
        self.orders, self.weights = (low, high), (parity, sign * parity)
        one, one_next, other, other_next = values
        jets = lambda n, here, following: [
            _log_jets(n, u, *f, degree)
            for u, f in zip((u1, u2), zip(here, following, strict=True), strict=True)
        ]
        (j_low, c_low), (j_high, c_high) = jets(low, one, one_next), jets(high, other, other_next)
        self.left = list(zip([parity * f for f in j_low], j_high, strict=True))
        self.right = list(zip(c_high, [sign * parity * f for f in c_low], strict=True))

    def operator(self, p, r):
        """(t1 + t2)^p (t2 - t1)^r. What is odd under t1 <-> t2 is 0 at x = 0 to the last bit: pairs come together."""
        weights = polynomial.polymul(polynomial.polypow([1.0, 1.0], p), polynomial.polypow([-1.0, 1.0], r))
        n = p + r
        pairs = [
            weights[b] * (self._derivative(n - b, b) + (-1) ** r * self._derivative(b, n - b))
            for b in range((n + 1) // 2)
            if weights[b]
        ]
        middle = (
            [weights[n // 2] * self._derivative(n // 2, n // 2)] if n % 2 == 0 and weights[n // 2] else []
        )
        return sum(pairs + middle)

    def _derivative(self, a, b):
        (f1, f2), (g1, g2) = self.left[a], self.right[b]
        return f1 * g1 + f2 * g2


def _log_jets(n, u, value, following, degree):
    """(u d/du)^k of the Bessel function of order n, k = 0..degree, from its value and that of order n + 1.

    By u F_n' = n F_n - u F_{n+1} (DLMF 10.6.2) and (u d/du)^2 F = (n^2 - u^2) F.
    """
    jets = [value, n * value - u * following]
    for k in range(degree - 1):
        lower = sum(comb(k, b) * 2**b * u * u * jets[k - b] for b in range(1, k + 1))
        jets.append((n * n - u * u) * jets[k] - lower)
    return jets
