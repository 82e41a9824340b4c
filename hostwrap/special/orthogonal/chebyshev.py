"""Mixed derivatives of the Chebyshev functions of real degree.

T_n(cos t) = cos(n t) and U_n(cos t) = sin((n + 1) t) / sin t (DLMF 18.5.1, 18.5.2), so all derivatives in n of T_n,
of T_n' = n U_(n-1) and of U_n are elementary. Higher ones in x cancel at x = 1 and -1. They are hypergeometric, but for
large n, away from these ends, they follow from the lower ones.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from hostwrap.special._numerics.pointwise import elsewhere, in_python, piecewise, pointwise
from hostwrap.special._numerics.trigpi import cospi_n, is_integer, sinpi_n
from hostwrap.special.hypergeometric._forms import Form, compose, derivative
from hostwrap.special.hypergeometric._middle import NEAR, REACH, solution
from hostwrap.special.orthogonal.jacobi import half, hypergeometric_il, whole

FAR = 10.0  # z, from which on the wave may overflow where its quotient by sin t does not
LARGE = 100  # from here on the hypergeometric functions take whole numbers, which are slow, and from some 2000 on NaN


@pointwise
def chebyt_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_chebyt."""
    return first_kind(n, half(x), dn, dx)


@pointwise
def sh_chebyt_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_sh_chebyt."""
    return first_kind(n, whole(x), dn, dx)


@pointwise
def chebyu_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_chebyu."""
    return second_kind(n, half(x), dn, dx)


