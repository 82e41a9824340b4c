"""Numerical derivatives, where there is no other way: Jacobians by differences, computed on the host.

The Jacobian is a function of the same arguments, so it is differentiated by the same rule, for any order. It is linear
over the reals: a complex tangent goes by its parts, and functions that are not holomorphic are as good as others.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from hostwrap._call.arguments import Static
from hostwrap._errors import SignatureError
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call
from hostwrap._numerical.host import moving, numerical_host
from hostwrap._numerical.method import Steps
from hostwrap._rules.base import Rule, differentiable
from hostwrap._rules.leaves import results_of
from hostwrap._rules.tangents import along


class Numerical(Rule):
    """`declare(values, statics)` is the function's call; see `Spec.declare`."""

    core_only = True

    def __init__(self, declare: Callable, steps: Steps) -> None:
        self.declare, self.steps = declare, steps
        self._jacobian = functools.lru_cache(maxsize=256)(self._jacobian_of)

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        given = tuple(Static(name, value) for name, value in statics.items())

        def differentiated(*values: Any) -> Any:
            declaration = self.declare(values, given)
            results = self._function(declaration.host, declaration.layout)(*jax.tree.leaves(values))
            return jax.tree.unflatten(declaration.out_tree, results)

        return differentiated

    def _function(self, host: HostFunction, layout: Layout) -> Callable:
        """The host function of core arrays, with its derivative by differences."""

        def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
            answer = custom(*primals)
            live = tuple(i for i, t in enumerate(tangents) if not isinstance(t, SymbolicZero))
            jacobian = self._jacobian(host, layout, results_of(primals), live)
            parts = iter(self._function(*jacobian)(*primals))
            totals = list(map(jnp.zeros_like, answer))
            for t in (part for i in live for part in _real_parts(tangents[i])):
                for k in moving(layout):
                    totals[k] = totals[k] + along(next(parts), t).astype(totals[k].dtype)
            return answer, tuple(totals)

        custom = differentiable(lambda *leaves: tuple(host_call(host, layout, *leaves)), rule)
        return custom

    def _jacobian_of(
        self, host: HostFunction, layout: Layout, arguments: tuple[Result, ...], live: tuple[int, ...]
    ) -> tuple[HostFunction, Layout]:
        """The host function of the same arguments that returns the Jacobians in these, and its layout."""
        jacobians = tuple(
            Result(layout.outs[k].shape + arguments[i].shape, layout.outs[k].dtype)
            for i in live
            for _ in range(2 if arguments[i].dtype.kind == "c" else 1)
            for k in moving(layout)
        )
        return numerical_host(host, layout, live, self.steps), Layout(layout.in_core, jacobians)


def steps_of(function: str, names: Sequence[str], numerical: Any) -> Steps:
    """The option `numerical=` of `wrap`."""
    if numerical is not True and not isinstance(numerical, Mapping):
        came = f"{type(numerical).__name__}: {numerical!r:.80}"
        raise SignatureError(f"{function}: numerical= must be True or a mapping of options, got {came}.")
    options = {} if numerical is True else dict(numerical)
    known = [field.name for field in dataclasses.fields(Steps)]
    _refuse(function, "option", set(options) - set(known), known)
    try:
        steps = Steps(**options)
    except ValueError as error:
        raise SignatureError(f"{function}: numerical= {error}.") from None
    _refuse(function, "argument", steps.mentioned() - set(names), names)
    return steps


def _refuse(function: str, what: str, unknown: set[str], known: Sequence[str]) -> None:
    if unknown:
        raise SignatureError(
            f"{function}: numerical= has no {what} {', '.join(sorted(unknown))}; "
            f"the {what}s are {', '.join(known)}."
        )


def _real_parts(tangent: Any) -> tuple:
    return (jnp.real(tangent), jnp.imag(tangent)) if jnp.iscomplexobj(tangent) else (tangent,)
