"""Derivatives that NumPy functions compute, without a Jacobian: jvp, vjp and hvp on the host."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._host.function import HostFunction
from hostwrap._rules.base import Rule, refuse_discrete
from hostwrap._rules.form import ANSWER, COTANGENT, PRIMAL, SECOND, TANGENT, Next
from hostwrap._rules.forms import Contraction, HostForm, Slots, Value, as_form
from hostwrap._rules.hostside import Excluded, HostRule, Owner
from hostwrap._rules.leaves import picked

Rules = Mapping[str, HostRule]


class Host(Rule):
    """`jvp(primals, tangents)`, `vjp(primals, cotangent)`, `hvp(primals, tangents, cotangent)` in NumPy."""

    core_only = True

    def __init__(self, owner: Owner, rules: Rules, excluded: Excluded) -> None:
        self.owner, self.rules, self.excluded = owner, rules, excluded

    def check(self, function: str, names: Sequence[str], values: Sequence[Any]) -> None:
        refuse_discrete(function, names, values, self.excluded.given)

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        return as_form(self.owner, statics, functools.partial(Primal, self.rules, self.excluded))


class Primal(Value):
    """f(primals), and the way to its derivatives."""

    given = PRIMAL

    def __init__(self, rules: Rules, excluded: Excluded, forward: HostFunction, *about: Any) -> None:
        super().__init__(forward, *about)
        self.first, self.excluded = First(rules, *about), excluded
        self.answer = any(rule.wants_answer for rule in rules.values())

    def derivative(self, leaves: Sequence[int]) -> Next:
        for leaf in leaves:
            self.excluded.refuse(self.name, self.args.names[self.args.owner[leaf]])
        return Next(self.first, TANGENT, self.answer)


class Derivative(HostForm):
    """A form made of these rules."""

    def __init__(self, rules: Rules, *about: Any) -> None:
        super().__init__(*about)
        self.rules, self.about = rules, about

    def _call(self, kind: str, slots: Slots, *args: Any, needed: Sequence[int]) -> Any:
        ans = self.outs.whole(slots[ANSWER]) if ANSWER in slots else None
        primals = self.args.whole(slots[PRIMAL])
        flags = self.args.needed(needed)
        return self.rules[kind](primals, *args, statics=self.statics, ans=ans, needed=flags)


class First(Derivative):
    """<cotangent, Df(primals) tangent>"""

    def derivative(self, leaves: Sequence[int]) -> Next:
        if "hvp" not in self.rules:
            raise self.no("second derivative", leaves[0], "defhost was given no hvp=; add it")
        return Next(self._second, SECOND)

    @functools.cached_property
    def _second(self) -> Second:
        return Second(self.rules, *self.about)

    def contraction(self, opened: str, leaf: int) -> Contraction:
        forward = opened == COTANGENT
        kind, other, mode = ("jvp", "vjp", "forward") if forward else ("vjp", "jvp", "reverse")
        if kind not in self.rules:
            raise self.no("derivative", leaf, f"defhost was given {other}= only; for {mode} mode add {kind}=")
        return Contraction(self._jvp if forward else self._vjp, self.rules[kind].what)

    def _jvp(self, slots: Slots, wanted: Sequence[int]) -> list:
        what = f"{self.name}: the jvp rule's tangent"
        tangents = self.args.tangents(slots[TANGENT])
        tangent = self._call("jvp", slots, tangents, needed=list(slots[TANGENT]))
        return picked(what, self.outs.split(what, tangent), wanted)

    def _vjp(self, slots: Slots, wanted: Sequence[int]) -> list:
        cotangents = self._call("vjp", slots, self.outs.whole(slots[COTANGENT]), needed=wanted)
        return self.args.cotangents(self.name, "the vjp rule", cotangents, wanted)


class Second(Derivative):
    """<cotangent, D^2 f(primals)[tangent, second]>: symmetric, so hvp gives either tangent's slot from the other."""

    def derivative(self, leaves: Sequence[int]) -> Next:
        raise self.no("third derivative", leaves[0], "hvp= is the last rule that defhost takes")

    def contraction(self, opened: str, leaf: int) -> Contraction:
        if opened == COTANGENT:
            # unit cotangents in front of a batch of arrays are more than a rule should have to think of
            return Contraction(self._by_elements, self.rules["hvp"].what, "sequential")
        given = SECOND if opened == TANGENT else TANGENT
        return Contraction(functools.partial(self._hvp, given), self.rules["hvp"].what)

    def _hvp(self, given: str, slots: Slots, wanted: Sequence[int]) -> list:
        return self._product(slots, given, self.outs.whole(slots[COTANGENT]), wanted)

    def _product(self, slots: Slots, given: str, cotangent: Any, wanted: Sequence[int]) -> list:
        product = self._call("hvp", slots, self.args.tangents(slots[given]), cotangent, needed=wanted)
        return self.args.cotangents(self.name, "the hvp rule", product, wanted)

    def _by_elements(self, slots: Slots, wanted: Sequence[int]) -> list:
        """Forward over forward: element k of D^2 f[t, u] is u . (Hessian of f_k) t; one hvp for each number."""
        other = slots[SECOND]

        def element(j: int, index: tuple[int, ...], unit: complex) -> float:
            cotangent = np.zeros(self.outs.results[j].shape, np.result_type(unit, np.float64))
            cotangent[index] = unit
            product = self._product(slots, TANGENT, self.outs.whole({j: cotangent}), list(other))
            return sum(np.sum(h * u).real for h, u in zip(product, other.values(), strict=True))

        return [self._elements(j, functools.partial(element, j)) for j in wanted]

    def _elements(self, j: int, element: Callable[..., float]) -> np.ndarray:
        """The pairing of complex numbers is Re(c y): the imaginary part comes with the cotangent -i."""
        shape, dtype = self.outs.results[j].shape, self.outs.results[j].dtype
        if jnp.issubdtype(dtype, jnp.complexfloating):
            values: list = [element(i, 1 + 0j) + 1j * element(i, -1j) for i in np.ndindex(shape)]
        else:
            values = [element(i, 1.0) for i in np.ndindex(shape)]
        return np.reshape(np.asarray(values, np.result_type(*values, np.float64)), shape)
