"""Derivatives of the modified functions Mc^(1), Mc^(2), Ms^(1), Ms^(2), from series of Bessel products (DLMF 28.24).

With h = sqrt(q) the terms are J(h e^-x) C(h e^x), C = J or Y. Write t1 = u d/du for the first factor and t2 for the
second: then d/dx = t2 - t1 and 2 q d/dq = t1 + t2, so all derivatives are sums of products of derivatives in log u.
The series is for x >= 0: for x < 0 its terms cancel, and the functions follow by their parity.
"""

import functools
from math import comb

import numpy as np
from numpy.polynomial import polynomial
from scipy import special

from hostwrap.special._numerics.jets import over, times
from hostwrap.special._numerics.pointwise import places, pointwise_rows
from hostwrap.special._numerics.quadrature import gauss_legendre
from hostwrap.special._numerics.tridiagonal_pairs import add_up, where_valid
from hostwrap.special.mathieu import small
from hostwrap.special.mathieu.domain import is_order
from hostwrap.special.mathieu.fourier import Solution
from hostwrap.special.mathieu.large import LARGE

NEAR, NODES = 0.5, 8  # how far from x = 0, in units of 1 / (m + h), odd functions come from their slope
NEGLIGIBLE = 1e-30  # coefficients below this are left out: their Bessel functions may overflow


def modified(even, kind):
    """(d/dq)^i (d/dx)^j of the function and its next derivative in x, as a kernel."""

    @pointwise_rows(2)
    def kernel(m, q, x, *, dq, dx):
        valid = is_order(m, 0 if even else 1) & (q > 0) & (q < LARGE) & np.isfinite(x)
        return where_valid(2, valid, functools.partial(_on_both_sides, even, kind, dq, dx), m, q, x)

    return kernel


mc1_n, mc2_n = modified(True, 1), modified(True, 2)
ms1_n, ms2_n = modified(False, 1), modified(False, 2)


def _on_both_sides(even, kind, i, j, m, q, x):
    """Mc^(1) is even, Ms^(1) odd: g(-x) = p g(x). The second kind is f = c g + r where r(-x) = -p r(x)."""
    mirrored, size = x < 0, np.abs(x)
    left = places(mirrored)
    rows = _first(even, i, j, m, q, size) if kind == 1 else _series(even, 2, i, j, m, q, size)
    if kind == 2 and left.size:
        m, q, size = m[left], q[left], size[left]
        at_zero = lambda kind, n: _series(even, kind, n, int(not even), m, q, np.zeros_like(q))[0]
        f, g = (np.stack([at_zero(k, n) for n in range(i + 1)]) for k in (2, 1))  # or their slopes, of Ms
        first = np.stack([_first(even, n, j, m, q, size) for n in range(i + 1)])
        rows[:, left] -= 2 * times(over(f, g)[:, None], first)[i]  # r - c g, which is -p f(-x)
    parity = (1 if even else -1) * (1 if kind == 1 else -1)
    turned = np.array([[parity * (-1.0) ** j], [parity * (-1.0) ** (j + 1)]])
    return np.where(mirrored, turned, 1.0) * rows


def _first(even, i, j, m, q, x):
    """The first kind, x >= 0. Next to 0 an odd derivative is the integral of the one after it."""
    rows = _series(even, 1, i, j, m, q, x)
    near = places((x * (m + np.sqrt(q)) < NEAR) & (x > 0))
    if near.size:
        odd = int((j % 2 == 0) == even)
        nodes, weights = gauss_legendre(NODES)
        m, q, x = m[near], q[near], x[near]
        slope = lambda t: _series(even, 1, i, j + odd, m, q, x * t)[1]
        rows[odd, near] = x * sum(w * slope(t) for t, w in zip(nodes, weights, strict=True))
    return rows


