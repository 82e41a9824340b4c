"""Derivatives of R_F by Carlson's duplication with jets, and with them of R_D, R_C and R_G: for complex arguments.

They serve next to both sides of the negative axis at once, where an integral over t > 0 is pinched by its
singularities. Duplication (DLMF 19.26.18) takes x to (sqrt(x) + sqrt(y)) (sqrt(x) + sqrt(z)) / 4, which is no longer
there, until the arguments are equal but for a short series (DLMF 19.36.1).
"""

import itertools
from math import factorial, prod

import numpy as np

from hostwrap.special.hypergeometric._forms import constant, over, times

STEPS = 1100  # at most: the logarithm of a quotient of arguments is halved, then their distance is a quarter
NEAR = 1e-4  # relative differences for which the series has all digits, of derivatives too


def integral(x, y, z, i, j, k, e):
    """The integral over t > 0 of t^e (t+x)^-(i+1/2) (t+y)^-(j+1/2) (t+z)^-(k+1/2); e is 0, or 1 and i + j + k > 0."""
    if e and not i:
        return integral(y, z, x, j, k, i, e)
    sign = (-1.0) ** (i + j + k)
    if not e:
        return 2 * sign * _of_f((x, y, z), (i, j, k)) / (_rising(0.5, i) * _rising(0.5, j) * _rising(0.5, k))
    # for i = 1, j = k = 0 it is -4 (y d/dy + z d/dz) R_F, by DLMF 19.18.1 and 19.21.10; the others by Leibniz
    along_y = np.where(y == 0, 0.0, y * _of_f((x, y, z), (i - 1, j + 1, k)))
    along_z = np.where(z == 0, 0.0, z * _of_f((x, y, z), (i - 1, j, k + 1)))
    total = along_y + along_z + ((j + k) * _of_f((x, y, z), (i - 1, j, k)) if j + k else 0.0)
    return 4 * sign * total / (_rising(1.5, i - 1) * _rising(0.5, j) * _rising(0.5, k))


def _rising(a, n):
    return prod(a + m for m in range(n))


def _of_f(args, orders):
    """The mixed derivative of R_F."""
    args = [_variable(x, axis, orders) for axis, x in enumerate(args)]
    for _ in range(STEPS):
        values = [x[0, 0, 0] for x in args]
        mean = sum(values) / 3
        apart = np.max([np.abs(x - mean) for x in values], axis=0) > NEAR * np.abs(mean)
        if not apart.any():
            break
        a, b, c = (_root(x) for x in args)
        moved = [times(a + b, a + c) / 4, times(b + c, b + a) / 4, times(c + a, c + b) / 4]
        args = [np.where(apart, new, old) for new, old in zip(moved, args, strict=True)]
    mean = sum(args) / 3
    a, b, c = (over(mean - x, mean) for x in args)
    e2, e3 = times(a, b) - times(c, c), times(a, times(b, c))
    series = constant(np.ones_like(mean[0, 0, 0]), orders) - e2 / 10 + e3 / 14
    series = series + times(e2, e2) / 24 - times(e2, e3) * (3 / 44)
    return over(series, _root(mean))[orders] * prod(map(factorial, orders))


def _variable(x, axis, orders):
    jet = constant(x, orders)
    if orders[axis]:
        jet[tuple(int(other == axis) for other in range(3))] = 1.0
    return jet


def _root(f):
    """The jet of the square root."""
    result, zero = np.zeros_like(f), (0,) * (f.ndim - 1)
    for i in np.ndindex(f.shape[:-1]):
        total = f[i]
        for j in itertools.product(*(range(k + 1) for k in i)):
            if j not in (zero, i):
                total = total - result[j] * result[tuple(k - l for k, l in zip(i, j, strict=True))]
        result[i] = total / (2 * result[zero]) if i != zero else np.sqrt(total)
    return result
