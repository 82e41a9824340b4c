"""Multilinear forms (see `form`) from rules in NumPy: jvp, vjp and hvp (`defhost`), and transposes (`linear`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.spec import Call
from hostwrap._errors import MissingDerivative, RuleError, missing_derivative
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Result
from hostwrap._rules import form
from hostwrap._rules.form import ANSWER, COTANGENT, LIVE, PRIMAL, SECOND, TANGENT, Next, Place, Places
from hostwrap._rules.onhost import Arguments, Leaves, NumpyRule, OnHost, cores_of, is_complex, picked, split
from hostwrap._rules.rule import Attached, Function

Slots = dict[str, dict[int, np.ndarray]]


class Contraction(NamedTuple):
    """How the open slot is computed: `evaluate(slots, wanted leaves)`, for a rule with this name in errors."""

    evaluate: Callable[[Slots, Sequence[int]], Sequence[Any]]
    what: str = ""
    vmap_method: str | None = None


class NumpyForm(form.Form):
    """A form for arguments and results of known shapes, computed in NumPy."""

    def __init__(self, rule: OnHost, f: Function, args: Arguments, outs: Leaves) -> None:
        self.rule, self.f, self.args, self.outs = rule, f, args, outs
        self.name, self.vmap_method = f.name, rule.vmap_method or f.spec.options.vmap_method
        self.host = functools.lru_cache(maxsize=64)(self._host)

    def contraction(self, opened: str, leaf: int) -> Contraction:
        """The contraction that opens this slot; without one it raises MissingDerivative in the leaf's argument."""
        raise NotImplementedError

    def no(self, what: str, leaf: int, why: str) -> MissingDerivative:
        return missing_derivative(self.name, self.args.names[self.args.owner[leaf]], why, what)

    def _host(self, ins: Places, outs: Places) -> HostFunction:
        tangents = [p.leaf for p in (*outs, *ins) if p.slot not in (PRIMAL, ANSWER, COTANGENT, LIVE)]
        way = self.contraction(outs[0].slot, tangents[0] if tangents else 0)
        wanted = [place.leaf for place in outs]

        def function(*arrays: np.ndarray) -> tuple:
            slots: Slots = {}
            for place, array in zip(ins, arrays, strict=True):
                slots.setdefault(place.slot, {})[place.leaf] = array
            return tuple(way.evaluate(slots, wanted))

        return self.f.spec.hosted(
            function,
            f"{self.name}, {way.what}" if way.what else self.name,
            tuple(map(self._operand, ins)),
            results=tuple(map(self._result, outs)),
            vmap_method=way.vmap_method or self.vmap_method,
        )

    def _operand(self, place: Place) -> str:
        if place.slot in (ANSWER, COTANGENT, LIVE):
            return "ans" if place.slot == ANSWER else place.slot
        name = self.args.name_of(place.leaf)
        return name if place.slot == PRIMAL else f"tangent of {name}"

    def _result(self, place: Place) -> str:
        if place.slot == COTANGENT:
            return "the tangent of the answer"
        return f"the cotangent of `{self.args.name_of(place.leaf)}`"


class Value(NumpyForm):
    """The function itself as a form: <cotangent, f(primals)>, or for a linear map <cotangent, f(tangent)>."""

    def __init__(self, forward: HostFunction, *about: Any) -> None:
        super().__init__(*about)
        self.forward, self.vmap_method = forward, self.f.spec.options.vmap_method

    @classmethod
    def function(cls, rule: OnHost, f: Function) -> Attached:
        """The function, one form for each kind of call."""

        @functools.lru_cache(maxsize=64)
        def made(host: HostFunction, tree: Any, ins: Any, out_tree: Any, outs: Any) -> Value:
            return cls(host, rule, f, Arguments(f.name, f.names, tree, ins), Leaves(out_tree, outs))

        def function(declared: Call, leaves: Sequence[Any]) -> Any:
            layout = declared.layout
            shapes = declared.tree, cores_of(leaves, layout.in_core), declared.out_tree, layout.outs
            value = made(declared.host, *shapes)
            ins = tuple(Place(value.slot_of(i), i) for i in range(len(leaves)))
            outs = tuple(Place(COTANGENT, j) for j in range(len(layout.outs)))
            results = form.host_form(value, ins, outs, layout, leaves)
            return jax.tree.unflatten(declared.out_tree, results)

        return function

    def slot_of(self, leaf: int) -> str:
        """The slot of an argument of the function."""
        return PRIMAL

    def contraction(self, opened: str, leaf: int) -> Contraction:
        return Contraction(self._value, vmap_method=self.vmap_method)

    def _value(self, slots: Slots, wanted: Sequence[int]) -> list:
        given = {i: array for leaves in slots.values() for i, array in leaves.items()}
        results = self.forward.function(*self.args.filled(given))
        return [results[j] for j in wanted]

    def _host(self, ins: Places, outs: Places) -> HostFunction:
        # in the order of the function: in a transpose of a transpose the operands come in another order
        whole = [place.leaf for place in ins] == list(range(len(self.args.results)))
        whole = whole and [place.leaf for place in outs] == list(range(len(self.outs.results)))
        return self.forward if whole and outs[0].slot == COTANGENT else super()._host(ins, outs)


