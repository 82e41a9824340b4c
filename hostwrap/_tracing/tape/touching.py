"""Which numbers are squares of lengths: a root has a kink where its argument touches 0, as |x| has, the root of x².

The root of a sum of squares is a length. Where all numbers that are squared pass through 0, their direction turns
round: this is the outcome. Where only some do, the direction moves on without a jump.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.nodes import Node, as_now, bare, is_moving


class Sides:
    """The sides of lengths, along a last axis: for each array the function that finds sides in it."""

    def __init__(self, *parts: tuple[Any, Callable], known: bool = True) -> None:
        self.parts, self.known = parts, known  # whether the length has digits where it is near 0

    @functools.cached_property
    def value(self) -> np.ndarray:
        """The numbers."""
        return np.concatenate([find(bare(x)) for x, find in self.parts], axis=-1)

    @property
    def node(self) -> Any:
        """Something, if a side moves."""
        return True if any(is_moving(x) for x, _ in self.parts) else None

    @property
    def level(self) -> int:
        return max(getattr(x, "level", 0) for x, _ in self.parts)

    def on_tape(self) -> Any:
        return np.concatenate([find(x) for x, find in self.parts], axis=-1)

    def then(self, step: Callable) -> Sides:
        parts = ((x, lambda z, find=find: step(find(z))) for x, find in self.parts)
        return Sides(*parts, known=self.known)

    def of_shape(self, shape: tuple[int, ...]) -> Sides:
        return self.then(lambda z: np.reshape(z, (*shape, -1)))

    def scaled(self, scale: np.ndarray) -> Sides:
        return self.then(lambda z: z * scale)

    def beside(self, other: Sides) -> Sides:
        return Sides(*self.parts, *other.parts, known=self.known and other.known)


class Roots:
    """The squares of lengths among the results so far, with their sides."""

    def __init__(self) -> None:
        self.squares: dict[Node, tuple[Sides, Any]] = {}
        self.cosines: dict[Node, tuple[Any, float]] = {}
        self.conjugates: dict[Node, Any] = {}

    def touched(self, name: str, operands: Sequence[Any], result: Any) -> Sides | None:
        """Note the result of a function. If it is a length, its sides."""
        one, other = operands[0] if operands else None, operands[1] if len(operands) == 2 else None
        if name == "sqrt" or (name in _POWERS and _is(other, 0.5)):
            return self.root(one)
        if name == "hypot":
            return _side(one, np.shape(result)).beside(_side(other, np.shape(result)))
        if name in _ABSOLUTE and np.iscomplexobj(one):
            return _halves(one)
        if (node := getattr(result, "node", None)) is None:
            return None
        if name == "cos":
            self.cosines[node] = bare(one), 1.0
        elif name in _TIMES and (known := self._cosine(one, other)) is not None:
            self.cosines[node] = known
        elif name in _CONJUGATE:
            self.conjugates[node] = one
        elif (sides := self._squared(name, one, other, np.shape(result))) is not None:
            self.squares[node] = sides, as_now(result)
        return None

    def summed(self, x: Any, axes: Sequence[int], result: Any) -> None:
        """Note a sum, or a mean, over these axes of an array."""
        if (node := getattr(result, "node", None)) is not None and (sides := self.root(x)) is not None:
            shape = np.shape(result)
            last = lambda z: np.reshape(np.moveaxis(z, axes, range(-len(axes) - 1, -1)), (*shape, -1))
            self.squares[node] = sides.then(last), as_now(result)

    def root(self, x: Any) -> Sides | None:
        """The sides of a length, given its square, or a square that was only moved, as by indexing of one number."""
        node = getattr(x, "node", None)
        while node is not None:
            if node in self.squares:
                sides, square = self.squares[node]
                same = np.array_equal(np.ravel(bare(x)), np.ravel(bare(square)))
                return sides.of_shape(np.shape(x)) if same else None
            edges = node.edges
            node = edges[0].parent if len(edges) == 1 and np.size(x) == _size(edges[0].parent) else None
        return None

    def _squared(self, name: str, one: Any, other: Any, shape: tuple[int, ...]) -> Sides | None:
        """The sides of the length of which this function returns the square, None if it does not."""
        if name == "square" or (name in _POWERS and _is(other, 2)):
            return None if np.iscomplexobj(one) else _side(one, shape)
        if name in _TIMES or _is_of_one(name):
            if _alike(one, other) and not np.iscomplexobj(one):
                return _side(one, np.shape(one)).of_shape(shape)
            for x, y in ((one, other), (other, one)):
                z = self.conjugates.get(getattr(y, "node", None))
                if z is not None and _alike(x, z):
                    return _halves(x).of_shape(shape)
        if name in _PLUS:
            a, b = (self.root(x) or _still(x) for x in (one, other))
            return a.beside(b) if a and b and np.shape(one) == np.shape(other) else None
        if name in _MINUS:  # 1 - cos(x) is 2 sin(x/2)^2, but has no digits where it is 0
            x, factor = self.cosines.get(getattr(other, "node", None), (0.0, None))
            half = np.reshape(np.sin(np.broadcast_to(x, shape) / 2), (*shape, 1))
            return Sides((half, lambda z: z), known=False) if _is(one, factor) else None
        if name in _TIMES or name in _BY:
            for x, factor in ((one, other), (other, one))[: 1 if name in _BY else 2]:
                if (sides := self.root(x)) is not None and np.shape(x) == shape:
                    many = np.size(factor) > 1
                    return sides.scaled(_scale(factor, shape, name in _BY)) if many else sides
        return None

    def _cosine(self, one: Any, other: Any) -> Any:
        """x and c of a product c cos(x)."""
        for x, factor in ((one, other), (other, one)):
            known = self.cosines.get(getattr(x, "node", None))
            if known is not None and not hasattr(factor, "node") and np.ndim(factor) == 0:
                return known[0], known[1] * factor
        return None


_POWERS, _TIMES = ("power", "float_power", "pow"), ("multiply", "mul")
_BY, _PLUS, _MINUS = ("divide", "true_divide", "truediv"), ("add", "sum"), ("subtract", "sub")
_ABSOLUTE, _CONJUGATE = ("absolute", "abs"), ("conjugate", "conj")


def _is_of_one(text: str) -> bool:
    """Whether a product of arrays, as `ij,ij->i`, adds up products along the last axes of two arrays alike."""
    left, _, right = text.partition(",")
    right, _, out = right.partition("->")
    return bool(right) and left == right and left.startswith(out) and len({*left}) == len(left)


def _side(x: Any, shape: tuple[int, ...], of: Callable = lambda z: z) -> Sides:
    return Sides((as_now(x), lambda z: np.reshape(np.broadcast_to(of(z), shape), (*shape, 1))))


def _halves(z: Any) -> Sides:
    return _side(z, np.shape(z), np.real).beside(_side(z, np.shape(z), np.imag))


def _still(x: Any) -> Sides | None:
    """The side of a square that does not move."""
    return None if is_moving(x) or not np.all(bare(x) >= 0) else _side(np.sqrt(bare(x)), np.shape(x))


def _scale(factor: Any, shape: tuple[int, ...], by: bool) -> Any:
    size = np.sqrt(np.abs(np.broadcast_to(bare(factor), shape)))[..., None]
    return 1 / np.where(size, size, np.inf) if by else size


def _size(node: Node) -> int:
    return int(np.prod(node.shape))


def _is(x: Any, number: float | None) -> bool:
    return not hasattr(x, "node") and np.ndim(x) == 0 and x == number


def _alike(a: Any, b: Any) -> bool:
    """Whether both are the same number, perhaps computed twice in the same way."""
    if a is b:
        return hasattr(a, "node")
    one, other = getattr(a, "node", None), getattr(b, "node", None)
    return one is not None and other is not None and _twice(one, other) and np.array_equal(bare(a), bare(b))


def _twice(one: Node, other: Node, depth: int = 4) -> bool:
    if one is other:
        return True
    if not depth or not one.edges or len(one.edges) != len(other.edges) or one.shape != other.shape:
        return False
    partial = lambda edge: getattr(edge, "partial", None)
    return all(
        partial(x) is partial(y) and _twice(x.parent, y.parent, depth - 1)
        for x, y in zip(one.edges, other.edges, strict=True)
    )
