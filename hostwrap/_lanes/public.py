"""A host call where JAX takes no rules for the primitives of others: its public callback, which brings its own.

Derivatives by formulas and rules in JAX go on working, since they stand outside of the call. Rules on the host and side
effects are primitives themselves, and JAX refuses them then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import Host, bind, call_now, is_concrete
from hostwrap._lanes.runner import runner


def call(*operands: Any, host: Host, layout: Layout, active: tuple[int, ...], lane: str) -> list:
    """What `host_call_p.bind` does."""
    if is_concrete(operands):
        return call_now(host, layout, operands, active)

    def callback(*arrays: Any) -> tuple:  # under vmap with one more axis in front
        arrays = tuple(map(np.asarray, arrays))
        run = bind(host, arrays, layout, active)
        return tuple(runner(host, run, _results(arrays, layout, active), jax.device_count() > 1)(*arrays))

    declared = tuple(jax.ShapeDtypeStruct(r.shape, r.dtype) for r in _results(operands, layout, active))
    return list(jax.pure_callback(callback, declared, *operands, vmap_method="expand_dims"))


def _results(operands: Sequence[Any], layout: Layout, active: Sequence[int]) -> list[Result]:
    batch = layout.batch(x.shape for x in operands)
    return [Result(batch + layout.outs[i].shape, layout.outs[i].dtype) for i in active]
