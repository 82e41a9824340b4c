"""Quotients of jets: derivatives 0..n in one variable along the first axis; see kernels/_jets.py for products."""

from math import comb

import numpy as np


def over(f, g):
    """The jet of f / g, from f = q g and Leibniz; further axes broadcast."""
    q = []
    for k in range(len(f)):
        q.append((f[k] - sum(comb(k, j) * g[j] * q[k - j] for j in range(1, k + 1))) / g[0])
    return np.stack(q)


def constant(value, like):
    jet = np.zeros_like(like)
    jet[0] = value
    return jet


def square(c, n):
    """The jet of c^2."""
    return np.stack([c * c, 2 * c, np.full_like(c, 2.0), *[np.zeros_like(c)] * n][: n + 1])


def edge_n(x, m, sign, n):
    """Derivatives 0..n in x of |x^2 - sign|^(m / 2), from (x^2 - sign) g' = m x g, differentiated."""
    rest = x * x - sign
    g = [np.abs(rest) ** (m / 2)]
    for d in range(n):
        below = d * (m - d + 1) * g[d - 1] if d else 0.0
        g.append(((m - 2 * d) * x * g[d] + below) / rest)
    return np.stack(g)
