"""Gradients of R_F, R_D and R_J by Carlson's duplication (DLMF 19.36.1), all partial derivatives in one pass.

Duplication replaces every argument x by (x + l) / 4, l = sqrt(x y) + sqrt(y z) + sqrt(z x), until they are equal but
for a short series. The gradient of the series goes back through the steps: as l grows with every argument, and what
a step adds to the integral falls, all terms have one sign and nothing cancels.

Arguments are positive. Each function says where it is right; next to none are the points whose arguments differ so
much that they have not converged.
"""

import numpy as np

from hostwrap.special.elliptic import _circular, _expansion

STEPS, MORE = 5, 6
TINY = 1e-290  # less has lost digits
NEAR = 0.008  # relative differences for which the series has all digits


def gradient_f(x, y, z):
    """Of R_F(x, y, z), which a step leaves as it is (DLMF 19.26.18)."""
    args, steps = _forth([x, y, z], STEPS)
    gradient, distance = _expansion.gradient_f(*args)
    for _, roots, _ in reversed(steps):
        gradient = _back(gradient, roots, 1 / 4)
    return gradient, distance < NEAR


def gradient_d(x, y, z):
    """Of R_D(x, y, z) = R_D' / 4 + 3 / (sqrt(z) (z + l)) (DLMF 19.26.20)."""
    args, steps = _forth([x, y, z], STEPS)
    gradient, distance = _expansion.gradient(1.5, args, (1, 1, 3))
    for (_, _, z), roots, l in reversed(steps):
        term = 3 / (roots[2] * (z + l))
        gradient = _back(gradient, roots, 1 / 16, -term / (z + l))
        gradient[2] = gradient[2] - term * (0.5 / z + 1 / (z + l))
    return gradient, distance < NEAR


def gradient_j(x, y, z, p):
    """Of R_J(x, y, z, p) = R_J' / 4 + 3 R_C(alpha^2, beta^2) (DLMF 19.26.19), where

    alpha = p (sqrt(x) + sqrt(y) + sqrt(z)) + sqrt(x y z), beta = sqrt(p) (p + l).
    """
    args, steps = _forth([x, y, z, p], MORE)
    gradient, distance = _expansion.gradient(1.5, args, (1, 1, 1, 2))
    right = distance < NEAR
    for number, (args, roots, l) in reversed(list(enumerate(steps))):
        p, root = args[3], np.sqrt(args[3])
        total, others = sum(roots), (roots[1] * roots[2], roots[2] * roots[0], roots[0] * roots[1])
        alpha, beta = p * total + roots[0] * others[0], root * (p + l)
        square = beta * beta
        u = (p - args[0]) * (p - args[1]) * (p - args[2]) / square
        right = right & (square > TINY)
        if number < 2:
            by_alpha, by_beta = _circular.slopes(u, alpha / beta)
        else:
            right = right & (np.abs(u) < _circular.SMALL)
            by_alpha, by_beta = _circular.slopes_near(u)
        by_alpha, by_beta = -3 * by_alpha / square, -3 * by_beta / square
        gradient = _back(gradient, roots, 1 / 16, by_beta * root)
        for i, (r, other) in enumerate(zip(roots, others, strict=True)):
            gradient[i] = gradient[i] + by_alpha * (p + other) / (2 * r)
        gradient[3] = gradient[3] + by_alpha * total + by_beta * (3 * p + l) / (2 * root)
    return gradient, right


def _forth(args, count):
    """The arguments in the end, and for each step the arguments, their square roots, and l."""
    steps = []
    for _ in range(count):
        a, b, c = (np.sqrt(x) for x in args[:3])
        l = a * b + (a + b) * c
        steps.append((args, (a, b, c), l))
        args = [(x + l) / 4 for x in args]
    return args, steps


def _back(gradient, roots, scale, by_l=0.0):
    """The gradient of f((x + l) / 4, ...) times 4 `scale`, plus that of what depends on l with derivative `by_l`."""
    by_l = (by_l + scale * sum(gradient)) / 2
    total = by_l * sum(roots)
    parts = [scale * g + (total / r - by_l) for g, r in zip(gradient, roots, strict=False)]
    return [*parts, *(scale * g for g in gradient[3:])]
