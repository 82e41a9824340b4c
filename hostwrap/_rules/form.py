"""`host_form`: a multilinear form. The host can contract all of its slots but one.

Every derivative of f that a host function can give is a contraction of

    <cotangent, D^k f(primals)[tangent, second, ...]>

with one slot left *open*. With the cotangent open it is the value (k = 0) or the jvp (k = 1). With a tangent open it is
the vjp (k = 1), or the Hessian of <cotangent, f> times the other tangent (k = 2). The form is linear in each slot. So
its transpose in a slot puts the cotangent of the result into the open slot, and opens the other one. Its derivative in
a slot is the form itself, and its derivative in the primals is the form with k + 1. A subclass of `Form` says how the
numbers are computed: see `products`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from hostwrap import _lanes
from hostwrap._errors import RuleError
from hostwrap._host.function import Host, HostCall
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes import taylor
from hostwrap._lanes.compiler import (
    dce_rules,
    instantiate,
    is_undefined_primal,
    is_zero,
    lower_fun,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
    register_lowering,
    zero_tangent,
)
from hostwrap._lanes.primitive import aligned, host_call_p, moves, result_types, to_front, used_only

PRIMAL, ANSWER, COTANGENT = "primal", "answer", "cotangent"
LIVE = "live"  # True, but False where JAX put zeros in place of the operands, see `alive`
TANGENT, SECOND = "tangent", "second"


class Place(NamedTuple):
    """The slot of an operand or a result, and the number of its leaf there."""

    slot: str
    leaf: int


Places = tuple[Place, ...]


class Form:
    """Base of all forms. Hashed by identity, like a host function."""

    name: str
    vmap_method: str | None
    host: Callable[[Places, Places], Host]
    """From these leaves to those of the open slot; MissingDerivative if there is none."""

    def derivative(self, leaves: Sequence[int]) -> Next:
        """The derivative in these leaves of the primals; raises MissingDerivative if there is none."""
        raise NotImplementedError

    def __call__(self, *_: Any) -> None:
        raise TypeError(f"{self.name}: a form is evaluated on the host.")  # see Host


class Next(NamedTuple):
    """The form of the next order, its additional slot, and whether it needs the answer."""

    form: Form
    slot: str
    answer: bool = False


def host_form(form: Form, ins: Places, outs: Places, layout: Layout, operands: Sequence[Any]) -> list:
    """Compute the open slot of the form; operands are `batch + core`, as in `host_call`."""
    return _bind(operands, form=form, ins=ins, outs=outs, layout=layout, lane=_lanes.current())


def _bind(operands: Sequence[Any], **params: Any) -> list:
    """`host_form` with all parameters of the primitive."""
    operands = aligned(map(jnp.asarray, operands), params["form"].vmap_method, params["layout"])
    return host_form_p.bind(*operands, **params)


host_form_p = taylor.Primitive("host_form")
host_form_p.multiple_results = True


@host_form_p.def_abstract_eval
def _abstract(*avals: Any, form: Form, ins: Places, outs: Places, layout: Layout, lane: str) -> list:
    return result_types(avals, layout)


@host_form_p.def_impl
def _call(*operands: Any, form: Form, ins: Places, outs: Places, layout: Layout, lane: str) -> list:
    call = HostCall(form.host(ins, outs), layout, tuple(range(len(outs))))
    return host_call_p.bind(*operands, call=call, lane=lane, forward=None)


register_lowering(host_form_p, lower_fun(_call, multiple_results=True), cacheable=False)


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    results = _bind(to_front(operands, dims, params["form"].vmap_method), **params)
    return results, [0] * len(results)


primitive_batchers[host_form_p] = _batch


def alive(answer: Any) -> Any:
    """A traced True that depends on the answer.

    Under `vmap` both branches of a `lax.cond` run. In reverse mode the branch that was not taken gets zeros for all of
    its residuals, so this becomes False there, and the form can skip the work: JAX discards the result.
    """
    return (answer == answer) | True


# ---- the derivative and the transpose of a form are forms


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[list, list]:
    """The product rule: the same form with each slot's tangent in its place, and the next form for the primals'."""
    ins: Places = params["ins"]
    answers = _bind(primals, **params)
    terms: list[list] = [[] for _ in answers]
    perturbed = [i for i, (x, t) in enumerate(zip(primals, tangents, strict=True)) if moves(x, t)]
    for slot in dict.fromkeys(ins[i].slot for i in perturbed):
        which = [i for i in perturbed if ins[i].slot == slot]
        if slot == PRIMAL:
            found = in_primals(primals, tangents, which, answers, **params)
        elif slot == ANSWER:  # a form without tangents of its own: the derivative in the primals is all
            continue
        else:
            rows = zip(ins, primals, tangents, strict=True)
            operands = [instantiate(t) if place.slot == slot else x for place, x, t in rows]
            found = dict(enumerate(_bind(operands, **params)))
        for k, term in found.items():
            terms[k].append(term)
    return answers, [_total(y, parts) for y, parts in zip(answers, terms, strict=True)]


def _series(
    primals: Sequence[Any], series: Sequence[Any], moving: Sequence[bool], **params: Any
) -> tuple[list, list]:
    """The rule for `jax.experimental.jet`: Leibniz's rule in the slots, and order by order in the primals."""
    ins: Places = params["ins"]
    slots = list(dict.fromkeys(ins[i].slot for i, m in enumerate(moving) if m))
    if not {PRIMAL, ANSWER}.isdisjoint(slots):
        return taylor.order_by_order(functools.partial(_forward, params), primals, series, moving)
    answers = _bind(primals, **params)
    if not slots:
        return answers, [None] * len(answers)
    places = [[i for i, place in enumerate(ins) if place.slot == slot] for slot in slots]
    order = [i for group in places for i in group]

    def bind(operands: Sequence[Any]) -> list:
        given = dict(zip(order, operands, strict=True))
        return _bind([given.get(i, x) for i, x in enumerate(primals)], **params)

    terms = [[[primals[i], *series[i]] for i in group] for group in places]
    sums = taylor.leibniz(bind, terms, len(series[0]))
    return answers, list(map(list, zip(*sums, strict=True)))


