"""Jets of several variables up to second order: (value, gradient, Hessian), the variables along the first axes."""

import numpy as np


def variable(x, axis, count):
    gradient = np.zeros((count, *x.shape))
    gradient[axis] = 1
    return x, gradient, np.zeros((count, count, *x.shape))


def plus(f, g):
    return tuple(a + b for a, b in zip(f, g, strict=True))


def minus(f, g):
    return tuple(a - b for a, b in zip(f, g, strict=True))


def product(f, g):
    return (
        f[0] * g[0],
        f[1] * g[0] + f[0] * g[1],
        f[2] * g[0] + f[0] * g[2] + f[1][:, None] * g[1] + f[1] * g[1][:, None],
    )


def power(f, a):
    """|f|^a, times the sign of f for a = 1."""
    if a == 0:
        return np.ones_like(f[0]), np.zeros_like(f[1]), np.zeros_like(f[2])
    if a == 1:
        return f
    value = np.abs(f[0]) ** a
    slope, curvature = a * value / f[0], a * (a - 1) * value / f[0] ** 2
    return value, slope * f[1], curvature * f[1][:, None] * f[1] + slope * f[2]


def partial(f, orders):
    """The derivative with these orders, at most 2 together."""
    axes = [axis for axis, order in enumerate(orders) for _ in range(order)]
    return f[len(axes)][tuple(axes)]
