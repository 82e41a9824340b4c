"""A JAX function of the user as NumPy code, which a solver on the host can call, with the traced numbers that it reads.

The function may close over traced numbers. These become an argument (as in `jax.closure_convert`), so that the answer
of the solver has derivatives in them.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._errors import NotTaken, RuleError
from hostwrap._host.function import WIDE
from hostwrap._host.layout import Layout, Result
from hostwrap._host.numpy_ops import OPERATIONS
from hostwrap._lanes.primitive import host_call_p
from hostwrap._recipes.numpy_arrays import ARRAY_OPERATIONS
from hostwrap._recipes.unrolled import Numbers, or_arrays, unrolled
from hostwrap._rules.form import host_form_p
from hostwrap._table.shared import body_of

Arrays = Sequence[Any]
Operation = Callable[..., Any] | str  # a function in NumPy, or the text of an operation
_WRITTEN = {
    "add": "{} + {}", "add_any": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}",
}  # fmt: skip
_DOUBLE = np.dtype(float)
_RESHAPES = {"reshape", "squeeze", "expand_dims", "broadcast_in_dim"}
_SAME = _RESHAPES | {"copy", "copy_p", "stop_gradient", "convert_element_type"}


class Closure:
    """`function(*args)`, traced once for arguments of these shapes and types.

    `outside` are the traced arrays that it reads beside its arguments. `jax(outside, *args)` is the function in JAX,
    `numpy()` is it on the host.
    """

    def __init__(self, name: str, function: Callable, *examples: Any) -> None:
        try:
            closed, shapes = jax.make_jaxpr(function, return_shape=True)(*examples)
        except jax.errors.JAXTypeError as error:
            raise NotTaken(f"{name}: JAX cannot trace the function: {str(error).splitlines()[0]}") from error
        self.name, self.jaxpr = name, closed.jaxpr
        if closed.effects:
            raise RuleError(f"{name}: the function has side effects.")
        self.tree = jax.tree.structure(shapes)
        self.out = jax.tree.leaves(shapes)
        self.free = [i for i, c in enumerate(closed.consts) if isinstance(c, jax.core.Tracer)]
        self.outside = [closed.consts[i] for i in self.free]
        # a program that keeps `jax` must not keep the numbers of the trace that it is part of
        self.consts = [None if i in self.free else c for i, c in enumerate(closed.consts)]
        if hasattr(self.jaxpr, "with_consts"):  # in newer versions of JAX it holds them, too
            self.jaxpr = self.jaxpr.with_consts(self.consts)
        self.jax = functools.partial(_in_jax, self.jaxpr, self.consts, self.free, self.tree)

    def numpy(self, name: str = "") -> Program:
        """On the host: `program(outside, args)`, lists of arrays, returns the list of its results."""
        return Program(name or self.name, self.jaxpr, self.consts, self.free)


def _in_jax(jaxpr: Any, consts: Arrays, free: Sequence[int], tree: Any, outside: Arrays, *args: Any) -> Any:
    consts = list(consts)
    for i, value in zip(free, outside, strict=True):
        consts[i] = value
    return jax.tree.unflatten(tree, jax.core.eval_jaxpr(jaxpr, consts, *jax.tree.leaves(args)))


class Program:
    """A JAX program that NumPy runs in double precision, as one Python function, because a solver calls it often."""

    def __init__(self, name: str, jaxpr: Any, consts: Arrays, free: Sequence[int]) -> None:
        self.name, self._numbers = name, itertools.count()
        self._jaxpr, self._consts, self._free = jaxpr, consts, free
        self._of_numbers: dict[int, Callable | None] = {}
        self._known: dict[int, Any] = {}  # what does not depend on the arguments
        self._steps: list[tuple[Operation, tuple[int, ...], tuple[int, ...]]] = []
        self._outside = [next(self._numbers) for _ in free]
        own = iter(self._outside)
        places = [next(own) if i in free else self._constant(c) for i, c in enumerate(consts)]
        self._args = [next(self._numbers) for _ in jaxpr.invars]
        self._outs = self._inline(jaxpr, places, self._args)
        self._steps = self._needed()
        self._run = self._in_python()

    def __call__(self, outside: Arrays, args: Arrays) -> list:
        return self._run(outside, args)

    def of_numbers(self, outside: Arrays, rest: Arrays) -> Numbers:
        """`f(*numbers) -> numbers`: all numbers of the arguments before `rest`, and all numbers of the results, in a
        row.

        Use it for many calls with the same arrays outside and in `rest`.
        """
        first = self._jaxpr.invars[: len(self._jaxpr.invars) - len(rest)]
        shapes = [v.aval.shape for v in first]
        ends = list(itertools.accumulate(map(math.prod, shapes), initial=0))

        def slow(*numbers: float) -> list[float]:
            rows = zip(itertools.pairwise(ends), shapes, strict=True)
            args = [np.reshape(np.array(numbers[a:b], float), shape)[()] for (a, b), shape in rows]
            return [x for y in self._run(outside, [*args, *rest]) for x in np.ravel(y).tolist()]

        if len(first) not in self._of_numbers:
            self._of_numbers[len(first)] = self._unrolled(len(first))
        return or_arrays(self._of_numbers[len(first)], slow, [*outside, *rest])

    def _unrolled(self, first: int) -> Callable | None:
        consts = [None if i in self._free else _wide(c) for i, c in enumerate(self._consts)]
        fixed = range(first, len(self._jaxpr.invars))

        def evaluate(eqn: Any, given: list) -> list:
            with np.errstate(all="ignore"):
                found = given if _is_nothing(eqn) else _done(self._operation(eqn), [x[()] for x in given])
            return list(found) if len(eqn.outvars) > 1 or isinstance(found, list) else [found]

        return unrolled(self._jaxpr, consts, fixed, _inside, evaluate)

    def _in_python(self) -> Callable[[Arrays, Arrays], list]:
        """The program as text: `v3 = v1 * v2`, and so on. A name that is never assigned is a constant."""
        lines = [
            f"v{number} = wide({source}[{k}])"
            for source, numbers in (("outside", self._outside), ("args", self._args))
            for k, number in enumerate(numbers)
        ]
        words = {"wide": _wide, **{f"v{i}": x for i, x in self._known.items()}}
        for k, (operation, ins, outs) in enumerate(self._steps):
            given = [f"v{i}" for i in ins]
            if callable(operation):
                words[f"f{k}"] = operation
            result = f"f{k}({', '.join(given)})" if callable(operation) else operation.format(*given)
            lines.append(f"{', '.join(f'v{i}' for i in outs)} = {result}")
        lines.append(f"return [{', '.join(f'v{i}' for i in self._outs)}]")
        exec("def run(outside, args):\n " + "\n ".join(lines), words)
        return words["run"]

    # ---- building

    def _constant(self, value: Any) -> int:
        self._known[number := next(self._numbers)] = _wide(value)[()]
        return number

    def _inline(self, jaxpr: Any, consts: Sequence[int], args: Sequence[int]) -> list[int]:
        env = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args), strict=True))
        place = lambda atom: (
            self._constant(np.asarray(atom.val, atom.aval.dtype)) if hasattr(atom, "val") else env[atom]
        )
        for eqn in jaxpr.eqns:
            env.update(zip(eqn.outvars, self._equation(eqn, list(map(place, eqn.invars))), strict=True))
        return list(map(place, jaxpr.outvars))

    def _equation(self, eqn: Any, ins: list[int]) -> list[int]:
        if (inner := _inside(eqn)) is not None:
            body, consts = inner
            return self._inline(body, list(map(self._constant, consts)), ins[len(ins) - len(body.invars) :])
        if _is_nothing(eqn):
            return ins
        operation = self._operation(eqn)
        outs = [next(self._numbers) for _ in eqn.outvars]
        if all(i in self._known for i in ins):
            with np.errstate(all="ignore"):
                known = [self._known[i] for i in ins]
                found = _done(operation, known)
            self._known.update(zip(outs, [found] if len(outs) == 1 else found, strict=True))
        else:
            self._steps.append((operation, tuple(ins), tuple(outs)))
        return outs

    def _needed(self) -> list:
        live, steps = set(self._outs), []
        for step in reversed(self._steps):
            if live.intersection(step[2]):
                steps.append(step)
                live.update(step[1])
        return steps[::-1]

    def _operation(self, eqn: Any) -> Operation:
        name, params = eqn.primitive.name, eqn.params
        if name in _WRITTEN and (name != "div" or eqn.outvars[0].aval.dtype.kind in "fc"):
            return _WRITTEN[name]
        if eqn.primitive is host_call_p and not params["call"].kind:
            return _bound(eqn, params["call"].host, params["call"].layout, params["call"].active)
        if eqn.primitive is host_form_p:
            layout = params["layout"]
            host = params["form"].host(params["ins"], params["outs"])
            return _bound(eqn, host, layout, tuple(range(len(layout.outs))))
        if name in _RESHAPES and eqn.invars[0].aval.size == eqn.outvars[0].aval.size:
            return f"{{}}.reshape({tuple(eqn.outvars[0].aval.shape)})"
        if name == "slice":
            strides = params["strides"] or (1,) * len(params["start_indices"])
            rows = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
            return f"{{}}[{', '.join(f'{a}:{b}:{step}' for a, b, step in rows)}]"
        if name in ARRAY_OPERATIONS:
            return ARRAY_OPERATIONS[name](params)
        if name == "convert_element_type":
            params = {**params, "new_dtype": _wide_type(params["new_dtype"])}
        if name in OPERATIONS:
            return OPERATIONS[name](params)[0]
        if name in _CONTROL:
            return _CONTROL[name](self, eqn)
        raise RuleError(f"{self.name}: NumPy has no word for JAX's {name}; a solver on the host needs one.")

    def body(self, closed: Any) -> Callable:
        """The program in the body of a loop or a branch."""
        program = Program(self.name, closed.jaxpr, closed.consts, [])
        return lambda *args: program([], args)


def _is_nothing(eqn: Any) -> bool:
    """Whether the result equals the argument: it has the same shape, and in double precision the same type."""
    if eqn.primitive.name not in _SAME:
        return False
    before, after = eqn.invars[0].aval, eqn.outvars[0].aval
    return before.shape == after.shape and _wide_type(before.dtype) == _wide_type(after.dtype)


def _done(operation: Operation, given: Sequence[Any]) -> Any:
    if callable(operation):
        return operation(*given)
    return eval(operation.format(*map("x[{}]".format, range(len(given)))), {"x": given})


def _inside(eqn: Any) -> tuple[Any, Arrays] | None:
    """The program inside of an equation, and its constants."""
    inner = body_of(eqn)
    return None if inner is None else (getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()))


def _wide_type(dtype: Any) -> Any:
    return WIDE.get(np.dtype(dtype).kind, dtype) if np.dtype(dtype).kind in "fc" else dtype


def _wide(x: Any) -> Any:
    """The value with NumPy's operations, which a Python number lacks."""
    if type(x) is np.ndarray and x.dtype is _DOUBLE:  # nearly always, and a solver makes thousands of calls
        return x
    if isinstance(x, float):
        return x if type(x) is np.float64 else np.float64(x)
    x = np.asarray(x)
    return x.astype(_wide_type(x.dtype), copy=False)


