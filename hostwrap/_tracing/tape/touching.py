"""Which numbers are squares: a square root has a kink where its argument touches 0, as |x| has, the root of x²."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Node, as_now, bare


class Roots:
    """The squares among the results so far, with the number whose sign changes where they touch 0."""

    def __init__(self) -> None:
        self.known: dict[Node, tuple[Any, Any]] = {}

    def touched(self, name: str, operands: Sequence[Any], result: Any) -> Any:
        """Note the result of a function. If it is a root of a square, the number that was squared, else None."""
        one, other = operands[0] if operands else None, operands[1] if len(operands) == 2 else None
        if name == "sqrt" or (name in _POWERS and _is(other, 0.5)):
            return self.root(one)
        if name == "hypot":
            return one if _is_still(other) else other if _is_still(one) else None
        if (node := getattr(result, "node", None)) is None:
            return None
        if name == "square" or (name in _POWERS and _is(other, 2)) or (name in _TIMES and _alike(one, other)):
            self.known[node] = as_now(one), as_now(result)
        elif name == "" and np.size(one) == 1 and _alike(one, other):  # a product of arrays
            self.known[node] = np.reshape(as_now(one), np.shape(result)), as_now(result)
        elif name in _TIMES or name in _BY:  # a factor that has no kink
            z = self.root(one)
            if z is None and name in _TIMES:
                z = self.root(other)
            if z is not None and np.shape(z) == np.shape(result):
                self.known[node] = z, as_now(result)
        return None

    def root(self, x: Any) -> Any:
        """The number of a square; also of one number that was only moved, as by indexing or by a sum of one."""
        node = getattr(x, "node", None)
        while node is not None:
            if node in self.known:
                z, square = self.known[node]
                return z if np.array_equal(bare(x), np.reshape(bare(square), np.shape(bare(x)))) else None
            edges = node.edges
            node = edges[0].parent if len(edges) == 1 and np.size(x) == _size(edges[0].parent) == 1 else None
        return None


_POWERS, _TIMES = ("power", "float_power", "pow"), ("multiply", "mul")
_BY = ("divide", "true_divide", "truediv")


def _size(node: Node) -> int:
    return int(np.prod(node.shape))


def _is(x: Any, number: float) -> bool:
    return not hasattr(x, "node") and np.ndim(x) == 0 and x == number


def _is_still(x: Any) -> bool:
    """Whether it is 0 and does not move."""
    return not (hasattr(x, "node") and x.node is not None) and not np.any(bare(x))


def _alike(a: Any, b: Any) -> bool:
    """Whether both are the same number, perhaps computed twice by sums and differences."""
    if a is b:
        return hasattr(a, "node")
    one, other = getattr(a, "node", None), getattr(b, "node", None)
    if one is None or other is None:
        return False
    if one is other:
        return np.array_equal(bare(a), bare(b))
    steps = [[(e.parent, getattr(e, "partial", None)) for e in node.edges] for node in (one, other)]
    constant = all(isinstance(factor, int | float) for _, factor in steps[0])
    return constant and bool(steps[0]) and steps[0] == steps[1] and np.array_equal(bare(a), bare(b))
