"""Linear maps on the host, with their transposes: linear to all orders."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._arguments import Static
from hostwrap._errors import RuleError
from hostwrap._form import COTANGENT, TANGENTS, Place, Places, host_form
from hostwrap._host import HostFunction
from hostwrap._layout import Layout, Result
from hostwrap._rules.base import Rule
from hostwrap._rules.hostside import HostRule, Owner
from hostwrap._rules.leaves import Arguments, Leaves, results_of, split


class Linear(Rule):
    """The map itself is its jvp, `transpose(cotangent)` its vjp; neither depends on where it is taken."""

    core_only = True

    def __init__(self, owner: Owner, declare: Callable, transpose: HostRule, conjugated: bool) -> None:
        self.owner, self.declare, self.transpose, self.conjugated = owner, declare, transpose, conjugated

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        kept = tuple(Static(name, value) for name, value in statics.items())

        @functools.lru_cache(maxsize=64)
        def form(host: HostFunction, *shapes: Any) -> Map:
            return Map(self, host, statics, *shapes)

        def linear(*values: Any) -> Any:
            values = jax.tree.map(_inexact, values)
            leaves, tree = jax.tree.flatten(values)
            declared = self.declare(values, kept)
            outs = declared.layout.outs
            return form(declared.host, tree, results_of(leaves), declared.out_tree, outs).apply(leaves)

        return linear


def _inexact(x: Any) -> Any:
    """Integers are numbers like others to a linear map."""
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.result_type(float))


class Map:
    """The form <cotangent, f(tangent)> for arguments and results of these shapes."""

    def __init__(
        self, rule: Linear, forward: HostFunction, statics: Mapping[str, Any],
        tree: Any, ins: Sequence[Result], out_tree: Any, outs: Sequence[Result],
    ) -> None:  # fmt: skip
        self.rule, self.forward, self.statics = rule, forward, statics
        self.args, self.outs = Arguments(rule.owner.names, tree, ins), Leaves(out_tree, outs)
        self.name, self.vmap_method = rule.owner.name, rule.owner.vmap_method
        self.host = functools.lru_cache(maxsize=64)(self._host)
        if not all(self.outs.inexact):
            raise RuleError(f"{self.name}: a linear map has floating-point results; {outs} is declared.")

    def __call__(self, *_: Any) -> None:
        raise TypeError(f"{self.name}: a form is evaluated on the host")  # see HostFunction

    def apply(self, leaves: Sequence[Any]) -> Any:
        ins = tuple(Place(TANGENTS[0], i) for i in range(len(leaves)))
        outs = tuple(Place(COTANGENT, j) for j in range(len(self.outs.results)))
        layout = Layout(tuple(x.ndim for x in leaves), self.outs.results)
        return jax.tree.unflatten(self.outs.tree, host_form(self, ins, outs, layout, leaves))

    def derivative(self, leaves: Sequence[int]) -> Any:
        raise TypeError(f"{self.name}: a linear map has no argument that it is not linear in")

    # ---- the host functions

    def _host(self, ins: Places, outs: Places) -> HostFunction:
        evaluate = self._forward if outs[0].slot == COTANGENT else self._backward
        words = tuple(map(self._word, outs))

        def function(*arrays: np.ndarray) -> list:
            given = {place.leaf: array for place, array in zip(ins, arrays, strict=True)}
            results = evaluate(given)
            return [results[place.leaf] for place in outs]

        if outs[0].slot == COTANGENT:
            return self.rule.owner.hosted(function, self.name, tuple(map(self._word, ins)))
        name = f"{self.name}, {self.rule.transpose.what}"
        return self.rule.owner.hosted(function, name, ("cotangent",) * len(ins), results=words)

    def _word(self, place: Place) -> str:
        return "the result" if place.slot == COTANGENT else f"`{self.args.name_of(place.leaf)}`"

    def _forward(self, given: Mapping[int, np.ndarray]) -> Sequence[Any]:
        return self.forward.function(*self.args.filled(given))

    def _backward(self, given: Mapping[int, np.ndarray]) -> Sequence[Any]:
        """A transpose is plain, A^T; it follows from the adjoint A^H as conj(A^H conj(c))."""
        conjugate = np.conj if self.rule.conjugated else lambda x: x
        filled = dict(enumerate(map(conjugate, self.outs.filled(given))))
        returned = self.rule.transpose(self.outs.whole(filled), statics=self.statics)
        what = f"{self.name}: {self.rule.transpose.what}"
        parts = [returned] if len(self.args.trees) == 1 else self.args.each(what, "cotangent", returned)
        leaves: list[Any] = []
        for name, tree, part in zip(self.args.names, self.args.trees, parts, strict=True):
            found = split(f"{what}'s result for `{name}`", tree, part)
            leaves += map(conjugate, map(np.asarray, found))
        return leaves
