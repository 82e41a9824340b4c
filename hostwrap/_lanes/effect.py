"""Host functions with side effects: JAX may not drop, repeat or (if ordered) reorder their calls.

`host_effect` stands to `jax.experimental.io_callback` and `jax.debug.callback` as `host_call` stands to
`pure_callback`. It has the same batch axes and the same protection around the call. It uses JAX's own effects, so
control flow, jit and dead-code elimination treat it like JAX's callbacks. JAX does not promise that custom_jvp works
with side effects, so the primitive has a jvp rule of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap import _lanes
from hostwrap._errors import SignatureError
from hostwrap._host.function import Host, HostCall
from hostwrap._host.layout import Layout
from hostwrap._lanes import compiler, primitive
from hostwrap._lanes.callback import effect_of
from hostwrap._lanes.lowering import lower
from hostwrap._lanes.running import refuse_nested


def host_effect(
    host: Host, layout: Layout, kind: str, forward: Callable, operands: Sequence[Any]
) -> list[jax.Array]:
    """Call `host` for its effect; `forward` is its derivative, as in `host_call`."""
    operands = primitive.aligned(map(jnp.asarray, operands), host.options.vmap_method, layout)
    call = HostCall(host, layout, layout.wanted())
    return host_effect_p.bind(*operands, call=call, kind=kind, forward=forward, lane=_lanes.current())


host_effect_p = compiler.Primitive("host_effect")
host_effect_p.multiple_results = True


@host_effect_p.def_effectful_abstract_eval
def _abstract(*avals: Any, call: HostCall, kind: str, **_: Any) -> tuple[list, set]:
    # JAX drops an io callback without used results from a differentiated loop; it keeps a debug callback
    return primitive.result_types(avals, call.layout), {effect_of(kind), effect_of("debug")}


@host_effect_p.def_impl
def _eager(*operands: Any, call: HostCall, kind: str, **_: Any) -> list:
    """Call the host now. Ordered effects of running programs come first."""
    refuse_nested(call.host)
    if kind == "ordered io":
        jax.effects_barrier()
    here = [x if primitive.is_concrete([x]) else np.asarray(x) for x in operands]
    return primitive.call_now(call.host, call.layout, here)


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    if params["kind"] == "ordered io":
        raise SignatureError(
            f"{params['call'].host.name}: an ordered io function cannot be mapped by vmap, whose elements have no "
            "order; wrap it with ordered=False, or loop with jax.lax.map or jax.lax.scan."
        )
    return primitive.batched(host_effect_p, operands, dims, **params)


def _transpose(cotangents: Any, *operands: Any, **params: Any) -> list[None]:
    if params["kind"] != "debug":  # JAX may drop a debug callback
        primitive.no_transpose(cotangents, *operands, **params)
    return [None] * len(operands)


def _lower(ctx: Any, *operands: Any, **params: Any) -> Any:
    devices, manual = compiler.devices_of(ctx)
    if manual == "some":
        raise SignatureError(
            f"{params['call'].host.name}: a function with side effects cannot be called inside a shard_map over some "
            "of the mesh axes; give shard_map all of them (axis_names)."
        )
    if devices > 1 and manual == "none":
        return _on_first(devices, ctx, operands, params)
    return lower(ctx, *operands, **params)


def _on_first(devices: int, ctx: Any, operands: Any, params: dict[str, Any]) -> Any:
    """Where the compiler spreads a program over devices, the first calls for all, in the user's mesh or one of ours."""
    replicated, mesh = jax.sharding.PartitionSpec(), jax.sharding.get_abstract_mesh()
    if mesh.size != devices or mesh.empty:
        mesh = jax.sharding.AbstractMesh((devices,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    types = lambda avals: [jax.core.ShapedArray(a.shape, a.dtype) for a in avals]
    ins, outs = types(ctx.avals_in), types(ctx.avals_out)

    def each(*operands: Any) -> list:
        body = functools.partial(host_effect_p.bind, **params)
        idle = lambda *_: [jnp.zeros(out.shape, out.dtype) for out in outs]
        results = jax.lax.cond(jax.lax.axis_index(mesh.axis_names) == 0, body, idle, *operands)
        return [jax.lax.all_gather(y, mesh.axis_names)[0] for y in results]

    whole = jax.shard_map(each, mesh=mesh, in_specs=replicated, out_specs=replicated, check_vma=False)
    with jax.sharding.use_abstract_mesh(mesh):
        inner = ctx.replace(avals_in=ins, avals_out=outs)
        results = compiler.lower_fun(whole, multiple_results=True)(inner, *operands)
    if inner.tokens_out is not None:
        ctx.set_tokens_out(inner.tokens_out)
    return results


compiler.primitive_batchers[host_effect_p] = _batch
compiler.primitive_jvps[host_effect_p] = functools.partial(primitive.jvp_by_forward, host_effect_p)
compiler.primitive_transposes[host_effect_p] = _transpose
compiler.register_lowering(host_effect_p, _lower, cacheable=False)
