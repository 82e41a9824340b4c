"""Derivatives of sin, cot and 1/sin of pi x, exact at integers and half-integers."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.polynomial import Polynomial

FAR = 100.0


def sinpi_n(x, n=0):
    """d^n/dx^n sin(pi x); real or complex x."""
    nearest = np.round(np.real(x))
    offset = x - nearest
    wave = np.sin(math.pi * offset) if n % 2 == 0 else np.sin(math.pi * _to_zero(offset)[1])
    sign = np.where(np.mod(nearest, 2) == 0, 1.0, -1.0) * (1 if n % 4 < 2 else -1)
    return math.pi**n * sign * wave


def cospi_n(x, n=0):
    """d^n/dx^n cos(pi x)."""
    return sinpi_n(x, n + 1) / math.pi


def cotpi_n(x, n=0):
    """d^n/dx^n cot(pi x) = pi^n R_n(cot(pi x)) / sin(pi x)^2: on the real axis all terms have one sign."""
    if n == 0:
        return _cotpi(x)
    near = _near_axis(x)
    value = math.pi**n * _horner(_cot_polynomial(n), _cotpi(near)) / sinpi_n(near) ** 2
    return np.where(np.abs(x.imag) > FAR, 0.0, value) if np.iscomplexobj(x) else value


def cscpi_n(x, n=0):
    """d^n/dx^n 1/sin(pi x) = pi^n Q_n(cot(pi x)) / sin(pi x)."""
    return math.pi**n * _horner(_csc_polynomial(n), _cotpi(x)) / sinpi_n(x)


def _cotpi(x):
    offset = x - np.round(np.real(x))
    side, rest = _to_zero(offset)
    return np.where(
        np.abs(np.real(offset)) < 0.25, 1 / np.tan(math.pi * offset), side * np.tan(math.pi * rest)
    )


def _to_zero(offset):
    """The side of the nearest zero +-1/2 of the cosine, and the distance from it: cos(pi x) = sin(pi rest) exactly."""
    side = np.where(np.real(offset) < 0, -1.0, 1.0)
    return side, 0.5 - side * offset


def _near_axis(x):
    """Complex x no further off the real axis than where derivatives of the cotangent are below 1e-260 already."""
    return x.real + 1j * np.clip(x.imag, -FAR, FAR) if np.iscomplexobj(x) else x


@functools.cache
def _cot_polynomial(n):
    """R_n, from cot' = -(1 + cot^2); 1/sin^2 = 1 + cot^2 stays a factor, which would cancel far off the real axis."""
    return Polynomial([-1]) if n == 1 else -(Polynomial([1, 0, 1]) * _cot_polynomial(n - 1)).deriv()


@functools.cache
def _csc_polynomial(n):
    if n == 0:
        return Polynomial([1])
    last = _csc_polynomial(n - 1)
    return -Polynomial([0, 1]) * last - Polynomial([1, 0, 1]) * last.deriv()


def _horner(polynomial, c):
    """Horner's rule, also right for infinite c, unlike NumPy's."""
    value = polynomial.coef[-1]
    for a in polynomial.coef[-2::-1]:
        value = value * c + a
    return value


def turn(x, y):
    """x + y modulo 2, without losing a small term beside a large one, which a sine needs."""
    return np.fmod(x, 2.0) + np.fmod(y, 2.0)


def is_integer(x):
    return x == np.round(x)


def times(zero, pole):
    """zero * pole, in the limit along integers, where the sine is exactly 0."""
    return np.where(zero == 0, 0.0, zero * pole)
