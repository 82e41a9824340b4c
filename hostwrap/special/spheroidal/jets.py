"""Quotients of jets: derivatives 0..n in one variable along the first axis; see _numerics/jets.py for products."""

from math import comb

import numpy as np

from hostwrap.special._numerics.jets import times


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
    """Derivatives 0..n in x of |x^2 - sign|^(m / 2), from (x^2 - sign) g' = m x g, differentiated.

    Next to x = +-1 that divides what cancels; there they are those of the product |x - 1|^(m / 2) |x + 1|^(m / 2).
    """
    rest = x * x - sign
    g = [np.abs(rest) ** (m / 2)]
    for d in range(n):
        below = d * (m - d + 1) * g[d - 1] if d else 0.0
        g.append(((m - 2 * d) * x * g[d] + below) / rest)
    if sign < 0:
        return np.stack(g)
    near = (np.abs(x) > 0.5) & (np.abs(x) < 2)
    return np.where(
        near, times(_shifted_power(x - 1, m / 2, n), _shifted_power(x + 1, m / 2, n)), np.stack(g)
    )


def _shifted_power(y, a, n):
    """Derivatives 0..n of |y|^a; those beyond a whole number a vanish."""
    powers, factor = [], np.ones_like(y)
    for d in range(n + 1):
        powers.append(np.where(factor == 0, 0.0, factor * np.abs(y) ** (a - d)))
        factor = factor * (a - d) * np.sign(y)
    return np.stack(powers)
