"""One call of a wrapped function, as its arguments declare it: made now, or traced."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax

from hostwrap._effects.flavours import Forward
from hostwrap._effects.primitive import host_effect
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout
from hostwrap._lanes.primitive import call_now, host_call


@dataclasses.dataclass(frozen=True)
class Declaration:
    """One call: the host function, the layout, the batch shape, and the trees of arguments and results."""

    host: HostFunction
    layout: Layout
    batch: tuple[int, ...]
    tree: Any
    out_tree: Any
    kind: str | None = None

    def now(self, leaves: Sequence[Any]) -> Any:
        return jax.tree.unflatten(self.out_tree, call_now(self.host, self.layout, leaves))

    def traced(self, leaves: Sequence[Any], forward: Forward | None = None) -> Any:
        if self.kind:
            results = host_effect(self.host, self.layout, self.kind, forward, leaves)
        else:
            results = host_call(self.host, self.layout, *leaves)
        return jax.tree.unflatten(self.out_tree, results)
