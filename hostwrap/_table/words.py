"""Words: the XLA form of an operation of JAX.

An operation that XLA computes less accurately than NumPy has another word here, or none. So has one that XLA would
rewrite with its neighbours, or for subnormal numbers, which XLA treats as 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

Word = Callable[..., Any]


class NotWritten(Exception):
    """There is no XLA form that is as accurate."""


def word_of(primitive: Any, params: dict) -> Word:
    """The word of an operation on scalars of 64 bits."""
    name = primitive.name
    if name in _OTHERS:
        return _OTHERS[name](**params)
    return functools.partial(_bind, primitive, params)


def _bind(primitive: Any, params: dict, *args: Any) -> Any:
    if primitive.name not in _SAME or any(map(jnp.iscomplexobj, args)):
        raise NotWritten
    return primitive.bind(*args, **params)


def is_product(word: Word) -> bool:
    """Or a quotient."""
    return word is div or (isinstance(word, functools.partial) and word.args[0].name == "mul")


def applied(word: Word, inputs: Sequence[Any], quotients: set[int]) -> list:
    """The results of a word. A quotient is divided as it is written.

    XLA turns x / y / z into x / (y z), and x / (y / z) into (x z) / y, which may overflow. `quotients` has the ids of
    values that XLA may see as quotients: arguments, and results of a division or of a twin.
    """
    if word is div:
        inputs = [_as_it_is(x) if id(x) in quotients else x for x in inputs]
    found = word(*inputs)
    results = found if isinstance(found, list) else [found]
    if not isinstance(word, functools.partial):  # an operation of JAX, and no other
        quotients.update(map(id, results))
    return results


def exp(x: Any) -> Any:
    if jnp.iscomplexobj(x):
        raise NotWritten
    return exp_in_range(lax.clamp(LOWEST, x, HIGHEST))


def exp_in_range(x: Any, rest: Any = 0.0) -> Any:
    """exp(x + rest) for a small rest and LOWEST <= x <= HIGHEST; at these ends it is 0 and infinity."""
    mantissa, power = exp_parts(x, rest, 1)
    return mantissa * power


def exp_parts(x: Any, rest: Any, spare: int) -> tuple[Any, Any]:
    """m and p with exp(x + rest) = m p 2^(spare - 1), so that p does not overflow before the result does.

    With r = x - k log 2, m is 2 exp(r) and p is 2^(k - spare). The last bits of k + 1023 - spare + 3 2^51 are the
    integer k + 1023 - spare; a shift makes them the exponent. XLA's own exp has more steps, and a division.
    """
    k = lax.round(x * _LOG2_E, lax.RoundingMethod.TO_NEAREST_EVEN)
    r = ((x - k * _LOG2_HIGH) - k * _LOG2_LOW) + rest
    bits = lax.bitcast_convert_type(k + (3 * 2.0**51 + 1023 - spare), np.int64)
    power = lax.bitcast_convert_type(lax.shift_left(bits, np.int64(52)), np.float64)
    return 2 + r * (2 + r * polynomial_in_pairs(_EXP, r)), power


def polynomial_in_pairs(coefficients: Sequence[Any], x: Any) -> Any:
    """The lowest power first, by Estrin's scheme: its steps wait for few others."""
    if len(coefficients) == 1:
        return coefficients[0]
    above = coefficients[1::2]
    pairs = [a + b * x for a, b in zip(coefficients[::2], above, strict=False)]
    return polynomial_in_pairs([*pairs, *coefficients[2 * len(above) :]], x * x)


def log(x: Any, rest: Any = 0.0) -> Any:
    """log(x) + rest for a small rest, also of subnormal numbers, which XLA treats as 0; at 0 and infinity, log(x).

    XLA's own log calls the C library for one number after the other. The bits of a subnormal number are the fraction
    of a number in [1, 2).
    """
    bits = lax.bitcast_convert_type(x, np.uint64)
    small = bits < _NORMAL
    normal = jnp.where(small, lax.bitcast_convert_type(bits | _ONE, np.float64) - 1, x)
    k, f = _halved(normal, jnp.where(small, 2.0**52 + 2045, 2.0**52 + 1023))
    value = k * _LOG2_HIGH + (f - _bend(f, k * _LOG2_LOW + rest))
    end = jnp.where(bits > _MINUS, jnp.nan, jnp.where(x == 0, -jnp.inf, x))
    return jnp.where(bits - np.uint64(1) < _INFINITE - np.uint64(1), value, end)


