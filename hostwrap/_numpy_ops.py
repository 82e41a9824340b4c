"""What the scalar operations of `jax.lax` are called in NumPy and SciPy.

`OPERATIONS[primitive](params)` gives the NumPy function and a hashable key that tells it from its siblings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sc

Operation = tuple[Callable, Any]


def _plain(function: Callable) -> Callable[[dict], Operation]:
    return lambda params: (function, None)


def _identity(x: Any) -> Any:
    return x


def _convert(params: dict) -> Operation:
    dtype = np.dtype(params["new_dtype"])
    return (lambda x: np.asarray(x).astype(dtype)), dtype


def _integer_pow(params: dict) -> Operation:
    n = params["y"]
    return (lambda x: np.float_power(x, n) if n < 0 else x**n), n


def _select(which: Any, *cases: Any) -> Any:
    """`lax.select_n`: the predicate picks case 0 (False) or case 1 (True)."""
    return np.where(which, cases[1], cases[0]) if len(cases) == 2 else np.choose(which, cases)


def _div(x: Any, y: Any) -> Any:
    """`lax.div`: integers truncate towards zero."""
    if np.asarray(x).dtype.kind in "iu":
        return np.asarray(np.trunc(np.true_divide(x, y))).astype(np.asarray(x).dtype)
    return np.true_divide(x, y)


def _complex(re: Any, im: Any) -> Any:
    """Not `re + 1j * im`, which turns an infinite part into NaN."""
    out = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), np.complex128)
    out.real, out.imag = re, im
    return out


def _round(params: dict) -> Operation:
    to_even = "EVEN" in str(params["rounding_method"])
    return (np.rint if to_even else lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)), to_even


def _sign(x: Any) -> Any:
    return np.sign(x) if np.asarray(x).dtype.kind != "c" else np.where(x == 0, x, x / np.abs(x))


_NAMES: dict[Callable, str] = {
    np.add: "add add_any",
    np.subtract: "sub",
    np.multiply: "mul",
    np.negative: "neg",
    np.fmod: "rem",
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
    sc.gammaln: "lgamma",
    sc.psi: "digamma",
    sc.gammainc: "igamma",
    sc.gammaincc: "igammac",
    sc.betainc: "regularized_incomplete_beta",
    sc.i0e: "bessel_i0e",
    sc.i1e: "bessel_i1e",
    sc.erf: "erf",
    sc.erfc: "erfc",
    sc.erfinv: "erf_inv",
    _identity: "copy copy_p broadcast_in_dim reshape squeeze stop_gradient pvary",
    _select: "select_n",
    _div: "div",
    _complex: "complex",
    _sign: "sign",
}

OPERATIONS: dict[str, Callable[[dict], Operation]] = {
    name: _plain(function) for function, names in _NAMES.items() for name in names.split()
}
OPERATIONS.update(
    convert_element_type=_convert,
    integer_pow=_integer_pow,
    round=_round,
    rsqrt=_plain(lambda x: 1 / np.sqrt(x)),
    logistic=_plain(sc.expit),
    clamp=_plain(lambda low, x, high: np.minimum(np.maximum(x, low), high)),
)
