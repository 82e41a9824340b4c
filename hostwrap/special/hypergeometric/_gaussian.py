"""Gaussian integers, and doubles as whole numbers."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Gaussian:
    """re + i im; with whole numbers it is added and multiplied, and divided by them, rounding downwards."""

    re: int
    im: int

    def __bool__(self):
        return bool(self.re or self.im)

    def __add__(self, other):
        other = _gaussian(other)
        return Gaussian(self.re + other.re, self.im + other.im)

    __radd__ = __add__

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return self * -1 + other

    def __mul__(self, other):
        if isinstance(other, int):
            return Gaussian(self.re * other, self.im * other)
        re, im = self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        return Gaussian(re, im)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        return Gaussian(self.re // other, self.im // other)

    def __lshift__(self, bits):
        return Gaussian(self.re << bits, self.im << bits)

    def __rshift__(self, bits):
        return Gaussian(self.re >> bits, self.im >> bits)


def _gaussian(x):
    return Gaussian(x, 0) if isinstance(x, int) else x


def inverse(x):
    """(y, n) with y / n = 1 / x, n a positive whole number."""
    if isinstance(x, int):
        return (1 if x > 0 else -1), abs(x)
    return Gaussian(x.re, -x.im), x.re * x.re + x.im * x.im


def size(x):
    return abs(x) if isinstance(x, int) else max(abs(x.re), abs(x.im))


def whole(x):
    """(n, shift) with n 2^-shift = x, exactly, of a float or complex number."""
    if isinstance(x, complex):
        re, im = _ratio(x.real), _ratio(x.imag)
        shift = max(re[1], im[1])
        return Gaussian(re[0] << shift - re[1], im[0] << shift - im[1]), shift
    return _ratio(x)


def _ratio(x):
    numerator, denominator = float(x).as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def number(x, shift):
    """x 2^-shift as a float or complex number."""
    one = 1 << shift
    return x / one if isinstance(x, int) else complex(x.re / one, x.im / one)
