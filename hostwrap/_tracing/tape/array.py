"""Arrays that record: a concrete NumPy value, and a node that says how it was computed.

An `Array` stands for a NumPy array (or a NumPy scalar, or a Python number) in the user's code. NumPy itself does each
operation on the value, so bits, types, views and errors are NumPy's. The value of an array on one tape may be an array
on an outer tape; this gives second derivatives.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.complex_parts import step_of, write_half
from hostwrap._tracing.tape.factors import Choice, Scaled
from hostwrap._tracing.tape.index import Taken, onto, overlaps, part_of, places_in, written
from hostwrap._tracing.tape.log import compared, looked, noted, written_to
from hostwrap._tracing.tape.nodes import DOUBLE, NUMBERS, Edge, Map, Node, is_inexact, kept, keys, lost
from hostwrap._tracing.tape.refusals import ASKED, HELD_NOT, refused
from hostwrap._tracing.values import rebuilt, views_of

Rule = Callable[..., Any]
UFUNCS: dict[Any, tuple] = {}
"""For each ufunc, for each operand: its partial derivative, a function of (result, *operands); a number; None for 0."""
FUNCTIONS: dict[Any, Rule] = {}
"""For each function of NumPy and SciPy: `rule(function, args, kwargs)`, called where an argument records."""
LATER: list[Callable[[Any], Any]] = []
"""Where else to look for the partials of a ufunc: each returns them, or None."""


def raw(x: Any) -> Any:
    """The value without this tape, also inside of lists, tuples and dictionaries."""
    if isinstance(x, Array):
        return x.value
    if isinstance(x, list | tuple):
        return rebuilt(x, map(raw, x)) if holds(x) else x
    return {k: raw(v) for k, v in x.items()} if type(x) is dict else x


def holds(x: Any) -> bool:
    """Whether it contains an array that records."""
    if isinstance(x, Array):
        return True
    if isinstance(x, list | tuple):
        return any(map(holds, x))
    return type(x) is dict and any(map(holds, x.values()))


def moves(things: Any) -> bool:
    """Whether something in it depends on the arguments, on this tape or on an outer one."""
    return any(x.node is not None or moves(raw(x)) for x in stand_ins(things))


def concrete(x: Any) -> Any:
    """The numbers, without any tape."""
    if type(x) in NUMBERS:
        return x
    while holds(x):
        x = raw(x)
    return x


def stand_ins(x: Any) -> list[Array]:
    """The arrays that record in it."""
    if isinstance(x, Array):
        return [x]
    if isinstance(x, list | tuple):
        return [a for part in x for a in stand_ins(part)]
    return stand_ins(list(x.values())) if type(x) is dict else []


def wrapped(value: Any, edges: Sequence[Any], level: int) -> Any:
    """Put a result on the tape. Integers and booleans have no derivative, and leave all tapes."""
    kind = type(value)
    if kind in NUMBERS or (kind is np.ndarray and value.dtype is DOUBLE):  # nearly all results
        result = Array(value, None, level)
        if edges:
            shape = value.shape if kind is np.ndarray else ()
            result._node, result._lent = Node(shape, False, level, edges, value), True
        return result
    if isinstance(value, Array) or kind is np.ndarray or isinstance(value, np.generic | float | complex):
        if is_inexact(value):
            node = Node(np.shape(value), np.iscomplexobj(value), level, edges, value) if edges else None
            result = Array(value, node, level)
            if edges:  # rules may speak of the result as it is now
                result._lent = True
            return result
        if edges and np.asarray(concrete(value)).dtype.kind not in "biu":
            raise refused("an array", HELD_NOT)
        return concrete(value)
    if isinstance(value, list | tuple) and not edges:
        return rebuilt(value, [wrapped(v, (), level) for v in value])
    if edges:
        raise refused(type(value).__name__, HELD_NOT)
    return value


def valued(value: Any, like: Any, level: int) -> Any:
    """The value, with the derivatives of `like`."""
    if isinstance(value, list | tuple):
        return rebuilt(value, [valued(v, x, level) for v, x in zip(value, like, strict=True)])
    node = like.node if isinstance(like, Array) else None
    if node is None:
        return wrapped(value, (), level)
    if node.shape != np.shape(value):
        raise AssertionError(f"a rule of the tape gives shape {node.shape}, the value has {np.shape(value)}")
    same = Map(lambda t: t, lambda c: c)
    return wrapped(value, [Edge(node, same, same)], level)


def elementwise(
    function: Callable, partials: Sequence[Any], operands: Sequence[Any], value: Any, level: int
) -> Any:
    """The result of an elementwise operation with these partials, which are computed when needed."""
    values: list[Any] = []
    edges: list[Any] = []
    for i, x in enumerate(operands):
        if type(x) is not Array:
            values.append(np.asarray(x) if isinstance(x, list | tuple) else kept(x))
            continue
        values.append(x.value)
        node = x._node if x._base is None else x.node
        if node is not None and partials[i] is not None:
            edges.append(Scaled(node, partials[i], value, values))
    if function is np.multiply and len(edges) == 1:
        edges[0].partial = Choice(edges[0].partial)
    return noted(function, operands, wrapped(value, edges, level))


class Array:
    """See the module. An array owns its value, or is a view of another array."""

    __slots__ = (
        "_base", "_half", "_key", "_lent", "_level", "_node", "_seen", "_value", "_version", "_view", "foreign",
    )  # fmt: skip
    __array_priority__ = 1e6

    def __init__(
        self,
        value: Any,
        node: Node | None,
        level: int,
        base: Array | None = None,
        view: Callable | None = None,
        foreign: bool = False,
    ) -> None:
        self._value, self._node, self._level, self._base, self._view = value, node, level, base, view
        # its memory may be somebody else's
        self._lent = type(value) not in NUMBERS and (
            isinstance(value, Array) or getattr(value, "base", None) is not None
        )
        self._version, self._seen, self._key, self._half = 0, -1, None, None
        self.foreign = foreign  # a constant from outside of the function

    # ---- value and node

    @property
    def value(self) -> Any:
        """The value. You may keep it: a write to the array copies it first."""
        if self._base is None:
            self._lent = True
            return self._value
        self.root._lent = True
        return self._peek()

    def _peek(self) -> Any:
        return self._value if self._base is None else self._view(self._base._peek())  # type: ignore[misc]

    @property
    def root(self) -> Array:
        root = self
        while root._base is not None:
            root = root._base
        return root

    @property
    def level(self) -> int:
        """How many functions that are being recorded are around it; that of a view is the whole array's."""
        return self._level if self._base is None else self.root._level

    def written_inside(self, level: int) -> None:
        """It gets numbers of a function inside: it becomes an array of that function, whose value is its old self."""
        if level <= self.level or self.root.foreign:
            return
        if self._base is not None:
            return self.root.written_inside(level)
        self._value, self._node, self._level = Array(self._value, self._node, self._level), None, level
        self._lent, self._version = True, self._version + 1

    @property
    def node(self) -> Node | None:
        """The node; for a view a step from the current node of the whole array."""
        base = self._base
        if base is None:
            return self._node
        version = self.root._version
        if self._seen != version:
            self._seen, whole = version, base.node
            self._node = None if whole is None else (part_of if self._half is None else step_of)(self, whole)
        return self._node

    now = lambda self: self if self.is_scalar else Array(self.value, self.node, self.level)

    def through(self, step: Map) -> Any:
        """Apply a linear map."""
        edges = [] if self.node is None else [Edge(self.node, step, step.transpose)]
        return wrapped(step(self.value), edges, self.level)

    def as_view(self, value: Any, view: Callable) -> Any:
        """A view, which shares the memory of this array."""
        return Array(None, None, self.level, self, view) if is_view(value, self._peek()) else None

    def as_array(self) -> Array:
        """A number becomes an array without axes."""
        value = self.value.as_array() if isinstance(self._peek(), Array) else np.asarray(self.value)
        return Array(value, self.node, self.level)

    def _reshape(self, shape: Any) -> None:
        """Set the shape in place: the array becomes a view of its old self, and its views become views of that."""
        views = views_of(self, "_base")
        whole = Array(self._value, self._node, self.level, self._base, self._view, self.foreign)
        whole._lent, whole._version, whole._half = self._lent, self._version, self._half
        self._base, self._view, self._seen = whole, lambda z: z.reshape(shape), -1
        self._value = self._node = self._half = None
        for view in views:
            view._base = whole

    # ---- what it looks like

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        """The class that `isinstance` sees."""
        return self._peek().__class__

    stands_for = property(lambda self: self.__class__)
    shape = property(lambda self: np.shape(self._peek()), lambda self, shape: self._reshape(shape))
    ndim = property(lambda self: np.ndim(self._peek()))
    size = property(lambda self: np.size(self._peek()))
    dtype = property(
        lambda self: np.dtype(type(x)) if type(x := self._peek()) in (float, complex) else x.dtype
    )
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    flags = property(lambda self: concrete(self).flags)
    strides = property(lambda self: concrete(self).strides)
    device, __array_namespace__ = "cpu", None  # SciPy writes into what has a namespace
    base = property(lambda self: self._base)

    @property
    def is_scalar(self) -> bool:
        """Whether it is an immutable number, not an array without axes."""
        x = self._peek()
        return x.is_scalar if isinstance(x, Array) else type(x) is not np.ndarray

    # ---- text: a derivative does not go through it, so that nobody may read the same number from it again

    __repr__ = lambda self: self.unreadable(repr(concrete(self)))
    __str__ = lambda self: self.unreadable(str(concrete(self)))
    __format__ = lambda self, how: self.unreadable(format(concrete(self), how))

    def unreadable(self, text: str) -> str:
        """A text that does not parse, `<2.0>`: a number that code reads from a text would lose its derivative."""
        return text if self.node is None else f"<{text}>"

    # ---- looks at the numbers: only the way that the code takes depends on them

    def __bool__(self) -> bool:
        return compared("not_equal", (self, 0.0), bool(concrete(self)))

    def __int__(self) -> int:
        return int(self._key_of("int()"))

    def __index__(self) -> int:
        return operator.index(concrete(self))

    def __len__(self) -> int:
        return len(concrete(self))

    def __hash__(self) -> int:
        return hash(self._key_of("hash()"))

    __trunc__ = lambda self: int(self)
    __floor__ = lambda self: int(np.floor(self._key_of("floor()")))
    __ceil__ = lambda self: int(np.ceil(self._key_of("ceil()")))

    def _key_of(self, what: str) -> Any:
        keys.get([]).append(what)
        return looked(what.removesuffix("()"), (self,), concrete(self))

    def __float__(self) -> float:
        return float(self._left("float()"))

    def __complex__(self) -> complex:
        return complex(self._left("complex()"))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """A read-only array for C code: the tape would not see a write."""
        plain = np.array(self._left("numpy.asarray"), dtype)
        plain.flags.writeable = False
        return plain

    def _left(self, what: str) -> Any:
        if self.node is not None:
            lost.get([]).append(error := refused(what, ASKED))
            raise error
        return self.value if isinstance(self._peek(), Array) else self._peek()

    # ---- parts

    def __iter__(self) -> Any:
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, key: Any) -> Any:
        key = frozen(key)
        value = self._peek()[key]
        if not is_number(value):
            found = self.as_view(value, lambda z: z[key])
            if found is not None:
                found._key = key
                return found
        if self.node is None:
            return wrapped(value, (), self.level)
        return wrapped(value, [Taken(self.node, key)], self.level)

    def __setitem__(self, key: Any, x: Any) -> None:
        key, root = frozen(key), self.root
        if isinstance(x, Array) and x._base is self and type(x._key) is type(key) and x._key == key:
            return  # x[key] += y: the part has been written to
        if self._base is not None and root.dtype.kind == "c" and write_half(self, key, x):
            return
        if root.is_scalar:  # NumPy does not say that it was to be an array without axes (`out=...`)
            value = root._value
            root._value = np.asarray(value) if not isinstance(value, Array) else value.as_array()
            root._lent = True
        x_node = None
        if holds(x):
            x = x if isinstance(x, Array) else np.array(x, like=self)
            root.written_inside(x.level)
            if x.level == root.level:
                x, x_node = raw(x) if x.root is root else x._peek(), x.node
        if root.foreign:
            if x_node is not None or isinstance(x, Array):
                raise refused(
                    "an array from outside of the function", "it would be written to: write to a copy"
                )
            self._peek()[key] = x
            return
        buffer, held = root._value, root.node
        if isinstance(x, Array) and not isinstance(buffer, Array):
            buffer = Array(buffer, None, x.level)
            root._lent = True
        if root._lent:
            buffer = buffer.copy(order="K")
        root._value, root._lent = buffer, False
        target = self._peek()
        if self._base is not None and not is_view(target, buffer):
            raise refused(
                "an assignment",
                "it would have to be seen in an array with another order of its axes in memory",
            )
        if self._base is not None and overlaps(plain := concrete(target)) and overlaps(plain[key]):
            raise refused("an assignment", "the view has some numbers of the array several times")
        target[key] = x
        if held is None and x_node is None:
            return
        root._version += 1
        shape, part, at = root.shape, onto(self), key
        if self._base is not None:
            probe = np.empty(shape)
            if not np.may_share_memory(part(probe), probe):  # in an array of another order it would be a copy
                part, at = (lambda z: z.reshape(-1)), part(places_in(shape))[key]
        root._node = written(held, shape, part, at, x_node, np.iscomplexobj(buffer), self.level)
        written_to(root._node, concrete(buffer))


def is_number(value: Any) -> bool:
    return value.is_scalar if isinstance(value, Array) else type(value) is not np.ndarray


def is_view(value: Any, of: Any) -> bool:
    if isinstance(value, Array):
        return value._base is not None and isinstance(of, Array) and value.root is of.root
    return type(value) is np.ndarray and type(of) is np.ndarray and np.may_share_memory(value, of)


def frozen(key: Any) -> Any:
    """A copy of the index: the user's code may write to a mask later."""
    if type(key) is int:
        return key
    if isinstance(key, tuple):
        return tuple(map(frozen, key))
    if isinstance(key, Array):
        return concrete(key)
    return np.array(concrete(key)) if isinstance(key, np.ndarray | list) else key