def _series(even, kind, i, j, m, q, x):
    solution = Solution(m, q, i, even)
    c, h = solution.ratios(), np.sqrt(q)
    kept = np.abs(c[0]) > NEGLIGIBLE if kind == 2 else True
    c = np.where(kept, c, 0.0) * _alternating(solution)
    products = _Products(solution, h * np.exp(-x), h * np.exp(x), kind, 1 if even else -1, i + j + 1)
    rows = []
    for r in (j, j + 1):
        powers = [products.operator(p, r) for p in range(i + 1)]  # (2 q d/dq)^p (d/dx)^r of the products
        total = 0.0
        for k in range(i + 1):
            terms = sum(a * powers[p] for p, a in enumerate(_falling(k))) / q**k
            here = places((products.u2 < 1) & (k > 1) & (kind == 1))
            if here.size:
                terms[:, here] = products.near_zero(k, r, q[here], x[here], here)
            total = total + comb(i, k) * add_up(np.where(c[i - k] == 0, 0.0, c[i - k] * terms))
        rows.append(total)
    return np.stack(rows)


def _alternating(solution):
    """(-1)^(n + l) in row l, n the index, and 1 / epsilon_s."""
    rows = np.arange(len(solution.k))[:, None]
    sign = np.where((rows + solution.index) % 2 == 0, 1.0, -1.0)
    return sign / np.where((solution.first == 0) & (solution.p == 0), 2, 1)


@functools.cache
def _falling(k):
    """q^k (d/dq)^k as a polynomial in D = 2 q d/dq: with D / 2 = t it is t (t - 1) ... (t - k + 1)."""
    product = [1.0]
    for shift in range(k):
        product = polynomial.polymul(product, [-shift, 0.5])
    return tuple(product)


class _Products:
    """J_{l-s}(u1) C_{l+s+d}(u2) + sign J_{l+s+d}(u1) C_{l-s}(u2) in row l, and its derivatives in log u1, log u2."""

    def __init__(self, solution, u1, u2, kind, sign, degree):
        rows = np.arange(len(solution.k))[:, None]
        low, high = rows - solution.p, rows + solution.p + solution.first
        parity = np.where((low < 0) & (low % 2 == 1), -1.0, 1.0)  # J_-n = (-1)^n J_n, and Y the same
        j = _log_jets(special.jv, u1, int(high.max()), degree)
        c = _log_jets(special.jv if kind == 1 else special.yv, u2, int(high.max()), degree)
        low = np.abs(low)
        self.u2, self.orders, self.weights = u2, (low, high), (parity, sign * parity)
        self.left = [(parity * _pick(f, low), _pick(f, high)) for f in j]
        self.right = [(_pick(f, high), sign * parity * _pick(f, low)) for f in c]

    def operator(self, p, r):
        """(t1 + t2)^p (t2 - t1)^r. What is odd under t1 <-> t2 is 0 at x = 0 to the last bit: pairs come together."""
        weights = polynomial.polymul(polynomial.polypow([1.0, 1.0], p), polynomial.polypow([-1.0, 1.0], r))
        n = p + r
        pairs = [
            weights[b] * (self._derivative(n - b, b) + (-1) ** r * self._derivative(b, n - b))
            for b in range((n + 1) // 2)
        ]
        middle = [weights[n // 2] * self._derivative(n // 2, n // 2)] if n % 2 == 0 else []
        return sum(pairs + middle)

    def near_zero(self, k, r, q, x, here):
        """(d/dq)^k (d/dx)^r where u2 is small."""
        return small.derivative(
            k, r, q, x, *(n[:, here] for n in self.orders), [w[:, here] for w in self.weights]
        )

    def _derivative(self, a, b):
        (f1, f2), (g1, g2) = self.left[a], self.right[b]
        return f1 * g1 + f2 * g2


def _pick(table, orders):
    return np.take_along_axis(table, orders, axis=0)


def _log_jets(function, u, highest, degree):
    """(u d/du)^k of the Bessel functions of orders 0..highest, k = 0..degree.

    From u F_n' = n F_n - u F_{n+1} (DLMF 10.6.2) and (u d/du)^2 F = (n^2 - u^2) F.
    """
    n = np.arange(highest + 2.0)[:, None]
    values = function(n, u)
    jets = [values[:-1], n[:-1] * values[:-1] - u * values[1:]]
    for k in range(degree - 1):
        lower = sum(comb(k, b) * 2**b * u * u * jets[k - b] for b in range(1, k + 1))
        jets.append((n[:-1] ** 2 - u * u) * jets[k] - lower)
    return jets