@pointwise
def sh_chebyu_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_sh_chebyu."""
    return second_kind(n, whole(x), dn, dx)


def first_kind(n, place, i, l):
    def gaussian(n, z, rest, x):
        return hypergeometric_il(n, n, 0.5, (z, rest, slope, x), i, l)

    z, rest, slope, x = place
    if l > 1:
        wave = lambda n, z, rest, _: (-2 * slope) ** l * lowered(0, n, z, rest, i, l)
        found = piecewise([n, z, rest, x], [(waves(n, z, rest), wave), (None, gaussian)])
    else:
        found = (-2 * slope) ** l * on_the_cut(slope_of_cosine if l else cosine, n, z, rest, i)
    return elsewhere(found, is_middle(n, x), in_python(lambda n, x: middle(0, n, x, slope, i, l)), n, x)


def second_kind(n, place, i, l):
    def gaussian(n, z, rest, x):
        return hypergeometric_il(n, n + 2, 1.5, (z, rest, slope, x), i, l, factor=1.0)

    z, rest, slope, x = place
    if l:
        wave = lambda n, z, rest, _: (-2 * slope) ** l * lowered(1, n + 1, z, rest, i, l)
        found = piecewise([n, z, rest, x], [(waves(n + 1, z, rest), wave), (None, gaussian)])
    else:
        found = on_the_cut(sine_quotient, n + 1, z, rest, i)
    return elsewhere(found, is_middle(n, x), in_python(lambda n, x: middle(1, n, x, slope, i, l)), n, x)


def is_middle(n, x):
    """Where x, of which z has lost digits, may be all that there is of a derivative."""
    return (np.abs(x) < NEAR) & (np.abs(n * x) < REACH)


def middle(kind, n, x, slope, i, l):
    """There T_n (kind 0) and U_n (kind 1) are cos(n pi / 2), and have the slope (n + kind) sin(n pi / 2)."""
    degree = Form(n, (1,))
    value, rise = (
        compose([f(n / 2, k) / (2**k * factorial(k)) for k in range(i + 1)], degree, (i,))
        for f in (cospi_n, sinpi_n)
    )
    jet = solution(-degree, degree + 2 * kind, value, (degree + kind).times(rise), x, l)
    return (-2 * slope) ** l * derivative(jet, (i,))


def waves(n, z, rest):
    """Where the terms of `lowered` do not cancel: n is large and so is n t, or sin(n pi) rules beside t = pi."""
    size = np.abs(n)
    beside = (rest != 0) & (np.abs(sinpi_n(n)) > 0.1 * size * np.sqrt(np.abs(rest)))
    here = (size > LARGE) & (size * np.sqrt(np.abs(z)) > 1) & ((size * np.sqrt(np.abs(rest)) > 0.3) | beside)
    return here if np.iscomplexobj(z) else here & (z > 0) & (rest > 0)


def lowered(kind, n, z, rest, i, l):
    """(d/dn)^i (d/dx)^l of T_n (kind 0) or U_(n - 1) (kind 1) by their differential equation, DLMF 18.8.1.

    (1 - x^2) y^(l) = (2 l - 3 + 2 kind) x y^(l - 1) - (n^2 - (l - 2 + kind)^2) y^(l - 2), and with T_n for y^(-1)
    (1 - x^2) U'_(n - 1) = x U_(n - 1) - n T_n.
    """
    if l == 0:
        return on_the_cut(sine_quotient if kind else cosine, n, z, rest, i)
    if l == 1 and kind == 0:
        return on_the_cut(slope_of_cosine, n, z, rest, i)

    def lower(orders, steps):
        return lowered(kind, n, z, rest, i - orders, l - steps)

    total = (2 * l - 3 + 2 * kind) * (rest - z) * lower(0, 1)
    if l == 1:
        total = total - n * on_the_cut(cosine, n, z, rest, i)
        if i:
            total = total - i * on_the_cut(cosine, n, z, rest, i - 1)
    else:
        total = total - (n * n - (l - 2 + kind) ** 2) * lower(0, 2)
        if i:
            total = total - 2 * i * n * lower(1, 2)
        if i > 1:
            total = total - i * (i - 1) * lower(2, 2)
    return total / (4 * z * rest)


def on_the_cut(function, n, z, rest, i):
    """(d/dn)^i of a function of the angle t, cos(t / 2)^2 = rest; for real x < -1 of polynomials only, else NaN."""
    if np.iscomplexobj(z):
        return function(n, *_below_the_cut(z, rest), i)
    inside = (z >= 0) & (rest >= 0)
    polynomial = is_integer(n) & (i == 0)
    return piecewise(
        [n, z, rest],
        [
            (inside, lambda n, z, rest: function(n, z, rest, i)),
            ((z < 0) | polynomial, lambda n, z, rest: function(n, z + 0j, rest + 0j, i).real),
        ],
    )


def _below_the_cut(z, rest):
    """As SciPy has it for both signs of a zero: x below, so that z is above and 1 - z below."""
    z, rest = z.copy(), rest.copy()
    z.imag[z.imag == 0], rest.imag[rest.imag == 0] = 0.0, -0.0
    return z, rest


def cosine(n, z, rest, i):
    """(d/dn)^i cos(n t)."""
    return turned(n, z, rest, i, 0)


def sine_quotient(n, z, rest, i):
    """(d/dn)^i sin(n t) / sin t."""
    at_0 = [n, 1.0][i] if i < 2 else 0.0
    wave = lambda turned, n, z, rest: turned(n, z, rest, i, 1)
    return _over_sine(wave, at_0, -n * cospi_n(n), n, z, rest, i)


def slope_of_cosine(n, z, rest, i):
    """(d/dn)^i n sin(n t) / sin t."""

    def wave(turned, n, z, rest):
        lower = i * turned(n, z, rest, i - 1, 1) if i else 0.0
        return n * turned(n, z, rest, i, 1) + lower

    at_0 = [n * n, 2 * n, 2.0][i] if i < 3 else 0.0
    return _over_sine(wave, at_0, -n * n * cospi_n(n), n, z, rest, i)


def _over_sine(wave, at_0, at_pi, n, z, rest, i):
    """wave / sin t, with its limits at t = 0 and t = pi, where it is finite for integer n only."""
    sine, above = 2 * np.sqrt(z) * np.sqrt(rest), wave(turned, n, z, rest)
    infinite = np.where(above.real < 0, -np.inf, np.inf)
    at_pi = np.where(is_integer(n) & (i == 0), at_pi, infinite)
    found = np.where(z == 0, at_0, np.where(rest == 0, at_pi, above / np.where(sine == 0, 1, sine)))
    if np.iscomplexobj(z):
        far = lambda n, z, rest: wave(_turned_over_sine, n, z, rest)
        found = elsewhere(found, np.abs(z) > FAR, far, n, z, rest)
    return found


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


def _turned_over_sine(n, z, rest, i, quarters):
    """The same over sin t = (i / 2) e^(-i t) (1 - e^(2 i t)), or its conjugate."""
    beyond = np.real(rest) < 0.5
    t = 2 * np.arcsin(np.sqrt(np.where(beyond, rest, z)))
    side, turns = np.where(t.imag < 0, -1, 1), (i - quarters) % 4
    up, down = np.exp(1j * (side + n) * t), np.exp(1j * (side - n) * t)
    cos, sin = (f(n, turns) / np.pi**turns for f in (cospi_n, sinpi_n))
    supplement = (np.pi - t) ** i * (cos * (up + down) - 1j * sin * (up - down))
    quotient = np.where(beyond, supplement, t**i * (1j**turns * up + (-1j) ** turns * down))
    return 1j * side * quotient / np.expm1(2j * side * t)


def _minus_sin(x):
    return -np.sin(x)


def _minus_cos(x):
    return -np.cos(x)
