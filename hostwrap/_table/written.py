"""A program in operations of XLA, if it needs no function of the host.

XLA fuses and vectorises operations, and runs them where the arrays are, also on an accelerator. A host function takes
part by its `twin`, the same function in operations of JAX. A *word* is the XLA form of an operation. An operation that
XLA computes less accurately than NumPy has another word here, or none; then the host runs the program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from hostwrap._host.function import WIDE, HostCall
from hostwrap._host.layout import DTypes, Layout
from hostwrap._lanes.inlined import Written
from hostwrap._table.partials import replaced
from hostwrap._table.shared import body_of

Word = Callable[..., Any]


class NotWritten(Exception):
    """There is no XLA form that is as accurate."""


def write(program: Any, dtypes: DTypes, layout: Layout, active: Sequence[int]) -> Written | None:
    """The wanted derivatives in operations of XLA, and a host call of the value if that is wanted or used.

    None if no derivative is wanted, or an operation has no word.
    """
    steps, count = program.needed(active), len(dtypes)
    value = next((range(k, k + n) for op, slots, k, n, _ in steps if program.is_value(op, slots)), range(0))
    derived = [i for i in active if program.outputs[i] not in value]
    if not derived or any(dtype.kind not in "biuf" for dtype in dtypes):
        return None
    used = any(slot in value for _, slots, *_ in steps for slot in slots)
    on_host = used and program.value is not None and program.value.twin is None
    if on_host and any(dtype != WIDE.get(dtype.kind, dtype) for dtype in dtypes):
        return None  # derivatives use the value before it is rounded
    wanted = {program.outputs[i] for i in active if i not in derived} | set(value if on_host else ())
    shown = [slot for slot in value if slot in wanted]
    written = [row for row in steps if row[2] not in value or (used and not on_host)]

    def function(*arrays: Any) -> list:
        values = program.constants | dict(enumerate(map(_wide, arrays[:count])))
        values |= zip(shown, arrays[count:], strict=True)
        for _, slots, first, number, _ in written:
            found = program.words[first](*[values[i] for i in slots])
            values |= zip(range(first, first + number), found if number > 1 else [found], strict=True)
        return [_rounded(values[program.outputs[i]], layout.outs[i].dtype) for i in derived]

    if not _has_words(function, [*dtypes, *(layout.outs[slot - value.start].dtype for slot in shown)]):
        return None
    own = Layout(layout.in_core, layout.outs[: len(value)])
    call = HostCall(program.value, own, tuple(slot - value.start for slot in shown)) if shown else None
    order = (
        len(shown) + derived.index(i) if i in derived else shown.index(program.outputs[i]) for i in active
    )
    return Written(call, function, tuple(order))


def _has_words(function: Callable, dtypes: Sequence[Any]) -> bool:
    try:
        with jax.enable_x64(True):
            jax.eval_shape(function, *(jax.ShapeDtypeStruct((), dtype) for dtype in dtypes))
    except NotWritten:
        return False
    return True


def _wide(x: Any) -> Any:
    kind = "f" if jnp.issubdtype(x.dtype, jnp.floating) else x.dtype.kind
    return lax.convert_element_type(x, WIDE.get(kind, x.dtype))


def _rounded(x: Any, dtype: Any) -> Any:
    """Round to float32. XLA flushes subnormal results to 0, so build their bits: the integer x / 2^-149."""
    found = lax.convert_element_type(x, dtype)
    if dtype != np.float32 or x.dtype != np.float64:
        return found
    size, smallest = lax.abs(x), float(np.finfo(np.float32).tiny)
    whole = lax.round(jnp.where(size < smallest, size, 0.0) * 2.0**149, lax.RoundingMethod.TO_NEAREST_EVEN)
    bits = lax.convert_element_type(whole, np.int32) | jnp.where(x < 0, np.int32(-(2**31)), np.int32(0))
    return jnp.where((size < smallest) & (size > 0), lax.bitcast_convert_type(bits, np.float32), found)


def word_of(primitive: Any, params: dict) -> Word:
    """The word of an operation on scalars of 64 bits."""
    name = primitive.name
    if name in _OTHERS:
        return _OTHERS[name](**params)
    return functools.partial(_bind, primitive, params)


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
        results = _by_words(closed, moving)
        return results if len(results) > 1 else results[0]

    return word


def _by_words(body: Any, args: Sequence[Any]) -> list:
    jaxpr, constants = getattr(body, "jaxpr", body), getattr(body, "consts", ())
    env = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *args), strict=True))
    value = lambda atom: atom.val if hasattr(atom, "val") else env[atom]  # a literal, or a variable
    for eqn in jaxpr.eqns:
        inputs, inner = list(map(value, eqn.invars)), body_of(eqn)
        found = word_of(eqn.primitive, eqn.params)(*inputs) if inner is None else _by_words(inner, inputs)
        env |= zip(eqn.outvars, found if isinstance(found, list) else [found], strict=True)
    return list(map(value, jaxpr.outvars))


def _bind(primitive: Any, params: dict, *args: Any) -> Any:
    if primitive.name not in _SAME or any(map(jnp.iscomplexobj, args)):
        raise NotWritten
    return primitive.bind(*args, **params)


def log(x: Any) -> Any:
    """The logarithm, also of subnormal numbers, which XLA treats as 0.

    Their bits are the fraction of a number in [1, 2).
    """
    bits = lax.bitcast_convert_type(x, np.int64)
    small = (bits > 0) & (bits < _NORMAL)
    value = lax.log(jnp.where(small, lax.bitcast_convert_type(bits | _ONE, np.float64) - 1, x))
    return jnp.where(small, value - 1022 * _LOG2, value)


def log1p(x: Any) -> Any:
    """log(u) + (x - (u - 1)) / u with u = 1 + x rounded.

    `reduce_precision` keeps XLA from simplifying x - (u - 1) to 0.
    """
    u = lax.reduce_precision(1 + x, 11, 50)
    rest = x - (u - 1)
    return lax.log(u) + jnp.where((rest == 0) | ~jnp.isfinite(rest), 0.0, rest / u)


def div(x: Any, y: Any) -> Any:
    """A quotient as it is written.

    XLA turns x / y / z into x / (y z), and x / (y / z) into (x z) / y, which may overflow.
    """
    if any(map(jnp.iscomplexobj, (x, y))):
        raise NotWritten
    return lax.div(*(_as_it_is(v) if isinstance(v, jax.core.Tracer) else v for v in (x, y)))


def _as_it_is(x: Any) -> Any:
    """The same number, but XLA cannot see the operation that made it."""
    return jnp.where(x == x, x, jnp.nan) if jnp.issubdtype(x.dtype, jnp.floating) else x


def _integer_pow(*, y: int) -> Word:
    """x^y; for a negative y the power of 1/x, because x^-y may underflow where x^y is finite."""
    return lambda x: lax.integer_pow(x, y) if y >= 0 else lax.integer_pow(1 / x, -y)


_NORMAL, _ONE = (int(np.float64(x).view(np.int64)) for x in (2.0**-1022, 1.0))
_LOG2 = float(np.log(2.0))
_NAMES = (
    "abs add add_any and atan2 bessel_i0e bessel_i1e bitcast_convert_type broadcast_in_dim ceil clamp "
    "convert_element_type copy copy_p cos eq exp floor ge gt is_finite le lt max min mul ne neg not or pow "
    "reduce_precision reshape round select_n "
    "sign sin sqrt square squeeze stop_gradient sub"
)
_SAME = frozenset(_NAMES.split())
_OTHERS: dict[str, Callable[..., Word]] = {
    "div": lambda **_: div,
    "log": lambda **_: log,
    "log1p": lambda **_: log1p,
    "integer_pow": _integer_pow,
}
