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
import jax.numpy as jnp
import numpy as np

from hostwrap._call.arguments import Statics, as_dict
from hostwrap._call.dtypes import kind_of, x64_enabled
from hostwrap._call.spec import Spec
from hostwrap._errors import RuleError
from hostwrap._host.function import WIDE, HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._host.origins import of_program
from hostwrap._lanes.primitive import along, host_call
from hostwrap._lanes.taylor import composed
from hostwrap._table.partials import Rule, Unknown, combine, evaluate, inexact, promoting, replaced
from hostwrap._table.program import Program
from hostwrap._table.shared import Body, NotElementwise, differentiated, shared

Index = tuple[int, ...]
_NONE: Mapping[str, Any] = {}
_plain: contextvars.ContextVar[bool] = contextvars.ContextVar("hostwrap_plain", default=False)


class Table:
    """An elementwise host function with a rule for each partial derivative, and its derivatives of any order.

    A multi-index gives the order of differentiation in each *slot*. A slot is an argument. Where the function is not
    holomorphic in a complex argument x + iy, that has two slots: df = f_x dx + f_y dy. `rules[i]` is the partial in
    argument i, in its real part if it has an imaginary one; `imaginary[i]` is the partial in that. Wirtinger's f_z and
    f_zbar would cancel in the direction in which the modulus of a scaled function hardly changes.
    """

    def __init__(
        self, host: HostFunction, rules: Sequence[Rule | Unknown], imaginary: dict[int, Rule],
        result_dtypes: Callable[[Sequence[Any]], Sequence[np.dtype]], pack: Callable[[tuple], Any],
    ) -> None:  # fmt: skip
        host.table = self
        self.made_of: tuple | None = (
            None  # the spec of the function, its statics, the structure of its arguments
        )
        self.host, self.pack, self.result_dtypes = host, pack, result_dtypes
        self.slots: list[tuple[int, bool]] = [(i, False) for i in range(len(rules))]
        self.slots += [(i, True) for i in imaginary]
        self.rules = [*rules, *imaginary.values()]
        self.imaginary = imaginary
        self.known_rules: dict = {}  # of the calls in the rules
        self.zero: Index = (0,) * len(self.slots)
        self._layout = functools.lru_cache(maxsize=256)(self._layout_of)
        self.level = functools.lru_cache(maxsize=None)(self._level)
        self.program = functools.lru_cache(maxsize=None)(self._program)
        self.derivative = functools.lru_cache(maxsize=None)(self._derivative)

    def __call__(self, *args: Any) -> tuple:
        """The function itself: a flat tuple of outputs."""
        return self.plain(*args) if _plain.get() else self.level((self.zero,))(*args)

    def _level(self, indices: tuple[Index, ...]) -> Callable[..., tuple]:
        """A function of the arguments, whose flat tuple has all outputs of the first multi-index, of the second, ..."""

        def values(*args: Any) -> tuple:
            program = None if indices == (self.zero,) else self.program(indices, self.kinds(args))
            if program is None and indices != (self.zero,):
                return self.apart(indices, *args)
            layout = self.layout(args, len(indices))
            return tuple(host_call(program or self.host, layout, *args, forward=_Level(self, indices)))

        return values

    def together(self, indices: Iterable[Index], args: Sequence[Any]) -> dict[Index, tuple] | None:
        """The derivatives with these multi-indices, in one host call; None if they have no program."""
        wanted = tuple(sorted(set(indices), key=lambda index: (sum(index), index)))
        if self.program(wanted, self.kinds(args)) is None:
            return None
        flat = self.level(wanted)(*args)
        count = len(flat) // len(wanted)
        return {index: flat[k * count : (k + 1) * count] for k, index in enumerate(wanted)}

    def apart(self, indices: Sequence[Index], *args: Any) -> tuple:
        """Derivatives without a program: JAX differentiates the rules, with one host call for each function in them."""
        return sum((self.by_rules(index)(*args) for index in indices), ())

    def _program(self, indices: tuple[Index, ...], kinds: str) -> Program | None:
        """The derivatives as one NumPy program, traced on scalars in double precision."""
        token = _plain.set(True)
        try:
            with jax.enable_x64(True), promoting():
                bodies = [self.derivative(index, kinds) for index in indices]
            host, origin = self.host, of_program(self.host.origin, indices, kinds)
            own = len(bodies[0].outvars) if indices[0] == self.zero else 0
            return Program(host.name, host.argnames, bodies, origin, host.maker, host, own)
        except NotElementwise:
            return None
        finally:
            _plain.reset(token)

    def _derivative(self, index: Index, kinds: str) -> Body:
        """One derivative, for programs: the derivative of the next lower one."""
        if sum(index) < 2:
            return shared(self.by_rules(index), _scalars(kinds))
        last = max(slot for slot, order in enumerate(index) if order)
        place, imaginary = self.slots[last]
        lower = self.derivative(plus(index, last, -1), kinds)
        return differentiated(lower, place, 1j if imaginary else 1, self.known_rules)

    # ---- one rule at a time, each with host calls of its own

    def plain(self, *args: Any) -> tuple:
        return tuple(host_call(self.host, self.layout(args), *args, forward=self.plain_rule))

    def plain_rule(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[tuple, tuple]:
        with promoting():
            answer = self.plain(*primals)
            live = self.perturbed(primals, tangents)
            terms = [(self.what(s), self.partial(s, answer, primals), t) for s, t in live]
            return answer, combine(answer, terms)

    def partial(self, slot: int, answer: tuple, args: Sequence[Any]) -> list:
        """The partial in a slot, an inexact array for each output."""
        argument, what = self.host.argnames[self.slots[slot][0]], self.what(slot)
        partial = evaluate(self.host.name, argument, self.rules[slot], self.pack(answer), *args)
        if len(answer) == 1:
            return [inexact(what, partial, *answer)]
        if not isinstance(partial, tuple | list) or len(partial) != len(answer):
            raise RuleError(
                f"{what} must be a tuple with one for each of the {len(answer)} results, got {partial!r:.80}."
            )
        return [inexact(what, part, y) for part, y in zip(partial, answer, strict=True)]

    def what(self, slot: int) -> str:
        """The name of the rule of a slot in errors."""
        return f"{self.host.name}: the partial with respect to `{self.host.argnames[self.slots[slot][0]]}`"

    def perturbed(self, primals: Sequence[Any], tangents: Sequence[Any]) -> list[tuple[int, Any]]:
        """(slot, tangent) for every slot with a tangent, which may be a list of terms."""
        live = []
        for slot, (i, imaginary) in enumerate(self.slots):
            parts = self.has_parts(i, primals[i])
            if tangents[i] is not None and (parts or not imaginary):
                part = (jnp.imag if imaginary else jnp.real) if parts else lambda t: t
                live.append((slot, jax.tree.map(part, tangents[i])))
        return live

    def has_parts(self, i: int, x: Any) -> bool:
        """Whether the derivatives in the real and in the imaginary part of argument i are two."""
        return i in self.imaginary and jnp.iscomplexobj(x)

    def by_rules(self, index: Index) -> Callable[..., tuple]:
        """The derivative as a JAX function: one rule for the first order, JAX's derivatives of it for the rest."""
        if not any(index):
            return self.plain
        first = min(slot for slot, order in enumerate(index) if order)

        def function(*args: Any) -> tuple:
            return tuple(map(jnp.asarray, self.partial(first, self.plain(*args), args)))

        for slot, order in enumerate(index):
            for _ in range(order - (slot == first)):
                function = self.differentiated(function, slot)
        return function

    def differentiated(self, function: Callable[..., tuple], slot: int) -> Callable[..., tuple]:
        i, imaginary = self.slots[slot]

        def derivative(*args: Any) -> tuple:
            direction = np.asarray(1j if imaginary else 1, args[i].dtype)
            return jax.jvp(lambda x: function(*replaced(args, [i], [x])), (args[i],), (direction,))[1]

        return derivative

    def kinds(self, args: Sequence[Any]) -> str:
        return "".join(kind_of(a.dtype) for a in args)

    def layout(self, args: Sequence[Any], derivatives: int = 1) -> Layout:
        """The layout of an elementwise call, in the common precision of the inexact arguments."""
        return self._layout(tuple(a.dtype for a in args), derivatives, x64_enabled())

    def _layout_of(self, dtypes: tuple, derivatives: int, x64: bool) -> Layout:
        outs = tuple(Result((), dtype) for dtype in self.result_dtypes(dtypes))
        return Layout((0,) * len(dtypes), outs * derivatives)


@dataclasses.dataclass(frozen=True)
class _Level:
    """The jvp rule of the host call of a level."""

    table: Table
    indices: tuple[Index, ...]

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        f, indices = self.table, self.indices
        live = f.perturbed(primals, tangents)
        above = {(index, slot): plus(index, slot) for index in indices for slot, _ in live}
        value = f.together({*indices, *above.values()}, primals)
        with promoting():
            if value is None:
                return along(functools.partial(f.apart, indices), primals, tangents)
            answer = sum((value[index] for index in indices), ())
            terms = [(f.what(s), sum((value[above[i, s]] for i in indices), ()), t) for s, t in live]
            return answer, combine(answer, terms)

    def series(self, primals: Sequence[Any], series: Sequence[Any], moving: Sequence[bool]) -> tuple | None:
        """The Taylor series, from all partials up to its order, in one host call."""
        f, order = self.table, len(series[0])
        slots = f.perturbed(primals, [terms if m else None for m, terms in zip(moving, series, strict=True)])
        live, steps = [s for s, _ in slots], [terms for _, terms in slots]
        orders = [p for p in itertools.product(range(order + 1), repeat=len(live)) if sum(p) <= order]
        above = {(index, p): _moved(index, live, p) for index in self.indices for p in orders}
        value = f.together(above.values(), primals)
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
    spec: Spec, rules: Mapping[str, Any], statics: Statics, imaginary: Mapping[str, Any] = _NONE
) -> Callable:
    """The function with these partials. An argument that is None (an optional array) is left out.

    `rules[name](answer, *arguments, **statics)` is the partial derivative in an argument. If the function is not
    holomorphic in it, that is the one in the real part, and `imaginary[name]` the one in the imaginary part.
    """
    count, keywords = len(spec.signature_of(len(spec.names)).outs), as_dict(statics)
    out_tree = spec.results_tree(count)

    @functools.lru_cache(maxsize=64)
    def table(present: tuple[int, ...]) -> Table:
        everything = lambda arrays: replaced([None] * len(spec.names), present, arrays)

        def adapted(rule: Any) -> Any:
            if isinstance(rule, Unknown):
                return rule
            return lambda answer, *arrays: rule(answer, *everything(arrays), **keywords)

        names = tuple(spec.names[i] for i in present)
        tree: Any = jax.tree.structure(tuple(everything([0] * len(present))))
        made = Table(
            spec.host(names, statics, tree, out_tree),
            [adapted(rules[name]) for name in names],
            {names.index(name): adapted(rule) for name, rule in imaginary.items() if name in names},
            functools.partial(spec.dtypes.results, count=count),
            functools.partial(jax.tree.unflatten, out_tree),
        )
        made.made_of = spec, statics, tree
        return made

    def call(*values: Any) -> Any:
        present = tuple(i for i, x in enumerate(values) if x is not None)
        return jax.tree.unflatten(out_tree, table(present)(*(values[i] for i in present)))

    call.table = table  # type: ignore[attr-defined]
    return call
