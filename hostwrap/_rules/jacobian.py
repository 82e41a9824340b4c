"""Whole Jacobians that a NumPy function computes, alone or together with the value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._elementwise.partials import custom_jvp
from hostwrap._errors import RuleError, missing
from hostwrap._rules.base import Rule, differentiable, refuse_discrete
from hostwrap._rules.blocks import Blocks
from hostwrap._rules.hostside import Excluded, HostRule, Owner
from hostwrap._rules.leaves import results_of
from hostwrap._rules.tangents import along, by_argument, is_symbolic_zero

Numbers = tuple[int, ...]


class Jacobian(Rule):
    """`first(*args)` is the Jacobian, or with `with_value` (value, Jacobian); `second(*args)` its Jacobian."""

    core_only = True

    def __init__(
        self, owner: Owner, first: HostRule, second: HostRule | None, excluded: Excluded, with_value: bool
    ) -> None:
        self.owner, self.first, self.second = owner, first, second
        self.excluded, self.with_value = excluded, with_value
        self.wants_answer = first.wants_answer or (second is not None and second.wants_answer)

    def check(self, function: str, names: Sequence[str], values: Sequence[Any]) -> None:
        refuse_discrete(function, names, values, self.excluded.given)

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        @functools.lru_cache(maxsize=64)
        def levels(*shapes: Any) -> Levels:
            return Levels(self, Blocks(self, statics, *shapes))

        def rule(primals: Any, tangents: Any) -> Any:
            for name, tangent in zip(names, by_argument(tangents), strict=True):
                if tangent is not None:
                    self.excluded.refuse(function, name)
            xs, tree = jax.tree.flatten(primals)
            ys, out_tree = jax.tree.flatten(jax.eval_shape(call, *primals))
            level = levels(tree, results_of(xs), out_tree, results_of(ys))
            ts = jax.tree.leaves(tangents, is_leaf=is_symbolic_zero)
            answer, tangent = level.along(lambda: jax.tree.leaves(custom(*primals)), xs, ts)
            return jax.tree.unflatten(out_tree, answer), jax.tree.unflatten(out_tree, tangent)

        custom = differentiable(call, rule)
        return custom


class Levels:
    """The function's value, its Jacobian and its Hessian as JAX functions, each the derivative of the one before."""

    def __init__(self, rule: Jacobian, blocks: Blocks) -> None:
        self.rule, self.blocks = rule, blocks
        self.first = functools.lru_cache(maxsize=64)(self._first)
        self.second = functools.lru_cache(maxsize=64)(self._second)

    def along(self, value: Callable[[], list], xs: Sequence[Any], ts: Sequence[Any]) -> tuple[list, list]:
        """(answer, its tangent), as leaves."""
        moving = self._moving(ts)
        if not moving or not self.blocks.outs.moving:
            answer = value()
            return answer, list(map(jnp.zeros_like, answer))
        self._refuse_real(moving)
        if self.rule.with_value:
            answer, jacobian = self._parted(self.first(moving)(*xs), moving)
        else:
            answer = value()
            fixed = map(jax.lax.stop_gradient, answer if self.rule.wants_answer else ())
            _, jacobian = self._parted(self.first(moving)(*xs, *fixed), moving)
        return answer, self._tangent(answer, jacobian, moving, ts)

    # ---- the levels

    def _first(self, leaves: Numbers) -> Callable[..., list]:
        """The value (if it comes with it) and the Jacobian with respect to these leaves, in a row."""

        def rule(operands: Sequence[Any], tangents: Sequence[Any]) -> tuple[list, list]:
            moving = self._moving(tangents)
            both = tuple(sorted({*leaves, *moving})) if self.rule.with_value else leaves
            answer, jacobian = self._parted(self.first(both)(*operands), both)
            hessian = self.second(leaves, moving)(*operands)
            kept = [jacobian[j, i] for j in self.blocks.outs.moving for i in leaves]
            along = self._tangent(answer, jacobian, moving, tangents) if answer else []
            width = len(moving)
            for n, block in enumerate(kept):
                row = hessian[n * width : (n + 1) * width]
                along.append(_sum(block, row, [tangents[k] for k in moving]))
            return [*answer, *kept], along

        return custom_jvp(lambda *operands: self.blocks.jacobian(leaves, operands), rule)

    def _second(self, leaves: Numbers, moving: Numbers) -> Callable[..., list]:
        argument = self.blocks.args.names[self.blocks.args.owner[moving[0]]]
        if self.rule.second is None:
            why = "no hessian= was given beside the Jacobian; add it"
            raise missing(self.rule.owner.name, argument, why, "second derivative")

        def rule(operands: Any, tangents: Any) -> Any:
            raise missing(self.rule.owner.name, argument, "hessian= is the last one", "third derivative")

        return custom_jvp(lambda *operands: self.blocks.hessian(leaves, moving, operands), rule)

    # ---- products

    def _moving(self, tangents: Sequence[Any]) -> Numbers:
        return tuple(i for i in self.blocks.args.moving if not is_symbolic_zero(tangents[i]))

    def _parted(self, results: Sequence[Any], leaves: Numbers) -> tuple[list, dict]:
        keys = [(j, i) for j in self.blocks.outs.moving for i in leaves]
        start = len(results) - len(keys)
        return list(results[:start]), dict(zip(keys, results[start:], strict=True))

    def _tangent(
        self, answer: Sequence[Any], jacobian: dict, moving: Numbers, tangents: Sequence[Any]
    ) -> list:
        total = [jnp.zeros_like(y) for y in answer]
        ts = [tangents[i] for i in moving]
        for j in self.blocks.outs.moving:
            total[j] = _sum(answer[j], [jacobian[j, i] for i in moving], ts)
        return total

    def _refuse_real(self, moving: Numbers) -> None:
        """Then there is no Jacobian: a real function of complex arguments is not holomorphic."""
        args, outs = self.blocks.args, self.blocks.outs
        real = any(not _is_complex(outs.results[j]) for j in outs.moving)
        for i in moving:
            if real and _is_complex(args.results[i]):
                raise RuleError(
                    f"{self.rule.owner.name}: `{args.name_of(i)}` is complex and the result real, so it is not "
                    "holomorphic and has no Jacobian; give its rule with defhost."
                )


def _is_complex(result: Any) -> bool:
    return bool(jnp.issubdtype(result.dtype, jnp.complexfloating))


def _sum(like: Any, blocks: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """sum of Jacobian times tangent, over the axes of each argument."""
    terms = [along(b, t) for b, t in zip(blocks, tangents, strict=True)]
    return functools.reduce(jnp.add, terms).astype(like.dtype)
