"""`host_call`: the one door from JAX to the host.

Operands all have the same number of batch axes (of equal size or 1), then their core axes; so a batch axis
added by vmap stays in front and lines up, whatever the ranks were. Derivatives are not known here: rules sit
outside, in `_rules` and `_elementwise`; `lowering` says how a compiled program gets to the host.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap import _lanes
from hostwrap._errors import HostCallError, RuleError
from hostwrap._host import parts
from hostwrap._host.layout import Layout
from hostwrap._lanes.compiler import (
    Primitive,
    array_type,
    dce_rules,
    primitive_batchers,
    primitive_transposes,
    vary,
)


class Host(Hashable, Protocol):
    """What `host_call` calls: a `HostFunction` or a `Program`. Hashed by identity."""

    name: str
    argnames: tuple[str, ...]
    vmap_method: str
    allow_jax: bool
    trusted: bool
    on_error: str

    def bind(
        self, shapes: Sequence, dtypes: Sequence, layout: Layout, active: Sequence[int] | None = None
    ) -> Callable[[Sequence[np.ndarray]], list[np.ndarray]]: ...

    def record(
        self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable
    ) -> list: ...


def host_call(host: Host, layout: Layout, *operands: Any) -> list[jax.Array]:
    """Call `host` on arrays `batch + core`; one result per entry of `layout.outs`, shaped `batch + core`."""
    operands = vary(tuple(map(_whole_bytes, map(jnp.asarray, operands))))
    if host.vmap_method != "legacy_vectorized":
        operands = pad_ranks(operands, layout.in_core)
    active = tuple(range(len(layout.outs)))
    return host_call_p.bind(*operands, host=host, layout=layout, active=active, lane=_lanes.current())


def _whole_bytes(x: jax.Array) -> jax.Array:
    """Integers of less than a byte as such of one: older versions of JAX give garbage of them to a callback."""
    if x.dtype.kind != "V" or not jnp.issubdtype(x.dtype, jnp.integer):
        return x
    return x.astype(jnp.uint8 if jnp.issubdtype(x.dtype, jnp.unsignedinteger) else jnp.int8)


def pad_ranks(operands: Sequence[Any], in_core: Sequence[int]) -> tuple:
    """Size-1 axes in front, so that every operand has the same number of batch axes."""
    rank = max((x.ndim - n for x, n in zip(operands, in_core, strict=True)), default=0)
    return tuple(
        x.reshape((1,) * (rank - (x.ndim - n)) + x.shape) if x.ndim - n < rank else x
        for x, n in zip(operands, in_core, strict=True)
    )


host_call_p = Primitive("host_call")
host_call_p.multiple_results = True


@host_call_p.def_abstract_eval
def _abstract(*avals: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str) -> list:
    batch = layout.batch(a.shape for a in avals)
    outs = [layout.outs[i] for i in active]
    return [array_type(batch + out.shape, out.dtype, avals, len(batch)) for out in outs]


@functools.lru_cache(maxsize=1024)
def _compiled(**params: Any) -> Callable[..., list]:
    return jax.jit(functools.partial(host_call_p.bind, **params))


@host_call_p.def_impl
def _eager(*operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str) -> list:
    """Concrete arrays need no compiler: the host is called directly, and its own exception arrives."""
    if not is_concrete(operands):
        with jax.disable_jit(False):  # spread arrays are gathered by the compiler alone
            return _compiled(host=host, layout=layout, active=active, lane=lane)(*operands)
    return call_now(host, layout, operands, active)


def is_concrete(values: Sequence[Any]) -> bool:
    """Whether the host can be called right away: no tracers, and no array that is spread over devices."""
    return not any(
        isinstance(x, jax.core.Tracer) or (isinstance(x, jax.Array) and len(x.devices()) > 1) for x in values
    )


def call_now(
    host: Host,
    layout: Layout,
    operands: Sequence[Any],
    active: Sequence[int] | None = None,
    like: Sequence[Any] = (),
) -> list[jax.Array]:
    """Call the host here and now; results go where the first committed array (of `like`, or operand) lies."""
    arrays = [np.asarray(x) if host.trusted else np.array(x, order="C") for x in operands]
    bound = bind(host, arrays, layout, active)
    results = bound(arrays) if host.trusted else guarded(host, bound, arrays)
    device = next((x.sharding for x in like or operands if isinstance(x, jax.Array) and x.committed), None)
    return [jnp.asarray(r) if device is None else jax.device_put(r, device) for r in results]


def bind(
    host: Host, operands: Sequence[Any], layout: Layout, active: Sequence[int] | None
) -> Callable[[Sequence[np.ndarray]], list]:
    """The host function for operands of these shapes and types, shared between threads where it may be."""
    shapes, dtypes = [x.shape for x in operands], [x.dtype for x in operands]

    def guard(run: Callable[[Sequence[np.ndarray]], list]) -> Callable[[Sequence[np.ndarray]], list]:
        return run if host.trusted else functools.partial(guarded, host, run)

    return parts.bind(host, shapes, dtypes, layout, active, guard)


def guarded(host: Host, bound: Callable[[Sequence[np.ndarray]], list], arrays: Sequence[np.ndarray]) -> list:
    """JAX inside the host function is an error, at once: inside a compiled program it could hang."""
    if host.allow_jax:
        return bound(arrays)
    try:
        with jax.no_execution(True):
            return bound(arrays)
    except RuntimeError as error:
        if "no_execution" not in str(error):
            raise
        raise HostCallError(
            f"{host.name}: the host function used JAX, which can hang while a compiled program waits for it. "
            f"Use NumPy inside it, or declare it with allow_jax=True."
        ) from error


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    results = host_call_p.bind(*to_front(operands, dims, params["host"].vmap_method), **params)
    return results, [0] * len(results)


def to_front(operands: Sequence[Any], dims: Sequence[int | None], vmap_method: str) -> list:
    """The operands under vmap: one more batch axis in front, of size 1 where an operand is not mapped."""
    legacy = vmap_method == "legacy_vectorized"
    return [
        (x if legacy else jnp.expand_dims(x, 0)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(operands, dims, strict=True)
    ]


primitive_batchers[host_call_p] = _batch


def no_transpose(cotangents: Any, *operands: Any, host: Host, **params: Any) -> Any:
    """What is called on a tangent has no way back."""
    raise RuleError(
        f"{host.name}: a derivative rule calls it on a tangent, and a host call cannot be transposed; so reverse mode "
        "has no way back. Write the rule with partials that do not depend on the tangent, or give one with defvjp, or "
        "with defhost, which takes the transpose too."
    )


primitive_transposes[host_call_p] = no_transpose


def _dce(used: Sequence[bool], *rest: Any) -> tuple[list[bool], Any]:
    """Results nobody uses are not computed. (The rule takes `(used, eqn)`, or `(used, live, eqn)` in later jax.)"""
    eqn = rest[-1]
    if not any(used):
        return [False] * len(eqn.invars), None
    active = tuple(i for i, u in zip(eqn.params["active"], used, strict=True) if u)
    outvars = [v for v, u in zip(eqn.outvars, used, strict=True) if u]
    return [True] * len(eqn.invars), eqn.replace(outvars=outvars, params={**eqn.params, "active": active})


dce_rules[host_call_p] = _dce
