"""A scalar function as a list of equations without duplicates, and its derivatives as such lists.

Each derivative of J_v' = (J_{v-1} - J_{v+1}) / 2 doubles the calls: n steps of one give 2^n terms. But they have only
2 n + 1 different orders. So each list has no equation twice, makes (v - 1) + 1 the order v again, and is differentiated
as a list: JAX is asked once what the derivative of an operation is, not at each place where it stands.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax

from hostwrap._host.numpy_ops import OPERATIONS
from hostwrap._lanes.compiler import is_zero, primitive_jvps, zero_tangent
from hostwrap._lanes.primitive import host_call_p
from hostwrap._table.partials import replaced

# Primitives that run a body once, and the parameter that holds the body. (Loops run theirs any number of times.)
CALLS = {
    **dict.fromkeys(("jit", "pjit", "checkpoint", "remat2"), "jaxpr"),
    **dict.fromkeys(("closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"), "call_jaxpr"),
    "custom_vjp_call_jaxpr": "fun_jaxpr",
}
_HIGH = "call_hi_primitive"  # since JAX 0.12 also `jnp.einsum`, `jnp.searchsorted` and others
_WITH_RULE = {"custom_jvp_call", "custom_vjp_call"}
_LARGEST = 1024  # the largest step of an order; code may add a larger number to round


class NotElementwise(Exception):
    """The function uses an operation without a NumPy equivalent; then XLA runs it, with separate host calls."""


class Value:
    """An argument of a body, or a result of one of its equations."""

    def __init__(self, aval: Any) -> None:
        self.aval = aval

    @functools.cached_property
    def type(self) -> tuple:
        return self.aval.shape, self.aval.dtype, self.aval.weak_type


class Number:
    """A constant in a body."""

    def __init__(self, val: Any) -> None:
        if isinstance(val, jax.core.Tracer):  # it would outlive the trace
            raise NotElementwise("the rule closes over an array")
        self.val = val
        self.aval = np.asarray(val)  # it has a dtype and a shape, as an aval has

    @functools.cached_property
    def type(self) -> tuple:
        return self.aval.shape, self.aval.dtype, type(self.val) in (int, float, complex)

    @functools.cached_property
    def key(self) -> tuple:
        return self.aval.dtype.str, self.aval.shape, self.aval.tobytes()


@dataclasses.dataclass(frozen=True)
class Equation:
    """One operation, in the words of JAX."""

    primitive: Any
    params: dict
    invars: Sequence[Value | Number]
    outvars: Sequence[Value]
    effects: frozenset = frozenset()


@dataclasses.dataclass(frozen=True)
class Body:
    """A function of scalars. It has the fields of a jaxpr that `interpreted` reads."""

    invars: Sequence[Value]
    eqns: Sequence[Equation]
    outvars: Sequence[Value | Number]
    constvars: Sequence[Value] = ()


def body_of(eqn: Any) -> Any:
    """The body that an equation runs once; None if it has none. JAX must have taken all derivatives before."""
    name = eqn.primitive.name
    if name == _HIGH:
        high = eqn.params["_prim"]
        expanded = lambda *leaves: jax.tree.leaves(high.expand(*high.in_tree.unflatten(leaves)))
        scalars = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars]
        return jax.make_jaxpr(expanded)(*scalars)
    return eqn.params[CALLS[name]] if name in CALLS else None


def interpreted(
    body: Any, args: Sequence[Any], step: Callable[[Any, list], Any], of: Callable[[Any], Any] = lambda x: x
) -> list:
    """The outputs of a body or a jaxpr, closed or not, by `step(equation, inputs)`; `of(x)` stands for a constant."""
    jaxpr, constants = getattr(body, "jaxpr", body), getattr(body, "consts", ())
    env = dict(zip(jaxpr.invars, args, strict=True))
    env.update(zip(jaxpr.constvars, map(of, constants), strict=True))
    value = lambda atom: of(atom.val) if hasattr(atom, "val") else env[atom]  # a constant, or a variable
    for eqn in jaxpr.eqns:
        env.update(zip(eqn.outvars, step(eqn, list(map(value, eqn.invars))), strict=True))
    return list(map(value, jaxpr.outvars))


def shared(function: Callable[..., Any], scalars: Sequence[jax.ShapeDtypeStruct]) -> Body:
    """Trace the function of scalars. It may close over numbers only, because the body outlives the trace."""
    traced = jax.make_jaxpr(function)(*scalars)
    equations = _Equations()
    inputs = [Value(v.aval) for v in traced.jaxpr.invars]
    return equations.body(inputs, equations.run(traced, inputs))


def differentiated(body: Body, place: int, direction: complex, rules: dict) -> Body:
    """The derivative of all results in one argument, along a number. `rules` keeps the rules of host calls."""
    equations = _Equations(rules)
    inputs = [Value(v.aval) for v in body.invars]
    tangent = Number(np.asarray(direction, inputs[place].aval.dtype))
    pairs = [(x, tangent if k == place else None) for k, x in enumerate(inputs)]
    found = interpreted(body, pairs, equations.with_tangents, lambda val: (Number(val), None))
    zero = lambda x: Number(np.zeros((), x.aval.dtype))
    return equations.body(inputs, [zero(x) if dx is None else dx for x, dx in found])


class _Equations:
    """The equations so far, by operation and operands."""

    def __init__(self, rules: dict | None = None) -> None:
        self.eqns: list[Equation] = []
        self.known: dict[Any, Sequence[Value]] = {}
        self.rules: dict[Any, _Rule] = {} if rules is None else rules
        self.steps: dict[Any, tuple[Any, float]] = {}  # values that are another value plus a constant
        self.choices: dict[Any, Sequence[Any]] = {}  # the mask and the cases of values that are chosen

    def body(self, inputs: Sequence[Value], outputs: Sequence[Value | Number]) -> Body:
        """With the equations that something is used of: the next derivative would differentiate the others too."""
        used, left = set(outputs), []
        for eqn in reversed(self.eqns):
            if not used.isdisjoint(eqn.outvars):
                left.append(eqn)
                used.update(eqn.invars)
        return Body(inputs, left[::-1], outputs)

    def run(self, body: Any, args: Sequence[Any]) -> list:
        return interpreted(body, args, self._equation, Number)

    def with_tangents(self, eqn: Any, pairs: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """The results of an equation and their tangents; None stands for a tangent that is 0."""
        inputs = [x for x, _ in pairs]
        moving = tuple(dx is not None for _, dx in pairs)
        if not any(moving):
            return [(y, None) for y in self._equation(eqn, inputs)]
        rule = self._rule(eqn, inputs, moving)
        given = [x for x, number in zip(inputs, rule.numbers, strict=True) if number is None]
        found = iter(self.run(rule.body, [*given, *(dx for _, dx in pairs if dx is not None)]))
        results = [next(found) for _ in rule.moving]
        return [(y, next(found) if moves else None) for y, moves in zip(results, rule.moving, strict=True)]

    def _rule(self, eqn: Any, inputs: Sequence[Value | Number], moving: tuple[bool, ...]) -> _Rule:
        """The rule of an operation of JAX holds for all numbers; any other one may look at those that it gets."""
        simple = eqn.primitive.name in OPERATIONS
        operands = [x if _is_number(x) and not simple else x.type for x in inputs]
        key = eqn.primitive, _hashable(eqn.params), tuple(map(_key, operands)), moving
        rules = _RULES if simple else self.rules
        try:
            found = rules.get(key)
        except TypeError:  # a parameter that cannot be hashed
            return _Rule.of(eqn.primitive, eqn.params, operands, moving)
        if found is None:
            found = rules[key] = _Rule.of(eqn.primitive, eqn.params, operands, moving)
        return found

    def _equation(self, eqn: Any, inputs: list) -> Sequence[Any]:
        name = eqn.primitive.name
        if name in CALLS and (name not in _WITH_RULE or _has_rule(eqn.params[CALLS[name]])):
            return self.run(eqn.params[CALLS[name]], inputs)
        if eqn.effects:
            raise NotElementwise(f"the rule has side effects, by {name}")
        if _is_same(eqn, inputs):
            return [next(x for x in inputs if not _is_number(x))]
        if eqn.primitive is host_call_p:
            inputs = [self._in_one_step(x) for x in inputs]
        if name == "select_n":
            inputs = self._decided(*inputs)
        outputs = self._written(eqn.primitive, eqn.params, inputs, [v.aval for v in eqn.outvars])
        if name in ("add", "sub"):
            self._note_step(name, inputs, outputs[0])
        if name == "select_n":
            self.choices[outputs[0]] = inputs
        return outputs

    def _written(
        self, primitive: Any, params: dict, inputs: Sequence[Any], avals: Sequence[Any]
    ) -> Sequence[Value]:
        key: Any = (primitive, tuple(map(_key, inputs)), _hashable(params))
        try:
            found = self.known.get(key)
        except TypeError:  # a parameter that cannot be hashed
            key, found = None, None
        if found is None:
            found = list(map(Value, avals))
            self.eqns.append(Equation(primitive, params, inputs, found))
            if key is not None:
                self.known[key] = found
        return found

    def _decided(self, mask: Any, *cases: Any) -> list:
        """A choice. A case that is itself chosen by this mask is decided.

        A derivative is NaN where the function is, by such a choice (`known`). Without this one of order n would need
        those of all lower orders.
        """
        earlier = [self.choices.get(x, (None,)) for x in cases]
        return [
            mask,
            *(e[1 + k] if e[0] is mask else x for k, (x, e) in enumerate(zip(cases, earlier, strict=True))),
        ]

    def _note_step(self, name: str, inputs: Sequence[Any], result: Any) -> None:
        x, step = inputs if _is_number(inputs[1]) or name == "sub" else reversed(inputs)
        if _is_number(step) and not _is_number(x) and x.aval.dtype.kind in "ifc":
            size = complex(step.val)
            if size.imag == 0 and abs(size.real) <= _LARGEST and size.real * 2 == round(size.real * 2):
                origin, before = self.steps.get(x, (x, 0.0))
                self.steps[result] = origin, before + (size.real if name == "add" else -size.real)

    def _in_one_step(self, x: Any) -> Any:
        """An argument of a host function, with all added constants combined into one."""
        origin, step = self.steps.get(x, (x, 0.0))
        if origin is x or step == 0:
            return origin
        number = Number(np.asarray(step).astype(x.aval.dtype))
        return self._written(lax.add_p, {}, [origin, number], [x.aval])[0]


@dataclasses.dataclass(frozen=True)
class _Rule:
    """The results of an operation and their derivatives, as a body of its operands and of their tangents.

    `numbers` are the operands that it holds for, None for any; `moving` says which results have a tangent.
    """

    body: Body
    numbers: Sequence[Number | None]
    moving: Sequence[bool]

    @classmethod
    def of(cls, primitive: Any, params: dict, operands: Sequence[Any], moving: Sequence[bool]) -> _Rule:
        """Ask JAX. An operand is a number, or the type of any."""
        numbers = [x if _is_number(x) else None for x in operands]
        live = [k for k, number in enumerate(numbers) if number is None]
        types = [jax.ShapeDtypeStruct(*operands[k][:2], weak_type=operands[k][2]) for k in live]
        slopes = [jax.ShapeDtypeStruct(*operands[k][:2]) for k, moves in enumerate(moving) if moves]
        moves: list[bool] = []

        def both(*arrays: Any) -> list:
            primals = replaced([number and number.val for number in numbers], live, arrays[: len(live)])
            results, found = _with_jvp(primitive, params, primals, moving, arrays[len(live) :])
            moves[:] = [not is_zero(t) and t.dtype != jax.dtypes.float0 for t in found]
            return [*results, *(t for t, there in zip(found, moves, strict=True) if there)]

        body = shared(both, [*types, *slopes])
        return cls(body, numbers, moves)


_RULES: dict[Any, _Rule] = {}  # of operations of JAX


def _with_jvp(
    primitive: Any, params: dict, primals: Sequence[Any], moving: Sequence[bool], slopes: Sequence[Any]
) -> tuple[Sequence[Any], Sequence[Any]]:
    """The results and their tangents, some of which are symbolic zeros."""
    if primitive is lax.div_p:
        rule: Any = _rule_of_quotient
    else:
        rule = primitive_jvps.get(primitive) if primitive.name in OPERATIONS else None
    if rule:
        given = iter(slopes)
        tangents = [next(given) if m else zero_tangent(x) for x, m in zip(primals, moving, strict=True)]
        results, found = rule(primals, tangents, **params)
        return (results, found) if primitive.multiple_results else ([results], [found])
    places = [k for k, moves in enumerate(moving) if moves]
    given = primitive.get_bind_params(params)
    functions, rest = given if isinstance(given, tuple) else ((), given)  # a tuple before JAX 0.10
    bound = lambda *xs: primitive.bind(*functions, *replaced(primals, places, xs), **rest)
    results, found = jax.jvp(bound, tuple(primals[k] for k in places), tuple(slopes))
    return (results, found) if primitive.multiple_results else ([results], [found])


def _rule_of_quotient(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """d(x / y) = dx / y - (x / y) (dy / y).

    JAX's rule has a factor y^-2, which is 0 for y beyond 1e154, and infinite or inexact below 1e-154.
    """
    (x, y), (dx, dy) = primals, tangents
    result = lax.div_p.bind(x, y)
    first = None if is_zero(dx) else lax.div_p.bind(dx, y)
    if is_zero(dy):
        return result, first
    second = lax.mul_p.bind(result, lax.div_p.bind(dy, y))
    return result, lax.neg_p.bind(second) if first is None else lax.sub_p.bind(first, second)


def _hashable(params: dict) -> tuple:
    return tuple(sorted(params.items())) if params else ()


def _key(x: Any) -> Any:
    return x.key if isinstance(x, Number) else x


def _is_number(x: Any) -> bool:
    return isinstance(x, Number) and not x.aval.shape


def _has_rule(body: Any) -> bool:
    """Whether the body is one host call, which carries its own rule."""
    equations = getattr(body, "jaxpr", body).eqns
    return len(equations) == 1 and equations[0].primitive is host_call_p


def _is_same(eqn: Any, inputs: Sequence[Any]) -> bool:
    """Whether the operation changes nothing: a product with 1, a cast to the same dtype."""
    name = eqn.primitive.name
    if name not in ("convert_element_type", "mul") or all(map(_is_number, inputs)):
        return False
    if name == "convert_element_type":
        return inputs[0].aval.dtype == eqn.params["new_dtype"]
    return any(_is_number(x) and x.val == 1 for x in inputs)
