"""What the scalar operations of `jax.lax` are called in NumPy and SciPy.

`OPERATIONS[primitive](params)` gives the NumPy function and a hashable key that tells it from its siblings.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

Operation = tuple[Callable, Any]


def _plain(function: Callable) -> Callable[[dict], Operation]:
    return lambda params: (function, None)


def _identity(x: Any) -> Any:
    return x


def _convert(params: dict) -> Operation:
    """Floats become integers as in XLA: NaN is 0, and what is out of range saturates."""
    dtype = np.dtype(params["new_dtype"])

    def convert(x: Any) -> Any:
        if dtype.kind not in "iu" or x.dtype.kind != "f":
            return x.astype(dtype)
        bounds = np.iinfo(dtype)
        inside = np.where(np.isnan(x) | (x >= bounds.max) | (x <= bounds.min), 0, x).astype(dtype)
        return np.where(x >= bounds.max, bounds.max, np.where(x <= bounds.min, bounds.min, inside))

    return convert, dtype


def _integer_pow(params: dict) -> Operation:
    n = params["y"]
    if n == 2:
        return np.square, n
    return (lambda x: np.float_power(x, n) if n < 0 else np.power(x, n)), n


def _select(which: Any, *cases: Any) -> Any:
    """`lax.select_n`: the predicate picks case 0 (False) or case 1 (True)."""
    return np.where(which, cases[1], cases[0]) if len(cases) == 2 else np.choose(which, cases)


def _div(x: Any, y: Any) -> Any:
    """`lax.div`: integers truncate towards zero, and n / 0 is -1."""
    if x.dtype.kind not in "iu":
        return np.true_divide(x, y)
    quotient = np.floor_divide(x, y)
    quotient = quotient + ((np.remainder(x, y) != 0) & ((x < 0) != (np.asarray(y) < 0)))
    return np.where(y == 0, quotient.dtype.type(-1), quotient)


def _rem(x: Any, y: Any) -> Any:
    """`lax.rem`: the sign of x; n rem 0 is n for integers."""
    remainder = np.fmod(x, y)
    return np.where(y == 0, x, remainder) if x.dtype.kind in "iu" else remainder


def _polynomial(x: Any, *coefficients: Any) -> Any:
    """The constant term comes first."""
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def join_complex(re: Any, im: Any) -> Any:
    """Not `re + 1j * im`, which turns an infinite part into NaN."""
    out = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), np.complex128)
    out.real, out.imag = re, im
    return out


_TO_NEAREST_EVEN = 1  # jax.lax.RoundingMethod


def _round(params: dict) -> Operation:
    to_even = int(params["rounding_method"]) == _TO_NEAREST_EVEN
    return (np.rint if to_even else _round_away), to_even


def _round_away(x: Any) -> Any:
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


def _of_scipy(name: str) -> Callable[[dict], Operation]:
    """scipy.special is imported when a rule wants something of it: it takes a tenth of a second."""
    return lambda params: (getattr(importlib.import_module("scipy.special"), name), None)


def _logistic(params: dict) -> Operation:
    expit, _ = _of_scipy("expit")(params)
    return (lambda x: expit(x) if x.dtype.kind != "c" else 1 / (1 + np.exp(-x))), None


def _sign(x: Any) -> Any:
    return np.sign(x) if x.dtype.kind != "c" else np.where(x == 0, x, x / np.abs(x))


_NAMES: dict[Callable, str] = {
    np.add: "add add_any",
    np.subtract: "sub",
    np.multiply: "mul",
    np.negative: "neg",
    np.floor: "floor",
    np.ceil: "ceil",
    np.abs: "abs",
    np.exp: "exp",
    np.exp2: "exp2",
    np.log: "log",
    np.expm1: "expm1",
    np.log1p: "log1p",
    np.sqrt: "sqrt",
    np.cbrt: "cbrt",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.power: "pow",
    np.square: "square",
    np.maximum: "max",
    np.minimum: "min",
    np.nextafter: "nextafter",
    np.real: "real",
    np.imag: "imag",
    np.conj: "conj",
    np.isfinite: "is_finite",
    np.equal: "eq",
    np.not_equal: "ne",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
    np.invert: "not",
    _identity: "copy copy_p broadcast_in_dim reshape squeeze stop_gradient pvary",
    _select: "select_n",
    _div: "div",
    _rem: "rem",
    join_complex: "complex",
    _polynomial: "polynomial",
    _sign: "sign",
}

_SCIPYS = {
    "lgamma": "gammaln",
    "digamma": "psi",
    "igamma": "gammainc",
    "igammac": "gammaincc",
    "regularized_incomplete_beta": "betainc",
    "bessel_i0e": "i0e",
    "bessel_i1e": "i1e",
    "erf": "erf",
    "erfc": "erfc",
    "erf_inv": "erfinv",
}

OPERATIONS: dict[str, Callable[[dict], Operation]] = {
    name: _plain(function) for function, names in _NAMES.items() for name in names.split()
}
OPERATIONS.update({name: _of_scipy(theirs) for name, theirs in _SCIPYS.items()})
OPERATIONS.update(
    convert_element_type=_convert,
    integer_pow=_integer_pow,
    round=_round,
    rsqrt=_plain(lambda x: 1 / np.sqrt(x)),
    logistic=_logistic,
    clamp=_plain(lambda low, x, high: np.minimum(np.maximum(x, low), high)),
)
