"""Partial derivatives of a function with core axes: a Jacobian for each argument."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._elementwise.partials import Unknown, evaluate
from hostwrap._errors import RuleError
from hostwrap._rules.base import Rule, differentiable, refuse_discrete
from hostwrap._rules.tangents import by_argument, contract, same_structure


class Partials(Rule):
    """`rules[argument](answer, *arguments)` is the Jacobian, shaped `core of the result + core of the argument`."""

    effectful = True

    def __init__(self, names: Sequence[str], rules: Mapping[str, Callable | Unknown]) -> None:
        self.rules = {n: rules.get(n, Unknown("no partial derivative was given for it")) for n in names}

    def check(self, function: str, names: Sequence[str], values: Sequence[Any]) -> None:
        refuse_discrete(function, names, values, self.rules)

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        def rule(primals: Any, tangents: Any) -> Any:
            answer = custom(*primals)
            total = jax.tree.map(jnp.zeros_like, answer)
            for name, x, t in zip(names, primals, by_argument(tangents), strict=True):
                if t is not None:
                    _check_array(function, name, x)
                    jacobian = evaluate(function, name, self.rules[name], answer, *primals, **statics)
                    if not same_structure(jax.tree.structure(jacobian), jax.tree.structure(total)):
                        raise RuleError(
                            f"{function}: the partial with respect to `{name}` must have the result's structure, "
                            f"{jax.tree.structure(total)}; the rule returned {jax.tree.structure(jacobian)}."
                        )
                    total = jax.tree.map(functools.partial(contract, function, name, x, t), total, jacobian)
            return answer, total

        custom = differentiable(call, rule)
        return custom


def _check_array(function: str, name: str, x: Any) -> None:
    if not hasattr(x, "shape"):
        raise RuleError(
            f"{function}: `{name}` is a pytree ({jax.tree.structure(x)}), and partials are for arrays; use defjvp."
        )