# ---- jvp, vjp, hvp


class Products(OnHost):
    """`jvp(primals, tangents)`, `vjp(primals, cotangent)`, `hvp(primals, tangents, cotangent)` in NumPy."""

    def attach(self, f: Function) -> Attached:
        return Primal.function(self, f)


class Primal(Value):
    """<cotangent, f(primals)>, with its derivatives."""

    def __init__(self, forward: HostFunction, *about: Any) -> None:
        super().__init__(forward, *about)
        self.first = First(*about)

    def derivative(self, leaves: Sequence[int]) -> Next:
        for leaf in leaves:
            self.rule.refuse(self.name, self.args.names[self.args.owner[leaf]])
        return Next(self.first, TANGENT, self.rule.wants_answer)


class Derivative(NumpyForm):
    """A form that the rules compute."""

    def called(self, kind: str, slots: Slots, *args: Any, needed: Sequence[int]) -> Any:
        ans = self.outs.whole(slots[ANSWER]) if ANSWER in slots else None
        extras = {"ans": ans, "needed": self.args.needed(needed), "live": slots.get(LIVE, {0: True})[0]}
        return self.rule.rules[kind](self.args.whole(slots[PRIMAL]), *args, statics=self.f.keywords, **extras)


class First(Derivative):
    """<cotangent, Df(primals) tangent>"""

    def derivative(self, leaves: Sequence[int]) -> Next:
        if "hvp" not in self.rule.rules:
            raise self.no("second derivative", leaves[0], "defhost was given no hvp=; add it")
        return Next(self._second, SECOND)

    @functools.cached_property
    def _second(self) -> Second:
        return Second(self.rule, self.f, self.args, self.outs)

    def contraction(self, opened: str, leaf: int) -> Contraction:
        forward = opened == COTANGENT
        kind, other, mode = ("jvp", "vjp", "forward") if forward else ("vjp", "jvp", "reverse")
        if kind not in self.rule.rules:
            raise self.no("derivative", leaf, f"defhost was given {other}= only; for {mode} mode add {kind}=")
        return Contraction(self._jvp if forward else self._vjp, self.rule.rules[kind].what)

    def _jvp(self, slots: Slots, wanted: Sequence[int]) -> list:
        what = f"{self.name}: the jvp rule's tangent"
        tangents = self.args.tangents(slots[TANGENT])
        tangent = self.called("jvp", slots, tangents, needed=list(slots[TANGENT]))
        return picked(what, split(what, self.outs.tree, tangent), wanted)

    def _vjp(self, slots: Slots, wanted: Sequence[int]) -> list:
        cotangents = self.called("vjp", slots, self.outs.whole(slots[COTANGENT]), needed=wanted)
        return self.args.cotangents("the vjp rule", cotangents, wanted)


class Second(Derivative):
    """<cotangent, D^2 f(primals)[tangent, second]>. It is symmetric, so hvp opens either tangent's slot."""

    def derivative(self, leaves: Sequence[int]) -> Next:
        raise self.no("third derivative", leaves[0], self.rule.last)

    def contraction(self, opened: str, leaf: int) -> Contraction:
        what = self.rule.rules["hvp"].what
        if opened == COTANGENT:
            # a rule should not have to handle unit cotangents in front of a batch
            return Contraction(self._by_elements, what, "sequential")
        given = SECOND if opened == TANGENT else TANGENT
        return Contraction(functools.partial(self._hvp, given), what)

    def _hvp(self, given: str, slots: Slots, wanted: Sequence[int]) -> list:
        return self._product(slots, given, self.outs.whole(slots[COTANGENT]), wanted)

    def _product(self, slots: Slots, given: str, cotangent: Any, wanted: Sequence[int]) -> list:
        product = self.called("hvp", slots, self.args.tangents(slots[given]), cotangent, needed=wanted)
        return self.args.cotangents("the hvp rule", product, wanted)

    def _by_elements(self, slots: Slots, wanted: Sequence[int]) -> list:
        """Forward over forward: element k of D^2 f[t, u] is u . (Hessian of f_k) t, one hvp for each element."""
        other = slots[SECOND]

        def element(j: int, index: tuple[int, ...], unit: complex) -> float:
            cotangent = np.zeros(self.outs.results[j].shape, np.result_type(unit, np.float64))
            cotangent[index] = unit
            product = self._product(slots, TANGENT, self.outs.whole({j: cotangent}), list(other))
            return sum(np.sum(h * u).real for h, u in zip(product, other.values(), strict=True))

        return [self._elements(self.outs.results[j], functools.partial(element, j)) for j in wanted]

    def _elements(self, result: Result, element: Callable[..., float]) -> np.ndarray:
        """Unit cotangents. The pairing of complex numbers is Re(c y), so the cotangent -i gives the imaginary part."""
        indices = np.ndindex(result.shape)
        if is_complex(result):
            values: list = [element(i, 1 + 0j) + 1j * element(i, -1j) for i in indices]
        else:
            values = [element(i, 1.0) for i in indices]
        return np.reshape(np.asarray(values, np.result_type(*values, np.float64)), result.shape)


