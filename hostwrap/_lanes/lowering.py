"""The lowerings of `host_call`: which lane a compiled program takes to the host."""

from __future__ import annotations

import functools
from typing import Any

from hostwrap import _lanes
from hostwrap._host.layout import Layout
from hostwrap._lanes import callback, native
from hostwrap._lanes.compiler import lower_fun, register_lowering
from hostwrap._lanes.custom_call import has_devices
from hostwrap._lanes.primitive import Host, host_call_p


def _lower(ctx: Any, *operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str) -> Any:
    platforms = tuple(ctx.module_context.platforms)
    results = None
    if lane == "native" and platforms == ("cpu",):
        results = native.lower(ctx, operands, host, layout, active)
    if results is not None:
        return results
    if len(platforms) > 1:  # several platforms in one module: only the public callback can
        lane = "pure_callback"
    elif lane == "native":
        lane = _lanes.after("native")
    body = functools.partial(
        callback.call,
        host=host,
        layout=layout,
        active=active,
        lane=lane,
        outs=tuple(ctx.avals_out),
        several=has_devices(ctx),
    )
    return lower_fun(body, multiple_results=True)(ctx, *operands)


register_lowering(host_call_p, _lower, cacheable=False)
