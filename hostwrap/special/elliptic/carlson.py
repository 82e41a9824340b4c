"""Carlson's symmetric integrals with raised exponents: all derivatives of R_F, R_D, R_J, R_C and R_G.

The trapezoidal rule in log t. The integrand has its singularities at t = -x_i, that is Im log t = arg(x_i) +- pi,
so the error falls off like exp(-2 pi d / h) with d their distance from the line of integration. Turning the ray of
integration to the middle of the sector free of singularities (which only turns the arguments, by homogeneity)
makes d largest; for positive arguments it is pi. It is 0 for arguments on both sides of the negative axis.
"""

import functools

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import counted
from hostwrap.special.elliptic import pinched

STEP = 0.4  # for d = pi: exp(-2 pi^2 / 0.4) is 4e-22
TAIL = 39.0  # e^-39 is 1e-17
WIDE = 600.0  # e-foldings of a product of powers beyond which it is taken by logarithms: the doubles have 708
PINCHED = 0.05  # d below which there would be too many nodes
MOST_NODES = 6000, 2**20  # for the widest spread of real arguments, and of complex ones next to `PINCHED`


@pointwise
def integral(x, y, z, p, *, i, j, k, n, e):
    """The integral over t > 0 of t^e (t+x)^-(i+1/2) (t+y)^-(j+1/2) (t+z)^-(k+1/2) (t+p)^-n."""
    used = (x, y, z, p) if n else (x, y, z)
    if any(np.iscomplexobj(a) for a in used):
        used = tuple(a + 0j for a in used)
    powers = (i + 0.5, j + 0.5, k + 0.5, n)[: len(used)]
    at_zero = 1 + e - sum(b * (a == 0) for a, b in zip(used, powers, strict=True))

    def ordinary(*args):
        near = (lambda *a: np.nan) if n else lambda *a: pinched.integral(*a, i, j, k, e)
        far = lambda *a: _trapezoid(a, powers, e)
        if not np.iscomplexobj(args[0]):
            return far(*args)
        return piecewise(args, [(_sector(args)[1] < PINCHED, near), (None, far)])

    outside = sum(np.isnan(a) | _negative(a) for a in used) > 0
    cases = [
        (outside, lambda *a: np.nan),
        (sum(np.isinf(a) for a in used) > 0, lambda *a: 0.0),
        (at_zero <= 0, lambda *a: np.inf),
        (None, ordinary),
    ]
    return piecewise(used, cases)


def _negative(a):
    return np.False_ if np.iscomplexobj(a) else a < 0


def _trapezoid(args, powers, e):
    """By homogeneity scaled about 1 and turned; for real arguments made of loops alone.

    Beyond the nodes the integrand is a power of t, within a relative t/x or x/t: a geometric series.
    """
    sizes = [np.abs(a) for a in args]
    largest = functools.reduce(np.maximum, sizes)
    least = functools.reduce(np.minimum, [np.where(s > 0, s, np.inf) for s in sizes])
    turn, distance = _sector(args)
    scale = np.sqrt(largest) * np.sqrt(least) * turn
    at_infinity = sum(powers) - 1 - e
    at_zero = 1 + e - sum(b * (a == 0) for a, b in zip(args, powers, strict=True))
    spread = np.log(largest) - np.log(least)
    low, high = -spread / 2 - TAIL / (1 + at_zero), spread / 2 + TAIL / (1 + at_infinity)
    step = STEP * distance / np.pi
    most = MOST_NODES[np.iscomplexobj(args[0])]
    count = np.floor(np.exp2(np.ceil(4 * np.log2((high - low) / step)) / 4)) + 1

    def by(integrand):
        def whole(low, step, count, at_zero, scale, *args):
            term = lambda k, low, step, scale, *args: integrand(low + step * k, args, scale, powers, e)
            given = low, step, scale, *args
            first = term(0.0, *given) / np.expm1(step * at_zero)
            last = term(count - 1, *given) / np.expm1(step * at_infinity)
            return step * (counted(term, count, most, given) + first + last)

        return whole

    given = [low, step, count, at_zero, scale, *args]
    size = (1 + e + sum(powers)) * spread / 2 + abs(at_infinity) * np.abs(np.log(np.abs(scale)))
    return piecewise(given, [(size > WIDE, by(_wide_integrand)), (None, by(_integrand))])


def _sector(args):
    """The direction amid the arguments, and the distance in Im log t from there to the singularities."""
    if not np.iscomplexobj(args[0]):
        return 1.0, np.pi
    args = np.stack(args)
    angles = np.where(args == 0, np.nan, np.angle(args))
    top, bottom = np.nanmax(angles, axis=0), np.nanmin(angles, axis=0)
    return np.exp(0.5j * (top + bottom)), np.pi - (top - bottom) / 2


def _integrand(u, args, scale, powers, e):
    """With dt = t du, for t = scale e^u."""
    t = np.exp(u)
    product = t ** (1 + e) / _power(scale, sum(powers) - 1 - e)
    for a, b in zip(args, powers, strict=True):
        product = product / _power(t + a / scale, b)
    return product


def _wide_integrand(u, args, scale, powers, e):
    """The same where factors would overflow, or t itself, of which the tails go far beyond the arguments."""
    logarithm = np.log(scale)
    total = (1 + e) * u - (sum(powers) - 1 - e) * logarithm
    return np.exp(total - sum(b * _log_sum(u, a, logarithm) for a, b in zip(args, powers, strict=True)))


def _log_sum(u, a, logarithm):
    """log(e^u + a / scale)."""
    v = np.where(a == 0, -np.inf, np.log(np.where(a == 0, 1, a)) - logarithm)
    most = np.maximum(u, np.real(v))
    return most + np.log(np.exp(u - most) + np.exp(v - most))


def _power(base, exponent):
    """An integer or half-integer power, much faster than the general one."""
    whole = int(exponent)
    root = np.sqrt(base) if exponent > whole else 1.0
    return root * base**whole if whole else root