def _forward(params: dict, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list, list]:
    given = [zero_tangent(x) if t is None else t for x, t in zip(primals, tangents, strict=True)]
    answers, moved = _jvp(primals, given, **params)
    return answers, [instantiate(t) for t in moved]


def _total(answer: Any, terms: Sequence[Any]) -> Any:
    return functools.reduce(jnp.add, terms) if terms else zero_tangent(answer)


def in_primals(
    primals: Sequence[Any], tangents: Sequence[Any], perturbed: Sequence[int], answers: Sequence[Any],
    *, form: Form, ins: Places, outs: Places, layout: Layout, lane: str,
) -> dict[int, Any]:  # fmt: skip
    """The derivative of each result, by its number, in the `perturbed` primals; integers have none."""
    inexact = [k for k, out in enumerate(layout.outs) if jnp.issubdtype(out.dtype, jnp.inexact)]
    if not inexact:
        return {}
    following = form.derivative([ins[i].leaf for i in perturbed])
    known = list(zip(outs, answers, layout.outs, strict=True)) if following.answer else []
    added = [(Place(ANSWER, place.leaf), y, len(out.shape)) for place, y, out in known]
    added += [(Place(following.slot, ins[i].leaf), tangents[i], layout.in_core[i]) for i in perturbed]
    places, operands, cores = zip(*added, strict=True)
    layout = Layout((*layout.in_core, *cores), tuple(layout.outs[k] for k in inexact))
    params = {"form": following.form, "ins": (*ins, *places), "outs": tuple(outs[k] for k in inexact)}
    results = _bind([*primals, *operands], **params, layout=layout, lane=lane)
    return dict(zip(inexact, results, strict=True))


primitive_jvps[host_form_p] = _jvp
host_form_p.series = _series
host_form_p.name_of = lambda params: params["form"].name


def _transpose(cotangents: Sequence[Any], *operands: Any, **params: Any) -> list:
    """Fill the open slot with the cotangents, and open the slot whose cotangent JAX asks for."""
    ins, layout = params["ins"], params["layout"]
    asked = [i for i, x in enumerate(operands) if is_undefined_primal(x)]
    slot = ins[asked[0]].slot
    if slot in (PRIMAL, ANSWER):
        raise RuleError(
            f"{params['form'].name}: it is not linear in its arguments, and has no transpose in them."
        )
    # other operands of the slot are constants, which drop out of the transpose of an affine map
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
    """Sum over the axes along which an operand of this shape was broadcast."""
    value = jnp.sum(value, axis=tuple(range(value.ndim - len(shape))))
    axes = tuple(i for i, (a, b) in enumerate(zip(value.shape, shape, strict=True)) if a != b)
    return jnp.sum(value, axis=axes, keepdims=True)


def _dce(used: Sequence[bool], *rest: Any) -> tuple[list[bool], Any]:
    """Drop unused cotangents. (Results of the function itself come together, and stay.)"""
    eqn = rest[-1]
    if not any(used):
        return [False] * len(eqn.invars), None
    if eqn.params["outs"][0].slot == COTANGENT:
        return [True] * len(eqn.invars), eqn
    kept = [i for i, u in enumerate(used) if u]
    layout, outs = eqn.params["layout"], tuple(eqn.params["outs"][i] for i in kept)
    return used_only(used, eqn, outs=outs, layout=Layout(layout.in_core, tuple(layout.outs[i] for i in kept)))


dce_rules[host_form_p] = _dce
