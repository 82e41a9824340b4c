"""The native lane: a custom call of XLA, which runs C loops, or calls a Python function by its key.

XLA splits the call over devices along its batch axes. The partitioner splits a target registered as
batch-partitionable if the attribute `num_batch_dims` is less than the rank of every operand (so a number gets a last
axis of size 1), the batch axes of all operands have one size, and Shardy knows which axis goes with which: without
them it gathers the operands on every device.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._host import parallel
from hostwrap._host.function import HostCall
from hostwrap._host.layout import MAX_RANK, Layout, is_static
from hostwrap._lanes import callback
from hostwrap._lanes.compiler import dense_int_array, has_devices, ir, sdy, stablehlo
from hostwrap._lanes.keyed import KeyedCall, RestCall, found, held
from hostwrap._lanes.recorded import program_of
from hostwrap._native import calls, library
from hostwrap._native.program import FEW


def connect() -> None:
    """Register the library with XLA, and tell it how to find Python functions."""
    calls.connect(found)


def lower(ctx: Any, operands: Sequence[Any], call: HostCall) -> Any:
    """Lower to a custom call; None if the library does not support the dtypes or the number of axes.

    On a GPU or TPU the program calls Python, for which JAX copies the arrays to the CPU. Python then runs the C loops.
    """
    if call.kind:
        return None
    if tuple(ctx.module_context.platforms) != ("cpu",):
        return callback.lower(ctx, operands, dataclasses.replace(call, by_loops=True))
    connect()
    avals = (*ctx.avals_in, *ctx.avals_out)
    if any(a.ndim > MAX_RANK for a in avals):
        return None
    results = _loops(ctx, operands, call)
    if results is None and all(a.dtype.name in library.TYPES for a in avals):
        results = _emit(ctx, library.HOST, operands, call.layout, {"key": held(ctx, call, KeyedCall)})
    return results


# ---- without Python


def _loops(ctx: Any, operands: Sequence[Any], call: HostCall) -> Any:
    recorded = program_of(call.host, [a.dtype for a in ctx.avals_in], call.layout, call.active)
    if recorded is None:
        return None
    assembled, hands_back = recorded
    if has_devices(ctx) and assembled.may_raise:
        return None  # after an error on one device the others would wait; Python makes it NaN
    threads, chosen = parallel.thread_count(), parallel.chosen_threads()
    if chosen is None:
        library.library().hw_set_threads(threads)
    shape = ctx.avals_out[0].shape
    if threads > 1 and not (is_static(shape) and math.prod(shape) < 2 * FEW):
        assembled.set_grain()
    # another process may find the compiled program in its cache, so attributes mean the same everywhere
    attributes = {"key": np.int64(assembled.key), "threads": np.int64(chosen or 0), "program": assembled.text}
    if not hands_back:
        return _emit(ctx, library.LOOPS, operands, call.layout, attributes)
    attributes["rest"] = held(ctx, call, RestCall)
    ctx = ctx.replace(avals_out=[*ctx.avals_out, jax.core.ShapedArray(shape, np.bool_)])
    return _emit(ctx, library.LOOPS, operands, call.layout, attributes)[:-1]


# ---- the custom call


def _emit(
    ctx: Any, target: str, operands: Sequence[Any], layout: Layout, attributes: Mapping[str, Any]
) -> Any:
    """Emit a custom call of `target` on operands `batch + core`; return its results."""
    avals, in_core, extra = list(ctx.avals_in), layout.in_core, {}
    batch = avals[0].ndim - in_core[0] if avals else 0
    if batch and has_devices(ctx) and is_static(*(a.shape for a in (*avals, *ctx.avals_out))):
        sizes = ctx.avals_out[0].shape[:batch]
        spread = [_spread(x, a, sizes, n) for x, a, n in zip(operands, avals, in_core, strict=True)]
        operands, avals = [x for x, _ in spread], [a for _, a in spread]
        shapes = [a.shape for a in avals], [a.shape for a in ctx.avals_out]
        extra["mhlo.frontend_attributes"] = ir.DictAttr.get({"num_batch_dims": ir.StringAttr.get(str(batch))})
        extra["sdy.sharding_rule"] = _sharding_rule(batch, *shapes)
    lowering = jax.ffi.ffi_lowering(target, extra_attributes=extra)
    return lowering(ctx.replace(avals_in=avals), *operands, **attributes)


def _spread(value: Any, aval: Any, sizes: Sequence[int], core: int) -> tuple[Any, Any]:
    """An operand with batch axes in full size, and at least one axis after them."""
    own = aval.shape[len(sizes) :]
    shape = (*sizes, *(own if core else (1,)))
    if shape != aval.shape:
        kind = ir.RankedTensorType.get(shape, ir.RankedTensorType(value.type).element_type)
        value = stablehlo.broadcast_in_dim(kind, value, dense_int_array(list(range(aval.ndim))))
    return value, jax.core.ShapedArray(shape, aval.dtype)


def _sharding_rule(batch: int, operands: Sequence[Sequence[int]], results: Sequence[Sequence[int]]) -> Any:
    """The rule of Shardy: all arrays share the batch axes, and every device needs the whole of each core axis."""
    factors, whole = list(operands[0][:batch]), list[int]()

    def mapping(shape: Sequence[int]) -> Any:
        own = range(len(factors), len(factors) + len(shape) - batch)
        factors.extend(shape[batch:])
        whole.extend(own)
        axes = [sdy.DimMappingAttr.get(factor_indices=[k]) for k in (*range(batch), *own)]
        return sdy.TensorMappingAttr.get(dim_mappings=axes)

    operand_mappings, result_mappings = [mapping(s) for s in operands], [mapping(s) for s in results]
    return sdy.OpShardingRuleAttr.get(
        factor_sizes=factors, operand_mappings=operand_mappings, result_mappings=result_mappings, is_custom=True,
        reduction_factors=[], need_replication_factors=whole, permutation_factors=[],
    )  # fmt: skip