def wide(arrays: Arrays) -> list:
    """Convert the arguments once before many calls of a program, which does the same with what it gets."""
    return [_wide(x)[()] for x in arrays]


def _bound(eqn: Any, host: Any, layout: Layout, active: Sequence[int]) -> Callable:
    """A host function inside, bound to the shapes that it has here, in double precision."""
    outs = tuple(Result(out.shape, np.dtype(_wide_type(out.dtype))) for out in layout.outs)
    shapes = [v.aval.shape for v in eqn.invars]
    dtypes = [np.dtype(_wide_type(v.aval.dtype)) for v in eqn.invars]
    run = host.bind(shapes, dtypes, Layout(layout.in_core, outs), active)

    def call(*arrays: Any) -> Any:
        found = run([np.asarray(a) for a in arrays])
        return found[0] if len(active) == 1 else found

    return call


# ---- loops and branches


def parts_of_while(eqn: Any) -> tuple[Any, Any, int, int]:
    """The test, the body, and where the constants of each end among the operands; then come carried values."""
    first, more = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    return eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"], first, first + more


def _while(program: Program, eqn: Any) -> Callable:
    *parts, first, second = parts_of_while(eqn)
    test, body = map(program.body, parts)

    def run(*args: Any) -> Any:
        carry: Any = args[second:]
        while test(*args[:first], *carry)[0]:
            carry = body(*args[first:second], *carry)
        return carry[0] if len(carry) == 1 else carry

    return run