# ---- linear maps


class Linear(OnHost):
    """A map with a transpose in each of its linear slots: the slot of all arguments together, or slots of one argument.

    In the slot `TANGENT` of all arguments a rule is `transpose(cotangent)`, in that of one argument it is
    `transpose(cotangent, *arguments)`.
    """

    def __init__(self, rules: Mapping[str, NumpyRule], conjugated: bool = False) -> None:
        super().__init__(rules)
        self.conjugated = conjugated

    def attach(self, f: Function) -> Attached:
        function = Map.function(self, f)

        def attached(declared: Call, leaves: Sequence[Any]) -> Any:
            # integers as floats: a linear map takes them like other numbers
            if not all(jnp.issubdtype(x.dtype, jnp.inexact) for x in leaves):
                real = jnp.result_type(float)
                leaves = [x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(real) for x in leaves]
                declared = f.spec.declare(jax.tree.unflatten(declared.tree, leaves), f.statics)
            return function(declared, leaves)

        return attached


def slot_of_one(argument: str) -> str:
    return f"argument {argument}"


class Map(Value):
    """<cotangent, f(arguments)>; an argument without a transpose is a primal."""

    rule: Linear

    def __init__(self, forward: HostFunction, *about: Any) -> None:
        super().__init__(forward, *about)
        if len(self.outs.inexact) < len(self.outs.results):
            declared = ", ".join(str(out.dtype) for out in self.outs.results)
            raise RuleError(
                f"{self.name}: the result of a linear map is floating-point; declared is {declared}."
            )

    def slot_of(self, leaf: int) -> str:
        own = slot_of_one(self.args.names[self.args.owner[leaf]])
        return next((slot for slot in (TANGENT, own) if slot in self.rule.rules), PRIMAL)

    def derivative(self, leaves: Sequence[int]) -> Next:
        raise self.no("derivative", leaves[0], "linear was given no transpose= for it")

    def contraction(self, opened: str, leaf: int) -> Contraction:
        if opened == COTANGENT:
            return super().contraction(opened, leaf)
        return Contraction(functools.partial(self._backward, opened), self.rule.rules[opened].what)

    def _backward(self, opened: str, slots: Slots, wanted: Sequence[int]) -> list:
        """A^T c; from an adjoint A^H as conj(A^H conj(c)).

        A real argument gets the real part, because a real dx gives Re(c A dx) = Re(A^T c) dx. A rule for one argument
        gets zeros in place of that argument, for its shape.
        """
        rule, names = self.rule.rules[opened], self.args.names
        conjugate: Callable = np.conj if self.rule.conjugated else np.asarray
        cotangents = self.outs.filled(slots[COTANGENT])
        cotangent = jax.tree.unflatten(self.outs.tree, map(conjugate, cotangents))
        if opened == TANGENT:
            returned = rule(cotangent, statics=self.f.keywords)
            parts = dict(enumerate(self.args.each(rule.what, "cotangent", returned)))
        else:
            given = {i: x for slot, leaves in slots.items() if slot != COTANGENT for i, x in leaves.items()}
            batch = cotangents[0].shape[: cotangents[0].ndim - len(self.outs.results[0].shape)]
            zeros = lambda like: np.broadcast_to(np.zeros((), like.dtype), batch + like.shape)
            arrays = [given[i] if i in given else zeros(x) for i, x in enumerate(self.args.results)]
            arguments = jax.tree.unflatten(self.args.tree, arrays)
            returned = rule(cotangent, *arguments, statics=self.f.keywords)
            parts = {next(a for a, name in enumerate(names) if slot_of_one(name) == opened): returned}
        found: dict[int, Any] = {}
        for a, part in parts.items():
            what = f"{self.name}: {rule.what}'s cotangent of `{names[a]}`"
            found.update(zip(self.args.spans[a], split(what, self.args.trees[a], part), strict=True))
        fit = lambda i: conjugate(found[i]) if is_complex(self.args.results[i]) else np.real(found[i])
        return list(map(fit, wanted))
