"""Tangents between JAX's symbolic zeros and the plain words of a derivative rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from hostwrap._call.dtypes import check_real
from hostwrap._errors import RuleError, check_array


def whole(result: tuple[Any, Any]) -> tuple[Any, Any]:
    """Integer results have float0 tangents, whatever the rule said."""
    answer, tangent = result

    def leaf(y: Any, t: Any) -> Any:
        return t if jnp.issubdtype(y.dtype, jnp.inexact) else np.zeros(y.shape, jax.dtypes.float0)

    answer = jax.tree.map(jnp.asarray, answer)
    return answer, jax.tree.map(leaf, answer, tangent)


def by_argument(tangents: Sequence[Any]) -> list:
    """One tangent per argument: None if nothing in it is perturbed, else with its zeros written out."""
    return [_one_tangent(t) for t in tangents]


def _one_tangent(tangent: Any) -> Any:
    leaves = jax.tree.leaves(tangent, is_leaf=is_symbolic_zero)
    if all(map(is_symbolic_zero, leaves)):
        return None
    return instantiate(tangent)


def is_symbolic_zero(tangent: Any) -> bool:
    return isinstance(tangent, SymbolicZero)


def _zeros(zero: SymbolicZero) -> Any:
    if zero.dtype == jax.dtypes.float0:
        return np.zeros(zero.shape, jax.dtypes.float0)
    return jnp.zeros(zero.shape, zero.dtype)


def instantiate(tangent: Any) -> Any:
    """A tangent with its symbolic zeros written out."""
    return jax.tree.map(lambda t: _zeros(t) if is_symbolic_zero(t) else t, tangent, is_leaf=is_symbolic_zero)


# With symbolic zeros, fwd of a custom_vjp gets its arguments as leaves (value, perturbed).


def values_of(argument: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf.value, argument, is_leaf=_is_pair)


def mark(argument: Any) -> Any:
    """Whether anything in the argument is perturbed, as a pytree without leaves: JAX then leaves it alone."""
    return () if any(leaf.perturbed for leaf in jax.tree.leaves(argument, is_leaf=_is_pair)) else None


def is_marked(marked: Any) -> bool:
    return marked is not None


def _is_pair(leaf: Any) -> bool:
    return hasattr(leaf, "perturbed")


def contract(function: str, name: str, x: Any, tangent: Any, total: Any, jacobian: Any) -> Any:
    """Add Jacobian times tangent, summed over the axes of the argument."""
    check_array(f"{function}: the partial with respect to `{name}`", jacobian)
    check_real(f"{function}: the partial with respect to `{name}`", jacobian, total)
    jacobian = jnp.asarray(jacobian)
    if jacobian.shape != total.shape + x.shape:
        raise RuleError(
            f"{function}: the partial with respect to `{name}` must have the result's shape followed by the "
            f"argument's, {total.shape} + {x.shape}; the rule returned {jacobian.shape}."
        )
    spread = (
        jax.typeof(total).sharding if any(jax.typeof(tangent).sharding.spec) else None
    )  # of explicit axes
    return (total + along(jacobian, tangent, out_sharding=spread)).astype(total.dtype)


def along(jacobian: Any, tangent: Any, **options: Any) -> Any:
    """Their product, summed over the axes of the tangent; in one type, for a transpose of two warns in JAX 0.8."""
    tangent = tangent.astype(jnp.result_type(jacobian, tangent))
    return jnp.tensordot(jacobian, tangent, axes=tangent.ndim, **options)


def fit(function: str, what: str, like: Any, value: Any) -> Any:
    """`value` with the structure, shapes and dtypes of `like`; None is for integers, which have no derivative."""
    expected: Any
    ys, expected = jax.tree.flatten(like, is_leaf=_is_none)
    if value is None and expected.num_leaves != 1:
        value = jax.tree.unflatten(expected, [None] * expected.num_leaves)
    ts, given = jax.tree.flatten(value, is_leaf=_is_none)
    if not same_structure(expected, given):
        raise RuleError(f"{function}: the {what} has structure {given}, expected {expected}.")

    def leaf(y: Any, t: Any) -> Any:
        if t is None and (y is None or not (what.startswith("answer") or _is_inexact(y))):
            return y if y is None else jnp.zeros_like(y)
        if t is None:
            raise RuleError(f"{function}: the {what} is None; one that is zero is jnp.zeros_like(..).")
        check_array(f"{function}: the {what}", t)
        check_real(f"{function}: the {what}", t, y)
        if jnp.shape(t) != jnp.shape(y):
            raise RuleError(f"{function}: the {what} has shape {jnp.shape(t)}, expected {jnp.shape(y)}.")
        return jnp.asarray(t, y.dtype) if _is_inexact(y) else t

    return jax.tree.unflatten(expected, [leaf(y, t) for y, t in zip(ys, ts, strict=True)])


def _is_inexact(value: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(value), jnp.inexact))


def same_structure(a: Any, b: Any) -> bool:
    return bool(a == b)


def _is_none(value: Any) -> bool:
    return value is None
