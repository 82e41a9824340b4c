"""NumPy's functions in JAX, where derivatives of JAX's own are wrong, 0 or NaN (at single points, far out), or slow."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

__all__ = [
    "arccosh",
    "arcsinh",
    "arctan2",
    "arctanh",
    "expm1",
    "float_power",
    "hypot",
    "i0",
    "logaddexp",
    "logaddexp2",
    "power",
    "sinc",
    "std",
    "tanh",
    "true_divide",
    "vander",
]


def _log_of_sum(sum_of: Callable, a: Any, b: Any) -> Any:
    """JAX's tangents are NaN where both numbers are -inf, as for unreached states of a recursion."""
    nothing = (a == -jnp.inf) & (b == -jnp.inf)
    return jnp.where(nothing, -jnp.inf, sum_of(*(jnp.where(nothing, 0.0, x) for x in (a, b))))


def logaddexp(a: Any, b: Any) -> Any:
    return _log_of_sum(jnp.logaddexp, a, b)


def logaddexp2(a: Any, b: Any) -> Any:
    return _log_of_sum(jnp.logaddexp2, a, b)


def _with(own: Callable, *partials: Callable) -> Callable:
    """JAX's function with these first derivatives of real numbers, from which the others follow."""

    @jax.custom_jvp
    def of_real(*x: Any) -> Any:
        return own(*x)

    @of_real.defjvp
    def rule(x: Any, dx: Any) -> tuple:
        return of_real(*x), sum(partial(*x) * d for partial, d in zip(partials, dx, strict=True))

    @functools.wraps(own, updated=())
    def of_all(*x: Any) -> Any:
        dtype = jnp.result_type(*x)
        if not jnp.issubdtype(dtype, jnp.floating):
            return own(*x)
        return of_real(*(jnp.asarray(v, dtype) for v in x))

    return of_all


# JAX takes b^-2 for the derivative in b. The quotient itself is there already: long formulas compute less again,
# and b^2 may leave the range of numbers.
_quotient: Callable = _with(
    jnp.true_divide, lambda a, b: _quotient(1.0, b), lambda a, b: -_quotient(_quotient(a, b), b)
)


def true_divide(a: Any, b: Any) -> Any:
    """A constant divisor has no derivative, and what is linear shall be seen to be so."""
    return _quotient(a, b) if isinstance(b, jax.core.Tracer) else jnp.true_divide(a, b)


@jax.custom_jvp
def _share(a: Any, b: Any) -> Any:
    """a / hypot(a, b). At the tip of the cone it is 0, as the square of hypot needs, and has no derivative: NaN."""
    h = jnp.hypot(a, b)
    return jnp.where(h == 0, 0.0, a / h)


@_share.defjvp
def _share_jvp(primals: Any, tangents: Any) -> tuple:
    (a, b), (da, db) = primals, tangents
    share, other = _share(a, b), _share(b, a)
    return share, other * (other * da - share * db) / hypot(a, b)


# JAX divides by the larger number: second derivatives are 0 where |a| = |b|
hypot: Callable = _with(jnp.hypot, _share, lambda a, b: _share(b, a))
# JAX divides by a^2 + b^2, which leaves the range of numbers long before a / (a^2 + b^2) does
arctan2 = _with(
    jnp.arctan2, lambda a, b: _share(b, a) / hypot(a, b), lambda a, b: -_share(a, b) / hypot(a, b)
)


def power(a: Any, b: Any) -> Any:
    """JAX multiplies b by a^(b - 1), which is 0 times infinity where both are 0."""
    dtype = jnp.result_type(a, b)
    if not (jnp.issubdtype(jnp.result_type(b), jnp.floating) and jnp.issubdtype(dtype, jnp.floating)):
        return jnp.power(a, b)
    return _power(*jnp.broadcast_arrays(jnp.asarray(a, dtype), jnp.asarray(b, dtype)), 0)


def float_power(a: Any, b: Any) -> Any:
    return power(a, jnp.asarray(b, jnp.result_type(b, float)))


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _power(a: Any, b: Any, k: int) -> Any:
    """a^b (log a)^k: its derivatives are such products again. At a = 0 it is the limit."""
    y = jnp.power(a, b)
    if k == 0:
        return y
    limit = jnp.where(b > 0, 0.0, (-1) ** k * jnp.inf)
    return jnp.where(a == 0, limit, y * jnp.log(jnp.where(a == 0, 1.0, a)) ** k)


@functools.partial(_power.defjvp, symbolic_zeros=True)
def _power_jvp(k: int, primals: Any, tangents: Any) -> tuple:
    """Without the derivative in an exponent that is constant: it is NaN where a is negative."""
    (a, b), (da, db) = primals, tangents
    tangent = jnp.zeros_like(a)
    if not isinstance(da, SymbolicZero):
        origin = (a == 0) & (b == 0)
        slope = jnp.where(origin, 0.0, b * _power(jnp.where(origin, 1.0, a), b - 1, k))
        tangent += (slope + k * _power(a, b - 1, k - 1) if k else slope) * da
    if not isinstance(db, SymbolicZero):
        tangent += _power(a, b, k + 1) * db
    return _power(a, b, k), tangent


@jax.custom_jvp
def _sech(x: Any) -> Any:
    return 1 / jnp.cosh(x)


_sech.defjvp(lambda x, dx: (_sech(*x), -_sech(*x) * tanh(*x) * dx[0]))


# x^2 leaves the range of numbers
arccosh = _with(jnp.arccosh, lambda x: 1 / (jnp.sqrt(x - 1) * jnp.sqrt(x + 1)))
arcsinh = _with(jnp.arcsinh, lambda x: 1 / hypot(1.0, x))
# the second derivative has (1 + x) - (1 - x)
arctanh = _with(jnp.arctanh, lambda x: 1 / (1 - x * x))
# JAX adds 1 to the value: 0 from -37 down
expm1 = _with(jnp.expm1, jnp.exp)
# JAX takes the square of the value from 1: 0 from 19 on
tanh: Callable = _with(jnp.tanh, lambda x: _sech(x) ** 2)


def i0(x: Any) -> Any:
    """JAX looks at |x|: its second derivative is 0 at 0."""
    return _special().i0(x)


def sinc(x: Any) -> Any:
    """As the spherical Bessel function j0 (DLMF 10.49.3). JAX divides by x once more for each derivative: next to 0
    all digits cancel."""
    return _special().spherical_jn(0, jnp.pi * jnp.asarray(x))


@functools.wraps(jnp.std, updated=())
def std(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: Any = 0, keepdims: bool = False, **more: Any
) -> Any:  # fmt: skip
    """One number has no spread, whatever it is: its derivative is 0, and JAX's that of the root at 0, NaN."""
    shape = jnp.shape(a)
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    alone = math.prod(shape[k] for k in axes) == 1 and not ddof and not more
    return jnp.std(jax.lax.stop_gradient(a) if alone else a, axis, dtype, out, ddof, keepdims, **more)


def _special() -> Any:
    from hostwrap import special  # which takes a while to load

    return special


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """JAX uses real exponents: its derivatives of x^0 and x^1 are NaN at x = 0."""
    powers = [jnp.ones_like(x)]
    for _ in range(1, len(x) if N is None else N):
        powers.append(powers[-1] * x)
    powers = powers[: len(x) if N is None else N]
    return jnp.stack(powers if increasing else powers[::-1], axis=1) if powers else x[:, None][:, :0]
