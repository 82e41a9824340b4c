"""Jets: the derivatives of orders 0..n in one variable, stacked along the first axis."""

from math import comb

import numpy as np

from hostwrap.special._numerics.parts import turned
from hostwrap.special._numerics.pointwise import tape_of
from hostwrap.special._numerics.trigpi import cospi_n, sinpi_n


def product(f, g):
    """The jet of a product, by Leibniz's rule, as a list."""
    return [sum(comb(k, m) * f[m] * g[k - m] for m in range(k + 1)) for k in range(len(f))]


def times(f, g):
    """The jet of a product, stacked; further axes broadcast."""
    return np.stack(product(f, g))


def over(f, g):
    """The jet of f / g."""
    result = []
    for k in range(len(f)):
        result.append((f[k] - sum(comb(k, m) * result[m] * g[k - m] for m in range(k))) / g[0])
    return np.stack(result)


def phase(c, v, n):
    """The jet in v of exp(i pi c v)."""
    value = cospi_n(c * v) + 1j * sinpi_n(c * v)
    return np.stack([(1j * np.pi * c) ** k * value for k in range(n + 1)])


def cosine(v, n):
    """The jet in v of cos(pi v)."""
    return np.stack([cospi_n(v, k) for k in range(n + 1)])


def sine(v, n):
    """The jet in v of sin(pi v)."""
    return np.stack([sinpi_n(v, k) for k in range(n + 1)])


def falling_factorial(p, j, n, more=0.0):
    """The jet of q (q - 1) ... (q - j + 1) with q = p + more, where p grows as v does; q may be next to 0, as p is."""
    jet = [np.ones_like(p), *[np.zeros_like(p)] * n]
    for r in range(j):
        raised = [f * (p + (more - r)) for f in jet]
        jet = [raised[0], *(f + k * g for k, (f, g) in enumerate(zip(raised[1:], jet, strict=False), 1))]
    return np.stack(jet)


def exponential(c, z, n):
    """The jet in z of exp(c z)."""
    return np.stack([c**k * np.exp(c * z) for k in range(n + 1)])


def times_exponential(f, c, z):
    """The tower D[i, j, point] of f exp(c z), also where exp(c z) overflows but the product does not; j counts d/dz."""
    powers = np.stack([np.full(1, c) ** k for k in range(f.shape[1])])[:, None]
    return turned(np.swapaxes(times(powers, np.swapaxes(f, 0, 1)), 0, 1), c * z)


def from_higher_orders(values, v, z, nv, nz, sign, c):
    """The tower D[i, j] of e^cz F_v(z), where F_v' = (v/z) F_v + sign F_{v+1} (DLMF 10.6.2, 10.29.2).

    values[k] is the jet in v of e^cz F_{v+k}(z), k = 0..nz. F^(m) = sum_k sign^k a_mk(v) z^(k-m) F_{v+k}.
    """
    a, plain = [[np.ones_like(v), *[np.zeros_like(v)] * nv]], []
    for m in range(nz + 1):
        rows = [product(a[k], values[k]) for k in range(m + 1)]
        plain.append(
            [sum(sign**k * z ** (k - m) * row[i] for k, row in enumerate(rows)) for i in range(nv + 1)]
        )
        a = [_raised(a, k, m, v) for k in range(m + 2)]
    tower = [
        [sum(comb(j, m) * c ** (j - m) * plain[m][i] for m in range(j + 1)) for j in range(nz + 1)]
        for i in range(nv + 1)
    ]
    return stacked(tower)


def stacked(rows):
    """A tower D[i][j] as one array, if it consists of arrays."""
    if tape_of(*(f for row in rows for f in row)) is not None:
        return rows
    return np.stack([np.stack(row) for row in rows])


def _raised(a, k, m, v):
    """a_{m+1,k} = (v + 2k - m) a_mk + a_{m,k-1}."""
    if k == len(a):
        return a[k - 1]
    here = [f * (v + 2 * k - m) + (i * a[k][i - 1] if i else 0.0) for i, f in enumerate(a[k])]
    return [f + g for f, g in zip(here, a[k - 1], strict=True)] if k else here
