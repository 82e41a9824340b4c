"""Taylor coefficients 0..n in one variable, as lists, whose products and quotients need no binomials.

A shorter list counts as padded with zeros; results have the length of the longer one. All of it can be recorded.
"""

from math import factorial


def times(f, g):
    return [
        _added(f[j] * g[k - j] for j in range(k + 1) if j < len(f) and k - j < len(g)) for k in _both(f, g)
    ]


def minus(f, g):
    return [a - b for a, b in zip(f, g, strict=True)]


def plus(*lists):
    return [_added(f[k] for f in lists if k < len(f)) for k in _both(*lists)]


def scaled(c, f):
    return [c * a for a in f]


def over(f, g):
    """From f = q g."""
    q, inverse = [], None if isinstance(g[0], float) and g[0] == 1 else 1 / g[0]
    for k, a in enumerate(f):
        for j in range(1, min(k, len(g) - 1) + 1):
            a = a - g[j] * q[k - j]
        q.append(a if inverse is None else a * inverse)
    return q


def inverse_root(f):
    """f^(-1/2) = r, from 2 f r' = -f' r."""
    r = [1 / f[0] ** 0.5]
    for k in range(1, len(f)):
        total = _added((2 * (k - j) + j) * f[j] * r[k - j] for j in range(1, k + 1))
        r.append(-total / (2 * k * f[0]))
    return r


def derivative(f, n):
    return factorial(n) * f[n] if n > 1 else f[n]


def _both(*lists):
    return range(max(map(len, lists)))


def _added(terms):
    first, *rest = terms
    for x in rest:
        first = first + x
    return first
