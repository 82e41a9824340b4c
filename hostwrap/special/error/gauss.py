"""Gaussians and chirps whose exponent is squared without rounding error, and their derivatives.

exp(-x^2) with a rounded x^2 has the relative error x^2 eps, which is most of the error of a density in its tails. So
the squares are unevaluated sums of two doubles (Dekker 1971, Numer. Math. 18, 224).
"""

import numpy as np

from hostwrap.special._numerics.parts import compose
from hostwrap.special._numerics.pointwise import pointwise_rows

SPLITTER = 134217729.0  # 2^27 + 1
FINITE = 1e300
HUGE = 1e7  # exp(-HUGE^2) is zero
LARGEST = 1e150  # for complex numbers: with equal parts, exp(z^2) is a wave, with a phase at any size


def gaussian(z, *, c, n):
    """d^n/dz^n exp(c z^2 / 2) for c = -2, -1, 1 or 2; real or complex z."""
    with np.errstate(all="ignore"):
        modulus, terms = gaussian_terms(z, c, n)
        return damped(modulus, terms[n])


def gaussian_terms(z, c, n):
    """The modulus of exp(c z^2 / 2), and its derivatives 0..n divided by that: y_{k+1} = c (z y_k + k y_{k-1})."""
    whole, z = z, clipped(z, LARGEST if np.iscomplexobj(z) else HUGE)
    modulus, phase = _polar(z, c)
    if np.iscomplexobj(z):  # a wave that has no number
        lost = (np.abs(whole.real) > LARGEST) & (modulus > 0) & (modulus < np.inf)
        modulus = np.where(lost, np.nan, modulus)
    terms = [phase, c * z * phase]
    for k in range(1, n):
        terms.append(c * (z * terms[k] + k * terms[k - 1]))
    return modulus, terms


def damped(modulus, factor):
    """modulus * factor, and 0 where one of them is 0 and the other infinite."""
    if np.iscomplexobj(factor):
        return compose(damped(modulus, factor.real), damped(modulus, factor.imag))
    return np.where((modulus == 0) | (factor == 0), 0.0, modulus * factor)


def clipped(z, limit):
    """z with its parts cut to [-limit, limit], so that a function which underflows there is 0 at infinity too.

    A complex z keeps its direction, which decides whether exp(z^2) is 0 or infinite.
    """
    if not np.iscomplexobj(z):
        return np.clip(z, -limit, limit)
    re, im = np.clip(z.real, -FINITE, FINITE), np.clip(z.imag, -FINITE, FINITE)
    factor = limit / np.maximum(np.maximum(np.abs(re), np.abs(im)), limit)
    return compose(re * factor, im * factor)


def _polar(z, c):
    """|exp(c z^2 / 2)| and the rest."""
    if not np.iscomplexobj(z):
        square, error = product(z, z)
        return np.exp(c / 2 * square) * (1 + c / 2 * error), np.ones_like(z)
    real, real_error, turn, turn_error = _complex_square(z)
    small = np.exp(c / 2 * real) * (1 + c / 2 * real_error)
    modulus = np.where(np.abs(real_error) < 0.01, small, np.exp(c / 2 * (real + real_error)))
    rest = compose(np.cos(c * turn_error), np.sin(c * turn_error))
    return modulus, compose(np.cos(c * turn), np.sin(c * turn)) * rest


def _complex_square(z):
    """Re z^2 and Im z^2 / 2, each as a sum of two doubles."""
    (xx, ex), (yy, ey) = product(z.real, z.real), product(z.imag, z.imag)
    total = xx - yy
    back = total - xx
    error = (xx - (total - back)) - (yy + back)  # Knuth's exact sum
    return total, error + (ex - ey), *product(z.real, z.imag)


def product(a, b):
    """a b as a double and the exact rest."""
    p = a * b
    a1, a2 = _halves(a)
    b1, b2 = _halves(b)
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a):
    t = SPLITTER * a
    high = t - (t - a)
    return high, a - high


@pointwise_rows(2)
def fresnel_wave(z):
    """sin(pi z^2 / 2) and cos(pi z^2 / 2), with the phase reduced before it is rounded."""
    if not np.iscomplexobj(z):
        return np.stack(_sincospi(*product(z, z)))
    real, real_error, half_imag, _ = _complex_square(z)
    sine, cosine = _sincospi(real, real_error)
    grow, rise = np.cosh(np.pi * half_imag), np.sinh(np.pi * half_imag)
    waves = (damped(grow, sine), damped(cosine, rise)), (damped(grow, cosine), -damped(sine, rise))
    return np.stack([compose(*parts) for parts in waves])


def _sincospi(square, error):
    """sin and cos of pi (square + error) / 2, to full relative accuracy next to their zeros too."""
    large, small = np.fmod(square / 2, 2.0), np.fmod(error / 2, 2.0)  # far out, both have many turns
    turns = large + small
    part = turns - large
    error = (large - (turns - part)) + (small - part)
    nearest = np.rint(turns)
    rest = turns - nearest  # in [-1/2, 1/2], without error
    to_zero = (0.5 - np.abs(rest)) - np.copysign(error, rest * error)
    flip = 1 - 2 * (np.abs(nearest) % 2)
    cosine = np.where(np.abs(rest) < 0.25, np.cos(np.pi * (rest + error)), np.sin(np.pi * to_zero))
    return flip * np.sin(np.pi * (rest + error)), flip * cosine
