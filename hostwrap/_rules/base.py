"""What every derivative rule of a wrapped function is, in JAX's vocabulary.

A rule never sees batch axes of a signature, nor which lane the host call takes. It is asked only for what somebody
differentiates: the tangent of an unperturbed argument is `None`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._effects.flavours import EffectCall
from hostwrap._elementwise.partials import Unknown, custom_jvp
from hostwrap._errors import RuleError, SignatureError, missing
from hostwrap._rules.tangents import by_argument, whole

discrete = Unknown("it is declared discrete")


def unknown(why: str) -> Unknown:
    """In place of a partial: it is not there, and why. Asking for it raises MissingDerivative."""
    if not isinstance(why, str) or not why:
        raise RuleError("unknown(why): say why there is no derivative, in words.")
    return Unknown(why)


class Rule:
    """What every kind of rule can do."""

    effectful = False  # whether a function with side effects may have it
    core_only = False  # whether it sees an elementwise function on scalars, one element at a time

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        """`call`, differentiable by this rule."""
        raise NotImplementedError

    def check(self, function: str, names: Sequence[str], values: Sequence[Any]) -> None:
        """Refuse arguments that the rule has no words for."""


def refuse_discrete(
    function: str, names: Sequence[str], values: Sequence[Any], rules: Mapping[str, Any]
) -> None:
    """An argument declared discrete takes integers only."""
    for name, value in zip(names, values, strict=True):
        if rules.get(name) is discrete:
            for dtype in map(jnp.result_type, jax.tree.leaves(value)):
                if jnp.issubdtype(dtype, jnp.inexact):
                    raise SignatureError(f"{function}: `{name}` is discrete: pass integers, not {dtype}.")


class NoRule(Rule):
    """Nothing attached yet: every derivative is missing, with the way to add one."""

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        def rule(primals: Any, tangents: Any) -> Any:
            results = jax.tree.leaves(jax.eval_shape(call, *primals))
            if not any(jnp.issubdtype(y.dtype, jnp.inexact) for y in results):
                answer = call(*primals)
                return answer, answer  # integers have no tangent: nothing is missing
            live = [n for n, t in zip(names, by_argument(tangents), strict=False) if t is not None]
            why = (
                "it has no derivative rule; add one with defpartials, defjvp or defvjp, in NumPy with defhost, or "
                "with defimplicit the equation that it solves"
            )
            if isinstance(call, EffectCall):
                why = "it has side effects and no derivative rule; add one with defpartials, defjvp or defvjp"
            raise missing(function, live[0] if live else "?", why)

        return differentiable(call, rule)


def pair(function: str, rule: str, second: str, result: Any) -> tuple:
    """Refuse what is not two things."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuleError(f"{function}: {rule} must return (answer, {second}), got {type(result).__name__}.")
    return result


def check_arity(
    function: str, what: str, rule: Any, positional: Sequence[str], statics: Sequence[str]
) -> None:
    """Refuse a rule that cannot take its arguments, when it is attached."""
    if not callable(rule):
        raise RuleError(f"{function}: {what} must be a function, got {type(rule).__name__}.")
    try:
        signature = inspect.signature(rule)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind(*positional, **dict.fromkeys(statics))
    except TypeError as error:
        extra = f", and keywords {', '.join(statics)}" if statics else ""
        raise RuleError(
            f"{function}: {what} is called as ({', '.join(positional)}{extra}), but takes {signature}: {error}."
        ) from None


def differentiable(call: Callable, rule: Callable) -> Callable:
    full = lambda primals, tangents: whole(rule(primals, tangents))
    return call.differentiable(full) if isinstance(call, EffectCall) else custom_jvp(call, full)
