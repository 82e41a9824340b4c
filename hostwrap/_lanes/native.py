"""The native lane in a compiled program: a custom call of C loops, or of a Python function by its key.

XLA splits the call over devices along its batch axes. The partitioner splits a target registered as
batch-partitionable if the attribute `num_batch_dims` is less than the rank of every operand (so a number gets a last
axis of size 1), the batch axes of all operands have one size, and Shardy knows which axis goes with which: without
them it gathers the operands on every device.
"""

from __future__ import annotations

import collections
import itertools
import math
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._host import origins, parallel
from hostwrap._host.function import Host, HostCall
from hostwrap._host.layout import MAX_RANK, Layout, Result
from hostwrap._lanes import faults
from hostwrap._lanes.compiler import dense_int_array, has_devices, ir, sdy, stablehlo
from hostwrap._lanes.recorded import recorded
from hostwrap._lanes.running import nameless, runner
from hostwrap._native import calls, library, program
from hostwrap._native.tape import Tape, uncollected


def connect() -> None:
    """Let XLA know the library, and the library the functions that it may call."""
    calls.connect(_found)


def lower(ctx: Any, operands: Sequence[Any], call: HostCall, kind: str | None) -> Any:
    """The results of the custom call; None where the library cannot carry these types, or so many axes."""
    if kind or tuple(ctx.module_context.platforms) != ("cpu",):
        return None
    connect()
    avals = (*ctx.avals_in, *ctx.avals_out)
    if any(a.ndim > MAX_RANK for a in avals):
        return None
    results = _loops(ctx, operands, call)
    if results is None and all(a.dtype.name in library.TYPES for a in avals):
        results = _emit(ctx, library.HOST, operands, call.layout, {"key": _held(ctx, call, _KeyedHostCall)})
    return results


# ---- without Python


@uncollected()
def _loops(ctx: Any, operands: Sequence[Any], call: HostCall) -> Any:
    tape = Tape([a.dtype for a in ctx.avals_in], may_hand_back=True)
    try:
        outputs = call.host.record(tape.inputs, call.layout, call.active, tape.perform)
        dtypes = [a.dtype for a in ctx.avals_out]
        if tape.back is not None:
            outputs, dtypes = [*outputs, tape.back], [*dtypes, np.dtype(bool)]
        assembled = program.assemble(tape, outputs, dtypes)
    except NoLoop:
        return None
    if has_devices(ctx) and any(loop.may_raise for loop in assembled.loops):
        return None  # an error on one device, for which the others would wait: in Python it becomes NaN
    threads, chosen = parallel.thread_count(), parallel.chosen_threads()
    if chosen is None:
        library.library().hw_set_threads(threads)
    shape = ctx.avals_out[0].shape
    if threads > 1 and not (_is_static(shape) and math.prod(shape) < 2 * program.FEW):
        assembled.set_grain()
    # nothing that another process would see otherwise: it may find the compiled program in its cache
    attributes = {"key": np.int64(assembled.key), "threads": np.int64(chosen or 0), "program": assembled.text}
    if tape.back is None:
        return _emit(ctx, library.LOOPS, operands, call.layout, attributes)
    attributes["rest"] = _held(ctx, call, _RestHostCall)
    ctx = ctx.replace(avals_out=[*ctx.avals_out, jax.core.ShapedArray(shape, np.bool_)])
    return _emit(ctx, library.LOOPS, operands, call.layout, attributes)[:-1]


def _is_static(shape: Sequence[Any]) -> bool:
    return all(isinstance(size, int) for size in shape)


# ---- Python by key

_serials: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_counts: dict[str, Iterator[int]] = collections.defaultdict(itertools.count)
# what is found by its origin anew, if it is not here
_kept: collections.deque[Any] = collections.deque(maxlen=256)


class _KeyedHostCall(calls.KeyedCall):
    """A call in programs for one device or for several; it is `stable` if its key leads to it in every process."""

    prefix = ""  # of its key
    more: tuple[np.dtype, ...] = ()  # results that are not the function's

    def __init__(self, key: str, call: HostCall, dtypes: Sequence[Any], several: bool) -> None:
        self.host, self.layout, self.active = call.host, call.layout, call.active
        self.several, self.stable = several, False
        super().__init__(key, dtypes, [*(call.layout.outs[i].dtype for i in call.active), *self.more])

    def go_on(self, error: BaseException, results: list[tuple]) -> list[np.ndarray]:
        if faults.is_ours(error):
            raise error
        outs = [Result(s, self.layout.outs[i].dtype) for s, i in zip(results, self.active, strict=True)]
        return faults.go_on(self.host, error, (), outs, self.several)

    def to_run(self) -> Host:
        """There is no program of all of it."""
        return recorded(self.host)

    def run_for(self, shapes: list[tuple], results: list[tuple]) -> Callable[..., Sequence[np.ndarray]]:
        """Shapes are known when the program runs: it may hold a shard, or have been exported for any."""
        outs = list(self.layout.outs)
        batch = len(results[0]) - len(outs[self.active[0]].shape)
        # without the last axis of a number, see `_spread`
        shapes = [s[: batch + n] for s, n in zip(shapes, self.layout.in_core, strict=True)]
        for i, shape in zip(self.active, results, strict=True):
            outs[i] = Result(shape[batch:], outs[i].dtype)
        layout = Layout(self.layout.in_core, tuple(outs))
        operands = [jax.ShapeDtypeStruct(s, d) for s, d in zip(shapes, self.dtypes, strict=False)]
        expected = [Result(shape, outs[i].dtype) for i, shape in zip(self.active, results, strict=True)]
        run = runner(HostCall(self.to_run(), layout, self.active), operands, expected, self.several)
        return lambda *arrays: run(*(a.reshape(s) for a, s in zip(arrays, shapes, strict=True)))


