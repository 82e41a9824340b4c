"""`host_form`: a multilinear form of which the host can contract all slots but one.

Every derivative of f that a host function can give is a contraction of

    <cotangent, D^k f(primals)[tangent, second, ...]>

with one slot left *open*: with the cotangent open it is the value (k = 0) or the derivative along the tangents (jvp,
k = 1), with a tangent open it is the vjp (k = 1) or the product of the Hessian of <cotangent, f> with the other tangent
(k = 2). The form is linear in each slot. So its transpose in a slot puts the cotangent of the result into the slot that
was open, and opens that one; its derivative in a slot is itself, and in the primals it is the form with k + 1. Where
the numbers come from is the form's business: see `_rules`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp

from hostwrap import _lanes
from hostwrap._host.layout import Layout
from hostwrap._lanes.compiler import (
    Primitive,
    array_type,
    dce_rules,
    lower_fun,
    primitive_batchers,
    register_lowering,
    vary,
)
from hostwrap._lanes.primitive import Host, host_call_p, pad_ranks, to_front

PRIMAL, ANSWER, COTANGENT = "primal", "answer", "cotangent"
TANGENT, SECOND = "tangent", "second"


class Place(NamedTuple):
    """Where an operand or a result belongs: the slot, and the number of the leaf in it."""

    slot: str
    leaf: int


Places = tuple[Place, ...]


class Form(Hashable, Protocol):
    """Hashed by identity, as a host function is."""

    name: str
    vmap_method: str

    def host(self, ins: Places, outs: Places) -> Host:
        """The host function from these leaves to those of the open slot; MissingDerivative if there is none."""

    def derivative(self, leaves: Sequence[int]) -> Next:
        """The derivative in these leaves of the primals; MissingDerivative if there is none."""


class Next(NamedTuple):
    """The form of the next order, the slot that it has in addition, and whether it wants to know the answer."""

    form: Form
    slot: str
    answer: bool = False


def host_form(form: Form, ins: Places, outs: Places, layout: Layout, operands: Sequence[Any]) -> list:
    """The open slot of the form; operands are `batch + core` as in `host_call`, with equal numbers of batch axes."""
    return bind(operands, form=form, ins=ins, outs=outs, layout=layout, lane=_lanes.current())


def bind(operands: Sequence[Any], **params: Any) -> list:
    """As `host_form`, with all parameters of the primitive."""
    operands = vary(tuple(map(jnp.asarray, operands)))
    if params["form"].vmap_method != "legacy_vectorized":
        operands = pad_ranks(operands, params["layout"].in_core)
    return host_form_p.bind(*operands, **params)


host_form_p = Primitive("host_form")
host_form_p.multiple_results = True


@host_form_p.def_abstract_eval
def _abstract(*avals: Any, form: Form, ins: Places, outs: Places, layout: Layout, lane: str) -> list:
    batch = layout.batch(a.shape for a in avals)
    return [array_type(batch + out.shape, out.dtype, avals, len(batch)) for out in layout.outs]


@host_form_p.def_impl
def _call(*operands: Any, form: Form, ins: Places, outs: Places, layout: Layout, lane: str) -> list:
    active = tuple(range(len(outs)))
    return host_call_p.bind(*operands, host=form.host(ins, outs), layout=layout, active=active, lane=lane)


register_lowering(host_form_p, lower_fun(_call, multiple_results=True), cacheable=False)


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    results = bind(to_front(operands, dims, params["form"].vmap_method), **params)
    return results, [0] * len(results)


primitive_batchers[host_form_p] = _batch


def _dce(used: Sequence[bool], *rest: Any) -> tuple[list[bool], Any]:
    """Cotangents that nobody uses are not asked for. (Results come together, and the answer may be wanted whole.)"""
    eqn = rest[-1]
    if not any(used):
        return [False] * len(eqn.invars), None
    if eqn.params["outs"][0].slot == COTANGENT:
        return [True] * len(eqn.invars), eqn
    kept = [i for i, u in enumerate(used) if u]
    outvars, outs = ([row[i] for i in kept] for row in (eqn.outvars, eqn.params["outs"]))
    layout = eqn.params["layout"]
    layout = Layout(layout.in_core, tuple(layout.outs[i] for i in kept))
    params = {**eqn.params, "outs": tuple(outs), "layout": layout}
    return [True] * len(eqn.invars), eqn.replace(outvars=outvars, params=params)


dce_rules[host_form_p] = _dce
