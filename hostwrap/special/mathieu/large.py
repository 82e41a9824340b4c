"""Characteristic values for large q, where matrices would have many rows (DLMF 28.8.1).

a_m(q) and b_{m+1}(q), which differ by exp(-4 sqrt(q)) only, are a series in 1 / h, h = sqrt(q), with s = 2 m + 1.
"""

import numpy as np
from numpy.polynomial import polynomial

LARGE = 1e5
SLOPE = 0.1  # s / h up to which the terms below are enough

# The coefficients of h^2, h, 1, 1 / h, ..., as polynomials in s.
TERMS = (
    (-2.0,),
    (0.0, 2.0),
    tuple(-a / 2**3 for a in (1.0, 0.0, 1.0)),
    tuple(-a / 2**7 for a in (0.0, 3.0, 0.0, 1.0)),
    tuple(-a / 2**12 for a in (9.0, 0.0, 34.0, 0.0, 5.0)),
    tuple(-a / 2**17 for a in (0.0, 405.0, 0.0, 410.0, 0.0, 33.0)),
    tuple(-a / 2**20 for a in (486.0, 0.0, 2943.0, 0.0, 1260.0, 0.0, 63.0)),
    tuple(-a / 2**25 for a in (0.0, 41607.0, 0.0, 69001.0, 0.0, 15617.0, 0.0, 527.0)),
)


def characteristic_n(m, q, n, even):
    """(d/dq)^n of a_m(q), or of b_m(q); NaN where m is too large."""
    like_a = (np.mod(m, 2) == 0) | (q > 0) if even else (np.mod(m, 2) == 1) & (q < 0)  # DLMF 28.2.26, 28.2.27
    s, size = np.where(like_a, 2 * m + 1, 2 * m - 1), np.abs(q)
    total = 0.0
    for k, coefficients in enumerate(TERMS):
        power = 1 - k / 2
        weight = np.prod([power - j for j in range(n)])
        total = total + polynomial.polyval(s, coefficients) * weight * size ** (power - n)
    return np.where(s <= SLOPE * np.sqrt(size), np.where(q < 0, (-1) ** n, 1) * total, np.nan)
