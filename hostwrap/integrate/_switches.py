"""Where a JAX function takes another branch: the comparisons, signs and roundings in it.

JAX differentiates the branch that is taken. Where a branch ends at a place that moves with a parameter, an integral
over that place has one more part in its derivative, and so has the solution of a differential equation. Its size is
the difference between both sides, times the speed of the place. The place is a root of the *gap*, such as x - p of
`x > p`. So its speed follows from the gap by the implicit function theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._recipes.closures import carries_of_scan, parts_of_while
from hostwrap._table.shared import body_of, interpreted
from hostwrap.integrate._called import written

_KEEP_RULE = ("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr")
_PRIME = 1000003


class Inside(NamedTuple):
    """The attribute `inside` of a solver's host function: it calls `f(*own, *others)`, whose `own` arguments vary.

    `split` makes ([own at each end], others) of the operands. An integral has a `counter`: how many switches change in
    it, as a function of the operands; None if none may. A trajectory has `places`: its own arguments, one row for each
    time, of the operands and the results.
    """

    f: Callable
    split: Callable[[Sequence[Any]], tuple[Sequence[Sequence[Any]], Sequence[Any]]]
    counter: Callable[[], Callable | None] = lambda: None
    places: Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]] | None = None


class _Value(NamedTuple):
    value: Any
    varies: bool  # with the variable of integration
    moves: bool  # with what is differentiated
    inner: bool = False  # with the variable of an integral inside, which looks for its own switches
    root: Any = None  # the number whose square this is, if it is known
    made: Any = None  # (equation, its inputs), if it is known


def switches(
    f: Callable, examples: Sequence[Any], varies: Sequence[bool], moves: Sequence[bool], counted: bool = False
) -> Callable | None:
    """A function of the same arrays: the outcomes [m] of the operations of `f` that switch, as numbers, and gaps [m].

    An outcome changes where the gap is 0, or a whole number in the case of `floor`. The gap of a switch inside of a
    loop that stops by a number is not known, and NaN. None if nothing switches at a place that may move.

    Args:
        varies: which arguments vary along the integral.
        moves: which arguments a derivative may be taken in.
        counted: whether to look for places where switches of integrals inside enter and leave; else the outcome is 0.
    """
    closed = jax.make_jaxpr(f)(*examples)

    def run(*args: Any) -> tuple[Any, Any]:
        reader = _Reader(counted)
        given = [_Value(x, v, m and _is_real(x)) for x, v, m in zip(args, varies, moves, strict=True)]
        reader.read(closed, given)
        return reader.found()

    return run if jax.eval_shape(run, *examples)[0].size else None


# ---- reading a program


class _Reader:
    """Computes a program, and notes what switches: `met` has outcomes and gaps."""

    def __init__(self, counted: bool) -> None:
        self.counted = counted
        self.met: list[tuple] = []

    def read(self, body: Any, given: Sequence[_Value]) -> list[_Value]:
        return interpreted(body, given, self.step, lambda x: _Value(x, False, False))

    def found(self) -> tuple[Any, Any]:
        rows = [(jnp.ravel(out).astype(float), jnp.ravel(gap)) for out, gap in self.met]
        outs, gaps = zip(*rows, strict=True) if rows else ((jnp.zeros(0),), (jnp.zeros(0),))
        return jnp.concatenate(outs), jnp.concatenate(gaps)

    def step(self, eqn: Any, ins: list[_Value]) -> list[_Value]:
        name, values = eqn.primitive.name, [x.value for x in ins]
        varies, moves, inner = (
            (any(flags) for flags in zip(*(x[1:4] for x in ins), strict=True)) if ins else _NOT
        )
        body = body_of(eqn)
        if body is not None:
            found = self.read(body, ins[len(ins) - len(getattr(body, "jaxpr", body).invars) :])
            if name not in _KEEP_RULE:
                return found
        matters = varies and moves and not inner
        if matters and name in _CONTROL:
            outs = _CONTROL[name](self, eqn, values)
        else:
            outs = _done(eqn, values)
        if matters and name in _SWITCHES and _is_real(values[0]):
            self.met += _SWITCHES[name](eqn, values, outs[0])
        if matters and _halves(eqn, ins) and ins[0].root is not None:  # the root of x^2 is |x|
            self.met += _signed(eqn, [ins[0].root], outs[0])
        if matters and name == "host_call":
            self.enter(eqn, ins, outs)
        root, made = _root(eqn, ins), None if body is not None else (eqn, ins)
        return [_Value(y, varies, moves, inner, root, made) for y in outs]

    def enter(self, eqn: Any, ins: list[_Value], outs: list) -> None:
        """What switches in the function that a solver calls, or in a function of the user."""
        call = eqn.params["call"]
        function = getattr(call.host.maker, "function", None)
        if (inside := getattr(function, "inside", None)) is not None:
            self.mapped(call, ins, outs, lambda given, results: self.solver(inside, given, results))
        elif getattr(function, "of_branches", False):
            self.met += _unknown(outs[0])
        elif (code := written(eqn)) is not None:
            self.mapped(call, ins, outs, lambda given, results: self.code(code, given, results))

    def mapped(self, call: Any, ins: list[_Value], outs: list, found: Callable) -> None:
        """Add what switches at each place of a batch, `found(operands, results)`."""
        layout = call.layout
        batch = layout.batch([np.shape(x.value) for x in ins])
        cores = [
            np.shape(x.value)[len(np.shape(x.value)) - n :] for x, n in zip(ins, layout.in_core, strict=True)
        ]

        def run(operands: Sequence[Any], results: Sequence[Any]) -> tuple[Any, Any]:
            return found([x._replace(value=v) for x, v in zip(ins, operands, strict=True)], results)

        for _ in batch:
            run = jax.vmap(run)
        self.met.append(
            run(
                [jnp.broadcast_to(x.value, (*batch, *core)) for x, core in zip(ins, cores, strict=True)], outs
            )
        )

    def solver(self, inside: Inside, ins: list[_Value], results: Sequence[Any]) -> tuple[Any, Any]:
        """What switches at any place of the solver, and where switches enter and leave it."""
        ends, others = inside.split(ins)
        examples = [jax.ShapeDtypeStruct(x.value.shape, x.value.dtype) for x in (*ends[0], *others)]
        body, reader = jax.make_jaxpr(inside.f)(*examples), _Reader(self.counted)
        reader.read(body, [*(x._replace(inner=True) for x in ends[0]), *others])
        operands, each = [x.value for x in ins], []

        def at(own: Sequence[Any]) -> tuple[Any, Any]:
            at_end = _Reader(self.counted)
            at_end.read(body, [*own, *others])
            return at_end.found()

        if (count := inside.counter()) is not None:  # its switches enter and leave at the ends, or meet
            each = [*map(at, ends), *_unknown(count(*operands) if self.counted else jnp.zeros(()))]
        if inside.places is not None:  # a switch that passes a time changes the derivative there
            rows = inside.places(operands, results)
            each = [jax.vmap(lambda *own: at([_Value(x, True, True) for x in own]))(*rows)]
        reader.met += [(out if self.counted else jnp.zeros_like(out), gap) for out, gap in each]
        return reader.found()

    def code(self, code: Callable, ins: list[_Value], results: Sequence[Any]) -> tuple[Any, Any]:
        reader = _Reader(self.counted)
        given = [*ins, *(_Value(y, True, True) for y in results)]
        body = jax.make_jaxpr(lambda *xs: code(xs[: len(ins)], xs[len(ins) :]))(*(x.value for x in given))
        reader.read(body, given)
        return reader.found()


_NOT = (False, False, False)


def _is_real(x: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(x), jnp.floating))


def _done(eqn: Any, values: list) -> list:
    params = eqn.primitive.get_bind_params(eqn.params)
    functions, params = params if isinstance(params, tuple) else ((), params)
    with eqn.ctx.manager:
        found = eqn.primitive.bind(*functions, *values, **params)
    return list(found) if eqn.primitive.multiple_results else [found]


# ---- squares, whose roots have a kink where they touch 0


def _root(eqn: Any, ins: list[_Value]) -> Any:
    """The number whose square the result is; None if it is not known."""
    name = eqn.primitive.name
    if name == "square" or (name in _POWERS and _exponent(eqn, ins) == 2):
        return ins[0].value
    if (
        name in ("mul", "dot_general")
        and np.size(ins[0].value) == eqn.outvars[0].aval.size
        and _alike(ins[0], ins[1])
    ):
        return jnp.reshape(ins[0].value, eqn.outvars[0].aval.shape)
    if name == "mul" and (ins[0].root is None) != (ins[1].root is None):  # a factor that has no kink
        return (ins[1] if ins[0].root is None else ins[0]).root + jnp.zeros(eqn.outvars[0].aval.shape)
    if name == "div":
        return None if ins[0].root is None else ins[0].root + jnp.zeros(eqn.outvars[0].aval.shape)
    if name in ("add", "add_any", "sub"):  # a distance in one coordinate: the others are 0
        kept = [x for x in ins if not _is_zero(x)]
        return kept[0].root if len(kept) == 1 and kept[0] is ins[0] else None
    alone = name in _MOVED or (name == "reduce_sum" and eqn.outvars[0].aval.size == eqn.invars[0].aval.size)
    return _done(eqn, [ins[0].root])[0] if alone and len(ins) == 1 and ins[0].root is not None else None


_POWERS = ("integer_pow", "pow")
_MOVED = ("broadcast_in_dim", "reshape", "squeeze", "expand_dims", "slice", "transpose", "rev", "copy")


def _halves(eqn: Any, ins: list[_Value]) -> bool:
    """Whether it is a square root, or one over it."""
    name = eqn.primitive.name
    return name in ("sqrt", "rsqrt") or (name == "pow" and _exponent(eqn, ins) in (0.5, -0.5))


def _exponent(eqn: Any, ins: list[_Value]) -> float | None:
    if eqn.primitive.name == "integer_pow":
        return eqn.params["y"]
    x = ins[1].value
    return float(x) if _is_known(x) and np.ndim(x) == 0 else None


def _is_known(x: Any) -> bool:
    return not isinstance(x, jax.core.Tracer)


def _is_zero(x: _Value) -> bool:
    return _is_known(x.value) and not np.any(np.asarray(x.value))


def _alike(a: _Value, b: _Value, depth: int = 4) -> bool:
    """Whether both are the same number, perhaps computed twice."""
    if a.value is b.value:
        return True
    if _is_known(a.value) and _is_known(b.value):
        return np.array_equal(a.value, b.value)
    if not depth or a.made is None or b.made is None:
        return False
    (f, xs), (g, ys) = a.made, b.made
    return (f.primitive, f.params) == (g.primitive, g.params) and all(
        _alike(x, y, depth - 1) for x, y in zip(xs, ys, strict=True)
    )


def _compared(eqn: Any, ins: list, out: Any) -> list[tuple]:
    return [(out, ins[0] - ins[1])]


def _ordered(eqn: Any, ins: list, out: Any) -> list[tuple]:
    return [(jnp.sign(ins[0] - ins[1]), ins[0] - ins[1])]


def _signed(eqn: Any, ins: list, out: Any) -> list[tuple]:
    return [(jnp.sign(ins[0]), ins[0])]


def _rounded(eqn: Any, ins: list, out: Any) -> list[tuple]:
    return [(out, ins[0])]


def _clamped(eqn: Any, ins: list, out: Any) -> list[tuple]:
    low, x, high = ins
    return [(x > low, x - low), (x > high, x - high)]


def _converted(eqn: Any, ins: list, out: Any) -> list[tuple]:
    kind = np.dtype(eqn.params["new_dtype"]).kind
    return _rounded(eqn, ins, out) if kind in "iu" else _signed(eqn, ins, out) if kind == "b" else []


def _largest(eqn: Any, ins: list, out: Any) -> list[tuple]:
    """Which of the elements it is: one passes the largest of the others."""
    x, axes = ins[0], tuple(eqn.params["axes"])
    x = -x if eqn.primitive.name.endswith("min") else x
    first = jnp.max(x, axes, keepdims=True)
    second = jnp.max(jnp.where(x == first, -jnp.inf, x), axes, keepdims=True)
    return [(x == first, x - jnp.where(x == first, second, first))]


def _unknown(out: Any) -> list[tuple]:
    return [(out, jnp.full(jnp.shape(out), jnp.nan))]


_SWITCHES: dict[str, Callable[[Any, list, Any], list[tuple]]] = {
    **dict.fromkeys(("lt", "le", "gt", "ge"), _compared),
    **dict.fromkeys(("eq", "ne", "max", "min"), _ordered),
    **dict.fromkeys(("abs", "sign"), _signed),
    **dict.fromkeys(("floor", "ceil", "round"), _rounded),
    **dict.fromkeys(("reduce_max", "reduce_min", "argmax", "argmin"), _largest),
    **dict.fromkeys(("cummax", "cummin"), lambda eqn, ins, out: _unknown(ins[0] == out)),
    "clamp": _clamped,
    "convert_element_type": _converted,
    "rem": lambda eqn, ins, out: [(jnp.trunc(ins[0] / ins[1]), ins[0] / ins[1])],
    "atan2": lambda eqn, ins, out: [((ins[0] > 0) & (ins[1] < 0), ins[0])],
    "is_finite": lambda eqn, ins, out: _unknown(out),
    "sort": lambda eqn, ins, out: _unknown(jnp.argsort(ins[0], axis=eqn.params["dimension"])),
}


# ---- loops and branches


def _body(reader: _Reader, body: Any) -> Callable[..., tuple[list, tuple]]:
    """(*args) -> (results, what switched inside)."""

    def run(*args: Any) -> tuple[list, tuple]:
        own = _Reader(reader.counted)
        outs = own.read(body, [_Value(x, True, _is_real(x)) for x in args])
        return [x.value for x in outs], own.found()

    return run


def _mixed(mark: Any, found: tuple) -> Any:
    """A number that depends on all outcomes so far."""
    places = jnp.arange(1.0, 1.0 + found[0].size)
    return jnp.mod(31 * mark + 1 + jnp.sum(places * found[0]), _PRIME)


def _scan(reader: _Reader, eqn: Any, values: list) -> list:
    consts, ends = carries_of_scan(eqn)
    run = _body(reader, eqn.params["jaxpr"])

    def once(carry: list, rows: list) -> tuple:
        outs, found = run(*values[:consts], *carry, *rows)
        return outs[: ends - consts], (outs[ends - consts :], found)

    how = {"length": eqn.params["length"], "reverse": eqn.params["reverse"]}
    done: Any = jax.lax.scan(once, values[consts:ends], values[ends:], **how)
    carry, (rows, found) = done
    reader.met.append(found)
    return [*carry, *rows]


def _while(reader: _Reader, eqn: Any, values: list) -> list:
    test, body, first, second = parts_of_while(eqn)
    run = _body(reader, body)

    def once(carry: tuple) -> tuple:
        outs, found = run(*values[first:second], *carry[1:])
        return (_mixed(carry[0], found), *outs)

    held = lambda carry: jax.core.eval_jaxpr(test.jaxpr, test.consts, *values[:first], *carry[1:])[0]
    mark, *outs = jax.lax.while_loop(held, once, (jnp.zeros(()), *values[second:]))
    reader.met += _unknown(mark)
    return outs


def _cond(reader: _Reader, eqn: Any, values: list) -> list:
    def branch(body: Any) -> Callable:
        run = _body(reader, body)

        def marked(*args: Any) -> tuple[list, Any]:
            outs, found = run(*args)
            return outs, _mixed(0.0, found)

        return marked

    outs, mark = jax.lax.switch(values[0], list(map(branch, eqn.params["branches"])), *values[1:])
    reader.met += _unknown(mark)
    return outs


_CONTROL = {"while": _while, "scan": _scan, "cond": _cond}
