"""Linear maps on the host, with their transposes: linear to all orders."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import RuleError
from hostwrap._host.function import HostFunction
from hostwrap._rules.base import Rule
from hostwrap._rules.form import COTANGENT, TANGENT
from hostwrap._rules.forms import Contraction, Slots, Value, as_form
from hostwrap._rules.hostside import HostRule, Owner
from hostwrap._rules.leaves import split


class Linear(Rule):
    """The map itself is its jvp, `transpose(cotangent)` its vjp; neither depends on where it is taken."""

    core_only = True

    def __init__(self, owner: Owner, transpose: HostRule, conjugated: bool) -> None:
        self.owner, self.transpose, self.conjugated = owner, transpose, conjugated

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        linear = as_form(self.owner, statics, functools.partial(Map, self))
        return lambda *values: linear(*jax.tree.map(_inexact, values))


def _inexact(x: Any) -> Any:
    """Integers are numbers like others to a linear map."""
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.result_type(float))


class Map(Value):
    """<cotangent, f(tangent)>"""

    given = TANGENT

    def __init__(self, rule: Linear, forward: HostFunction, *about: Any) -> None:
        super().__init__(forward, *about)
        self.rule = rule
        if not all(self.outs.inexact):
            declared = ", ".join(str(out.dtype) for out in self.outs.results)
            raise RuleError(
                f"{self.name}: the result of a linear map is floating-point; declared is {declared}."
            )

    def contraction(self, opened: str, leaf: int) -> Contraction:
        if opened == COTANGENT:
            return super().contraction(opened, leaf)
        return Contraction(self._backward, self.rule.transpose.what)

    def _backward(self, slots: Slots, wanted: Sequence[int]) -> list:
        """A transpose is plain, A^T; it follows from the adjoint A^H as conj(A^H conj(c)).

        To a real argument belongs the real part: a real dx gives Re(c A dx) = Re(A^T c) dx.
        """
        conjugate: Callable = np.conj if self.rule.conjugated else np.asarray
        cotangents = dict(enumerate(map(conjugate, self.outs.filled(slots[COTANGENT]))))
        returned = self.rule.transpose(self.outs.whole(cotangents), statics=self.statics)
        leaves = self._leaves(f"{self.name}: {self.rule.transpose.what}", returned)
        reals = [not jnp.issubdtype(self.args.results[i].dtype, jnp.complexfloating) for i in wanted]
        return [np.real(leaves[i]) if r else conjugate(leaves[i]) for i, r in zip(wanted, reals, strict=True)]

    def _leaves(self, what: str, returned: Any) -> list:
        single = len(self.args.trees) == 1
        parts = [returned] if single else self.args.each(what, "cotangent", returned)
        rows = zip(self.args.names, self.args.trees, parts, strict=True)
        return [
            leaf for name, tree, part in rows for leaf in split(f"{what}'s cotangent of `{name}`", tree, part)
        ]
