"""What surrounds the sums: powers of c as Taylor series, and of |x^2 - 1| with their derivatives."""

from math import comb

import numpy as np

from hostwrap.special._numerics.jets import product
from hostwrap.special._numerics.taylor import plus, scaled


def power(c, exponent, n):
    """Taylor coefficients 0..n of c^exponent; exponents are whole numbers."""
    jet, weight = [], 0.0 * c + 1.0
    for k in range(n + 1):
        jet.append(np.where(weight == 0, 0.0, weight * c ** (exponent - k)))
        weight = weight * (exponent - k) / (k + 1)
    return jet


def leibniz(edge, rows):
    """Derivatives in x of a product; the rows of the second factor are Taylor coefficients in c."""
    return [
        plus(*(scaled(comb(d, e) * edge[d - e], rows[e]) for e in range(d + 1))) for d in range(len(rows))
    ]


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
        return g
    near = (np.abs(x) > 0.5) & (np.abs(x) < 2)
    pair = product(_shifted_power(x - 1, m / 2, n), _shifted_power(x + 1, m / 2, n))
    return [np.where(near, f, h) for f, h in zip(pair, g, strict=True)]


def _shifted_power(y, a, n):
    """Derivatives 0..n of |y|^a; those beyond a whole number a vanish."""
    powers, factor = [], 0.0 * y + 1.0
    for d in range(n + 1):
        powers.append(np.where(factor == 0, 0.0, factor * np.abs(y) ** (a - d)))
        factor = factor * (a - d) * np.sign(y)
    return powers