class _RestHostCall(calls.RestCall, _KeyedHostCall):
    """The same for what a program of loops hands back; elementwise."""

    prefix, more = "the rest: ", (np.dtype(bool),)

    def to_run(self) -> Host:
        """What was left to Python."""
        return self.host


def _held(ctx: Any, call: HostCall, kind: type[_KeyedHostCall]) -> str:
    """The key of the call, which is there as long as the program that is being compiled."""
    keyed = _keyed(call, [a.dtype for a in ctx.avals_in], has_devices(ctx), kind)
    if not keyed.stable:
        nameless(call.host.name)
        ctx.module_context.add_keepalive(calls.Keeper(keyed))
    return keyed.key


def _keyed(
    call: HostCall, dtypes: Sequence[Any], several: bool, kind: type[_KeyedHostCall]
) -> _KeyedHostCall:
    """The call with its key: where the function comes from, if it can be found there; else its number here."""
    host, layout = call.host, call.layout
    # None for the sizes that an exported program leaves open
    shapes = [tuple(n if isinstance(n, int) else None for n in out.shape) for out in layout.outs]
    outs = tuple((shape, out.dtype.name) for shape, out in zip(shapes, layout.outs, strict=True))
    how = (layout.in_core, outs, call.active, tuple(d.name for d in dtypes), several)
    by_origin = _is_found(host, how)
    where = repr((host.origin, how)) if by_origin else ""
    key = kind.prefix + (where or f"{host.name}, function {_serial(host)} of this name in its process, {how}")
    known = calls.known(key)
    keyed = known if isinstance(known, kind) else kind(key, call, dtypes, several)
    keyed.stable = by_origin
    if by_origin and keyed not in _kept:
        _kept.append(keyed)
    return keyed


def _is_found(host: Host, how: tuple) -> bool:
    """Whether its origin leads to this function, or to another one that the same maker has made for it."""
    if host.origin is None or not origins.is_literal((host.origin, how)):
        return False
    found = origins.find(host.origin)
    return found is host or (found is not None and host.maker is not None and found.maker is host.maker)


def _serial(host: Host) -> int:
    """For each name by itself: processes of one program then give their common functions the same numbers."""
    if host not in _serials:
        _serials[host] = next(_counts[host.name])
    return _serials[host]


def _found(key: str) -> _KeyedHostCall | None:
    """The call that a program from a file means, if its function has been imported."""
    kind = _RestHostCall if key.startswith(_RestHostCall.prefix) else _KeyedHostCall
    value = origins.read(key.removeprefix(kind.prefix))
    if value is None:
        return None
    origin, (in_core, outs, active, dtypes, several) = value
    host = origins.find(origin)
    if host is None:
        return None
    layout = Layout(in_core, tuple(Result(shape, jnp.dtype(name)) for shape, name in outs))
    return _keyed(HostCall(host, layout, active), [jnp.dtype(name) for name in dtypes], several, kind)


# ---- the custom call


def _emit(
    ctx: Any, target: str, operands: Sequence[Any], layout: Layout, attributes: Mapping[str, Any]
) -> Any:
    """The call of `target` on operands `batch + core`, in a lowering rule; its results."""
    avals, in_core, extra = list(ctx.avals_in), layout.in_core, {}
    batch = avals[0].ndim - in_core[0] if avals else 0
    if batch and has_devices(ctx) and all(_is_static(a.shape) for a in (*avals, *ctx.avals_out)):
        sizes = ctx.avals_out[0].shape[:batch]
        spread = [_spread(x, a, sizes, n) for x, a, n in zip(operands, avals, in_core, strict=True)]
        operands, avals = [x for x, _ in spread], [a for _, a in spread]
        shapes = [a.shape for a in avals], [a.shape for a in ctx.avals_out]
        extra["mhlo.frontend_attributes"] = ir.DictAttr.get({"num_batch_dims": ir.StringAttr.get(str(batch))})
        extra["sdy.sharding_rule"] = _sharding_rule(batch, *shapes)
    lowering = jax.ffi.ffi_lowering(target, extra_attributes=extra)
    return lowering(ctx.replace(avals_in=avals), *operands, **attributes)


def _spread(value: Any, aval: Any, sizes: Sequence[int], core: int) -> tuple[Any, Any]:
    """An operand with the batch axes in full size, and a last axis behind them."""
    own = aval.shape[len(sizes) :]
    shape = (*sizes, *(own if core else (1,)))
    if shape != aval.shape:
        kind = ir.RankedTensorType.get(shape, ir.RankedTensorType(value.type).element_type)
        value = stablehlo.broadcast_in_dim(kind, value, dense_int_array(list(range(aval.ndim))))
    return value, jax.core.ShapedArray(shape, aval.dtype)


def _sharding_rule(batch: int, operands: Sequence[Sequence[int]], results: Sequence[Sequence[int]]) -> Any:
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
