"""A scalar function as a jaxpr without duplicate equations, so that it can be differentiated many times.

Each derivative of J_v' = (J_{v-1} - J_{v+1}) / 2 doubles the calls in the jaxpr: n steps of one give 2^n terms. But
they have only 2 n + 1 different orders. So this module removes duplicates before each further derivative, and makes
(v - 1) + 1 the order v again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax

from hostwrap._lanes.compiler import Primitive, is_zero, primitive_jvps
from hostwrap._lanes.primitive import host_call_p

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
    """The outputs of a jaxpr, closed or not, by `step(equation, inputs)`; `of(x)` stands for a constant."""
    jaxpr, constants = getattr(body, "jaxpr", body), getattr(body, "consts", ())
    env = dict(zip(jaxpr.invars, args, strict=True))
    env.update(zip(jaxpr.constvars, map(of, constants), strict=True))
    value = lambda atom: of(atom.val) if hasattr(atom, "val") else env[atom]  # a literal, or a variable
    for eqn in jaxpr.eqns:
        env.update(zip(eqn.outvars, step(eqn, list(map(value, eqn.invars))), strict=True))
    return list(map(value, jaxpr.outvars))


def shared(function: Callable[..., Any], scalars: Sequence[jax.ShapeDtypeStruct]) -> Callable[..., Any]:
    """Trace the function of scalars. It may close over numbers only, because it outlives the trace."""
    closed = jax.make_jaxpr(function)(*scalars)
    if any(isinstance(c, jax.core.Tracer) for c in closed.consts):
        raise NotElementwise("the rule closes over an array")
    once = _alive(jax.make_jaxpr(lambda *args: _Equations().run(_alive(closed), args))(*scalars))

    def call(*args: Any) -> tuple:
        return tuple(_Equations(quotient_p).run(once, args))

    call.body = once  # type: ignore[attr-defined]
    return call


def _alive(closed: Any) -> Any:
    """Without the equations of which nothing is used: the next derivative would differentiate them too."""
    jaxpr = closed.jaxpr
    used, equations = {v for v in jaxpr.outvars if not hasattr(v, "val")}, []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects or not used.isdisjoint(eqn.outvars):
            equations.append(eqn)
            used.update(v for v in eqn.invars if not hasattr(v, "val"))
    return closed.replace(jaxpr=jaxpr.replace(eqns=equations[::-1]))


# Division with a rule of its own: JAX's has a factor y^-2, which is 0 for y beyond 1e154, and infinite or inexact below
# 1e-154. A custom_jvp takes longer to trace, and high derivatives have many quotients.
quotient_p = Primitive("quotient")
quotient_p.def_abstract_eval(lambda x, y: y if x.weak_type else x)


def _quotient_rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """d(x / y) = dx / y - dy ((x / y) / y)."""
    (x, y), (dx, dy) = primals, tangents
    result = lax.div_p.bind(x, y)
    first = None if is_zero(dx) else lax.div_p.bind(dx, y)
    if is_zero(dy):
        return result, first
    second = lax.mul_p.bind(dy, lax.div_p.bind(result, y))
    return result, lax.neg_p.bind(second) if first is None else lax.sub_p.bind(first, second)


primitive_jvps[quotient_p] = _quotient_rule


class _Equations:
    """The equations so far, by operation and operands; `divide` is the primitive of quotients."""

    def __init__(self, divide: Any = lax.div_p) -> None:
        self.divide = divide
        self.known: dict[Any, list] = {}
        self.steps: dict[int, tuple[Any, float]] = {}  # values that are another value plus a constant
        self.kept: list[Any] = []  # keeps values alive whose id is part of a key

    def run(self, body: Any, args: Sequence[Any]) -> list:
        return interpreted(body, args, self._equation)

    def _equation(self, eqn: Any, inputs: list) -> list:
        name = eqn.primitive.name
        if name in CALLS and (name not in _WITH_RULE or _has_rule(eqn.params[CALLS[name]])):
            return self.run(eqn.params[CALLS[name]], inputs)
        if _is_same(eqn, inputs):
            return [next(x for x in inputs if not _is_number(x))]
        if eqn.primitive is host_call_p:
            inputs = [self._in_one_step(x) for x in inputs]
        divides = eqn.primitive in (lax.div_p, quotient_p)
        outputs = self._bind(self.divide if divides else eqn.primitive, inputs, eqn.params)
        if name in ("add", "sub"):
            self._note_step(name, inputs, outputs[0])
        return outputs

    def _bind(self, primitive: Any, inputs: Sequence[Any], params: dict) -> list:
        key: Any = (primitive, tuple(map(self._key, inputs)), tuple(sorted(params.items())))
        try:
            found = self.known.get(key)
        except TypeError:  # a parameter that cannot be hashed
            key, found = None, None
        if found is None:
            given = primitive.get_bind_params(params)
            functions, rest = given if isinstance(given, tuple) else ((), given)  # a tuple before JAX 0.10
            results = primitive.bind(*functions, *inputs, **rest)
            found = list(results) if primitive.multiple_results else [results]
            if key is not None:
                self.known[key] = found
        return found

    def _key(self, x: Any) -> Any:
        if _is_number(x):
            x = np.asarray(x)
            return x.dtype.str, x.tobytes()
        self.kept.append(x)
        return id(x)

    def _note_step(self, name: str, inputs: Sequence[Any], result: Any) -> None:
        x, step = inputs if _is_number(inputs[1]) or name == "sub" else reversed(inputs)
        if _is_number(step) and not _is_number(x) and np.dtype(x.dtype).kind in "ifc":
            size = complex(step)
            if size.imag == 0 and abs(size.real) <= _LARGEST and size.real * 2 == round(size.real * 2):
                origin, before = self.steps.get(id(x), (x, 0.0))
                self.steps[id(result)] = origin, before + (size.real if name == "add" else -size.real)
                self.kept.append(result)

    def _in_one_step(self, x: Any) -> Any:
        """An argument of a host function, with all added constants combined into one."""
        origin, step = self.steps.get(id(x), (x, 0.0))
        if origin is x or step == 0:
            return origin
        return self._bind(lax.add_p, [origin, np.asarray(step).astype(x.dtype)], {})[0]


def _is_number(x: Any) -> bool:
    return not isinstance(x, jax.core.Tracer) and np.ndim(x) == 0


def _has_rule(body: Any) -> bool:
    """Whether the body is one host call, which carries its own rule."""
    equations = getattr(body, "jaxpr", body).eqns
    return len(equations) == 1 and equations[0].primitive is host_call_p


def _is_same(eqn: Any, inputs: Sequence[Any]) -> bool:
    """Whether the operation changes nothing: a product with 1, a cast to the same dtype."""
    if all(map(_is_number, inputs)):
        return False
    if eqn.primitive.name == "convert_element_type":
        return inputs[0].dtype == eqn.params["new_dtype"]
    return eqn.primitive.name == "mul" and any(_is_number(x) and x == 1 for x in inputs)
