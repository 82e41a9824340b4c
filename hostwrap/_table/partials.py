"""The rules of partial derivatives: what stands in place of one, how they are called, and the sum of their terms."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.dtypes import check_real
from hostwrap._errors import RuleError, check_array, missing_derivative

Rule = Callable[..., Any]  # (answer, *arguments) -> the partial derivative, one per output
_NEEDS_NUMBERS = (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)


class Unknown:
    """In place of a rule: why there is no derivative in this argument. It raises when it is asked for.

    >>> import hostwrap as hw, jax, numpy as np
    >>> power = hw.wrap(lambda x, n: np.power(x, n))
    >>> _ = power.defpartials(x=lambda ans, x, n: n * ans / x, n=hw.discrete)
    >>> print(jax.grad(power)(2.0, 3))
    12.0
    """

    def __init__(self, why: str) -> None:
        self.why = why


def unknown(why: str) -> Unknown:
    """In place of a partial: it is not there, and why. Asking for it raises MissingDerivative.

    >>> import hostwrap as hw, jax, numpy as np
    >>> power = hw.wrap(lambda x, p: np.power(x, p))
    >>> _ = power.defpartials(x=lambda ans, x, p: p * ans / x, p=hw.unknown("I have no formula"))
    >>> print(jax.grad(power)(2.0, 3.0))
    12.0
    >>> try:
    ...     jax.grad(power, 1)(2.0, 3.0)
    ... except hw.MissingDerivative as error:
    ...     print(str(error).partition(".")[0])
    <lambda>: there is no derivative with respect to `p`: I have no formula
    """
    if not isinstance(why, str) or not why:
        raise RuleError("unknown(why): say why there is no derivative, in words.")
    return Unknown(why)


discrete = Unknown("it is an integer, in which the function is not differentiated")


class NotThere(Exception):
    """Raised by `missing`; it becomes MissingDerivative."""


def missing(why: str) -> Any:
    """Raise inside a rule: there is no such derivative (of this order), and why."""
    raise NotThere(why)


def in_jax(function: str, what: str, rule: Callable[..., Any], /, *args: Any, **statics: Any) -> Any:
    """The result of the rule; a clear error if the rule is no JAX code, because it needs concrete numbers."""
    try:
        return rule(*args, **statics)
    except _NEEDS_NUMBERS as error:
        raise RuleError(
            f"{function}: {what} needs the numbers of a traced array: it calls NumPy, SciPy or math, or asks `if`. "
            "Write it in JAX: jax.numpy in place of numpy, hostwrap.special in place of scipy.special, "
            "jnp.where in place of if. Or give it in NumPy, with defhost, defjacobian or defvalue_and_grad."
        ) from error


def evaluate(function: str, argument: str, rule: Rule | Unknown, /, *args: Any, **statics: Any) -> Any:
    """The partial derivative of a rule; raises MissingDerivative if it has none."""
    if isinstance(rule, Unknown):
        raise missing_derivative(function, argument, rule.why)
    try:
        return in_jax(function, f"the partial with respect to `{argument}`", rule, *args, **statics)
    except NotThere as why:
        raise missing_derivative(function, argument, str(why)) from None


def inexact(what: str, part: Any, y: Any) -> Any:
    check_array(what, part)
    check_real(what, part, y)
    return part if jnp.issubdtype(jnp.result_type(part), jnp.inexact) else jnp.asarray(part, y.dtype)


@contextlib.contextmanager
def promoting() -> Iterator[None]:
    """Standard promotion inside rules: JAX's strict promotion is meant for the user's own code."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


def combine(answer: Sequence[Any], terms: Sequence[tuple[str, Sequence[Any], Any]]) -> tuple:
    """The sum of partial * tangent for each output, in its shape and dtype; a term is (what, partials, tangent)."""
    totals: list[Any] = []
    for k, y in enumerate(answer):
        if not jnp.issubdtype(y.dtype, jnp.inexact):
            totals.append(np.zeros(y.shape, jax.dtypes.float0))
            continue
        for what, partials, _ in terms:
            _check_fits(what, jnp.shape(partials[k]), y.shape)
        found = [_along(partials[k], tangent) for _, partials, tangent in terms]
        total = functools.reduce(operator.add, found) if found else jnp.zeros_like(y)
        totals.append(jnp.broadcast_to(total, y.shape).astype(y.dtype))
    return tuple(totals)


def _along(partial: Any, tangent: Any) -> Any:
    """The product. A real tangent multiplies both parts of a complex partial, so that (inf + 0i) t is not NaN."""
    if jnp.iscomplexobj(tangent) or not jnp.iscomplexobj(partial):
        return partial * tangent
    return jax.lax.complex(jnp.real(partial) * tangent, jnp.imag(partial) * tangent)


def _check_fits(what: str, shape: tuple, expected: tuple) -> None:
    sizes = zip(reversed(shape), reversed(expected), strict=False)
    if len(shape) > len(expected) or any(a not in (1, b) for a, b in sizes):
        raise RuleError(f"{what} must fit the result's shape {expected}; the rule returned {shape}.")


def replaced(args: Sequence[Any], where: Sequence[int], values: Sequence[Any]) -> list:
    args = list(args)
    for i, value in zip(where, values, strict=True):
        args[i] = value
    return args
