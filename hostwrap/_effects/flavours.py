"""The flavours of a wrapped function, pure, io, ordered io and debug: what each may declare, and how it is called."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax

from hostwrap._call.signature import Signature
from hostwrap._errors import SignatureError


def flavour(
    name: str, effect: str | None, ordered: bool, out: Any, parsed: Signature | None, dtype: Any
) -> str | None:
    """The kind of side effect that the options say, None for a pure function."""
    if effect not in (None, "io", "debug"):
        raise SignatureError(
            f"{name}: effect={effect!r} must be one of io, debug; leave it out for a pure function."
        )
    if ordered and effect != "io":
        raise SignatureError(f"{name}: ordered=True is for effect='io'.")
    if effect == "debug" and (out is not None or dtype is not None or (parsed is not None and parsed.outs)):
        raise SignatureError(
            f"{name}: a debug function returns nothing: give no out= and no dtype=, and a signature without results, "
            "such as '(n)->'."
        )
    return "ordered io" if ordered else effect


def nothing(*_: Any, **__: Any) -> None:
    """What a debug function declares."""


@dataclasses.dataclass(frozen=True)
class Forward:
    """A forward rule of trees as one of leaves; equal to another if rule and tree are, so that jit knows it again."""

    rule: Callable
    tree: Any

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list, list]:
        trees = (jax.tree.unflatten(self.tree, leaves) for leaves in (primals, tangents))
        answer, tangent = self.rule(*trees)
        return jax.tree.leaves(answer), jax.tree.leaves(tangent)


class EffectCall:
    """The call of a function with side effects, and its derivative, if it is to have one.

    It takes the place of JAX's custom_jvp, which is not promised to go with side effects.
    """

    def __init__(self, declare: Callable, rule: Callable | None = None) -> None:
        self.declare, self.rule = declare, rule

    def __call__(self, *values: Any) -> Any:
        declaration = self.declare(values)
        forward = None if self.rule is None else Forward(self.rule, declaration.tree)
        return declaration.traced(jax.tree.leaves(values), forward)

    def differentiable(self, rule: Callable) -> EffectCall:
        """The same with a forward rule, `(primals, tangents) -> (answer, tangent)`."""
        return EffectCall(self.declare, rule)
