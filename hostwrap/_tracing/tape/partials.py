"""Partial derivatives of NumPy's ufuncs, as functions of (result, *operands), written with ufuncs.

A number is a constant partial; None means 0. At ties, and where a derivative jumps, the partials agree with JAX's. A
partial that is not complex-linear is a `Pair`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import UFUNCS
from hostwrap._tracing.tape.factors import Choice, Pair

_quotient = Pair((lambda t, y, a, b: t / b, lambda c, y, a, b: c / b))


def _power_in_base(y: Any, a: Any, b: Any) -> Any:
    if type(b) in (int, float, np.float64):  # not one that moves on a tape further out
        return 2 * a if b == 2 else (b * a ** (b - 1) if b else 0.0)
    flat = b == 0
    return np.where(flat, 0.0, b * np.power(a, np.where(flat, 1.0, b - 1)))


def _power_in_exponent(y: Any, a: Any, b: Any) -> Any:
    at_zero = a == 0
    return y * np.log(np.where(at_zero, 1.0, a))


def _larger(y: Any, a: Any, b: Any) -> Any:
    return (a > b) + 0.5 * (a == b)


def _smaller(y: Any, a: Any, b: Any) -> Any:
    return (a < b) + 0.5 * (a == b)


def _larger_or_number(y: Any, a: Any, b: Any) -> Any:
    return np.where(np.isnan(b), 1.0, _larger(y, a, b))


def _smaller_or_number(y: Any, a: Any, b: Any) -> Any:
    return np.where(np.isnan(b), 1.0, _smaller(y, a, b))


def _swapped(partial: Any) -> Any:
    return lambda y, a, b: partial(y, b, a)


def _share(power: Any) -> Any:
    """The share of an operand in a log of a sum; 1 where both are infinite, not NaN."""
    return lambda y, a, b: power(np.where(a == y, 0.0, a - y))


def _direction(x: Any) -> Any:
    """conj(x) / |x|, 0 at 0"""
    size = np.abs(x)
    return np.conj(x) / np.where(size == 0, 1.0, size)


def _side(x: Any) -> Any:
    """The sign of x, and 1 at 0, as in JAX: so |x|^2 has the second derivative 2 there, too."""
    return np.sign(np.sign(x) + 0.5)


_absolute = Pair((
    lambda t, y, x: np.real(_direction(x) * t) if np.iscomplexobj(x) else _side(x) * t,
    lambda c, y, x: _direction(x) * c if np.iscomplexobj(x) else _side(x) * c,
))  # fmt: skip
_conjugate = Pair((lambda t, y, x: np.conj(t), lambda c, y, x: np.conj(c) if np.iscomplexobj(x) else c))


def _turned(t: Any, y: Any, x: Any) -> Any:
    """The derivative of sign(z) = z / |z|: only the change across z counts."""
    return (
        (t - y * np.real(np.conj(y) * t)) / np.where(x == 0, 1.0, np.abs(x))
        if np.iscomplexobj(x)
        else 0.0 * t
    )


def _turned_back(c: Any, y: Any, x: Any) -> Any:
    return (
        (c - np.conj(y) * np.real(c * y)) / np.where(x == 0, 1.0, np.abs(x))
        if np.iscomplexobj(x)
        else 0.0 * c
    )


def _one_less_square(x: Any) -> Any:
    """1 - x²; of complex x with the sign of a zero imaginary part. It matters at a branch cut; 1 - x loses it."""
    return -(x - 1) * (x - -1) if np.iscomplexobj(x) else 1 - x * x


def _root_with_square(x: Any) -> Any:
    """The root of 1 + x². The square of a real x could leave the range of numbers."""
    return np.sqrt(x * x - -1) if np.iscomplexobj(x) else np.hypot(1.0, x)


_TURN = np.pi / 180

UFUNCS.update({
    np.add: (1, 1), np.subtract: (1, -1), np.negative: (-1,), np.positive: (1,),
    np.multiply: (lambda y, a, b: b, lambda y, a, b: a),
    np.divide: (_quotient, lambda y, a, b: -y / b),
    np.power: (_power_in_base, _power_in_exponent), np.float_power: (_power_in_base, _power_in_exponent),
    np.square: (lambda y, x: 2 * x,), np.sqrt: (lambda y, x: 0.5 / y,), np.cbrt: (lambda y, x: 1 / (3 * y * y),),
    np.reciprocal: (lambda y, x: -y * y,), np.absolute: (_absolute,), np.fabs: (lambda y, x: _side(x),),
    np.conjugate: (_conjugate,),
    np.exp: (lambda y, x: y,), np.exp2: (lambda y, x: y * np.log(2.0),), np.expm1: (lambda y, x: np.exp(x),),
    np.log: (lambda y, x: 1 / x,), np.log2: (lambda y, x: 1 / (x * np.log(2.0)),),
    np.log10: (lambda y, x: 1 / (x * np.log(10.0)),), np.log1p: (lambda y, x: 1 / (1 + x),),
    np.sin: (lambda y, x: np.cos(x),), np.cos: (lambda y, x: -np.sin(x),), np.tan: (lambda y, x: 1 + y * y,),
    np.arcsin: (lambda y, x: 1 / np.sqrt(_one_less_square(x)),),
    np.arccos: (lambda y, x: -1 / np.sqrt(_one_less_square(x)),),
    np.arctan: (lambda y, x: 1 / (1 + x * x),),
    np.arctan2: (
        lambda y, a, b: b / (h := np.hypot(a, b)) / h, lambda y, a, b: -a / (h := np.hypot(a, b)) / h
    ),  # a^2 + b^2 can leave the range of numbers
    np.sinh: (lambda y, x: np.cosh(x),), np.cosh: (lambda y, x: np.sinh(x),),
    np.tanh: (lambda y, x: np.square(1 / np.cosh(x)),),
    np.arcsinh: (lambda y, x: 1 / _root_with_square(x),), np.arctanh: (lambda y, x: 1 / _one_less_square(x),),
    np.arccosh: (lambda y, x: 1 / (np.sqrt(x - 1) * np.sqrt(x - -1)),),
    np.hypot: (lambda y, a, b: a / y, lambda y, a, b: b / y),
    **{
        ufunc: (first := _share(power), _swapped(first))
        for ufunc, power in ((np.logaddexp, np.exp), (np.logaddexp2, np.exp2))
    },
    **{
        ufunc: (Choice(first), Choice(_swapped(first)))
        for ufunc, first in (
            (np.maximum, _larger), (np.minimum, _smaller), (np.fmax, _larger_or_number),
            (np.fmin, _smaller_or_number),
        )
    },
    np.deg2rad: (_TURN,), np.radians: (_TURN,), np.rad2deg: (1 / _TURN,), np.degrees: (1 / _TURN,),
    np.remainder: (1, lambda y, a, b: -np.floor(a / b)), np.fmod: (1, lambda y, a, b: -np.trunc(a / b)),
    np.floor_divide: (None, None), np.divmod: ((None, None), (1, lambda y, a, b: -np.floor(a / b))),
    np.modf: ((1,), (None,)), np.nextafter: (1, None),
    np.copysign: (lambda y, a, b: _side(a) * np.copysign(1.0, b), None), np.heaviside: (None, None),
    np.ldexp: (lambda y, a, b: np.ldexp(1.0, b), None),
    np.sign: (Pair((_turned, _turned_back)),),
    **dict.fromkeys((np.floor, np.ceil, np.trunc, np.rint, np.spacing), (None,)),
})  # fmt: skip
