"""Forward-mode rules by hand, in the words of `jax.custom_jvp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from hostwrap._rules.base import Rule, differentiable, pair
from hostwrap._rules.tangents import by_argument, fit


class Jvp(Rule):
    """`rule(primals, tangents) -> (answer, tangent of the answer)`, as for `jax.custom_jvp`."""

    effectful = True

    def __init__(self, rule: Callable) -> None:
        self.rule = rule

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        def rule(primals: Any, tangents: Any) -> Any:
            result = self.rule(tuple(primals), tuple(by_argument(tangents)), **statics)
            answer, tangent = pair(function, "the jvp rule", "tangent", result)
            answer = fit(function, "answer of the jvp rule", jax.eval_shape(call, *primals), answer)
            return answer, fit(function, "jvp rule's tangent", answer, tangent)

        return differentiable(call, rule)
