"""Spherical Bessel functions over powers, g_l(z) = z^-m j_l(z) or z^-m y_l(z), and their derivatives in z.

With f_l = z^-l j_l it is g_l = z^(l - m) f_l and f_l' = -z f_{l+1} (DLMF 10.51.2). So derivatives are sums of
z^(l - m - d + 2 b) f_{l+b} with integer coefficients: nothing is left to cancel near z = 0.
"""

import inspect

import numpy as np
from scipy import special

from hostwrap.special._numerics.behind import ufunc_behind
from hostwrap.special._numerics.until import until

SERIES = 12  # terms of the power series of f for small z


def _loop(function):
    """The ufunc that SciPy's function of z >= 0 ends in."""
    plain = inspect.unwrap(function)
    return ufunc_behind(lambda z: plain(0, z, False)) or function


_J, _Y = _loop(special.spherical_jn), _loop(special.spherical_yn)


def over_power(kind, l, m, z, n):
    """Derivatives 0..n of g_l, without the factor z^-m, as a list; each for a change of z by the smaller of z and 1."""
    step = np.minimum(z, 1.0)
    values, share = _several(kind, l, z, n, step), step / z
    return [
        sum(w * values[b] * share ** (d - b) if d > b else w * values[b] for b, w in enumerate(weights))
        for d, weights in enumerate(_weights(l - m, n))
    ]


def _several(kind, l, z, n, step):
    """step^b times that of the order l + b for b = 0..n: two by SciPy, and from there in the direction in which they
    grow (DLMF 10.51.1)."""
    whole = l.astype(np.int64)
    if n == 0:
        return [(_J if kind == 1 else _Y)(whole, z)]
    if kind == 1:
        values = [_J(whole + n, z), _J(whole + (n - 1), z)]
        for b in range(n - 2, -1, -1):
            values.append((2 * l + (2 * b + 3)) / z * values[-1] - values[-2])
        return [value * step**b if b else value for b, value in enumerate(values[::-1])]
    below = np.where(whole == 0, _J(whole, z), _Y(np.maximum(whole - 1, 0), z))  # of the order -1 it is j_0
    values, share = [step * below, _Y(whole, z)], step / z
    for b in range(n):
        before = values[-2] if b == 0 else step * step * values[-2]
        values.append((2 * l + (2 * b + 1)) * share * values[-1] - before)
    return values[1:]


def over_power_near_zero(l, m, z, n):
    """Derivatives 0..n of g_l of the first kind, with this factor, for small z."""
    values = [_series(l + b, z) for b in range(n + 1)]
    exponent = l - m
    return [
        sum(
            np.where(w == 0, 0.0, w * values[b] * np.float_power(z, exponent - d + 2 * b))
            for b, w in enumerate(weights)
        )
        for d, weights in enumerate(_weights(exponent, n))
    ]


def _weights(exponent, n):
    """For d = 0..n the coefficients of the derivative sum_b w_b z^(exponent - d + 2 b) f_{l+b}."""
    weights = [exponent * 0.0 + 1.0]
    for d in range(n + 1):
        yield weights
        powers = [(exponent - d + 2 * b) * w for b, w in enumerate(weights)]
        functions = [-w for w in weights]
        inner = [p + f for p, f in zip(powers[1:], functions, strict=False)]
        weights = [powers[0], *inner, functions[-1]]


def _series(l, z):
    """z^-l j_l(z), by its power series (DLMF 10.53.1); 1 / (2 l + 1)!! is a gamma function."""
    first = np.sqrt(np.pi) * np.exp2(-l - 1) / special.gamma(l + 1.5)

    def step(turn, term, total, l, z):
        k = turn + 1
        term = -term * z * z / (2 * k * (2 * l + 2 * k + 1))
        return term, total + term, k < SERIES - 1

    return first * until(step, [1.0, 1.0], [l, z], SERIES)[1]
