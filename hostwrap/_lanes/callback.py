"""The lanes `callback` (our own lowering to JAX's callback target) and `pure_callback` (JAX's public functions)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.experimental import io_callback

from hostwrap._errors import SignatureError
from hostwrap._host.function import HostCall
from hostwrap._host.layout import is_static
from hostwrap._lanes.compiler import TokenSet, emit_python_callback, has_devices, lower_fun
from hostwrap._lanes.running import nameless, runner


@functools.cache
def effect_of(kind: str) -> Any:
    """The effect of JAX's own callback of this kind."""
    (effect,) = jax.make_jaxpr(lambda: _PUBLIC[kind](lambda: None, None))().effects
    return effect


def _debug(callback: Callable, declared: Any, *operands: Any) -> tuple:
    jax.debug.callback(callback, *operands)
    return ()


_PUBLIC: dict[str | None, Callable] = {
    None: lambda *args: jax.pure_callback(*args, vmap_method="expand_dims"),
    "io": io_callback,
    "ordered io": functools.partial(io_callback, ordered=True),
    "debug": _debug,
}


def _runner(ctx: Any, call: HostCall, lane: str) -> Callable[..., list]:
    if not is_static(*(x.shape for x in ctx.avals_in)):
        raise SignatureError(
            f"{call.host.name}: a program for sizes that are symbols needs the native lane; JAX's callbacks, which "
            f"{lane!r} is made of, take none. hostwrap.lanes() says which lanes there are."
        )
    nameless(call.host.name)
    return runner(call, ctx.avals_in, ctx.avals_out, has_devices(ctx))


def lower_public(ctx: Any, operands: Sequence[Any], call: HostCall) -> Any:
    """Lower a call to `jax.pure_callback`, or to the public callback for this kind of side effect."""
    run = _runner(ctx, call, "pure_callback")
    declared = tuple(jax.ShapeDtypeStruct(o.shape, o.dtype) for o in ctx.avals_out)
    callback = lambda *arrays: tuple(run(*map(np.asarray, arrays)))
    body = lambda *xs: list(_PUBLIC[call.kind](callback, declared, *xs))
    return lower_fun(body, multiple_results=True)(ctx, *operands)


# JAX canonicalises the 64-bit results of a callback by the x64 flag of whatever thread runs it. So 64-bit results
# travel as pairs of 32-bit words, and the program puts them together again.


def lower(ctx: Any, operands: Sequence[Any], call: HostCall) -> Any:
    """Lower a call to JAX's callback target; None for several platforms, which only the public callback can do."""
    ordered = call.kind == "ordered io"
    if len(ctx.module_context.platforms) > 1 or (ordered and TokenSet is None):
        return None
    run, outs = _runner(ctx, call, "callback"), ctx.avals_out
    wires = [_wire(out) for out in outs]

    def packed(*arrays: Any) -> tuple:
        return tuple([_words_of(v, wire) for v, wire in zip(run(*arrays), wires, strict=True)])

    effect = None if call.kind is None else effect_of(call.kind)
    token = ctx.tokens_in.get(effect) if ordered else None
    results, token, _ = emit_python_callback(
        ctx.replace(avals_out=wires), packed, token, list(operands), ctx.avals_in, wires,
        has_side_effect=effect is not None, returns_token=ordered,
    )  # fmt: skip
    inner = ctx.replace(avals_in=wires)  # without the token
    if ordered:
        ctx.set_tokens_out(ctx.tokens_in.update_tokens(TokenSet({effect: token})))
    if wires == list(outs):
        return results
    unpack = lambda *values: [_unpack(v, out) for v, out in zip(values, outs, strict=True)]
    return lower_fun(unpack, multiple_results=True)(inner, *results)


_WORDS = {"float64": 2, "int64": 2, "uint64": 2, "complex128": 4}  # the number of 32-bit words of a number


def _wire(aval: Any) -> Any:
    words = _WORDS.get(aval.dtype.name)
    return jax.core.ShapedArray((*aval.shape, words), np.dtype(np.uint32)) if words else aval


def _unpack(value: Any, aval: Any) -> Any:
    if value.dtype == aval.dtype:
        return value
    if aval.dtype != np.complex128:
        return jax.lax.bitcast_convert_type(value, aval.dtype)
    parts = jax.lax.bitcast_convert_type(value.reshape(*aval.shape, 2, 2), np.float64)
    return jax.lax.complex(parts[..., 0], parts[..., 1])


def _words_of(value: np.ndarray, wire: Any) -> np.ndarray:
    """A view of the value as 32-bit words, if it travels in this form."""
    if value.dtype == wire.dtype:
        return value
    return np.ndarray(wire.shape, np.uint32, value if value.flags.c_contiguous else value.copy())
