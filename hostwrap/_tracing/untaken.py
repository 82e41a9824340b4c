"""A branch that is not taken has no derivative, not NaN: `where(x > 0, sqrt(x), 0)` at x = 0, in both modes.

JAX computes both branches. In reverse mode a 0 comes back to the one that is not taken, where JAX multiplies it by a
derivative that may be infinite. So this module reads the traced program backward, and finds where each number can reach
a result at all: a choice between arrays decides this. Elsewhere it holds the operands of elementwise operations fixed.
Then nothing goes on from there, and no value changes.

It reads the program forward, too, and finds where a number depends on the arguments at all: `sqrt(maximum(x, 0))` does
not where x < 0, nor does `sqrt(x * (x > 0))`. There it holds the result of an operation fixed if its derivative may be
infinite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._tracing.values import refuse_longer

ELEMENTWISE = {
    "abs", "acos", "acosh", "add", "add_any", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clamp",
    "complex", "conj", "convert_element_type", "copy", "cos", "cosh", "digamma", "div", "erf", "erf_inv", "erfc",
    "exp", "exp2", "expm1", "floor", "imag", "integer_pow", "lgamma", "log", "log1p", "log2", "logistic", "max",
    "min", "mul", "neg", "one_minus_square", "stage", "pow", "real", "rem", "round", "rsqrt", "select_n", "sign",
    "sin", "sinh", "sqrt", "square", "sub", "tan", "tanh", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not",
    "xor", "is_finite", "bitcast_convert_type", "reduce_precision", "bessel_i0e", "bessel_i1e",
}  # fmt: skip
CHOICES = frozenset(("select_n", "max", "min"))
FINITE = CHOICES | {
    "add",
    "add_any",
    "sub",
    "neg",
    "mul",
    "convert_element_type",
    "copy",
    "real",
    "imag",
    "conj",
    "complex",
}
_NESTED = ("jit", "pjit")


class Line(NamedTuple):
    """An operation: numbers of its results, and of its operands where these are no constants."""

    eqn: Any
    ins: tuple
    outs: tuple


class Literal(NamedTuple):
    val: Any


def untaken_held(function: Callable, longest: int | None = None) -> Callable[..., list]:
    """The function of arrays, with the same values; an error if it has more operations than allowed."""

    def run(*args: Any) -> list:
        closed = jax.make_jaxpr(function)(*args)
        values: dict[int, Any] = {}
        lines, ins, outs = _flat(closed.jaxpr, closed.consts, args, values)
        refuse_longer(len(lines), longest)
        held: dict = {}
        chosen = any(
            _is_truth(eqn) or (eqn.primitive.name in CHOICES and _moves(eqn.outvars[0].aval))
            for eqn, *_ in lines
        )
        if chosen and not closed.effects:
            plain = dict(jax.lax.stop_gradient(values))
            _evaluate(lines, plain, {})
            outer = [x for x, value in values.items() if x not in ins and isinstance(value, jax.core.Tracer)]
            moves = _moving(lines, [*ins, *outer], plain)
            held = _held(lines, outs, plain, moves)
        _evaluate(lines, values, held)
        return [_read(values, x) for x in outs]

    return run


def _flat(
    jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], values: dict[int, Any]
) -> tuple[list, list, list]:
    """All operations, and the numbers of inputs and outputs.

    Those of an inner program without loops stand in place of its call. `values` gets the inputs and the constants.
    """
    lines: list[Line] = []
    numbers: Iterator[int] = itertools.count()

    def entered(value: Any) -> int:
        values[number := next(numbers)] = value
        return number

    def enter(jaxpr: Any, known: dict) -> list:
        atom = lambda v: Literal(v.val) if hasattr(v, "val") else known[v]
        for eqn in jaxpr.eqns:
            ins = tuple(map(atom, eqn.invars))
            if eqn.primitive.name in _NESTED and not _has_loop(eqn):
                inner = eqn.params["jaxpr"]
                own = dict(zip(inner.jaxpr.constvars, map(entered, inner.consts), strict=True))
                outs = enter(inner.jaxpr, own | dict(zip(inner.jaxpr.invars, ins, strict=True)))
            else:
                outs = [next(numbers) for _ in eqn.outvars]
                lines.append(Line(eqn, ins, tuple(outs)))
            known.update(zip(eqn.outvars, outs, strict=True))
        return list(map(atom, jaxpr.outvars))

    known = dict(zip(jaxpr.constvars, map(entered, consts), strict=True))
    ins = list(map(entered, args))
    outs = enter(jaxpr, known | dict(zip(jaxpr.invars, ins, strict=True)))
    return lines, ins, outs


def _has_loop(eqn: Any) -> bool:
    """Whether a call has a loop. Such a call is kept: JAX has compiled it, and would compile the loop anew."""
    return any(inner.primitive.name in ("while", "scan") for inner in eqn.params["jaxpr"].eqns)


def _read(values: dict[int, Any], x: Any) -> Any:
    return x.val if isinstance(x, Literal) else values[x]


def _evaluate(lines: Sequence[Line], values: dict[int, Any], held: dict) -> None:
    for k, (eqn, ins, outs) in enumerate(lines):
        operands = [_fixed(_read(values, x), held.get((k, -1 - i))) for i, x in enumerate(ins)]
        params = eqn.primitive.get_bind_params(eqn.params)
        functions, params = params if isinstance(params, tuple) else ((), params)
        with eqn.ctx.manager:
            found = eqn.primitive.bind(*functions, *operands, **params)
        results = found if eqn.primitive.multiple_results else [found]
        values.update((y, _fixed(v, held.get((k, y)))) for y, v in zip(outs, results, strict=True))


def _fixed(x: Any, reaches: Any) -> Any:
    if reaches is None:
        return x
    x = jnp.broadcast_to(x, reaches.shape)
    return jnp.where(reaches, x, jax.lax.stop_gradient(x))


def _moves(aval: Any) -> bool:
    return np.dtype(aval.dtype).kind in "fc" if hasattr(aval, "dtype") else False


def _moving(lines: Sequence[Line], given: Sequence[int], values: dict[int, Any]) -> dict[int, Any]:
    """Where a number depends on the arguments: a mask, everywhere (True), or nowhere (False)."""
    moves: dict[int, Any] = {x: _moves(values[x]) for x in given}
    for line in lines:
        own = [None if isinstance(x, Literal) else moves.get(x) for x in line.ins]
        if any(m is not None for m in own):
            for y, v in zip(line.outs, line.eqn.outvars, strict=True):
                moves[y] = _moves(v.aval) and _of_result(line, own, values, moves)
    return moves


def _of_result(line: Line, own: Sequence[Any], values: dict[int, Any], moves: dict[int, Any]) -> Any:
    """Where a result depends on the arguments, given where its operands do."""
    name, shape = line.eqn.primitive.name, line.eqn.outvars[0].aval.shape
    moving = {i: m for i, m in enumerate(own) if m is not None and m is not False}
    if not moving:
        return False
    if name in CHOICES and all(moving.get(i) is True for i in range(name == "select_n", len(own))):
        return True
    if name in CHOICES or (name == "mul" and len(moving) == 1):
        return _any([_both(_taken(line, i, values, moves), m) for i, m in moving.items()])
    if any(m is True for m in moving.values()):
        return True
    masks = list(moving.values())
    if name in ELEMENTWISE or _is_elementwise(line.eqn):
        return _any(masks) if all(np.shape(m) == shape for m in masks) else True
    if name in ("reshape", "squeeze", "expand_dims"):
        return jnp.reshape(masks[0], shape)
    if name == "transpose":
        return jnp.transpose(masks[0], line.eqn.params["permutation"])
    if name == "broadcast_in_dim":
        return jax.lax.broadcast_in_dim(masks[0], shape, line.eqn.params["broadcast_dimensions"])
    return True


def _held(lines: Sequence[Line], outs: Sequence[Any], values: dict[int, Any], moves: dict[int, Any]) -> dict:
    """What to hold fixed, and where not: by the number of the line, and of its result or (-1 - i) its operand."""
    everywhere = True
    reaches: dict[int, Any] = {x: everywhere for x in outs if not isinstance(x, Literal)}
    held: dict = {}
    for k in reversed(range(len(lines))):
        eqn, ins, own = lines[k]
        known = [reaches[y] for y in own if y in reaches]
        if not known:
            continue
        out = _any(known)
        if eqn.primitive.name not in FINITE and (eqn.primitive.name in ELEMENTWISE or _is_elementwise(eqn)):
            for y, v in zip(own, eqn.outvars, strict=True):
                where = moves.get(y)
                if isinstance(where, jax.Array) and where.shape == v.aval.shape:
                    held[k, y], out = where, _both(out, where)
        for i, (x, v) in enumerate(zip(ins, eqn.invars, strict=True)):
            if not _moves(v.aval):
                continue
            mask, elementwise = _of_operand(lines[k], i, out, values, moves)
            if mask is not everywhere and elementwise and not isinstance(x, Literal):
                same = np.shape(mask) == v.aval.shape
                if (same or eqn.primitive.name in ELEMENTWISE) and not _is_linear(lines[k], i):
                    held[k, -1 - i] = mask
                mask = _of_narrow(mask, v.aval.shape)
            if not isinstance(x, Literal):
                before = reaches.get(x)
                first = before is None or mask is everywhere
                reaches[x] = mask if first else before if before is everywhere else before | mask
    return held


_LINEAR = ("add", "add_any", "sub", "neg", "convert_element_type", "copy", "real", "imag", "select_n")


def _is_linear(line: Line, i: int) -> bool:
    """Whether the derivative in this operand is a finite constant: the 0 that comes back from a choice stays 0. (What
    multiplies by 0 where it does not take an operand, such as a product or a maximum, holds that operand itself.)"""
    name = line.eqn.primitive.name
    if name in ("mul", "div") and i < (2 if name == "mul" else 1):
        factor = getattr(line.ins[1 - i], "val", np.nan)
        return bool(np.all(np.isfinite(factor)) and (name == "mul" or np.all(factor != 0)))
    return name in _LINEAR


def _of_narrow(mask: Any, shape: tuple[int, ...]) -> Any:
    """For an operand that an operation broadcasts: whether any of its places is reached."""
    own = np.shape(mask)
    wide = tuple(k for k, n in enumerate(own) if len(own) != len(shape) or n != shape[k])
    return jnp.reshape(jnp.any(mask, axis=wide), shape) if wide else mask


def _any(masks: Sequence[Any]) -> Any:
    if any(m is True for m in masks) or len({np.shape(m) for m in masks}) > 1:
        return True
    return masks[0] if len(masks) == 1 else jnp.any(jnp.stack(masks), axis=0)


def _both(a: Any, b: Any) -> Any:
    return b if a is True else a if b is True else a & b


def _is_truth(eqn: Any) -> bool:
    """Whether it makes 0 and 1 of a mask, as in `x * (x > 0)`."""
    return eqn.primitive.name == "convert_element_type" and eqn.invars[0].aval.dtype == bool


def _taken(line: Line, i: int, values: dict[int, Any], moves: dict[int, Any]) -> Any:
    """Where an operation takes this operand: a choice where it selects it, a product where the other one is not 0."""
    eqn, ins, outs = line
    name, shape = eqn.primitive.name, eqn.outvars[0].aval.shape
    if name == "select_n":
        which = jnp.broadcast_to(_read(values, ins[0]), shape)
        return which == (i - 1) if which.dtype != bool else which if i == 2 else ~which
    if name in ("max", "min"):
        y = values[outs[0]]
        return (_read(values, ins[i]) == y) | (y != y)
    if name == "mul" and not isinstance(ins[1 - i], Literal) and moves.get(ins[1 - i]) is False:
        return jnp.broadcast_to(values[ins[1 - i]] != 0, shape)
    return True


def _of_operand(
    line: Line, i: int, out: Any, values: dict[int, Any], moves: dict[int, Any]
) -> tuple[Any, bool]:
    """(where an operand reaches a result through this operation, whether this is one on single elements)."""
    eqn = line.eqn
    name, shape, own = eqn.primitive.name, eqn.outvars[0].aval.shape, eqn.invars[i].aval.shape
    if (taken := _taken(line, i, values, moves)) is not True:
        return _both(taken, out), True
    if out is True:
        return True, False
    if name in ELEMENTWISE or _is_elementwise(eqn):
        return out, True
    if name in ("reshape", "squeeze", "expand_dims"):
        return jnp.reshape(out, own), False
    if name == "transpose":
        return jnp.transpose(out, [int(k) for k in np.argsort(eqn.params["permutation"])]), False
    if name == "broadcast_in_dim":
        dims = eqn.params["broadcast_dimensions"]
        wide = tuple(k for k in range(len(shape)) if k not in dims or own[dims.index(k)] != shape[k])
        return jnp.reshape(jnp.any(out, axis=wide), own), False
    return True, False


def _is_elementwise(eqn: Any) -> bool:
    """Whether a function with a rule of its own consists of elementwise operations on arrays of one shape.

    Constant numbers may stand beside these: see `call_ufunc`.
    """
    if eqn.primitive.name == "host_call":
        call = eqn.params["call"]
        return not any((call.kind, *call.layout.in_core, *(out.shape for out in call.layout.outs)))
    if eqn.primitive.name != "custom_jvp_call" and eqn.primitive.name not in _NESTED:
        return eqn.primitive.name in ELEMENTWISE
    inner = eqn.params["call_jaxpr" if "call_jaxpr" in eqn.params else "jaxpr"].jaxpr
    shapes = {v.aval.shape for v in (*eqn.invars, *eqn.outvars)} - {()}
    return len(shapes) <= 1 and all(_is_elementwise(e) or _spreads_a_number(e) for e in inner.eqns)


def _spreads_a_number(eqn: Any) -> bool:
    return eqn.primitive.name in ("broadcast_in_dim", "reshape") and not eqn.invars[0].aval.shape
