"""How a compiled program calls the host: what runs on XLA's threads, and the lowerings of `host_call`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap import _fenv, _lanes, _native
from hostwrap._compiler import Primitive, array_type, emit_python_callback, lower_fun, register_lowering
from hostwrap._errors import HostwrapError, MissingDerivative, host_failure
from hostwrap._layout import Layout
from hostwrap._primitive import Host, guarded, host_call_p

_last_error: list[HostwrapError] = []


def last_error() -> HostwrapError | None:
    """The last error of a host function inside a compiled program, or None.

    XLA turns exceptions into text. This is the exception itself: `last_error().__cause__` is what the host
    function raised, with its traceback.
    """
    return _last_error[-1] if _last_error else None


def _callback(
    host: Host, bound: Callable[[Sequence[np.ndarray]], list], outs: Sequence[Any]
) -> Callable[..., list]:
    def careful(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        for array in arrays:  # the runtime hands over private copies, but flags them read-only
            if array.flags.owndata:
                array.flags.writeable = True
        with np.errstate(all="ignore"):
            return guarded(host, bound, arrays)

    call = bound if host.trusted else careful

    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        try:
            return _fenv.call(call, arrays)
        except BaseException as error:
            failure = error
            if not isinstance(failure, HostwrapError):
                failure = host_failure(host.name, error, host.argnames, arrays)
            _last_error[:] = [failure]
            # a derivative that a rule turns out not to have is no number, whatever else may be one
            lenient = host.on_error == "nan" and not isinstance(error, MissingDerivative)
            if lenient and isinstance(error, Exception):
                return [np.full(o.shape, np.nan if o.dtype.kind in "fc" else 0, o.dtype) for o in outs]
            raise failure from failure.__cause__

    return run


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


@_wire_p.def_abstract_eval
def _(*_: Any, outs: tuple, run: Callable) -> list:
    return [_wire(out) for out in outs]


def _lower_wire(ctx: Any, *operands: Any, outs: tuple, run: Callable) -> Any:
    shapes = [
        aval.shape if _words(out.dtype) else None for out, aval in zip(outs, ctx.avals_out, strict=True)
    ]

    def packed(*arrays: Any) -> tuple:
        return tuple([v if s is None else _words_of(v, s) for v, s in zip(run(*arrays), shapes, strict=True)])

    results, _, _ = emit_python_callback(
        ctx,
        packed,
        None,
        list(operands),
        ctx.avals_in,
        ctx.avals_out,
        has_side_effect=False,
        returns_token=False,
    )
    return results


register_lowering(_wire_p, _lower_wire, cacheable=False)


def _in_program(
    *operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str, outs: tuple
) -> list:
    bound = host.bind([x.shape for x in operands], [x.dtype for x in operands], layout, active)
    run = _callback(host, bound, outs)
    if lane == "pure_callback":
        declared = tuple(jax.ShapeDtypeStruct(o.shape, o.dtype) for o in outs)

        def public(*arrays: Any) -> tuple:
            return tuple(run(*map(np.asarray, arrays)))

        return list(jax.pure_callback(public, declared, *operands, vmap_method="expand_dims"))
    return [_unpack(v, o) for v, o in zip(_wire_p.bind(*operands, outs=outs, run=run), outs, strict=True)]


def _natively(*operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str) -> list | None:
    """The call without Python, all results at once as the loop has them; None where there is none."""
    ufunc = getattr(host, "ufunc", None)
    if ufunc is None or lane != "native":
        return None
    batch = layout.batch([x.shape for x in operands])
    results = _native.call(ufunc, operands, [jax.ShapeDtypeStruct(batch, out.dtype) for out in layout.outs])
    return None if results is None else [results[i] for i in active]


def _in_some_lane(*operands: Any, outs: tuple, **params: Any) -> list:
    results = _natively(*operands, **params)
    if results is not None:
        return results
    if params["lane"] == "native":
        params["lane"] = _lanes.after("native")
    return _in_program(*operands, **params, outs=outs)


def _lower(ctx: Any, *operands: Any, **params: Any) -> Any:
    platforms = tuple(ctx.module_context.platforms)
    if len(platforms) > 1:  # several platforms in one module: only the public callback can
        params["lane"] = "pure_callback"
    elif platforms != ("cpu",) and params["lane"] == "native":
        params["lane"] = _lanes.after("native")
    body = functools.partial(_in_some_lane, **params, outs=tuple(ctx.avals_out))
    return lower_fun(body, multiple_results=True)(ctx, *operands)


register_lowering(host_call_p, _lower, cacheable=False)
