"""Reverse-mode rules by hand, in the words of `jax.custom_vjp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from hostwrap._elementwise.partials import Unknown
from hostwrap._errors import RuleError, missing
from hostwrap._rules.base import Rule, pair
from hostwrap._rules.tangents import fit, instantiate, is_marked, mark, values_of


class Vjp(Rule):
    """`fwd(*args) -> (answer, residuals)`, `bwd(residuals, cotangent) -> a cotangent for each argument`.

    None is for an argument that nobody differentiates in: for one that somebody does it is a missing derivative,
    not a zero.
    """

    effectful = True

    def __init__(self, fwd: Callable, bwd: Callable) -> None:
        self.fwd, self.bwd = fwd, bwd

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        def forward(*traced: Any) -> Any:
            args = tuple(values_of(x) for x in traced)
            result = pair(function, "fwd", "residuals", self.fwd(*args, **statics))
            answer = fit(function, "answer of fwd", jax.eval_shape(call, *args), result[0])
            return answer, (result[1], args, tuple(mark(x) for x in traced))

        def backward(residuals: Any, cotangent: Any) -> tuple:
            kept, args, marks = residuals
            cotangents = self.bwd(kept, instantiate(cotangent), **statics)
            _check_cotangents(function, names, cotangents)
            rows = zip(names, args, cotangents, marks, strict=True)
            return tuple(self._cotangent(function, *row) for row in rows)

        custom = jax.custom_vjp(call)
        custom.defvjp(forward, backward, symbolic_zeros=True)
        return custom

    def _cotangent(self, function: str, name: str, x: Any, cotangent: Any, perturbed: Any) -> Any:
        if isinstance(cotangent, Unknown):
            cotangent, why = None, cotangent.why
        else:
            why = "bwd returned None for it (a derivative that is zero is jnp.zeros_like)"
        if cotangent is not None:
            return fit(function, f"cotangent of `{name}`", x, cotangent)
        if is_marked(perturbed):
            raise missing(function, name, why)
        return None


def _check_cotangents(function: str, names: Sequence[str], cotangents: Any) -> None:
    counted = isinstance(cotangents, tuple | list)
    if not counted or len(cotangents) != len(names):
        came = f"{len(cotangents)} of them" if counted else type(cotangents).__name__
        wanted = f"a tuple with a cotangent (or None) for each of {', '.join(names)}"
        raise RuleError(f"{function}: bwd must return {wanted}; got {came}.")
