"""A program in operations of XLA, if it needs no function of the host.

XLA fuses and vectorises operations, and runs them where the arrays are, also on an accelerator. A host function takes
part by its `twin`, the same function in operations of JAX. Where an operation has no word (`words.py`), the host runs
the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from hostwrap._host.function import WIDE, HostCall, HostStep
from hostwrap._host.layout import DTypes, Layout
from hostwrap._lanes.lowering import Written
from hostwrap._table.partials import replaced
from hostwrap._table.shared import body_of, interpreted
from hostwrap._table.words import NotWritten, Word, applied, is_product, word_of


def write(program: Any, dtypes: DTypes, layout: Layout, active: Sequence[int]) -> Written | None:
    """The wanted derivatives in operations of XLA, and a host call of the value if it is needed; None without words."""
    steps, count = program.needed(active), len(dtypes)
    value = next((range(k, k + n) for op, slots, k, n, _ in steps if program.is_value(op, slots)), range(0))
    derived = [i for i in active if program.outputs[i] not in value]
    if not derived or any(dtype.kind not in "biuf" for dtype in dtypes):
        return None
    used = any(slot in value for _, slots, *_ in steps for slot in slots)
    on_host = used and program.value is not None and program.value.twin is None
    if on_host and any(dtype != WIDE.get(dtype.kind, dtype) for dtype in dtypes):
        return None  # derivatives use the value before it is rounded
    if on_host and _multiplied(program, steps, value):
        return None
    wanted = {program.outputs[i] for i in active if i not in derived} | set(value if on_host else ())
    shown = [slot for slot in value if slot in wanted]
    written = [row for row in steps if row[2] not in value or (used and not on_host)]

    def function(*arrays: Any) -> list:
        values = program.constants | dict(enumerate(map(_wide, arrays[:count])))
        values |= zip(shown, arrays[count:], strict=True)
        quotients = set(map(id, values.values()))
        for _, slots, first, number, _ in written:
            found = applied(program.words[first], [values[i] for i in slots], quotients)
            values |= zip(range(first, first + number), found, strict=True)
        return [_rounded(values[program.outputs[i]], layout.outs[i].dtype) for i in derived]

    operations = _operations(function, [*dtypes, *(layout.outs[slot - value.start].dtype for slot in shown)])
    if operations is None:
        return None
    own = Layout(layout.in_core, layout.outs[: len(value)])
    call = HostCall(program.value, own, tuple(slot - value.start for slot in shown)) if shown else None
    order = (
        len(shown) + derived.index(i) if i in derived else shown.index(program.outputs[i]) for i in active
    )
    return Written(call, function, tuple(order), operations)


def _multiplied(program: Any, steps: Sequence[tuple], value: range) -> bool:
    """Whether a host function's result multiplies the value, which XLA flushes to 0 where it is subnormal."""
    calls = {
        first: count for op, _, first, count, _ in steps if isinstance(op, HostStep) and first not in value
    }
    given = {slot for first, count in calls.items() for slot in range(first, first + count)}
    return any(
        is_product(program.words[first]) and given.intersection(slots) and set(value).intersection(slots)
        for _, slots, first, *_ in steps
    )


def _operations(function: Callable, dtypes: Sequence[Any]) -> int | None:
    """The number of operations of the function of scalars; None if one of them has no word."""
    try:
        with jax.enable_x64(True):
            body = jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct((), dtype) for dtype in dtypes))
    except NotWritten:
        return None
    return _size(body)


def _size(body: Any) -> int:
    inner = filter(None, map(body_of, getattr(body, "jaxpr", body).eqns))
    return len(getattr(body, "jaxpr", body).eqns) + sum(map(_size, inner))


def _wide(x: Any) -> Any:
    """In double precision. XLA takes subnormal numbers of float32 for 0, but not their bits: the integer x / 2^-149."""
    kind = "f" if jnp.issubdtype(x.dtype, jnp.floating) else x.dtype.kind
    found = lax.convert_element_type(x, WIDE.get(kind, x.dtype))
    if x.dtype != np.float32:
        return found
    bits = lax.bitcast_convert_type(x, np.int32)
    whole = bits & np.int32(2**31 - 1)
    size = lax.convert_element_type(whole, np.float64) * 2.0**-149
    return jnp.where(whole < np.int32(2**23), jnp.where(bits < 0, -size, size), found)


def _rounded(x: Any, dtype: Any) -> Any:
    """Round to float32. XLA flushes subnormal results to 0, so build their bits: the integer x / 2^-149."""
    found = lax.convert_element_type(x, dtype)
    if dtype != np.float32 or x.dtype != np.float64:
        return found
    size, smallest = lax.abs(x), float(np.finfo(np.float32).tiny)
    whole = lax.round(jnp.where(size < smallest, size, 0.0) * 2.0**149, lax.RoundingMethod.TO_NEAREST_EVEN)
    bits = lax.convert_element_type(whole, np.int32) | jnp.where(x < 0, np.int32(-(2**31)), np.int32(0))
    return jnp.where((size < smallest) & (size > 0), lax.bitcast_convert_type(bits, np.float32), found)


def twin_of(twin: Callable | None) -> Word:
    """The word of a host function: its twin, with each operation replaced by its word.

    A twin may support some arguments only. Constants of a rule come as numbers, so that a twin can serve some orders
    only (`constant` in `special/_math`).
    """

    def word(*args: Any) -> Any:
        if twin is None or any(map(jnp.iscomplexobj, args)):
            raise NotWritten
        live = [i for i, x in enumerate(args) if isinstance(x, jax.core.Tracer)]
        moving = [args[i] for i in live]
        try:
            closed = jax.make_jaxpr(lambda *xs: twin(*replaced(args, live, xs)))(*moving)
        except NotImplementedError as error:  # the twin does not support these statics or orders
            raise NotWritten from error
        return _by_words(closed, moving)

    return word


def _by_words(body: Any, args: Sequence[Any]) -> list:
    quotients = set(map(id, args))

    def step(eqn: Any, inputs: list) -> list:
        inner = body_of(eqn)
        word = word_of(eqn.primitive, eqn.params) if inner is None else lambda *args: _by_words(inner, args)
        return applied(word, inputs, quotients)

    return interpreted(body, args, step)
