"""Replay a recording at other numbers, without the user's code: a program of operations on single numbers, in C.

In a recording with a `Log`, each value is a constant, or comes from others by an elementwise function, or by a linear
map that moves or sums elements. `program` unrolls this to rows of operations on single numbers. The branches are those
of the recorded numbers. So comparisons are rows, too: if one comes out differently, the program has no result. The
caller also compares its results with those of the function.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape import arithmetic
from hostwrap._tracing.tape.array import Array, concrete
from hostwrap._tracing.tape.index import Taken
from hostwrap._tracing.tape.log import Log
from hostwrap._tracing.tape.nodes import Node, Step, reachable

MOST = 100_000  # rows
_WIDEST = 256  # numbers that a linear map which adds them up is asked for one by one
_SAME = 1e-12  # relative to the largest number of a result


class _NoProgram(Exception):
    """Raised if a recording has more than arithmetic on single numbers."""


class Program:
    """Rows that compute the results. In memory come the arguments, then the constants, then one number for each row."""

    def __init__(
        self,
        rows: arithmetic.Rows,
        constants: np.ndarray,
        shapes: list[tuple | None],
        results: list[np.ndarray],
    ) -> None:
        self.rows, self.constants = rows, constants
        self.inputs: list[_Place | None] = []
        start = 0
        for shape in shapes:
            place = None if shape is None else _Place(start, shape)
            self.inputs.append(place)
            start += 0 if place is None else place.size
        self.behind = slice(start, start + len(constants))
        self.results = [places if places.ndim else int(places) for places in results]

    def run(self, leaves: Sequence[Any]) -> Again | None:
        """Run the program at these arguments; None if a comparison comes out differently."""
        values = np.empty(self.rows.places)
        for x, place in zip(leaves, self.inputs, strict=True):
            if place is not None:
                place.put(values, x)
        values[self.behind] = self.constants
        return Again(self, values) if self.rows.values(values) else None


class _Place:
    """Where the numbers of an argument lie among those of a program. Most arguments are single numbers."""

    def __init__(self, start: int, shape: tuple[int, ...]) -> None:
        self.shape, self.size = shape, math.prod(shape)
        self.at: Any = slice(start, start + self.size) if shape else start

    def put(self, numbers: np.ndarray, x: Any) -> None:
        numbers[self.at] = np.ravel(x) if self.shape else x

    def of(self, numbers: np.ndarray) -> Any:
        return numbers[self.at].reshape(self.shape) if self.shape else numbers[self.at]


class Again:
    """A `Recorded` at other arguments; all arguments that are not integers have a cotangent."""

    keys, still = (), False

    def __init__(self, program: Program, values: np.ndarray) -> None:
        self.program, self.values = program, values
        self.value = [values[places] for places in program.results]

    size = property(lambda self: len(self.values))

    def jvp(self, tangents: Sequence[Any]) -> list | None:
        """The tangents; None if there is a NaN, because only a recording knows which branches are not taken."""
        rows, found = self.program.rows, np.zeros(len(self.values))
        for place, t in zip(self.program.inputs, tangents, strict=True):
            if t is not None and place is not None:
                place.put(found, t)
        rows.along(self.values, found)
        return _numbers([found[places] for places in self.program.results])

    def vjp(self, cotangents: Sequence[Any]) -> list | None:
        rows, found = self.program.rows, np.zeros(len(self.values))
        for places, c in zip(self.program.results, cotangents, strict=True):
            if c is None:  # of integers
                continue
            if type(places) is int:
                found[places] += c
            else:
                np.add.at(found, places, c)
        rows.back(self.values, found)
        return _numbers([None if place is None else place.of(found) for place in self.program.inputs])


def _numbers(found: list) -> list | None:
    return None if any(map(_has_nan, found)) else found


def _has_nan(x: Any) -> bool:
    return x is not None and (bool(np.isnan(x).any()) if type(x) is np.ndarray else x != x)


def program(
    results: Sequence[Any], inputs: Sequence[Node | None], log: Log, leaves: Sequence[Any]
) -> Program | None:
    """The program of these result leaves, recorded with this log at these arguments."""
    if arithmetic.kind("add") is None or not log.right_elsewhere:  # no library; a solver
        return None
    try:
        found = _Unrolled(inputs).program(results, log)
    except _NoProgram:
        return None
    once = found.run(leaves)
    same = once is not None and all(map(_close, once.value, map(concrete, results)))
    return found if same else None


def _close(value: Any, recorded: Any) -> bool:
    size = np.max(np.abs(recorded), initial=0.0)
    return bool(np.all(np.abs(value - recorded) <= _SAME * size)) and bool(np.isfinite(size))


class _Unrolled:
    """Builds the rows. Numbers have places: arguments first, then results of rows; constants count down from -1."""

    def __init__(self, inputs: Sequence[Node | None]) -> None:
        self.places: dict[Node, Any] = {}  # a number, or an array of them
        self.constants: dict[tuple[float, float], int] = {}
        self.rows: list[tuple[int, int, int, int]] = []
        self._marks = np.random.default_rng(0).uniform(1, 2, 4 * MOST)
        self.arguments, self.inputs = list(inputs), 0
        for node in filter(None, inputs):
            size = int(np.prod(node.shape))
            if self.inputs + size > MOST:
                raise _NoProgram
            self.places[node] = np.arange(self.inputs, self.inputs + size).reshape(node.shape)[()]
            self.inputs += size

    def program(self, results: Sequence[Any], log: Log) -> Program:
        nodes = [x.node if isinstance(x, Array) else None for x in results]
        tested = [node for _, _, pair, _, _ in log.tests for node in pair]
        todo: list[tuple[int, Any]] = [(n.number, n) for n in self._reached([*nodes, *tested])]
        todo += [(test[0], test) for test in log.tests]
        for _, what in sorted(todo, key=lambda row: row[0]):
            if isinstance(what, Node):
                self._node(what)
            else:
                self._test(*what[1:])
        outs = [
            np.asarray(self._constant(concrete(x)) if n is None else self.places[n])
            for x, n in zip(results, nodes, strict=True)
        ]
        return self._finished(outs)

    def _reached(self, nodes: Sequence[Node | None]) -> list[Node]:
        """The nodes that the results depend on, with operands of functions without a derivative."""
        found: dict[int, Node] = {}
        waiting = [n for n in nodes if n is not None]
        while waiting:
            for node in reachable(waiting):
                found[node.number] = node
            waiting = [
                p
                for n in found.values()
                if n.made
                for p in n.made[1]
                if p is not None and p.number not in found
            ]
        return list(found.values())

    def _finished(self, outs: list[np.ndarray]) -> Program:
        count = len(self.constants)
        final = lambda x: np.where(x < 0, self.inputs - 1 - x, np.where(x < self.inputs, x, x + count))
        rows = np.array(self.rows, np.int64).reshape(-1, 4)
        rows[:, 1:3] = final(rows[:, 1:3])
        constants = np.array([x for x, _ in self.constants], float)
        shapes = [None if node is None else node.shape for node in self.arguments]
        return Program(
            arithmetic.Rows(rows, self.inputs + count), constants, shapes, [final(out) for out in outs]
        )

    # ---- numbers

    def _constant(self, x: Any) -> Any:
        if type(x) in (float, int, np.float64):
            if len(self.constants) >= MOST:
                raise _NoProgram
            key = float(x), math.copysign(1.0, x)  # the sign of 0 counts
            return self.constants.setdefault(key, -1 - len(self.constants))
        x = np.asarray(x)
        if x.dtype.kind not in "fiub" or x.size > MOST:
            raise _NoProgram
        return np.array([self._constant(float(v)) for v in x.ravel()], np.int64).reshape(x.shape)

    def _row(self, kind: int, x: int, y: int, more: int) -> int:
        if len(self.rows) >= MOST:
            raise _NoProgram
        self.rows.append((kind, x, y, more))
        return self.inputs + len(self.rows) - 1

    def _operand(self, node: Node | None, value: Any) -> Any:
        return self._constant(value) if node is None else self.places[node]

    # ---- what values are made of

    def _node(self, node: Node) -> None:
        if node in self.places:
            return
        if node.complex or node.level != 1:
            raise _NoProgram
        if node.made is not None and node.made[0] is not None:
            function, nodes, values = node.made
            found = self._called(
                function, [self._operand(n, v) for n, v in zip(nodes, values, strict=True)], nodes
            )
        else:
            found = self._linear(node)
        if np.shape(found) != node.shape:
            found = np.broadcast_to(found, node.shape)
        self.places[node] = found

    def _called(self, function: Any, operands: list, nodes: Sequence[Node | None]) -> Any:
        moving = [node is not None for node in nodes]
        if isinstance(function, str):
            return self._contracted(function, operands, moving)
        if len(operands) > 2:  # a sum
            if getattr(function, "__name__", "") != "fsum":
                raise _NoProgram
            total, moves = operands[0], moving[0]
            for x, m in zip(operands[1:], moving[1:], strict=True):
                total, moves = self._each(_kind("add"), total, x, moves + 2 * m), moves or m
            return total
        x, y = operands[0], operands[-1]
        return self._each(_kind(_name(function)), x, y, moving[0] + 2 * (len(operands) > 1 and moving[1]))

    def _contracted(self, text: str, operands: list, moving: list[bool]) -> Any:
        """A sum of products, `ij,jk->ik`."""
        terms, out = text.split("->")
        letters = out + "".join(sorted(set(terms) - {*out, ","}))
        total: Any = None
        for term, x, moves in zip(terms.split(","), operands, moving, strict=True):
            own = "".join(k for k in letters if k in term)
            x = np.einsum(f"{term}->{own}", x)
            x = np.expand_dims(x, tuple(i for i, k in enumerate(letters) if k not in own))
            if total is None:
                total, moved = x, moves
            else:
                if np.broadcast(total, x).size > MOST:
                    raise _NoProgram
                total, moved = self._each(_kind("multiply"), total, x, moved + 2 * moves), moved or moves
        if not np.size(total):
            raise _NoProgram
        while np.ndim(total) > len(out):
            first, *others = np.moveaxis(total, -1, 0)
            for x in others:
                first = self._each(_kind("add"), first, x, arithmetic.X + arithmetic.Y)
            total = first
        return total

    def _each(self, kind: int, x: Any, y: Any, more: int) -> Any:
        if not np.ndim(x) and not np.ndim(y):
            return self._row(kind, int(x), int(y), more)
        x, y = np.broadcast_arrays(x, y)
        rows = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
        return np.array([self._row(kind, a, b, more) for a, b in rows], np.int64).reshape(x.shape)

    def _test(self, name: str, nodes: Sequence[Node | None], values: Sequence[Any], found: Any) -> None:
        kind = _kind(name)
        x, y = (self._operand(n, v) for n, v in zip(nodes, values, strict=True))
        if not np.ndim(x) and not np.ndim(y):
            self._row(kind, int(x), int(y), bool(found))
            return
        for a, b, outcome in zip(
            *(v.ravel().tolist() for v in np.broadcast_arrays(x, y, found)), strict=True
        ):
            self._row(kind, a, b, bool(outcome))

    def _linear(self, node: Node) -> Any:
        """A sum of linear maps of other arrays, plus a constant part."""
        total: Any = None
        for e in node.edges:
            places = self.places[e.parent]
            if type(e) is Taken:
                part = np.asarray(places)[e.key]
            else:
                part = self._mapped(_map_of(e), places, node.shape)
            total = part if total is None else self._added(total, part)
        here = total != _NOTHING
        if np.all(here):
            return total
        value = node.made[2] if node.made else node.value
        if value is None or not node.edges:
            raise _NoProgram
        return np.where(here, total, self._constant(np.where(here, 0.0, concrete(value))))

    def _added(self, x: Any, y: Any) -> Any:
        both = (x != _NOTHING) & (y != _NOTHING)
        found = np.where(x != _NOTHING, x, y)
        for place in np.argwhere(both):
            at = tuple(place)
            found[at] = self._sum(int(x[at]), int(y[at]))
        return found

    def _sum(self, x: int, y: int) -> int:
        return self._row(_kind("add"), x, y, arithmetic.X + arithmetic.Y)

    def _mapped(self, to: Callable, places: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Apply a linear map to numbers. Random marks in their places show where each one goes."""
        places = np.asarray(places)
        marks = self._marks[places]  # those of constants from the end
        result = np.asarray(to(marks[()]))
        if result.dtype.kind != "f":
            raise _NoProgram
        known = dict(zip(marks.ravel().tolist(), places.ravel().tolist(), strict=True))
        known[0.0] = _NOTHING
        try:
            found = np.array([known[mark] for mark in result.ravel().tolist()], np.int64)
        except KeyError:
            return self._summed(to, places, shape)
        return np.broadcast_to(found.reshape(result.shape), shape)

    def _summed(self, to: Callable, places: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        if places.size > _WIDEST or to.__module__ not in _OF_NO_NUMBERS:
            raise _NoProgram
        total = np.full(shape, _NOTHING)
        for k, place in enumerate(places.ravel().tolist()):
            unit = np.zeros(places.size)
            unit[k] = 1.0
            factors = np.broadcast_to(to(unit.reshape(places.shape)[()]), shape)
            for row in np.argwhere(factors):
                at = tuple(row)
                factor = float(factors[at])
                x = (
                    place
                    if factor == 1
                    else self._row(_kind("multiply"), place, self._constant(factor), arithmetic.X)
                )
                total[at] = x if total[at] == _NOTHING else self._sum(int(total[at]), x)
        return total


def _map_of(edge: Any) -> Callable:
    if isinstance(edge, Step):
        return edge.to
    raise _NoProgram


_OF_NO_NUMBERS = ("hostwrap._tracing.tape.sums", "hostwrap._tracing.tape.moves")
"""Where linear maps are defined that are the same at other numbers, unlike those of what factors and interpolates."""
_NOTHING = np.iinfo(np.int64).min
_NAMES = {
    operator.add: "add", operator.sub: "subtract", operator.mul: "multiply", operator.truediv: "divide",
    operator.pow: "power", operator.mod: "remainder",
}  # fmt: skip
_OTHER_NAMES = {
    "float_power": "power", "true_divide": "divide", "fabs": "absolute", "conjugate": "positive", "fmax": "maximum",
    "fmin": "minimum", "radians": "deg2rad", "degrees": "rad2deg", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power",
}  # fmt: skip


def _name(function: Any) -> str:
    name = _NAMES.get(function) or getattr(function, "__name__", "")
    return _OTHER_NAMES.get(name, name)


def _kind(name: str) -> int:
    found = arithmetic.kind(name)
    if found is None:
        raise _NoProgram
    return found
