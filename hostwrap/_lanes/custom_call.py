"""A custom call in a compiled program, which XLA splits over devices along its batch axes.

The partitioner splits a target registered as batch-partitionable if the attribute `num_batch_dims` is less than the
rank of every operand (so a number gets a last axis of size 1), the batch axes of all operands have one size, and
Shardy knows which axis goes with which: without them it gathers the operands on every device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax

from hostwrap._lanes.compiler import devices_of, find

NATIVE = ("native",)
sdy: Any = find("jaxlib.mlir.dialects", "sdy", lanes=NATIVE)
stablehlo: Any = find("jaxlib.mlir.dialects", "stablehlo", lanes=NATIVE)
ir: Any = find("jax.interpreters.mlir", "ir", lanes=NATIVE)
dense_int_array: Any = find("jax.interpreters.mlir", "dense_int_array", lanes=NATIVE)


def emit(
    ctx: Any, target: str, operands: Sequence[Any], in_core: Sequence[int], attributes: Mapping[str, Any]
) -> Any:
    """The call of `target` on operands `batch + core`, in a lowering rule; its results."""
    avals = list(ctx.avals_in)
    batch = avals[0].ndim - in_core[0] if avals else 0
    extra = {}
    if batch and has_devices(ctx) and _is_static((*avals, *ctx.avals_out)):
        sizes = ctx.avals_out[0].shape[:batch]
        spread = [_spread(x, a, sizes, n) for x, a, n in zip(operands, avals, in_core, strict=True)]
        operands, avals = [x for x, _ in spread], [a for _, a in spread]
        shapes = [a.shape for a in avals], [a.shape for a in ctx.avals_out]
        extra["mhlo.frontend_attributes"] = ir.DictAttr.get({"num_batch_dims": ir.StringAttr.get(str(batch))})
        extra["sdy.sharding_rule"] = _rule(batch, *shapes)
    lowering = jax.ffi.ffi_lowering(target, extra_attributes=extra)
    return lowering(ctx.replace(avals_in=avals), *operands, **attributes)


def keep(ctx: Any, value: Any) -> None:
    """Let `value` live as long as the compiled program."""
    ctx.module_context.add_keepalive(value)


def _is_static(avals: Sequence[Any]) -> bool:
    return all(isinstance(size, int) for a in avals for size in a.shape)


def has_devices(ctx: Any) -> bool:
    """Whether the program is for several devices."""
    return devices_of(ctx)[0] not in (None, 1)


def _spread(value: Any, aval: Any, sizes: Sequence[int], core: int) -> tuple[Any, Any]:
    """An operand with the batch axes in full size, and a last axis behind them."""
    own = aval.shape[len(sizes) :]
    shape = (*sizes, *(own if core else (1,)))
    if shape != aval.shape:
        kind = ir.RankedTensorType.get(shape, ir.RankedTensorType(value.type).element_type)
        value = stablehlo.broadcast_in_dim(kind, value, dense_int_array(list(range(aval.ndim))))
    return value, jax.core.ShapedArray(shape, aval.dtype)


def _rule(batch: int, operands: Sequence[Sequence[int]], results: Sequence[Sequence[int]]) -> Any:
    """Batch axes go together; each core axis is a factor of its own, which every device needs whole."""
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
