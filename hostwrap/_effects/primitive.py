"""Host functions with side effects: what JAX may not drop, repeat or (if ordered) reorder, and what is for debugging.

`host_effect` is to `jax.experimental.io_callback` and `jax.debug.callback` what `host_call` is to `pure_callback`: the
same batch axes, the same care around the call, and JAX's own effects, so that control flow, jit and dead-code removal
treat it as they treat theirs. JAX does not promise that custom_jvp goes with side effects, so a forward rule is the
primitive's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from hostwrap import _lanes
from hostwrap._effects.rule import by_rule
from hostwrap._errors import SignatureError
from hostwrap._host.layout import Layout
from hostwrap._lanes import callback
from hostwrap._lanes.compiler import (
    Primitive,
    TokenSet,
    array_type,
    devices_of,
    lower_fun,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
    register_lowering,
    vary,
)
from hostwrap._lanes.primitive import Host, call_now, is_concrete, no_transpose, pad_ranks, to_front


@functools.cache
def effect_of(kind: str) -> Any:
    """The effect that JAX's own callback of this kind has."""
    nothing = lambda: None
    callback = {
        "io": lambda: io_callback(nothing, None),
        "ordered io": lambda: io_callback(nothing, None, ordered=True),
        "debug": lambda: jax.debug.callback(nothing),
    }[kind]
    (effect,) = jax.make_jaxpr(callback)().effects
    return effect


def host_effect(
    host: Host, layout: Layout, kind: str, forward: Callable | None, operands: Sequence[Any]
) -> list[jax.Array]:
    """Call `host` for its effect; `forward` is its derivative, of the core: (primals, tangents) -> (answers, tangents).

    Without one, which is for debugging, nothing is differentiated.
    """
    operands = vary(tuple(map(jnp.asarray, operands)))
    if host.vmap_method != "legacy_vectorized":
        operands = pad_ranks(operands, layout.in_core)
    lane = _lanes.current()
    return host_effect_p.bind(*operands, host=host, layout=layout, kind=kind, forward=forward, lane=lane)


def call_in_order(host: Host, layout: Layout, kind: str, operands: Sequence[Any]) -> list[jax.Array]:
    """Here and now; but what programs have to do in order, and have not done yet, comes first."""
    if kind == "ordered io":
        jax.effects_barrier()
    return call_now(host, layout, operands)


host_effect_p = Primitive("host_effect")
host_effect_p.multiple_results = True


@host_effect_p.def_effectful_abstract_eval
def _abstract(*avals: Any, layout: Layout, kind: str, **_: Any) -> tuple[list, set]:
    batch = layout.batch(a.shape for a in avals)
    outs = [array_type(batch + out.shape, out.dtype, avals, len(batch)) for out in layout.outs]
    # JAX drops an io callback whose result nobody uses from a loop that is differentiated; one for debugging it keeps
    return outs, {effect_of(kind), effect_of("debug")}


@host_effect_p.def_impl
def _eager(*operands: Any, host: Host, layout: Layout, kind: str, **_: Any) -> list:
    return call_in_order(host, layout, kind, [x if is_concrete([x]) else np.asarray(x) for x in operands])


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    host, kind = params["host"], params["kind"]
    if kind == "ordered io":
        raise SignatureError(
            f"{host.name}: an ordered io function cannot be mapped by vmap, whose elements have no order; wrap it with "
            "ordered=False, or loop with jax.lax.map or jax.lax.scan."
        )
    results = host_effect_p.bind(*to_front(operands, dims, host.vmap_method), **params)
    return results, [0] * len(results)


primitive_batchers[host_effect_p] = _batch


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[list, list]:
    """The rule makes the call itself, so the effect happens once."""
    if params["forward"] is None:
        return host_effect_p.bind(*primals, **params), []
    return by_rule(params["forward"], params["layout"], primals, tangents)


primitive_jvps[host_effect_p] = _jvp


def _transpose(cotangents: Any, *operands: Any, **params: Any) -> list[None]:
    if params["kind"] != "debug":  # which may be dropped
        no_transpose(cotangents, *operands, **params)
    return [None] * len(operands)


primitive_transposes[host_effect_p] = _transpose


def _lower(ctx: Any, *operands: Any, host: Host, layout: Layout, kind: str, lane: str, **_: Any) -> Any:
    effect, ordered = effect_of(kind), kind == "ordered io"
    devices, manual = devices_of(ctx)
    if ordered and devices > 1:
        raise SignatureError(
            f"{host.name}: an ordered io function cannot run on {devices} devices, between which there is no order; "
            "wrap it with ordered=False, or call it outside of the program that is spread over them."
        )
    if manual == "some":
        raise SignatureError(
            f"{host.name}: a function with side effects cannot be called inside a shard_map over some of the mesh "
            "axes; give shard_map all of them (axis_names)."
        )
    if len(ctx.module_context.platforms) > 1 or (ordered and TokenSet is None):
        lane = "pure_callback"
    elif lane == "native":
        lane = _lanes.after("native")
    body: Callable[..., list] = functools.partial(
        callback.call, host=host, layout=layout, active=tuple(range(len(layout.outs))), lane=lane,
        outs=tuple(ctx.avals_out), effect=effect, ordered=ordered, several=devices > 1, public=_PUBLIC[kind],
    )  # fmt: skip
    if devices > 1 and manual == "none":
        body = _on_first(body, devices, ctx.avals_out)
    return lower_fun(body, multiple_results=True)(ctx, *operands)


def _on_first(body: Callable[..., list], devices: int, outs: Sequence[Any]) -> Callable[..., list]:
    """Where the compiler spreads a program over devices, each would make the call: the first does it for all."""
    name, replicated = "hostwrap_devices", jax.sharding.PartitionSpec()

    def each(*operands: Any) -> list:
        idle = lambda *_: [jnp.zeros(out.shape, out.dtype) for out in outs]
        results = jax.lax.cond(jax.lax.axis_index(name) == 0, body, idle, *operands)
        return [jax.lax.all_gather(y, name)[0] for y in results]

    mesh = jax.sharding.AbstractMesh((devices,), (name,))
    return jax.shard_map(each, mesh=mesh, in_specs=replicated, out_specs=replicated, check_vma=False)


def _debug(callback: Callable, declared: Any, *operands: Any) -> list:
    jax.debug.callback(callback, *operands)
    return []


_PUBLIC: dict[str, Callable] = {
    "io": io_callback,
    "ordered io": functools.partial(io_callback, ordered=True),
    "debug": _debug,
}
register_lowering(host_effect_p, _lower, cacheable=False)