def carries_of_scan(eqn: Any) -> tuple[int, int]:
    """Where constants end among the operands, and where carried values do; then come rows.

    Carried values and rows go out. Outside of the body rows have one more axis. (The names of the parameters with the
    counts of each depend on the version of JAX.)
    """
    closed = eqn.params["jaxpr"]
    ends = _same_rank(eqn.invars, closed.in_avals)
    return ends - _same_rank(eqn.outvars, closed.out_avals), ends


def _scan(program: Program, eqn: Any) -> Callable:
    closed, length = eqn.params["jaxpr"], eqn.params["length"]
    body, order = program.body(closed), range(length)[:: -1 if eqn.params["reverse"] else 1]
    consts, ends = carries_of_scan(eqn)
    inner = closed.out_avals[ends - consts :]

    def run(*args: Any) -> Any:
        carry: Any = args[consts:ends]
        rows: list[list] = [[None] * length for _ in inner]
        for i in order:
            found = body(*args[:consts], *carry, *(x[i] for x in args[ends:]))
            carry = found[: len(carry)]
            for row, y in zip(rows, found[len(carry) :], strict=True):
                row[i] = y
        stacked = [
            np.stack(row) if row else np.zeros((0, *v.shape)) for row, v in zip(rows, inner, strict=True)
        ]
        found = [*carry, *stacked]
        return found[0] if len(found) == 1 else found

    return run


def _same_rank(outside: Sequence[Any], inside: Sequence[Any]) -> int:
    return sum(v.aval.ndim == aval.ndim for v, aval in zip(outside, inside, strict=True))


def _cond(program: Program, eqn: Any) -> Callable:
    branches = [program.body(branch) for branch in eqn.params["branches"]]

    def run(which: Any, *args: Any) -> Any:
        found = branches[min(max(int(which), 0), len(branches) - 1)](*args)
        return found[0] if len(found) == 1 else found

    return run


def _linear_solve(program: Program, eqn: Any) -> Callable:
    """`jax.lax.custom_linear_solve`: run its solver."""
    params = eqn.params
    sizes, solve = params["const_lengths"], program.body(params["jaxprs"].solve)
    first = sizes.matvec + sizes.vecmat
    last = first + sizes.solve + sizes.transpose_solve

    def run(*args: Any) -> Any:
        found = solve(*args[first : first + sizes.solve], *args[last:])
        return found[0] if len(found) == 1 else found

    return run


_CONTROL: dict[str, Callable[[Program, Any], Callable]] = {
    "while": _while,
    "scan": _scan,
    "cond": _cond,
    "custom_linear_solve": _linear_solve,
}
