"""What the forms of host rules have in common: from the leaves in the slots to one host function for each use."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._call.arguments import Static
from hostwrap._errors import MissingDerivative, missing
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._rules import multilinear  # noqa: F401  (JAX learns the derivatives of forms)
from hostwrap._rules.form import ANSWER, COTANGENT, PRIMAL, Next, Place, Places, host_form
from hostwrap._rules.hostside import Owner
from hostwrap._rules.leaves import Arguments, Leaves, results_of

Slots = dict[str, dict[int, np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Contraction:
    """How the open slot is computed: `evaluate(slots, wanted leaves)`, for a rule with this name in errors."""

    evaluate: Callable[[Slots, Sequence[int]], Sequence[Any]]
    what: str = ""
    vmap_method: str | None = None


class HostForm:
    """A form (see `hostwrap._form`) for arguments and results of known shapes."""

    def __init__(
        self, owner: Owner, statics: Mapping[str, Any],
        tree: Any, ins: Sequence[Result], out_tree: Any, outs: Sequence[Result],
    ) -> None:  # fmt: skip
        self.owner, self.statics = owner, statics
        self.name, self.vmap_method = owner.name, owner.vmap_method
        self.args, self.outs = Arguments(owner.names, tree, ins), Leaves(out_tree, outs)
        self.host = functools.lru_cache(maxsize=64)(self._host)

    def __call__(self, *_: Any) -> None:
        raise TypeError(f"{self.name}: a form is evaluated on the host")  # see HostFunction

    def contraction(self, opened: str, leaf: int) -> Contraction:
        """The way to this slot; MissingDerivative, in the argument of this leaf, if there is none."""
        raise NotImplementedError

    def derivative(self, leaves: Sequence[int]) -> Next:
        """The form of the next order; MissingDerivative if there is none."""
        raise NotImplementedError

    def no(self, what: str, leaf: int, why: str) -> MissingDerivative:
        return missing(self.name, self.args.names[self.args.owner[leaf]], why, what)

    def _host(self, ins: Places, outs: Places) -> HostFunction:
        moving = [p.leaf for p in (*outs, *ins) if p.slot not in (PRIMAL, ANSWER, COTANGENT)]
        way = self.contraction(outs[0].slot, moving[0] if moving else 0)
        wanted = [place.leaf for place in outs]

        def function(*arrays: np.ndarray) -> Sequence[Any]:
            slots: Slots = {}
            for place, array in zip(ins, arrays, strict=True):
                slots.setdefault(place.slot, {})[place.leaf] = array
            return way.evaluate(slots, wanted)

        return self.owner.hosted(
            function,
            f"{self.name}, {way.what}" if way.what else self.name,
            tuple(map(self._operand, ins)),
            results=tuple(map(self._result, outs)),
            vmap_method=way.vmap_method or self.vmap_method,
        )

    def _operand(self, place: Place) -> str:
        if place.slot in (ANSWER, COTANGENT):
            return "ans" if place.slot == ANSWER else "cotangent"
        name = self.args.name_of(place.leaf)
        return name if place.slot == PRIMAL else f"tangent of {name}"

    def _result(self, place: Place) -> str:
        if place.slot == COTANGENT:
            return "the tangent of the answer"
        return f"the cotangent of `{self.args.name_of(place.leaf)}`"


class Value(HostForm):
    """A form that holds the function itself: what it is linear in, or its primals, are in the slot `given`."""

    given: str

    def __init__(self, forward: HostFunction, *about: Any) -> None:
        super().__init__(*about)
        self.forward, self.vmap_method = forward, self.owner.own_method

    def apply(self, leaves: Sequence[Any]) -> Any:
        ins = tuple(Place(self.given, i) for i in range(len(leaves)))
        outs = tuple(Place(COTANGENT, j) for j in range(len(self.outs.results)))
        layout = Layout(tuple(x.ndim for x in leaves), self.outs.results)
        return jax.tree.unflatten(self.outs.tree, host_form(self, ins, outs, layout, leaves))

    def contraction(self, opened: str, leaf: int) -> Contraction:
        return Contraction(self._value, vmap_method=self.vmap_method)

    def _value(self, slots: Slots, wanted: Sequence[int]) -> list:
        results = self.forward.function(*self.args.filled(slots[self.given]))
        return [results[j] for j in wanted]

    def _host(self, ins: Places, outs: Places) -> HostFunction:
        whole = len(ins) == len(self.args.results) and len(outs) == len(self.outs.results)
        return self.forward if whole and outs[0].slot == COTANGENT else super()._host(ins, outs)


def as_form(owner: Owner, statics: Mapping[str, Any], make: Callable[..., Value]) -> Callable:
    """The function of its arguments: `make(forward, owner, statics, shapes)`, once for each kind of call, applied."""
    kept = tuple(Static(name, value) for name, value in statics.items())

    @functools.lru_cache(maxsize=64)
    def form(forward: HostFunction, *shapes: Any) -> Value:
        return make(forward, owner, statics, *shapes)

    def call(*values: Any) -> Any:
        leaves, tree = jax.tree.flatten(values)
        declared = owner.declare(values, kept)
        shapes = (tree, results_of(leaves), declared.out_tree, declared.layout.outs)
        return form(declared.host, *shapes).apply(leaves)

    return call
