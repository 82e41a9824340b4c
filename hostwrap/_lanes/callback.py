"""The lanes that go through JAX's own callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._host.layout import Layout
from hostwrap._lanes.compiler import Primitive, TokenSet, array_type, emit_python_callback, register_lowering
from hostwrap._lanes.primitive import Host, bind
from hostwrap._lanes.runner import runner

# A callback's 64-bit results are canonicalised with the x64 flag of the thread it happens to run on, so they
# travel as pairs of 32-bit words and become themselves again inside the program.


def _words(dtype: Any) -> int:
    """How many 32-bit words a number of this dtype travels as; 0: as it is."""
    return {"f8": 2, "i8": 2, "u8": 2, "c16": 4}.get(np.dtype(dtype).str[1:], 0)


def _wire(aval: Any) -> Any:
    words = _words(aval.dtype)
    return array_type((*aval.shape, words), np.uint32, [aval]) if words else aval


def _unpack(value: Any, aval: Any) -> Any:
    if value.dtype == aval.dtype:
        return value
    if aval.dtype != np.complex128:
        return jax.lax.bitcast_convert_type(value, aval.dtype)
    parts = jax.lax.bitcast_convert_type(value.reshape(*aval.shape, 2, 2), np.float64)
    return jax.lax.complex(parts[..., 0], parts[..., 1])


def _words_of(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The same memory as 32-bit words."""
    return np.ndarray(shape, np.uint32, value if value.flags.c_contiguous else value.copy())


_wire_p = Primitive("host_call_wire")
_wire_p.multiple_results = True


@_wire_p.def_effectful_abstract_eval
def _(*_: Any, outs: tuple, run: Callable, effect: Any, ordered: bool) -> tuple[list, set]:
    return [_wire(out) for out in outs], {effect} - {None}


def _lower_wire(ctx: Any, *operands: Any, outs: tuple, run: Callable, effect: Any, ordered: bool) -> Any:
    shapes = [
        aval.shape if _words(out.dtype) else None for out, aval in zip(outs, ctx.avals_out, strict=True)
    ]

    def packed(*arrays: Any) -> tuple:
        return tuple([v if s is None else _words_of(v, s) for v, s in zip(run(*arrays), shapes, strict=True)])

    results, token, _ = emit_python_callback(
        ctx,
        packed,
        ctx.tokens_in.get(effect) if ordered else None,
        list(operands),
        ctx.avals_in,
        ctx.avals_out,
        has_side_effect=effect is not None,
        returns_token=ordered,
    )
    if ordered:
        ctx.set_tokens_out(ctx.tokens_in.update_tokens(TokenSet({effect: token})))
    return results


register_lowering(_wire_p, _lower_wire, cacheable=False)


def _public(callback: Callable, declared: Any, *operands: Any) -> Any:
    return jax.pure_callback(callback, declared, *operands, vmap_method="expand_dims")


def call(
    *operands: Any,
    host: Host,
    layout: Layout,
    active: tuple[int, ...],
    lane: str,
    outs: tuple,
    effect: Any = None,
    ordered: bool = False,
    several: bool = False,
    public: Callable = _public,
) -> list:
    """The call by our own lowering, or by the `public` callback of JAX; with an effect of JAX's, or with none."""
    if not all(isinstance(size, int) for x in operands for size in x.shape):
        raise SignatureError(
            f"{host.name}: a program for sizes that are symbols needs the native lane; JAX's callbacks, which "
            f"{lane!r} is made of, take none. hostwrap.lanes() says which lanes there are."
        )
    bound = bind(host, operands, layout, active)
    run = runner(host, bound, outs, several)
    if lane == "pure_callback":
        declared = tuple(jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outs)

        def callback(*arrays: Any) -> tuple:
            return tuple(run(*map(np.asarray, arrays)))

        return list(public(callback, declared, *operands))
    values = _wire_p.bind(*operands, outs=outs, run=run, effect=effect, ordered=ordered)
    return [_unpack(v, o) for v, o in zip(values, outs, strict=True)]
