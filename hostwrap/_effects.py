"""Host functions with side effects: what JAX may not drop, repeat or (if ordered) reorder, and what is for debugging.

`host_effect` is to `jax.experimental.io_callback` and `jax.debug.callback` what `host_call` is to `pure_callback`: the
same batch axes, the same care around the call, and JAX's own effects, so that control flow, jit and dead-code removal
treat it as they treat theirs. JAX's custom_jvp refuses side effects, so a derivative rule is the primitive's own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jax.experimental import io_callback

from hostwrap import _lanes
from hostwrap._arguments import mapped
from hostwrap._compiler import (
    Primitive,
    TokenSet,
    Zero,
    array_type,
    devices_of,
    lower_fun,
    primitive_batchers,
    primitive_jvps,
    register_lowering,
    vary,
)
from hostwrap._errors import SignatureError
from hostwrap._layout import Layout
from hostwrap._lowering import in_program
from hostwrap._primitive import Host, call_now, is_concrete, pad_ranks, with_axis

EFFECTS = ("io", "ordered io", "debug")


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
    return outs, {effect_of(kind)}


@functools.lru_cache(maxsize=1024)
def _compiled(**params: Any) -> Callable[..., list]:
    return jax.jit(functools.partial(host_effect_p.bind, **params))


@host_effect_p.def_impl
def _eager(*operands: Any, host: Host, layout: Layout, kind: str, **params: Any) -> list:
    if not is_concrete(operands):
        with jax.disable_jit(False):
            return _compiled(host=host, layout=layout, kind=kind, **params)(*operands)
    return call_in_order(host, layout, kind, operands)


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    host, kind = params["host"], params["kind"]
    if kind == "ordered io":
        raise SignatureError(
            f"{host.name}: an ordered io function cannot be mapped by vmap, whose elements have no order; wrap it with "
            "ordered=False, or loop with jax.lax.map or jax.lax.scan."
        )
    results = host_effect_p.bind(*with_axis(host, operands, dims), **params)
    return results, [0] * len(results)


primitive_batchers[host_effect_p] = _batch


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[list, list]:
    """By the rule for the core, mapped over the batch axes; the rule makes the call, so the effect happens once."""
    layout, forward = params["layout"], params["forward"]
    if forward is None:
        return host_effect_p.bind(*primals, **params), []
    live = [i for i, t in enumerate(tangents) if type(t) is not Zero]
    smooth = [i for i, out in enumerate(layout.outs) if jnp.issubdtype(out.dtype, jnp.inexact)]

    def core(*arrays: Any) -> tuple[list, list]:
        xs = arrays[: len(primals)]
        given = dict(zip(live, arrays[len(primals) :], strict=True))
        answers, ts = forward(xs, [given.get(i, _symbolic_zero(x)) for i, x in enumerate(xs)])
        return answers, [ts[i] for i in smooth]

    cores = [*layout.in_core, *(layout.in_core[i] for i in live)]
    batch = layout.batch(x.shape for x in primals)
    answers, found = mapped(core, (*primals, *(tangents[i] for i in live)), cores, batch)
    by_number = dict(zip(smooth, found, strict=True))
    return answers, [by_number.get(i, _zero(y)) for i, y in enumerate(answers)]


def _tangent_type(x: Any) -> jax.core.ShapedArray:
    inexact = jnp.issubdtype(x.dtype, jnp.inexact)
    return jax.core.ShapedArray(x.shape, x.dtype if inexact else jax.dtypes.float0)


def _symbolic_zero(x: Any) -> SymbolicZero:
    return SymbolicZero(_tangent_type(x))


def _zero(x: Any) -> Any:
    return Zero(_tangent_type(x))


primitive_jvps[host_effect_p] = _jvp


def _lower(ctx: Any, *operands: Any, host: Host, layout: Layout, kind: str, lane: str, **_: Any) -> Any:
    effect, ordered = effect_of(kind), kind == "ordered io"
    devices, split = devices_of(ctx)
    if ordered and split and devices > 1:
        raise SignatureError(
            f"{host.name}: an ordered io function cannot run on {devices} devices at once (shard_map), between which "
            "there is no order; wrap it with ordered=False."
        )
    everywhere = devices > 1 and not split  # our own call would be made on every device; JAX's on the first
    if everywhere or len(ctx.module_context.platforms) > 1 or (ordered and TokenSet is None):
        lane = "pure_callback"
    elif lane == "native":
        lane = _lanes.after("native")
    body = functools.partial(
        in_program, host=host, layout=layout, active=tuple(range(len(layout.outs))), lane=lane,
        outs=tuple(ctx.avals_out), effect=effect, ordered=ordered, public=_PUBLIC[kind],
    )  # fmt: skip
    return lower_fun(body, multiple_results=True)(ctx, *operands)


def _debug(callback: Callable, declared: Any, *operands: Any) -> list:
    jax.debug.callback(callback, *operands)
    return []


_PUBLIC = {"io": io_callback, "ordered io": functools.partial(io_callback, ordered=True), "debug": _debug}
register_lowering(host_effect_p, _lower, cacheable=False)
