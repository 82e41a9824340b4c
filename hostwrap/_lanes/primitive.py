"""`host_call`: the primitive by which JAX calls the host.

All operands have the same number of batch axes (of equal size or 1), followed by their core axes. So a batch axis
that vmap adds in front lines up in all operands, whatever their ranks. Derivative rules live in `_rules` and
`_table`; a call carries its jvp rule as `forward`. `lowering` says how a compiled program calls the host.

A function with side effects stands to `jax.experimental.io_callback` and `jax.debug.callback` as another one stands to
`jax.pure_callback`: JAX may not drop, repeat or (if ordered) reorder its calls. The primitive then has JAX's own
effects, so control flow, jit and dead-code elimination treat it like JAX's callbacks.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from hostwrap import _lanes
from hostwrap._errors import RuleError, SignatureError, describe_all
from hostwrap._host.function import Host, HostCall
from hostwrap._host.layout import Active, Layout
from hostwrap._lanes import compiler, taylor
from hostwrap._lanes.callback import effect_of
from hostwrap._lanes.compiler import mapped as mapped
from hostwrap._lanes.lowering import lower
from hostwrap._lanes.running import bound_to, guarded, refuse_nested

# (operands, tangents) -> (results, their tangents), all shaped `batch + core`. The tangent of a constant and of
# integers is None.
Forward = Callable[[Sequence[Any], Sequence[Any]], tuple[Sequence[Any], Sequence[Any]]]


def host_call(
    host: Host, layout: Layout, *operands: Any, forward: Forward | None = None, kind: str | None = None
) -> list[jax.Array]:
    """Call `host` on arrays `batch + core`; one result per entry of `layout.outs`, shaped `batch + core`.

    `forward` is its derivative, and `kind` its kind of side effect, if it has one.
    """
    operands = aligned(map(_whole_bytes, map(jnp.asarray, operands)), host.options.vmap_method, layout)
    call = HostCall(host, layout, layout.wanted(), kind)
    return host_call_p.bind(*operands, call=call, lane=_lanes.current(), forward=forward)


def _whole_bytes(x: jax.Array) -> jax.Array:
    """Widen integers of less than a byte to one byte: older versions of JAX pass garbage of them to a callback."""
    if x.dtype.kind != "V" or not jnp.issubdtype(x.dtype, jnp.integer):
        return x
    return x.astype(jnp.uint8 if jnp.issubdtype(x.dtype, jnp.unsignedinteger) else jnp.int8)


def aligned(operands: Iterable[Any], vmap_method: str, layout: Layout) -> tuple:
    """Operands with the same number of batch axes (axes of size 1 in front), which vary over the same mesh axes."""
    operands, in_core = compiler.vary(tuple(operands)), layout.in_core
    if vmap_method == "legacy_vectorized":
        return operands
    rank = max((x.ndim - n for x, n in zip(operands, in_core, strict=True)), default=0)
    return tuple(
        x.reshape((1,) * (rank - (x.ndim - n)) + x.shape) if x.ndim - n < rank else x
        for x, n in zip(operands, in_core, strict=True)
    )


def result_types(avals: Sequence[Any], layout: Layout, active: Active = None) -> list:
    batch = layout.batch(a.shape for a in avals)
    results = layout.results(batch, active)
    return [compiler.array_type(out.shape, out.dtype, avals, len(batch)) for out in results]


def to_front(operands: Sequence[Any], dims: Sequence[int | None], vmap_method: str) -> list:
    """The operands under vmap: one more batch axis in front, of size 1 where an operand is not mapped."""
    legacy = vmap_method == "legacy_vectorized"
    return [
        (x if legacy else jnp.expand_dims(x, 0)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(operands, dims, strict=True)
    ]


def used_only(used: Sequence[bool], eqn: Any, **params: Any) -> tuple[list[bool], Any]:
    """The equation with new parameters and without unused results."""
    outvars = [v for v, u in zip(eqn.outvars, used, strict=True) if u]
    return [True] * len(eqn.invars), eqn.replace(outvars=outvars, params={**eqn.params, **params})


# ---- the primitive

host_call_p = taylor.Primitive("host_call")
host_call_p.multiple_results = True


@host_call_p.def_effectful_abstract_eval
def _abstract(*avals: Any, call: HostCall, **_: Any) -> tuple[list, set]:
    # JAX drops an io callback without used results from a differentiated loop; it keeps a debug callback
    effects = {effect_of(call.kind), effect_of("debug")} if call.kind else set()
    return result_types(avals, call.layout, call.active), effects


@functools.lru_cache(maxsize=1024)
def _compiled(**params: Any) -> Callable[..., list]:
    return jax.jit(functools.partial(host_call_p.bind, **params, forward=None))


@host_call_p.def_impl
def _eager(*operands: Any, call: HostCall, lane: str, forward: Forward | None) -> list:
    """On concrete arrays call the host directly, without the compiler; its own exception reaches the caller."""
    if call.kind:
        refuse_nested(call.host)
        if call.kind == "ordered io":  # those of running programs come first
            jax.effects_barrier()
        operands = tuple(x if is_concrete([x]) else np.asarray(x) for x in operands)
    elif not is_concrete(operands):
        with jax.disable_jit(False):  # only the compiler can gather sharded arrays
            return _compiled(call=call, lane=lane)(*operands)
    return call_now(call.host, call.layout, operands, call.active)


def _batch(operands: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[list, list[int]]:
    call = params["call"]
    if call.kind == "ordered io":
        raise SignatureError(
            f"{call.host.name}: an ordered io function cannot be mapped by vmap, whose elements have no order; wrap it "
            "with ordered=False, or loop with jax.lax.map or jax.lax.scan."
        )
    results = host_call_p.bind(*to_front(operands, dims, call.host.options.vmap_method), **params)
    return results, [0] * len(results)


def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, call: HostCall, forward: Any, **params: Any
) -> tuple[list, list]:
    """Call `forward`, the current rule of the wrapped function.

    A custom_jvp around the call would not do: you may attach a rule after JAX traced the call, JAX 0.10 forgets
    custom_jvp in loops that are differentiated twice, and does not promise that it works with side effects. `forward`
    makes the call itself, so an effect happens once.
    """
    smooth = [jnp.issubdtype(call.layout.outs[i].dtype, jnp.inexact) for i in call.active]
    moving = [moves(x, t) for x, t in zip(primals, tangents, strict=True)]
    if not any(moving) or not any(smooth):
        answers = host_call_p.bind(*primals, call=call, forward=forward, **params)
        return answers, [compiler.zero_tangent(y) for y in answers]
    if forward is None:
        raise RuleError(f"{call.host.name}: this call has no derivative.")
    answers, found = forward(primals, [t if m else None for t, m in zip(tangents, moving, strict=True)])
    answers = [answers[i] for i in call.active]
    rows = zip(call.active, smooth, answers, strict=True)
    return answers, [found[i] if s else compiler.zero_tangent(y) for i, s, y in rows]


def _series(
    primals: Sequence[Any], series: Sequence[Any], moving: Sequence[bool],
    *, call: HostCall, lane: str, forward: Any,
) -> tuple[list, list]:  # fmt: skip
    """The rule for `jax.experimental.jet`: all partials at once, or the jvp order by order."""
    if not any(moving):
        answers = host_call_p.bind(*primals, call=call, lane=lane, forward=forward)
        return answers, [None] * len(answers)
    if forward is None:
        raise RuleError(f"{call.host.name}: this call has no derivative.")
    found = forward.series(primals, series, moving) if hasattr(forward, "series") else None
    answers, terms = found or taylor.order_by_order(forward, primals, series, moving)
    return [answers[i] for i in call.active], [terms[i] for i in call.active]


def moves(primal: Any, tangent: Any) -> bool:
    return not compiler.is_zero(tangent) and jnp.issubdtype(primal.dtype, jnp.inexact)


def _transpose(cotangents: Any, *operands: Any, call: HostCall, **params: Any) -> Any:
    """The error for a host call on a tangent, in reverse mode. (JAX may drop a debug callback.)"""
    if call.kind == "debug":
        return [None] * len(operands)
    raise RuleError(
        f"{call.host.name}: a derivative rule calls it on a tangent, and a host call cannot be transposed; so reverse "
        "mode has no way back. Write the rule with partials that do not depend on the tangent, or give one with "
        "defvjp, or with defhost, which takes the transpose too."
    )


def _dce(used: Sequence[bool], *rest: Any) -> tuple[list[bool], Any]:
    """Do not compute unused results. (JAX calls this with `(used, eqn)`, later versions with `(used, live, eqn)`.)"""
    eqn = rest[-1]
    call = eqn.params["call"]
    if call.kind:
        return [True] * len(eqn.invars), eqn
    if not any(used):
        return [False] * len(eqn.invars), None
    active = tuple(i for i, u in zip(call.active, used, strict=True) if u)
    return used_only(used, eqn, call=dataclasses.replace(call, active=active))


def _lower(ctx: Any, *operands: Any, call: HostCall, lane: str, forward: Any) -> Any:
    devices, manual = compiler.devices_of(ctx) if call.kind else (1, "")
    if manual == "some":
        raise SignatureError(
            f"{call.host.name}: a function with side effects cannot be called inside a shard_map over some of the mesh "
            "axes; give shard_map all of them (axis_names)."
        )
    if devices > 1 and manual == "none":
        bind = functools.partial(host_call_p.bind, call=call, lane=lane, forward=forward)
        return _on_first(devices, ctx, operands, bind)
    return lower(ctx, operands, call, lane)


def _on_first(devices: int, ctx: Any, operands: Any, bind: Callable[..., list]) -> Any:
    """Where the compiler spreads a program over devices, the first calls for all, in the user's mesh or one of ours."""
    replicated, mesh = jax.sharding.PartitionSpec(), jax.sharding.get_abstract_mesh()
    if mesh.size != devices or mesh.empty:
        mesh = jax.sharding.AbstractMesh((devices,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    types = lambda avals: [jax.core.ShapedArray(a.shape, a.dtype) for a in avals]
    ins, outs = types(ctx.avals_in), types(ctx.avals_out)

    def each(*operands: Any) -> list:
        idle = lambda *_: [jnp.zeros(out.shape, out.dtype) for out in outs]
        results = jax.lax.cond(jax.lax.axis_index(mesh.axis_names) == 0, bind, idle, *operands)
        return [jax.lax.all_gather(y, mesh.axis_names)[0] for y in results]

    whole = jax.shard_map(each, mesh=mesh, in_specs=replicated, out_specs=replicated, check_vma=False)
    with jax.sharding.use_abstract_mesh(mesh):
        inner = ctx.replace(avals_in=ins, avals_out=outs)
        results = compiler.lower_fun(whole, multiple_results=True)(inner, *operands)
    if inner.tokens_out is not None:
        ctx.set_tokens_out(inner.tokens_out)
    return results


compiler.primitive_batchers[host_call_p] = _batch
compiler.primitive_jvps[host_call_p] = _jvp
compiler.primitive_transposes[host_call_p] = _transpose
compiler.dce_rules[host_call_p] = _dce
host_call_p.series = _series
host_call_p.name_of = lambda params: params["call"].host.name
compiler.register_lowering(host_call_p, _lower, cacheable=False)

# ---- on concrete arrays


def is_concrete(values: Sequence[Any]) -> bool:
    """Whether the values are in this process: no tracers, and no array on several devices."""
    return not any(
        isinstance(x, jax.core.Tracer) or (isinstance(x, jax.Array) and len(x.devices()) > 1) for x in values
    )


class _Staged(Exception):
    """Raised where a trace records operations for later."""


_now_p = compiler.Primitive("hostwrap_now")
_now_p.def_impl(lambda: True)


@_now_p.def_abstract_eval
def _staged() -> Any:
    raise _Staged


def at_once(values: Sequence[Any]) -> bool:
    """Whether the host can be called right away: with these values, and while no trace is under way.

    Of a program that is being traced nobody knows whether it will run, nor which of its branches. So JAX is asked what
    it would do with an operation without arguments: do it, or write it down.
    """
    if not is_concrete(values):
        return False
    try:
        return bool(_now_p.bind())
    except Exception:  # _Staged, or of a trace that has no place for a stranger
        return False


def call_now(
    host: Host, layout: Layout, operands: Sequence[Any], active: Active = None, like: Sequence[Any] = ()
) -> list[jax.Array]:
    """Call the host now. The results go to the device of the first committed array of `like`, or of the operands."""
    refuse_nested(host)
    private = host.trusted or host.options.copy  # else the function may return the memory of its argument
    arrays = [_on_the_host(x) if private else np.array(_on_the_host(x), order="C") for x in operands]
    call = HostCall(host, layout, layout.wanted(active))
    bound = bound_to(call, arrays)
    results = bound(arrays) if host.trusted else guarded(host, bound, arrays)
    device = next((x.sharding for x in like or operands if isinstance(x, jax.Array) and x.committed), None)
    _refuse_nans(host, arrays, results)
    return [jax.device_put(r, device) for r in results]  # an explicit transfer, for jax.transfer_guard


def _on_the_host(x: Any) -> np.ndarray:
    """From another device by an explicit transfer, which `jax.transfer_guard` lets pass, as it lets `device_put`."""
    if isinstance(x, jax.Array) and any(d.platform != "cpu" for d in x.devices()):
        return jax.device_get(x)
    return np.asarray(x)


def _refuse_nans(host: Host, arrays: Sequence[Any], results: Sequence[np.ndarray]) -> None:
    """Raise as jax_debug_nans and jax_debug_infs ask, with the name of the function; JAX knows the primitive's only."""
    config: Any = jax.config
    nans, infs = ("nan", config.jax_debug_nans, np.isnan), ("inf", config.jax_debug_infs, np.isinf)
    for name, asked, bad in (nans, infs):
        if asked and any(r.dtype.kind in "fc" and bad(r).any() for r in results):
            raise FloatingPointError(
                f"{host.name}: invalid value ({name}) in its result, called with {describe_all(host.argnames, arrays)}"
            )


# ---- jvp rules from JAX functions


def along(
    function: Callable[..., Sequence[Any]], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Sequence[Any], Sequence[Any]]:
    """`jax.jvp` in the arguments with a tangent; the tangent of the others is None or a SymbolicZero."""
    live = [i for i, t in enumerate(tangents) if not (t is None or isinstance(t, SymbolicZero))]

    def moving(*xs: Any) -> tuple:
        operands = list(primals)
        for i, x in zip(live, xs, strict=True):
            operands[i] = x
        return tuple(function(*operands))

    return jax.jvp(moving, [primals[i] for i in live], [tangents[i] for i in live])


def over_batch(
    rule: Forward, cores: Sequence[int], batch: Sequence[int], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Apply a rule for core arrays to operands with batch axes; `cores` is the number of core axes of each."""
    moving = [i for i, t in enumerate(tangents) if t is not None]

    def on_core(*arrays: Any) -> tuple[Sequence[Any], Sequence[Any]]:
        given = dict(zip(moving, arrays[len(primals) :], strict=True))
        return rule(arrays[: len(primals)], [given.get(i) for i in range(len(primals))])

    operands = (*primals, *(tangents[i] for i in moving))
    return mapped(on_core, operands, [*cores, *(cores[i] for i in moving)], batch)


@dataclasses.dataclass(frozen=True)
class OverBatch:
    """The rule of a call with this layout, from a rule for core arrays."""

    rule: Forward
    layout: Layout

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        batch = self.layout.batch(x.shape for x in primals)
        return over_batch(self.rule, self.layout.in_core, batch, primals, tangents)
