"""Functions of NumPy and SciPy for scalar operations of `jax.lax`: `OPERATIONS[name](params)`, each with a key."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

Operation = tuple[Callable, Any]


def _plain(function: Callable) -> Callable[[dict], Operation]:
    return lambda params: (function, None)


def _convert(params: dict) -> Operation:
    """`lax.convert_element_type`. From float to integer as in XLA: NaN becomes 0, numbers out of range saturate."""
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
    if n >= 0:
        return (lambda x: np.power(x, n)), n

    def power(x: Any) -> Any:
        if x.dtype.kind != "c":
            return np.float_power(x, n)
        return np.float_power(1 / x, -n)  # 0 for a large x, whose power would be NaN

    return power, n


def _select(which: Any, *cases: Any) -> Any:
    """`lax.select_n`: the predicate picks case 0 (False) or case 1 (True)."""
    return np.where(which, cases[1], cases[0]) if len(cases) == 2 else np.choose(which, cases)


def _div(x: Any, y: Any) -> Any:
    """`lax.div`: integers truncate towards zero, and n / 0 is -1."""
    if x.dtype.kind not in "iu":
        return np.true_divide(x, y)
    quotient = np.floor_divide(x, y)
    quotient = quotient + ((np.remainder(x, y) != 0) & ((x < 0) != (np.asarray(y) < 0)))
    return np.where(y == 0, np.int64(-1).astype(quotient.dtype), quotient)


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
    """`re + 1j * im`, but with an infinite part that stays infinite."""
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
    """A function of scipy.special, imported at the first call: the import takes a tenth of a second."""
    return lambda params: (getattr(importlib.import_module("scipy.special"), name), None)


def _logistic(params: dict) -> Operation:
    expit, _ = _of_scipy("expit")(params)
    return (lambda x: expit(x) if x.dtype.kind != "c" else 1 / (1 + np.exp(-x))), None


def _sign(x: Any) -> Any:
    return np.sign(x) if x.dtype.kind != "c" else np.where(x == 0, x, x / np.abs(x))


_NUMPYS = (
    "abs add cbrt ceil cos cosh exp exp2 expm1 floor imag log log1p log2 nextafter real sin sinh sqrt square "
    "tan tanh"
)
_OTHERS: dict[str, Callable] = {
    "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative, "conj": np.conj,
    "pow": np.float_power,  # np.power takes a square root where one exponent of 1/2 is that of many numbers
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "max": np.maximum, "min": np.minimum, "is_finite": np.isfinite,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
    "select_n": _select, "div": _div, "rem": _rem, "complex": join_complex, "polynomial": _polynomial, "sign": _sign,
    "rsqrt": lambda x: 1 / np.sqrt(x), "one_minus_square": lambda x: (1 + x) * (1 - x),
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
}  # fmt: skip
_SCIPYS = {
    "lgamma": "gammaln", "digamma": "psi", "igamma": "gammainc", "igammac": "gammaincc",
    "regularized_incomplete_beta": "betainc", "bessel_i0e": "i0e", "bessel_i1e": "i1e",
    "erf": "erf", "erfc": "erfc", "erf_inv": "erfinv",
}  # fmt: skip
_IDENTITIES = "copy copy_p broadcast_in_dim reshape squeeze stage stop_gradient pvary"

OPERATIONS: dict[str, Callable[[dict], Operation]] = {
    **{name: _plain(getattr(np, name)) for name in _NUMPYS.split()},
    **{name: _plain(function) for name, function in _OTHERS.items()},
    **{name: _of_scipy(theirs) for name, theirs in _SCIPYS.items()},
    **dict.fromkeys(_IDENTITIES.split(), _plain(lambda x: x)),
    "convert_element_type": _convert,
    "integer_pow": _integer_pow,
    "round": _round,
    "logistic": _logistic,
}


def ufunc_of(function: Any) -> np.ufunc | None:
    """The ufunc itself, or the one inside an object of numba's `vectorize`; None for other functions."""
    inner = function if isinstance(function, np.ufunc) else getattr(function, "ufunc", None)
    return inner if isinstance(inner, np.ufunc) else None
