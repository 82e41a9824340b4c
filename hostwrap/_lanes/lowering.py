"""Lower host calls to XLA: by a table of the lanes, all with one signature, or to operations of XLA itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax

from hostwrap import _lanes
from hostwrap._errors import HostwrapError
from hostwrap._host.function import HostCall
from hostwrap._lanes import callback, native
from hostwrap._lanes.compiler import array_type, lower_fun, mapped, varying_axes

# `lower(ctx, operands, call)` returns the results in the program, or None if the lane cannot make this call.
LOWERINGS: dict[str, Callable[[Any, Sequence[Any], HostCall], Any]] = {
    "native": native.lower,
    "callback": callback.lower,
    "pure_callback": callback.lower_public,
}


def lower(ctx: Any, operands: Sequence[Any], call: HostCall, lane: str) -> Any:
    """Lower to operations of XLA if there are some, and not too many; else by this lane, or the next that can do it."""
    written = None
    if not call.kind:
        written = call.host.written([a.dtype for a in ctx.avals_in], call.layout, call.active)
    on_cpu = tuple(ctx.module_context.platforms) == ("cpu",)
    if written is not None and not (on_cpu and written.operations > LONGEST):
        return _inlined(ctx, operands, written, lane)
    while True:
        try:
            results = LOWERINGS[lane](ctx, operands, call)
            if results is not None:
                return results
        except HostwrapError:
            raise
        except (AttributeError, TypeError) as error:  # a later jax may use its names in another way
            if lane == _lanes.LANES[-1]:
                raise
            _lanes.lost(f"lane {lane!r} ({type(error).__name__}: {error})", (lane,))
        lane = _lanes.after(lane)


# ---- operations of XLA, on every device

# On a CPU loops of C are better than more operations than that: XLA compiles for about a millisecond for each, and
# from some size on it also takes longer to run than they. A first derivative in `special` has 396 at most.
LONGEST = 400


@dataclasses.dataclass(frozen=True)
class Written:
    """A call as a JAX function, and a smaller host call if the function needs one.

    `function(*operands, *host results) -> list` takes scalars and computes in 64 bits. `order` selects the results of
    the call from the host results followed by the function's results. `operations` counts those of the function.
    """

    host: HostCall | None
    function: Callable[..., list]
    order: tuple[int, ...]
    operations: int


def _inlined(ctx: Any, operands: Sequence[Any], written: Written, lane: str) -> list:
    varying = any(map(varying_axes, ctx.avals_in))
    avals = [jax.core.ShapedArray(a.shape, a.dtype) for a in ctx.avals_in] if varying else list(ctx.avals_in)
    batch, found = ctx.avals_out[0].shape, list[Any]()
    if written.host:
        results = written.host.results([a.shape for a in avals])
        outs = [array_type(r.shape, r.dtype, avals, len(batch)) for r in results]
        found = list(lower(ctx.replace(avals_out=outs), operands, written.host, lane))
        avals += outs
    whole = lambda *arrays: mapped(written.function, arrays, [0] * len(arrays), batch)
    with jax.enable_x64(True):
        inner = ctx.replace(avals_in=avals)
        found += lower_fun(whole, multiple_results=True)(inner, *operands, *found)
    return [found[k] for k in written.order]
