"""What a function is in balls: an expression, or a derivative of one."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

Orders = Mapping[
    str, "str | int | Callable"
]  # of an argument: the static that says how often, a number, of statics


@dataclasses.dataclass(frozen=True)
class Expression:
    """A function of balls and integers, and of the entry's statics by name; several results are a tuple."""

    call: Callable
    removable: tuple[str, ...] = ()  # arguments in which Arb's formula is singular where the function is not
    plane: Callable | None = None  # instead of `call` for complex arguments
    oblique: bool = False  # complex for real arguments too

    def __call__(self, *args: Any, **statics: Any) -> tuple:
        y = self.call(*args, **statics)
        return y if isinstance(y, tuple) else (y,)

    def on(self, is_complex: bool) -> Expression:
        plane = self.plane if is_complex else None
        return dataclasses.replace(self, call=plane or self.call, plane=None)

    def takes(self, name: str) -> bool:
        parameters = inspect.signature(self.call).parameters
        return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


@dataclasses.dataclass(frozen=True)
class Slopes:
    """Derivatives of an expression's results, each of them, or those in `outputs` of its only one."""

    of: Expression
    orders: Orders
    outputs: tuple[Orders, ...] = ()

    def shifts(self, args: tuple[str, ...], statics: Mapping[str, Any]) -> list[tuple[int, ...]]:
        """For each result the derivative's order in each argument."""
        each = self.outputs or ({},)
        return [tuple(_times(self.orders, a, statics) + _times(o, a, statics) for a in args) for o in each]


def _times(orders: Orders, argument: str, statics: Mapping[str, Any]) -> int:
    order = orders.get(argument, 0)
    if callable(order):
        return int(order(statics))
    return int(statics[order]) if isinstance(order, str) else order
