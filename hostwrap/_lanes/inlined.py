"""Host calls that XLA computes itself, with its own operations, on every device."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax

from hostwrap._host.function import HostCall
from hostwrap._lanes.compiler import array_type, lower_fun, mapped, varying_axes

LONGEST = 400  # a first derivative in `special` has 396 at most


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

    def is_long(self) -> bool:
        """Whether loops of C are better on a CPU: XLA compiles for about a millisecond for each operation.

        From some size on it also takes longer to run than they.
        """
        return self.operations > LONGEST


def lower(ctx: Any, operands: Sequence[Any], written: Written, lower_host: Callable[..., Any]) -> list:
    """Emit the operations. `lower_host(ctx, call)` lowers the host call."""
    varying = any(map(varying_axes, ctx.avals_in))
    avals = [jax.core.ShapedArray(a.shape, a.dtype) for a in ctx.avals_in] if varying else list(ctx.avals_in)
    batch, found = ctx.avals_out[0].shape, list[Any]()
    if written.host:
        results = written.host.results([a.shape for a in avals])
        outs = [array_type(r.shape, r.dtype, avals, len(batch)) for r in results]
        found = list(lower_host(ctx.replace(avals_out=outs), written.host))
        avals += outs
    whole = lambda *arrays: mapped(written.function, arrays, [0] * len(arrays), batch)
    with jax.enable_x64(True):
        inner = ctx.replace(avals_in=avals)
        found += lower_fun(whole, multiple_results=True)(inner, *operands, *found)
    return [found[k] for k in written.order]
