"""Mixed derivatives of the Chebyshev functions of real degree.

T_n(cos t) = cos(n t) and U_n(cos t) = sin((n + 1) t) / sin t (DLMF 18.5.1, 18.5.2), so all derivatives in n of T_n,
of T_n' = n U_(n-1) and of U_n are elementary. Higher ones in x, which cancel at x = 1 and -1, are hypergeometric.
"""

from __future__ import annotations

import numpy as np

from hostwrap.special.kernels._pointwise import piecewise, pointwise
from hostwrap.special.kernels._trigpi import cospi_n, is_integer, sinpi_n
from hostwrap.special.kernels.orthogonal.jacobi import half, hypergeometric_il, whole


@pointwise
def chebyt_il(n, x, *, i, l):
    """(d/dn)^i (d/dx)^l of eval_chebyt."""
    return first_kind(n, half(x), i, l)


@pointwise
def sh_chebyt_il(n, x, *, i, l):
    """(d/dn)^i (d/dx)^l of eval_sh_chebyt."""
    return first_kind(n, whole(x), i, l)


@pointwise
def chebyu_il(n, x, *, i, l):
    """(d/dn)^i (d/dx)^l of eval_chebyu."""
    return second_kind(n, half(x), i, l)


@pointwise
def sh_chebyu_il(n, x, *, i, l):
    """(d/dn)^i (d/dx)^l of eval_sh_chebyu."""
    return second_kind(n, whole(x), i, l)


def first_kind(n, place, i, l):
    if l > 1:
        return hypergeometric_il(n, n, 0.5, place, i, l)
    z, rest, slope = place
    return (-2 * slope) ** l * on_the_cut(slope_of_cosine if l else cosine, n, z, rest, i)


def second_kind(n, place, i, l):
    if l:
        return hypergeometric_il(n, n + 2, 1.5, place, i, l, factor=1.0)
    z, rest, _ = place
    return on_the_cut(sine_quotient, n + 1, z, rest, i)


def on_the_cut(function, n, z, rest, i):
    """(d/dn)^i of a function of the angle t, cos(t / 2)^2 = rest; for real x < -1 of polynomials only, else NaN."""
    if np.iscomplexobj(z):
        return function(n, z, rest, i)
    inside = (z >= 0) & (rest >= 0)
    polynomial = is_integer(n) & (i == 0)
    return piecewise(
        [n, z, rest],
        [
            (inside, lambda n, z, rest: function(n, z, rest, i)),
            ((z < 0) | polynomial, lambda n, z, rest: function(n, z + 0j, rest + 0j, i).real),
        ],
    )


def cosine(n, z, rest, i):
    """(d/dn)^i cos(n t)."""
    return turned(n, z, rest, i, 0)


def sine_quotient(n, z, rest, i):
    """(d/dn)^i sin(n t) / sin t."""
    at_0 = [n, 1.0][i] if i < 2 else 0.0
    return _over_sine(turned(n, z, rest, i, 1), at_0, -n * cospi_n(n), n, z, rest, i)


def slope_of_cosine(n, z, rest, i):
    """(d/dn)^i n sin(n t) / sin t."""
    lower = i * turned(n, z, rest, i - 1, 1) if i else 0.0
    at_0 = [n * n, 2 * n, 2.0][i] if i < 3 else 0.0
    return _over_sine(n * turned(n, z, rest, i, 1) + lower, at_0, -n * n * cospi_n(n), n, z, rest, i)


def _over_sine(wave, at_0, at_pi, n, z, rest, i):
    """wave / sin t, with its limits at t = 0 and t = pi, where it is finite for integer n only."""
    sine = 2 * np.sqrt(z) * np.sqrt(rest)
    infinite = np.where(wave.real < 0, -np.inf, np.inf)
    at_pi = np.where(is_integer(n) & (i == 0), at_pi, infinite)
    return np.where(z == 0, at_0, np.where(rest == 0, at_pi, wave / np.where(sine == 0, 1, sine)))


def turned(n, z, rest, i, quarters):
    """(d/dn)^i cos(n t - quarters pi / 2); beyond t = pi / 2 by the supplement of t.

    There n t has lost the digits of pi - t, on which the function depends when n is nearly an integer.
    """
    small, supplement = 2 * np.arcsin(np.sqrt(z)), 2 * np.arcsin(np.sqrt(rest))
    turns = (i - quarters) % 4
    cos, sin = (f(n, turns) / np.pi**turns for f in (cospi_n, sinpi_n))
    beyond = cos * np.cos(n * supplement) + sin * np.sin(n * supplement)
    return np.where(
        np.real(rest) < 0.5,
        (np.pi - supplement) ** i * beyond,
        small**i * (np.cos, _minus_sin, _minus_cos, np.sin)[turns](n * small),
    )


def _minus_sin(x):
    return -np.sin(x)


def _minus_cos(x):
    return -np.cos(x)