def log_minus(x: Any, d: Any, rest: Any) -> Any:
    """log(x) + rest - d for a normal number x, which is 1 + d. Next to x = 1 it is as accurate as d."""
    k, f = _halved(x, 2.0**52 + 1023)
    f = jnp.where(k == 0, d, f)
    return k * _LOG2_HIGH + ((f - d) - _bend(f, k * _LOG2_LOW + jnp.where(k == 0, 0.0, rest)))


def _halved(x: Any, bias: Any) -> tuple[Any, Any]:
    """k and f with x = 2^k (1 + f) and sqrt(1/2) <= 1 + f < sqrt(2), for a normal number x."""
    shifted = lax.bitcast_convert_type(x, np.uint64) + (_ONE - _ROOT)
    exponent = lax.shift_right_logical(shifted, np.uint64(52))  # k + 1023
    k = lax.bitcast_convert_type(exponent | _DIGITS, np.float64) - bias
    return k, lax.bitcast_convert_type((shifted & (_NORMAL - np.uint64(1))) + _ROOT, np.float64) - 1


def _bend(f: Any, rest: Any) -> Any:
    """f - log(1 + f) - rest for sqrt(1/2) <= 1 + f < sqrt(2).

    With s = f / (2 + f), log(1 + f) = log((1 + s) / (1 - s)) is 2 s + s R(s^2), and 2 s = f - s f: the leading f is
    exact (fdlibm's method and coefficients, to less than 1 ulp).
    """
    half = 0.5 * f * f
    s = f / (2 + f)
    z = s * s
    return half - (s * (half + z * polynomial_in_pairs(_LOG, z)) + rest)


def log1p(x: Any) -> Any:
    """log(u) + (x - (u - 1)) / u with u = 1 + x rounded.

    `reduce_precision` keeps XLA from simplifying x - (u - 1) to 0.
    """
    u = lax.reduce_precision(1 + x, 11, 50)
    return log(u, (x - (u - 1)) / u)


def div(x: Any, y: Any) -> Any:
    if any(map(jnp.iscomplexobj, (x, y))):
        raise NotWritten
    return lax.div(x, y)


def _as_it_is(x: Any) -> Any:
    """The same number, but XLA cannot see the operation that made it."""
    return jnp.where(x == x, x, jnp.nan) if jnp.issubdtype(x.dtype, jnp.floating) else x


def _integer_pow(*, y: int) -> Word:
    """x^y; for a negative y the power of 1/x, because x^-y may underflow where x^y is finite."""
    return lambda x: lax.integer_pow(x, y) if y >= 0 else lax.integer_pow(1 / x, -y)


_NORMAL, _ROOT, _ONE, _DIGITS, _INFINITE, _MINUS = np.array(
    [2.0**-1022, math.sqrt(0.5), 1.0, 2.0**52, np.inf, -0.0]
).view(np.uint64)
_LOG2, _LOG2_E = math.log(2.0), 1 / math.log(2.0)
_LOG2_HIGH, _LOG2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # the first has zeros for the digits of k
LOWEST, HIGHEST = -1022 * _LOG2, 1025 * _LOG2
# 2 (e^r - 1 - r) / r^2 for |r| <= log(2) / 2, by interpolation; e^r to 2e-17
_EXP = (
    1.0000000000000002, 0.33333333333333337, 0.08333333333324826, 0.016666666666660124, 0.0027777777834427434,
    0.00039682539726107276, 4.960304259190875e-05, 5.511453691999413e-06, 5.524017689081949e-07, 5.020077099102062e-08,
)  # fmt: skip
_LOG = (
    0.6666666666666735, 0.3999999999940942, 0.2857142874366239, 0.22222198432149784, 0.1818357216161805,
    0.15313837699209373, 0.14798198605116586,
)  # fmt: skip
_NAMES = (
    "abs add add_any and atan2 bessel_i0e bessel_i1e bitcast_convert_type broadcast_in_dim ceil clamp "
    "convert_element_type copy copy_p cos eq erf floor ge gt is_finite le lt max min mul ne neg not or pow "
    "reduce_precision reshape round select_n shift_left shift_right_logical "
    "sign sin sqrt square squeeze stop_gradient sub"
)
_SAME = frozenset(_NAMES.split())
_OTHERS: dict[str, Callable[..., Word]] = {
    "div": lambda **_: div,
    "exp": lambda **_: exp,
    "log": lambda **_: log,
    "log1p": lambda **_: log1p,
    "integer_pow": _integer_pow,
}
