"""A function's value by its own loop, beside derivatives from a program, in one host call.

In double precision a program computes the value too. In single precision SciPy's ufuncs have loops of their own:
the value is theirs, with derivatives and without, while the derivatives are computed in double and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._elementwise.program import Program
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Shape


class Beside:
    """The program as a host function, but its first `count` results are `own`'s."""

    def __init__(self, own: HostFunction, count: int, program: Program) -> None:
        self.own, self.count, self.program = own, count, program
        self.name, self.argnames, self.vmap_method = program.name, program.argnames, program.vmap_method
        self.widen, self.trusted, self.piece = program.widen, program.trusted, program.piece
        self.allow_jax, self.on_error = program.allow_jax, program.on_error
        self.origin = None if program.origin is None else (*program.origin, count)

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        raise TypeError(f"{self.name}: a program is bound to shapes before it is called")  # see HostFunction

    def bind(
        self,
        shapes: Sequence[Shape],
        dtypes: Sequence[np.dtype],
        layout: Layout,
        active: Sequence[int] | None = None,
    ) -> Callable[[Sequence[np.ndarray]], list[np.ndarray]]:
        picked = list(range(len(layout.outs)) if active is None else active)
        first = [i for i in picked if i < self.count]
        rest = [i for i in picked if i >= self.count]
        value = self.own.bind(shapes, dtypes, Layout(layout.in_core, layout.outs[: self.count]), first)
        derivatives = self.program.bind(shapes, dtypes, layout, rest)

        def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            with np.errstate(all="ignore"):
                return (value(arrays) if first else []) + derivatives(arrays)

        return run

    def record(self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable) -> list:
        """The same on a tape (see `_native`)."""
        first = [i for i in active if i < self.count]
        rest = [i for i in active if i >= self.count]
        own = Layout(layout.in_core, layout.outs[: self.count])
        value = self.own.record(arrays, own, first, perform)
        return value + self.program.record(arrays, layout, rest, perform)
