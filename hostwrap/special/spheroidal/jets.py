"""What surrounds the sums: powers of c as Taylor series, and of |x^2 - 1| with their derivatives."""

from math import comb

import numpy as np

from hostwrap.special._numerics.jets import product
from hostwrap.special._numerics.taylor import plus, scaled


def power(c, m, d, n, unit):
    """Taylor coefficients 0..n in c of c^(m + d) unit^m; m and d are whole numbers."""
    jet, weight, exponent = [], 0.0 * c + 1.0, m + d
    for k in range(n + 1):
        plain = (unit == 1) | (c == 0)
        value = np.where(
            plain,
            np.float_power(c, exponent - k),
            np.float_power(c * unit, m) * np.where(plain, 1.0, c) ** float(d - k),
        )
        jet.append(np.where(weight == 0, 0.0, weight * value))
        weight = weight * (exponent - k) / (k + 1)
    return jet


def leibniz(edge, rows):
    """Derivatives in x of a product; the rows of the second factor are Taylor coefficients in c."""
    return [
        plus(*(scaled(comb(d, e) * edge[d - e], rows[e]) for e in range(d + 1))) for d in range(len(rows))
    ]


def edge_n(x, m, sign, n, unit=1.0, step=1.0):
    """Derivatives 0..n in x / step of |x^2 - sign|^(m / 2) / unit^m, from (x^2 - sign) g' = m x g, differentiated.

    Next to x = +-1 that divides what cancels; there they are those of the product |x - 1|^(m / 2) |x + 1|^(m / 2).
    """
    share, step_share = x / unit, step / unit
    rest = share * share - sign / unit / unit
    g = [np.float_power(np.abs(rest), m / 2)]
    for d in range(n):
        below = d * (m - d + 1) * g[d - 1] if d else 0.0
        g.append(((m - 2 * d) * share * g[d] + below * step_share) / rest * step_share)
    if sign < 0:
        return g
    near = (np.abs(x) > 0.5) & (np.abs(x) < 2)
    pair = product(_shifted_power(x - 1, m / 2, n), _shifted_power(x + 1, m / 2, n))
    return [np.where(near, f * step**d, h) for d, (f, h) in enumerate(zip(pair, g, strict=True))]


def _shifted_power(y, a, n):
    """Derivatives 0..n of |y|^a; those beyond a whole number a vanish."""
    powers, factor = [], 0.0 * y + 1.0
    for d in range(n + 1):
        powers.append(np.where(factor == 0, 0.0, factor * np.float_power(np.abs(y), a - d)))
        factor = factor * (a - d) * np.sign(y)
    return powers
