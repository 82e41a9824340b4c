"""The lowerings of `host_call`: which lane a compiled program takes to the host."""

from __future__ import annotations

import functools
from typing import Any

from hostwrap import _lanes
from hostwrap._errors import HostwrapError
from hostwrap._host.layout import Layout
from hostwrap._lanes import callback, native, public
from hostwrap._lanes.compiler import HAS_RULES, lower_fun, register_lowering
from hostwrap._lanes.custom_call import has_devices
from hostwrap._lanes.primitive import Host, host_call_p


def _native(ctx: Any, operands: Any, host: Host, layout: Layout, active: tuple[int, ...], _: str) -> Any:
    return native.lower(ctx, operands, host, layout, active)


def _by_callback(
    ctx: Any, operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str
) -> Any:
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


def _lower(ctx: Any, *operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str) -> Any:
    platforms = tuple(ctx.module_context.platforms)
    if len(platforms) > 1:  # several platforms in one module: only the public callback can
        lane = "pure_callback"
    elif lane == "native" and platforms != ("cpu",):
        lane = _lanes.after("native")
    while lane != "pure_callback":
        lower = _native if lane == "native" else _by_callback
        try:
            results = lower(ctx, operands, host, layout, active, lane)
            if results is not None:
                return results
        except HostwrapError:
            raise
        except (AttributeError, TypeError) as error:  # a later jax wants its own names used otherwise
            _lanes.lost(f"lane {lane!r} ({type(error).__name__}: {error})", (lane,))
        lane = _lanes.after(lane)
    return _by_callback(ctx, operands, host, layout, active, lane)


register_lowering(host_call_p, _lower, cacheable=False)
if not HAS_RULES:
    host_call_p.bind = public.call
