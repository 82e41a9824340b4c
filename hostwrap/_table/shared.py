"""A scalar function as a jaxpr that has equal equations once, so that it can be differentiated again and again.

Each derivative of J_v' = (J_{v-1} - J_{v+1}) / 2 doubles the calls that are written down: there are 2^n ways to n
steps of one. But they lead to 2 n + 1 orders. So equal equations are kept once before the next derivative is
taken, and (v - 1) + 1 is v where a function is called with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._lanes.primitive import host_call_p

# Calls, and where they keep the body that is run once. (Loops have bodies too, run any number of times.)
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "checkpoint": "jaxpr",
    "remat2": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
}
_HIGH = "call_hi_primitive"  # since JAX 0.12 `jnp.einsum`, `jnp.searchsorted` and others are such
_WITH_RULE = {"custom_jvp_call", "custom_vjp_call"}
_LARGEST = 1024  # of steps in an order; what is larger may be there for the sake of rounding


class NotElementwise(Exception):
    """The function does something that has no NumPy word here; it is then run by XLA, piece by piece."""


def body_of(eqn: Any) -> Any:
    """The program that an equation runs once; None if it is no call. Derivatives must have been taken before."""
    name = eqn.primitive.name
    if name == _HIGH:
        high = eqn.params["_prim"]
        expanded = lambda *leaves: jax.tree.leaves(high.expand(*high.in_tree.unflatten(leaves)))
        return jax.make_jaxpr(expanded)(
            *(jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars)
        )
    return eqn.params[CALLS[name]] if name in CALLS else None


def shared(function: Callable[..., Any], scalars: Sequence[jax.ShapeDtypeStruct]) -> Callable[..., Any]:
    """The function of scalars, traced; what it closes over must be numbers, for it outlives the trace."""
    closed = jax.make_jaxpr(function)(*scalars)
    if any(isinstance(c, jax.core.Tracer) for c in closed.consts):
        raise NotElementwise("the rule closes over an array")
    once = _alive(jax.make_jaxpr(lambda *args: _Equations().run(_alive(closed), args))(*scalars))

    def call(*args: Any) -> tuple:
        return tuple(_Equations().run(once, args))

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


class _Equations:
    """Those that were bound so far, by what they do and to what."""

    def __init__(self) -> None:
        self.known: dict[Any, list] = {}
        self.steps: dict[int, tuple[Any, float]] = {}  # of a value that is another one and a constant
        self.kept: list[Any] = []  # values whose id stands in a key

    def run(self, body: Any, args: Sequence[Any]) -> list:
        jaxpr, constants = getattr(body, "jaxpr", body), getattr(body, "consts", ())
        env: dict[Any, Any] = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *args), strict=True))

        def value(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else env[atom]  # a literal, or a variable

        for eqn in jaxpr.eqns:
            env.update(zip(eqn.outvars, self._equation(eqn, [value(a) for a in eqn.invars]), strict=True))
        return [value(a) for a in jaxpr.outvars]

    def _equation(self, eqn: Any, inputs: list) -> list:
        name = eqn.primitive.name
        if name in CALLS and (name not in _WITH_RULE or _is_host_call(eqn.params[CALLS[name]])):
            return self.run(eqn.params[CALLS[name]], inputs)
        if _is_same(eqn, inputs):
            return [next(x for x in inputs if not _is_number(x))]
        if eqn.primitive is host_call_p:
            inputs = [self._in_one_step(x) for x in inputs]
        outputs = self._bind(eqn.primitive, inputs, eqn.params)
        if name in ("add", "sub"):
            self._note_step(name, inputs, outputs[0])
        return outputs

    def _bind(self, primitive: Any, inputs: Sequence[Any], params: dict) -> list:
        key: Any = (primitive, tuple(map(self._key, inputs)), tuple(sorted(params.items())))
        try:
            found = self.known.get(key)
        except TypeError:  # a parameter that has no hash
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
        """An argument of a host function: what all steps so far lead to, by one."""
        origin, step = self.steps.get(id(x), (x, 0.0))
        if origin is x or step == 0:
            return origin
        return self._bind(jax.lax.add_p, [origin, np.asarray(step).astype(x.dtype)], {})[0]


def _is_number(x: Any) -> bool:
    return not isinstance(x, jax.core.Tracer) and np.ndim(x) == 0


def _is_host_call(body: Any) -> bool:
    """Whether this is all it is: then the call has its rule with it."""
    equations = getattr(body, "jaxpr", body).eqns
    return len(equations) == 1 and equations[0].primitive is host_call_p


def _is_same(eqn: Any, inputs: Sequence[Any]) -> bool:
    """Whether nothing happens: a product with 1, a type that it has already."""
    if all(map(_is_number, inputs)):
        return False
    if eqn.primitive.name == "convert_element_type":
        return inputs[0].dtype == eqn.params["new_dtype"]
    return eqn.primitive.name == "mul" and any(_is_number(x) and x == 1 for x in inputs)
