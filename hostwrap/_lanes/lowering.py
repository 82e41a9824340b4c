"""Lower host calls to XLA: a table of the lanes, all with one signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hostwrap import _lanes
from hostwrap._errors import HostwrapError
from hostwrap._host.function import HostCall
from hostwrap._lanes import callback, inlined, native

# `lower(ctx, operands, call, kind)` returns the results in the program, or None if the lane cannot make this call.
# `kind` is the kind of its side effect, or None.
LOWERINGS: dict[str, Callable[[Any, Sequence[Any], HostCall, str | None], Any]] = {
    "native": native.lower,
    "callback": callback.lower,
    "pure_callback": callback.lower_public,
}


def lower(ctx: Any, *operands: Any, call: HostCall, lane: str, kind: str | None = None, **_: Any) -> Any:
    """Lower to operations of XLA if there are some, and not too many; else by this lane, or the next that can do it."""
    written = None if kind else call.host.written([a.dtype for a in ctx.avals_in], call.layout, call.active)
    on_cpu = tuple(ctx.module_context.platforms) == ("cpu",)
    if written is not None and not (on_cpu and written.is_long()):
        lower_host = lambda ctx, call: lower(ctx, *operands, call=call, lane=lane)
        return inlined.lower(ctx, operands, written, lower_host)
    while True:
        try:
            results = LOWERINGS[lane](ctx, operands, call, kind)
            if results is not None:
                return results
        except HostwrapError:
            raise
        except (AttributeError, TypeError) as error:  # a later jax may use its names in another way
            if lane == _lanes.LANES[-1]:
                raise
            _lanes.lost(f"lane {lane!r} ({type(error).__name__}: {error})", (lane,))
        lane = _lanes.after(lane)
