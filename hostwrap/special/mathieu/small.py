"""Second and higher derivatives in q where h e^x is small, of the products of two Bessel functions.

With t = q d/dq they are t (t - 1) ... of a series in q that starts with a power of h: for a constant, and for a
multiple of q, everything cancels. So the power is differentiated by itself: with G_n = u^-n J_n(u) the product is
u1^a u2^b G_a(u1) G_b(u2), and q dG_n/dq = -(u/2)^2 G_{n+1} (DLMF 10.6.6).
"""

from collections import Counter
from math import comb

import numpy as np
from scipy import special

LEAST = 1e-152  # its square is an ordinary number


def derivative(k, r, q, x, low, high, weights):
    """(d/dq)^k (d/dx)^r of weights[0] J_low(u1) J_high(u2) + weights[1] J_high(u1) J_low(u2), u = h e^-x and h e^x."""
    one, other = (w * _product(k, r, q, x, *pair) for w, pair in zip(weights, _both(low, high), strict=True))
    odd = np.where(low == high, 0.0, weights[0] * weights[1] * (-1.0) ** r) < 0
    return np.where(odd & (x == 0), 0.0, np.where(q > LEAST, one + other, np.nan))


def _both(low, high):
    return (low, high), (high, low)


def _product(k, r, q, x, a, b):
    """With A_i = (-u1/2)^i J_{a+i}(u1), B_j of u2: dA_i/dx = -(a + 2 i) A_i - 2 A_{i+1}, and q^-i comes with A_i."""
    h = np.sqrt(q)
    left, right = (
        [(-0.5 * u / q) ** i * special.jv(n + i, u) for i in range(k + r + 1)]
        for n, u in ((a, h * np.exp(-x)), (b, h * np.exp(x)))
    )
    weights = Counter()
    for j in range(k + 1):
        power = np.prod([(a + b) / 2 - n for n in range(k - j)], axis=0)
        power = np.where(power == 0, 0.0, power / q ** (k - j))  # q^-2 may be infinite
        for i in range(j + 1):
            weights[i, j - i] = comb(k, j) * comb(j, i) * power
    for _ in range(r):
        moved = Counter()
        for (i, j), w in weights.items():
            moved[i, j] = moved[i, j] + (b + 2 * j - a - 2 * i) * w
            moved[i, j + 1] = moved[i, j + 1] + 2 * q * w
            moved[i + 1, j] = moved[i + 1, j] - 2 * q * w
        weights = moved
    return sum(w * left[i] * right[j] for (i, j), w in weights.items())
