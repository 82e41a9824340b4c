"""Towers of Taylor coefficients in two variables: f[i][j] belongs to dv^i dw^j, so products need no binomials.

The coefficients are arrays, or stand-ins for arrays: all of it can be recorded.
"""

import numpy as np


def zeros(nv, nw, w):
    return [[np.zeros_like(w)] * (nw + 1) for _ in range(nv + 1)]


def scaled(c, f):
    return [[c * a for a in row] for row in f]


def plus(f, g):
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(f, g, strict=True)]


def places(f):
    return [(i, j) for i in range(len(f)) for j in range(len(f[0]))]


def one(f):
    result = [[np.zeros_like(a) for a in row] for row in f]
    result[0][0] = np.ones_like(f[0][0])
    return result


def times(f, g):
    """The product of two towers."""
    result = [[0.0] * len(row) for row in f]
    for i, j in places(f):
        result[i][j] = sum(f[k][m] * g[i - k][j - m] for k in range(i + 1) for m in range(j + 1))
    return result


def power(f, a, first):
    """f^a, whose first coefficient is given: f dp = a p df, in v, and for the first row in w."""
    p = [[first] * len(row) for row in f]
    for i, j in places(f)[1:]:
        weight = lambda k, m, i=i, j=j: (a * k - (i - k)) / i if i else (a * m - (j - m)) / j
        earlier = [(k, m) for k in range(i + 1) for m in range(j + 1) if k + m > 0]
        total = sum(weight(k, m) * f[k][m] * p[i - k][j - m] for k, m in earlier)
        p[i][j] = total / f[0][0]
    return p


def exponential(h):
    """e^(h - h[0][0])."""
    e = one(h)
    for i, j in places(h)[1:]:
        earlier = [(k, m) for k in range(i + 1) for m in range(j + 1) if (k if i else m)]
        e[i][j] = sum((k / i if i else m / j) * h[k][m] * e[i - k][j - m] for k, m in earlier)
    return e


def logarithm(f, first):
    """log f, whose first coefficient is given: f dg = df, in v, and for the first row in w."""
    g = [[first] * len(row) for row in f]
    for i, j in places(f)[1:]:
        earlier = [(k, m) for k in range(i + 1) for m in range(j + 1) if (k if i else m) and (k, m) != (i, j)]
        total = sum((k / i if i else m / j) * g[k][m] * f[i - k][j - m] for k, m in earlier)
        g[i][j] = (f[i][j] - total) / f[0][0]
    return g
