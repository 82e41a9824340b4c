"""`host_form`: a multilinear form of which the host can contract all slots but one.

Every derivative of f that a host function can give is a contraction of

    <cotangent, D^k f(primals)[tangent, second, ...]>

with one slot left *open*: with the cotangent open it is the derivative along the tangents (jvp, k = 1), with a tangent
open it is the vjp (k = 1) or the product of the Hessian of <cotangent, f> with the other tangent (k = 2). The form is
linear in each slot. So its transpose in a slot puts the cotangent of the result into the slot that was open, and opens
that one; its derivative in a slot is itself, and in the primals it is the form with k + 1. Where the numbers come from
is the form's business: see `_rules`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp

from hostwrap import _lanes
from hostwrap._compiler import (
    Primitive,
    array_type,
    dce_rules,
    instantiate,
    is_undefined_primal,
    is_zero,
    lower_fun,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
    register_lowering,
    vary,
)
from hostwrap._errors import RuleError
from hostwrap._layout import Layout, Result
from hostwrap._primitive import Host, host_call_p, to_front

PRIMAL, ANSWER, COTANGENT = "primal", "answer", "cotangent"
TANGENTS = ("tangent", "second")


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

    def derivative(self, leaves: Sequence[int]) -> tuple[Form, str]:
        """The derivative in these leaves of the primals, and its new slot; MissingDerivative if there is none."""


def host_form(form: Form, ins: Places, outs: Places, layout: Layout, operands: Sequence[Any]) -> list:
    """The open slot of the form; operands are `batch + core` as in `host_call`, with equal numbers of batch axes."""
    return _bind(operands, form=form, ins=ins, outs=outs, layout=layout, lane=_lanes.current())


def _bind(operands: Sequence[Any], **params: Any) -> list:
    return host_form_p.bind(*vary(tuple(map(jnp.asarray, operands))), **params)


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
    results = _bind(to_front(operands, dims, params["form"].vmap_method), **params)
    return results, [0] * len(results)


primitive_batchers[host_form_p] = _batch


def _dce(used: Sequence[bool], *rest: Any) -> tuple[list[bool], Any]:
    """Leaves that nobody uses are not asked for."""
    eqn = rest[-1]
    if not any(used):
        return [False] * len(eqn.invars), None
    kept = [i for i, u in enumerate(used) if u]
    outvars, outs = ([row[i] for i in kept] for row in (eqn.outvars, eqn.params["outs"]))
    layout = eqn.params["layout"]
    layout = Layout(layout.in_core, tuple(layout.outs[i] for i in kept))
    params = {**eqn.params, "outs": tuple(outs), "layout": layout}
    return [True] * len(eqn.invars), eqn.replace(outvars=outvars, params=params)


dce_rules[host_form_p] = _dce


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[list, list]:
    """The product rule: the same form with each slot's tangent in its place, and the next form for the primals'."""
    ins: Places = params["ins"]
    answers = _bind(primals, **params)
    totals = [jnp.zeros_like(y) for y in answers]
    moving = [i for i, t in enumerate(tangents) if not is_zero(t)]
    for slot in dict.fromkeys(ins[i].slot for i in moving):
        if slot == PRIMAL:
            terms = _differentiated(primals, tangents, [i for i in moving if ins[i].slot == PRIMAL], **params)
        else:
            rows = zip(ins, primals, tangents, strict=True)
            terms = _bind([instantiate(t) if p.slot == slot else x for p, x, t in rows], **params)
        totals = [total + term for total, term in zip(totals, terms, strict=True)]
    return answers, totals


def _differentiated(
    primals: Sequence[Any], tangents: Sequence[Any], moving: Sequence[int],
    *, form: Form, ins: Places, layout: Layout, **params: Any,
) -> list:  # fmt: skip
    form, slot = form.derivative([ins[i].leaf for i in moving])
    places = tuple(Place(slot, ins[i].leaf) for i in moving)
    wider = Layout(layout.in_core + tuple(layout.in_core[i] for i in moving), layout.outs)
    operands = [*primals, *(tangents[i] for i in moving)]
    return _bind(operands, form=form, ins=ins + places, layout=wider, **params)


primitive_jvps[host_form_p] = _jvp


def _transpose(cotangents: Sequence[Any], *operands: Any, **params: Any) -> list:
    """The slot that was open is given, and the one that is asked for is open."""
    ins, layout = params["ins"], params["layout"]
    asked = [i for i, x in enumerate(operands) if is_undefined_primal(x)]
    slot = ins[asked[0]].slot
    if slot in (PRIMAL, ANSWER):
        raise RuleError(
            f"{params['form'].name}: it is not linear in its arguments, and has no transpose in them."
        )
    # what else stands in the slot is a constant to which the form is added; it has no part in the transpose
    given = [i for i in range(len(operands)) if ins[i].slot != slot]
    if all(map(is_zero, cotangents)):
        return [None] * len(operands)
    in_core = tuple(layout.in_core[i] for i in given) + tuple(len(out.shape) for out in layout.outs)
    results = tuple(_core(operands[i].aval, layout.in_core[i]) for i in asked)
    transposed = _bind(
        [*(operands[i] for i in given), *map(instantiate, cotangents)],
        form=params["form"],
        ins=(*(ins[i] for i in given), *params["outs"]),
        outs=tuple(ins[i] for i in asked),
        layout=Layout(in_core, results),
        lane=params["lane"],
    )
    answers: list[Any] = [None] * len(operands)
    for i, value in zip(asked, transposed, strict=True):
        answers[i] = _summed(value, operands[i].aval.shape)
    return answers


primitive_transposes[host_form_p] = _transpose


def _core(aval: Any, core: int) -> Result:
    return Result(aval.shape[len(aval.shape) - core :], aval.dtype)


def _summed(value: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """The sum over the axes along which an operand of this shape was broadcast."""
    value = jnp.sum(value, axis=tuple(range(value.ndim - len(shape))))
    axes = tuple(i for i, (a, b) in enumerate(zip(value.shape, shape, strict=True)) if a != b)
    return jnp.sum(value, axis=axes, keepdims=True)
