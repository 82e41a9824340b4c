"""Derivative and transpose of a form: forms again. Importing this module teaches them to JAX."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._errors import RuleError
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.compiler import (
    instantiate,
    is_undefined_primal,
    is_zero,
    primitive_jvps,
    primitive_transposes,
    zero_tangent,
)
from hostwrap._rules.form import ANSWER, PRIMAL, Form, Place, Places, bind, host_form_p


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[list, list]:
    """The product rule: the same form with each slot's tangent in its place, and the next form for the primals'."""
    ins: Places = params["ins"]
    answers = bind(primals, **params)
    terms: list[list] = [[] for _ in answers]
    moving = [i for i, (x, t) in enumerate(zip(primals, tangents, strict=True)) if _moves(x, t)]
    for slot in dict.fromkeys(ins[i].slot for i in moving):
        which = [i for i in moving if ins[i].slot == slot]
        if slot == PRIMAL:
            found = _in_primals(primals, tangents, which, answers, **params)
        elif slot == ANSWER:  # no variable of its own: what is given in the primals is the whole derivative
            continue
        else:
            rows = zip(ins, primals, tangents, strict=True)
            operands = [instantiate(t) if place.slot == slot else x for place, x, t in rows]
            found = dict(enumerate(bind(operands, **params)))
        for k, term in found.items():
            terms[k].append(term)
    return answers, [_total(y, parts) for y, parts in zip(answers, terms, strict=True)]


def _moves(primal: Any, tangent: Any) -> bool:
    return not is_zero(tangent) and jnp.issubdtype(primal.dtype, jnp.inexact)


def _total(answer: Any, terms: Sequence[Any]) -> Any:
    return functools.reduce(jnp.add, terms) if terms else zero_tangent(answer)


def _in_primals(
    primals: Sequence[Any], tangents: Sequence[Any], moving: Sequence[int], answers: Sequence[Any],
    *, form: Form, ins: Places, outs: Places, layout: Layout, lane: str,
) -> dict[int, Any]:  # fmt: skip
    """The derivative of each result that has one; integers have none."""
    inexact = [k for k, out in enumerate(layout.outs) if jnp.issubdtype(out.dtype, jnp.inexact)]
    if not inexact:
        return {}
    following = form.derivative([ins[i].leaf for i in moving])
    known = list(zip(outs, answers, layout.outs, strict=True)) if following.answer else []
    added = [(Place(ANSWER, place.leaf), y, len(out.shape)) for place, y, out in known]
    added += [(Place(following.slot, ins[i].leaf), tangents[i], layout.in_core[i]) for i in moving]
    places, operands, cores = zip(*added, strict=True)
    layout = Layout((*layout.in_core, *cores), tuple(layout.outs[k] for k in inexact))
    params = {"form": following.form, "ins": (*ins, *places), "outs": tuple(outs[k] for k in inexact)}
    results = bind([*primals, *operands], **params, layout=layout, lane=lane)
    return dict(zip(inexact, results, strict=True))


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
    transposed = bind(
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
