"""The derivative table: an elementwise function and its partial derivatives of any order, in one host call.

`Table.level(indices)` is a JAX function that returns the derivatives with these multi-indices together. Its own
derivative is a level with orders higher by one. So value, gradient and Hessian each cost one host call, and the host
computes only what is used.
"""

from __future__ import annotations

import contextvars
import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._call.arguments import Statics, as_dict
from hostwrap._call.dtypes import kind_of
from hostwrap._call.spec import Spec
from hostwrap._host.function import WIDE
from hostwrap._host.origins import of_program
from hostwrap._lanes.primitive import along, host_call
from hostwrap._lanes.taylor import composed
from hostwrap._table.partials import Elementwise, Index, Unknown, combine, promoting
from hostwrap._table.program import Beside, Program
from hostwrap._table.shared import NotElementwise, shared

_NONE: Mapping[str, Any] = {}
_plain: contextvars.ContextVar[bool] = contextvars.ContextVar("hostwrap_plain", default=False)


class Table:
    """All derivatives of one elementwise function."""

    def __init__(self, function: Elementwise) -> None:
        self.f = function
        function.host.table = self
        self.level = functools.lru_cache(maxsize=None)(self._level)
        self.program = functools.lru_cache(maxsize=None)(self._program)
        self.derivative = functools.lru_cache(maxsize=None)(self._derivative)
        self.beside = functools.lru_cache(maxsize=None)(Beside)

    def __call__(self, *args: Any) -> tuple:
        """The function itself: a flat tuple of outputs."""
        return self.f.plain(*args) if _plain.get() else self.level((self.f.zero,))(*args)

    def _level(self, indices: tuple[Index, ...]) -> Callable[..., tuple]:
        """A function of the arguments, whose flat tuple has all outputs of the first multi-index, of the second, ..."""

        def values(*args: Any) -> tuple:
            program = None if indices == (self.f.zero,) else self.program(indices, self.f.kinds(args))
            if program is None and indices != (self.f.zero,):
                return self._apart(indices, *args)
            layout = self.f.layout(args, len(indices))
            host: Any = program or self.f.host
            if program and indices[0] == self.f.zero and self._has_own_loops(args):
                host = self.beside(self.f.host, len(self.f.layout(args).outs), program)
            return tuple(host_call(host, layout, *args, forward=_Level(self, indices)))

        return values

    def _has_own_loops(self, args: Sequence[Any]) -> bool:
        """For single precision, in which the value alone is what SciPy's loop says."""
        return not self.f.host.options.widen and any(a.dtype != WIDE.get(kind_of(a.dtype)) for a in args)

    def level_rule(
        self, indices: tuple[Index, ...], primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        live = self.f.perturbed(primals, tangents)
        above = {(index, slot): plus(index, slot) for index in indices for slot, _ in live}
        value = self.together({*indices, *above.values()}, primals)
        with promoting():
            if value is None:
                return along(functools.partial(self._apart, indices), primals, tangents)
            answer = sum((value[index] for index in indices), ())
            terms = [(self.f.what(s), sum((value[above[i, s]] for i in indices), ()), t) for s, t in live]
            return answer, combine(answer, terms)

    def together(self, indices: Iterable[Index], args: Sequence[Any]) -> dict[Index, tuple] | None:
        """The derivatives with these multi-indices, in one host call; None if they have no program."""
        wanted = tuple(sorted(set(indices), key=lambda index: (sum(index), index)))
        if self.program(wanted, self.f.kinds(args)) is None:
            return None
        flat = self.level(wanted)(*args)
        count = len(flat) // len(wanted)
        return {index: flat[k * count : (k + 1) * count] for k, index in enumerate(wanted)}

    def _apart(self, indices: Sequence[Index], *args: Any) -> tuple:
        """Derivatives without a program: JAX differentiates the rules, with one host call for each function in them."""
        return sum((self.f.derivative(index)(*args) for index in indices), ())

    def _program(self, indices: tuple[Index, ...], kinds: str) -> Program | None:
        """The derivatives as one NumPy program, traced on scalars in double precision."""
        token = _plain.set(True)
        try:
            with jax.enable_x64(True), promoting():
                bodies = [self.derivative(index, kinds).body for index in indices]  # type: ignore[attr-defined]
            origin = of_program(self.f.host.origin, indices, kinds)
            return Program(
                self.f.host.name, self.f.host.argnames, bodies, origin, self.f.host.maker, self.f.host
            )
        except NotElementwise:
            return None
        finally:
            _plain.reset(token)

    def _derivative(self, index: Index, kinds: str) -> Callable[..., tuple]:
        """One derivative, for programs: the derivative of the next lower one, without duplicate equations."""
        function = self.f.derivative(index)
        if sum(index) > 1:
            last = max(slot for slot, order in enumerate(index) if order)
            function = self.f.differentiated(self.derivative(plus(index, last, -1), kinds), last)
        return shared(function, _scalars(kinds))


@dataclasses.dataclass(frozen=True)
class _Level:
    """The jvp rule of the host call of a level."""

    table: Table
    indices: tuple[Index, ...]

    def __call__(
        self, primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        return self.table.level_rule(self.indices, primals, tangents)

    def series(self, primals: Sequence[Any], series: Sequence[Any], moving: Sequence[bool]) -> tuple | None:
        """The Taylor series, from all partials up to its order, in one host call."""
        f, order = self.table.f, len(series[0])
        slots = f.perturbed(primals, [terms if m else None for m, terms in zip(moving, series, strict=True)])
        live, steps = [s for s, _ in slots], [terms for _, terms in slots]
        orders = [p for p in itertools.product(range(order + 1), repeat=len(live)) if sum(p) <= order]
        above = {(index, p): _moved(index, live, p) for index in self.indices for p in orders}
        value = self.table.together(above.values(), primals)
        if value is None:
            return None
        with promoting():
            found = [
                composed(lambda p, index=index, j=j: value[above[index, p]][j], steps, order)  # type: ignore[misc]
                for index in self.indices
                for j in range(len(value[index]))
            ]
        return [terms[0] for terms in found], [terms[1:] for terms in found]


def _moved(index: Index, slots: Sequence[int], orders: Sequence[int]) -> Index:
    for slot, more in zip(slots, orders, strict=True):
        index = plus(index, slot, more)
    return index


def _scalars(kinds: str) -> list[jax.ShapeDtypeStruct]:
    return [jax.ShapeDtypeStruct((), WIDE.get(k, np.bool_)) for k in kinds]


def plus(index: Index, slot: int, more: int = 1) -> Index:
    return tuple(order + more * (k == slot) for k, order in enumerate(index))


def with_partials(
    spec: Spec, rules: Mapping[str, Any], statics: Statics, conjugates: Mapping[str, Any] = _NONE
) -> Callable:
    """The function with these partials. An argument that is None (an optional array) is left out.

    `rules[name](answer, *arguments, **statics)` is the partial derivative in an argument; `conjugates[name]` is the one
    in its conjugate.
    """
    table = functools.lru_cache(maxsize=64)(functools.partial(_table, spec, rules, conjugates, statics))
    out_tree = spec.results_tree(len(spec.signature_of(len(spec.names)).outs))

    def call(*values: Any) -> Any:
        present = tuple(i for i, x in enumerate(values) if x is not None)
        return jax.tree.unflatten(out_tree, table(present)(*(values[i] for i in present)))

    call.table = table  # type: ignore[attr-defined]
    return call


def _table(
    spec: Spec, rules: Mapping[str, Any], conjugates: Mapping[str, Any], statics: Statics, present: tuple[int, ...],
) -> Table:  # fmt: skip
    def everything(arrays: Sequence[Any]) -> list:
        values: list[Any] = [None] * len(spec.names)
        for i, array in zip(present, arrays, strict=True):
            values[i] = array
        return values

    def adapted(rule: Any) -> Any:
        if isinstance(rule, Unknown):
            return rule
        return lambda answer, *arrays: rule(answer, *everything(arrays), **as_dict(statics))

    names = tuple(spec.names[i] for i in present)
    count = len(spec.signature_of(len(present)).outs)
    out_tree = spec.results_tree(count)
    host = spec.host(names, statics, jax.tree.structure(tuple(everything([0] * len(present)))), out_tree)
    function = Elementwise(
        host,
        [adapted(rules[name]) for name in names],
        {names.index(name): adapted(rule) for name, rule in conjugates.items() if name in names},
        functools.partial(spec.dtypes.results, count=count),
        functools.partial(jax.tree.unflatten, out_tree),
    )
    return Table(function)
