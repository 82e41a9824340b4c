"""The elementary functions that derivative rules use: JAX's own.

Rules look these names up in their module, so the tests can run the same rules on mpmath numbers.
"""

from jax.core import Tracer
from jax.lax import bessel_i0e as i0e
from jax.lax import bessel_i1e as i1e
from jax.lax import bitcast_convert_type
from jax.numpy import (
    abs,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cbrt,
    ceil,
    conj,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    float64,
    floor,
    imag,
    inf,
    int64,
    iscomplexobj,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    maximum,
    minimum,
    nan,
    pi,
    round,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from jax.numpy import real as re  # because `real` is the box of an entry


def constant(x):
    """An argument of a twin that must be a constant; raises NotImplementedError if it is traced."""
    if isinstance(x, Tracer):
        raise NotImplementedError
    return float(x)


def shortened(x, bits):
    """x rounded to this many binary digits, in double precision; XLA does not optimise this step away."""
    return bitcast_convert_type(bitcast_convert_type(x, int64) & (-(1 << (53 - bits))), float64)


__all__ = [
    "abs",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "cbrt",
    "ceil",
    "conj",
    "constant",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "i0e",
    "i1e",
    "imag",
    "inf",
    "iscomplexobj",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log2",
    "log10",
    "maximum",
    "minimum",
    "nan",
    "pi",
    "re",
    "round",
    "shortened",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "where",
]
