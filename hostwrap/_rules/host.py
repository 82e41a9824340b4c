"""Derivatives that NumPy functions compute, without a Jacobian: jvp, vjp and hvp on the host."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import missing
from hostwrap._form import ANSWER, COTANGENT, PRIMAL, TANGENTS, Place, Places, host_form
from hostwrap._host import HostFunction
from hostwrap._layout import Layout, Result
from hostwrap._rules.base import Rule, differentiable, refuse_discrete
from hostwrap._rules.hostside import Excluded, HostRule, Owner
from hostwrap._rules.leaves import Arguments, Leaves, picked, results_of
from hostwrap._rules.tangents import by_argument, is_symbolic_zero

Slots = dict[str, dict[int, np.ndarray]]


class Host(Rule):
    """`jvp(primals, tangents)`, `vjp(primals, cotangent)`, `hvp(primals, tangents, cotangent)` in NumPy."""

    core_only = True

    def __init__(self, owner: Owner, rules: Mapping[str, HostRule], excluded: Excluded) -> None:
        self.owner, self.rules, self.excluded = owner, rules, excluded
        self.wants_answer = any(rule.wants_answer for rule in rules.values())

    def check(self, function: str, names: Sequence[str], values: Sequence[Any]) -> None:
        refuse_discrete(function, names, values, self.excluded.given)

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        @functools.lru_cache(maxsize=64)
        def form(*shapes: Any) -> Derivative:
            return Derivative(self, statics, *shapes)

        def rule(primals: Any, tangents: Any) -> Any:
            answer = custom(*primals)
            self.excluded.refuse(function, names, by_argument(tangents))
            (xs, tree), (ys, out_tree) = jax.tree.flatten(primals), jax.tree.flatten(answer)
            ts = jax.tree.leaves(tangents, is_leaf=is_symbolic_zero)
            derivative = form(tree, results_of(xs), out_tree, results_of(ys))
            return answer, derivative.along(xs, ys if self.wants_answer else (), ts)

        custom = differentiable(call, rule)
        return custom


class Derivative:
    """The form <cotangent, D^order f(primals)[tangent, second]> for arguments and results of these shapes."""

    def __init__(
        self, rule: Host, statics: Mapping[str, Any], tree: Any, ins: Sequence[Result],
        out_tree: Any, outs: Sequence[Result], order: int = 1,
    ) -> None:  # fmt: skip
        self.rule, self.statics, self.order = rule, statics, order
        self.args, self.outs = Arguments(rule.owner.names, tree, ins), Leaves(out_tree, outs)
        self.name, self.vmap_method = rule.owner.name, rule.owner.vmap_method
        self.host = functools.lru_cache(maxsize=64)(self._host)

    def __call__(self, *_: Any) -> None:
        raise TypeError(f"{self.name}: a form is evaluated on the host")  # see HostFunction

    def along(self, primals: Sequence[Any], answer: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The derivative of the answer along the tangents that are not symbolic zeros."""
        moving = [i for i in self.args.moving if not is_symbolic_zero(tangents[i])]
        leaves: list[Any] = [jnp.zeros(out.shape, out.dtype) for out in self.outs.results]
        if moving and self.outs.moving:
            fixed = [
                *primals,
                *map(jax.lax.stop_gradient, answer),
            ]  # hvp is the whole derivative: ans is no variable
            ins = [
                *_places(PRIMAL, primals),
                *_places(ANSWER, answer),
                *(Place(TANGENTS[0], i) for i in moving),
            ]
            operands = [*fixed, *(tangents[i] for i in moving)]
            layout = Layout(
                tuple(x.ndim for x in operands), tuple(self.outs.results[j] for j in self.outs.moving)
            )
            outs = tuple(Place(COTANGENT, j) for j in self.outs.moving)
            results = host_form(self, tuple(ins), outs, layout, operands)
            for j, result in zip(self.outs.moving, results, strict=True):
                leaves[j] = result
        return jax.tree.unflatten(self.outs.tree, leaves)

    def derivative(self, leaves: Sequence[int]) -> tuple[Derivative, str]:
        argument = self.args.names[self.args.owner[leaves[0]]]
        if self.order == len(TANGENTS):
            raise missing(self.name, argument, "hvp= is the last that defhost takes", "third derivative")
        if "hvp" not in self.rule.rules:
            raise missing(self.name, argument, "defhost was given no hvp=; add it", "second derivative")
        return self._second, TANGENTS[1]

    @functools.cached_property
    def _second(self) -> Derivative:
        shapes = (self.args.tree, self.args.results, self.outs.tree, self.outs.results)
        return Derivative(self.rule, self.statics, *shapes, order=2)

    # ---- the host functions

    def _host(self, ins: Places, outs: Places) -> HostFunction:
        forward = outs[0].slot == COTANGENT
        kind = "hvp" if self.order == 2 else "jvp" if forward else "vjp"
        if kind not in self.rule.rules:
            leaf = next(p.leaf for p in (*ins, *outs) if p.slot == TANGENTS[0])
            mode, other = ("forward", "vjp") if forward else ("reverse", "jvp")
            why = f"defhost was given {other}= only; for {mode} mode add {kind}="
            raise missing(self.name, self.args.names[self.args.owner[leaf]], why)
        wanted = tuple(p.leaf for p in outs)
        evaluate = getattr(self, f"_{kind}" if not (forward and kind == "hvp") else "_hvp_by_elements")

        def function(*arrays: np.ndarray) -> list:
            slots: Slots = {}
            for place, array in zip(ins, arrays, strict=True):
                slots.setdefault(place.slot, {})[place.leaf] = array
            return evaluate(slots, wanted, outs[0].slot)

        # a batch of unit cotangents in front of a batch of arrays is more than a rule should have to think of
        method = "sequential" if evaluate == self._hvp_by_elements else self.vmap_method
        return self.rule.owner.hosted(
            function, f"{self.name}, {self.rule.rules[kind].what}", tuple(map(self._operand, ins)),
            results=tuple(map(self._result, outs)),
            vmap_method=method,
        )  # fmt: skip

    def _operand(self, place: Place) -> str:
        if place.slot in (ANSWER, COTANGENT):
            return "ans" if place.slot == ANSWER else "cotangent"
        name = self.args.name_of(place.leaf)
        return name if place.slot == PRIMAL else f"tangent of {name}"

    def _result(self, place: Place) -> str:
        if place.slot == COTANGENT:
            return "the tangent of the answer"
        return f"the cotangent of `{self.args.name_of(place.leaf)}`"

    def _call(self, kind: str, slots: Slots, *args: Any, needed: Any = None) -> Any:
        ans = self.outs.whole(slots[ANSWER]) if ANSWER in slots else None
        primals = self.args.whole(slots[PRIMAL])
        return self.rule.rules[kind](primals, *args, statics=self.statics, ans=ans, needed=needed)

    def _jvp(self, slots: Slots, wanted: Sequence[int], _: str) -> list:
        what = f"{self.name}: the jvp rule's tangent"
        given = slots[TANGENTS[0]]
        tangent = self._call("jvp", slots, self.args.tangents(given), needed=self.args.needed(list(given)))
        return picked(what, self.outs.split(what, tangent), wanted)

    def _vjp(self, slots: Slots, wanted: Sequence[int], _: str) -> list:
        cotangent = self.outs.whole(slots[COTANGENT])
        cotangents = self._call("vjp", slots, cotangent, needed=self.args.needed(wanted))
        return self.args.cotangents(self.name, "the vjp rule", cotangents, wanted)

    def _hvp(self, slots: Slots, wanted: Sequence[int], opened: str) -> list:
        """The Hessian of <cotangent, f> is symmetric: either tangent may be the one that is left open."""
        along = slots[TANGENTS[1] if opened == TANGENTS[0] else TANGENTS[0]]
        return self._product(slots, along, self.outs.whole(slots[COTANGENT]), wanted)

    def _product(self, slots: Slots, along: dict, cotangent: Any, wanted: Sequence[int]) -> list:
        needed = self.args.needed(wanted)
        product = self._call("hvp", slots, self.args.tangents(along), cotangent, needed=needed)
        return self.args.cotangents(self.name, "the hvp rule", product, wanted)

    def _hvp_by_elements(self, slots: Slots, wanted: Sequence[int], _: str) -> list:
        """D^2 f[t, u], forward over forward: element k is u . (Hessian of f_k) t; one hvp for each number."""
        along, other = slots[TANGENTS[0]], slots[TANGENTS[1]]

        def element(j: int, index: tuple[int, ...], unit: complex) -> float:
            result = self.outs.results[j]
            cotangent = np.zeros(result.shape, np.result_type(unit, np.float64))
            cotangent[index] = unit
            product = self._product(slots, along, self.outs.whole({j: cotangent}), list(other))
            return sum(np.sum(h * u).real for h, u in zip(product, other.values(), strict=True))

        return [self._elements(j, functools.partial(element, j)) for j in wanted]

    def _elements(self, j: int, element: Callable[..., float]) -> np.ndarray:
        """The pairing of complex numbers is Re(c y): its imaginary part comes with the cotangent -i."""
        result = self.outs.results[j]
        if not jnp.issubdtype(result.dtype, jnp.complexfloating):
            values: list = [element(index, 1.0) for index in np.ndindex(result.shape)]
        else:
            values = [element(i, 1 + 0j) + 1j * element(i, -1j) for i in np.ndindex(result.shape)]
        return np.reshape(np.asarray(values, np.result_type(*values, np.float64)), result.shape)


def _places(slot: str, leaves: Sequence[Any]) -> list[Place]:
    return [Place(slot, i) for i in range(len(leaves))]
