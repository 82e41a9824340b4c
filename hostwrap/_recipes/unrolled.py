"""A small JAX program as arithmetic on Python's numbers, without arrays.

NumPy takes most of its time to find out that an array has one or two numbers, and a solver calls an integrand or a
right-hand side hundreds of times. So each number of each array gets a name of its own here. NumPy computes shapes, sums
and products of matrices on arrays of such names. What follows from fixed arguments alone is computed once. Python's
arithmetic raises exceptions where NumPy has infinities and NaN: then the program of arrays answers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._recipes.numpy_arrays import ARRAY_OPERATIONS

Numbers = Callable[..., Sequence[float]]  # (*numbers) -> numbers
MOST = 2000  # operations
RATIO = 10  # how much longer an operation of NumPy takes, for a few numbers
_ARITHMETIC = (ArithmeticError, ValueError)

_MATHS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log",
    "log1p", "log2", "expm1", "sqrt", "erf", "erfc",
)  # fmt: skip
# on real numbers, as text in Python; conditions are booleans
_WRITTEN = {
    "add": "{} + {}", "add_any": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "neg": "-{}",
    "abs": "abs({})", "square": "{0} * {0}", "pow": "m.pow({}, {})", "rsqrt": "1.0 / m.sqrt({})",
    "one_minus_square": "(1.0 + {0}) * (1.0 - {0})",
    "max": "{0} if {0} >= {1} or {0} != {0} else {1}", "min": "{0} if {0} <= {1} or {0} != {0} else {1}",
    "sign": "1.0 if {0} > 0.0 else -1.0 if {0} < 0.0 else {0}",
    "select_n": "{2} if {0} else {1}", "is_finite": "m.isfinite({})",
    "lt": "{} < {}", "le": "{} <= {}", "gt": "{} > {}", "ge": "{} >= {}", "eq": "{} == {}", "ne": "{} != {}",
    "and": "{} and {}", "or": "{} or {}", "not": "not {}",
    "copy": "{}", "copy_p": "{}", "stage": "{}", "stop_gradient": "{}",
    **{name: f"m.{name}({{}})" for name in _MATHS},
    "atan2": "m.atan2({}, {})",
}  # fmt: skip
# on arrays of named numbers, at known places
_SHAPES = {
    "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "transpose", "slice", "rev", "concatenate", "stack",
    "split", "unstack", "dynamic_slice", "gather", "reduce_sum", "reduce_prod", "cumsum", "cumprod", "dot_general",
}  # fmt: skip


class CannotUnroll(Exception):
    """Raised for an operation that does not work on single numbers, or for too many numbers."""


class Number:
    """A number with a name; a sum or a product of two is written down, and gets a name, too."""

    __slots__ = ("moves", "name", "text")

    def __init__(self, text: Text, name: str, moves: bool) -> None:
        self.text, self.name, self.moves = text, name, moves

    def __add__(self, other: Any) -> Any:
        return self.text.write("{} + {}", [self, other])

    def __radd__(self, other: Any) -> Any:
        return self.text.write("{} + {}", [other, self])

    def __mul__(self, other: Any) -> Any:
        return self.text.write("{} * {}", [self, other])

    def __rmul__(self, other: Any) -> Any:
        return self.text.write("{} * {}", [other, self])


class Text:
    """Lines of Python: those that depend on the fixed arguments alone, and the others."""

    def __init__(self) -> None:
        self.lines: dict[bool, list[str]] = {False: [], True: []}
        self._known: dict[str, Number] = {}
        self._names = (f"t{k}" for k in itertools.count())

    def write(self, form: str, given: Sequence[Any]) -> Any:
        if form == "{}":
            return given[0]
        if form == "{} * {}" and any(type(x) is float and x == 1.0 for x in given):
            return given[1] if type(given[0]) is float and given[0] == 1.0 else given[0]
        line = form.format(*map(_spelled, given))
        if line not in self._known:
            moves = any(isinstance(x, Number) and x.moves for x in given)
            self._known[line] = number = Number(self, next(self._names), moves)
            self.lines[moves].append(f"{number.name} = {line}")
            if len(self._known) > MOST:
                raise CannotUnroll
        return self._known[line]

    def each(self, form: str, given: Sequence[Any]) -> np.ndarray:
        """The same operation on each number of arrays that broadcast."""
        arrays = np.broadcast_arrays(*(np.asarray(x, object) for x in given))
        found = np.empty(arrays[0].shape, object)
        for i in np.ndindex(found.shape):
            found[i] = self.write(form, [a[i] for a in arrays])
        return found


def _spelled(x: Any) -> str:
    if isinstance(x, Number):
        return x.name
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    if not isinstance(x, float | int | np.floating | np.integer):
        raise CannotUnroll
    x = float(x)
    return f"({x!r})" if math.isfinite(x) else {math.inf: "inf", -math.inf: "(-inf)"}.get(x, "nan")


def named(text: Text, shapes: Sequence[tuple[int, ...]], letter: str, moves: bool) -> list[np.ndarray]:
    """Arguments of these shapes, with names."""
    names, found = (f"{letter}{k}" for k in itertools.count()), []
    for shape in shapes:
        array = np.empty(shape, object)
        for i in np.ndindex(*shape):
            array[i] = Number(text, next(names), moves)
        found.append(array)
    return found


def operation(text: Text, eqn: Any, given: Sequence[Any]) -> list:
    """The results of an equation without an inner program, if at least one argument has names."""
    name, params = eqn.primitive.name, eqn.params
    kinds = [v.aval.dtype.kind for v in (*eqn.invars, *eqn.outvars)]
    if name in _SHAPES:
        # NumPy cannot use a place or a size that is not known
        fixed = given[1:] if name in ("dynamic_slice", "gather") else []
        if any(x.dtype == object for x in fixed) or (
            name == "dot_general" and params["dimension_numbers"][1][0]
        ):
            raise CannotUnroll
        try:
            found = ARRAY_OPERATIONS[name](params)(*given)
        except (
            TypeError,
            ValueError,
        ) as why:  # NumPy computes what depends on known numbers, such as NaN for a place outside
            raise CannotUnroll from why
        return list(found) if len(eqn.outvars) > 1 or isinstance(found, list) else [np.asarray(found, object)]
    if name == "convert_element_type" and kinds in (["f", "f"], ["b", "f"], ["b", "b"]):
        return [text.each("{}" if kinds[0] == kinds[1] else "float({})", given)]
    if name == "integer_pow" and kinds == ["f", "f"]:
        return [text.each("{0} * {0}" if params["y"] == 2 else f"{{}} ** {params['y']}", given)]
    if name in _WRITTEN and all(k in "fb" for k in kinds) and (name != "select_n" or kinds[0] == "b"):
        return [text.each(_WRITTEN[name], given)]
    raise CannotUnroll


def made(
    text: Text, fixed: Sequence[np.ndarray], moving: Sequence[np.ndarray], results: Sequence[Any]
) -> Callable:
    """`make(slow, *fixed numbers)` -> `run(*moving numbers)`, which returns the results one after the other.

    If Python raises an exception, `slow(*moving numbers)` answers.
    """
    outs = [_spelled(x) for y in results for x in np.asarray(y, object).ravel()]
    given, moved = (", ".join(x.name for a in group for x in a.ravel()) for group in (fixed, moving))
    lines = [
        f"def make(slow, {given}):",
        *(f" {line}" for line in text.lines[False]),
        f" def run({moved}):",
        "  try:",
        *(f"   {line}" for line in text.lines[True]),
        f"   return [{', '.join(outs)}]",
        f"  except errors: return slow({moved})",
        " return run",
    ]
    words: dict[str, Any] = {"m": math, "inf": math.inf, "nan": math.nan, "errors": _ARITHMETIC}
    exec("\n".join(lines), words)
    return words["make"]


def unrolled(
    jaxpr: Any, consts: Sequence[Any], fixed: Sequence[int], inner: Callable, evaluate: Callable
) -> Callable | None:
    """The `make` of `made`, of a program; None, if it is not of this kind, or if arrays are quicker.

    Args:
        consts: arrays; None is one that is given later, as a fixed argument.
        fixed: which arguments are fixed, after these.
        inner: the program inside of an equation, and its constants; None, if there is none.
        evaluate: the results of an equation of known arrays.
    """
    text, later = Text(), [v for v, c in zip(jaxpr.constvars, consts, strict=True) if c is None]
    held = [*later, *(jaxpr.invars[i] for i in fixed)]
    moving = [v for i, v in enumerate(jaxpr.invars) if i not in fixed]
    if any(v.aval.dtype.kind != "f" for v in (*held, *moving, *jaxpr.outvars)):
        return None
    groups = [
        named(text, [v.aval.shape for v in group], letter, moves)
        for group, letter, moves in ((held, "c", False), (moving, "x", True))
    ]
    env = dict(zip((*held, *moving), (*groups[0], *groups[1]), strict=True))
    env.update((v, c) for v, c in zip(jaxpr.constvars, consts, strict=True) if c is not None)
    steps = itertools.count()
    try:
        results = _inlined(jaxpr, env, text, inner, evaluate, steps)
        return (
            made(text, groups[0], groups[1], results)
            if len(text.lines[True]) <= RATIO * next(steps)
            else None
        )
    except CannotUnroll:
        return None


def _inlined(jaxpr: Any, env: dict, text: Text, inner: Callable, evaluate: Callable, steps: Any) -> list:
    read = lambda v: np.asarray(v.val, v.aval.dtype) if hasattr(v, "val") else env[v]
    for eqn in jaxpr.eqns:
        given = [read(v) for v in eqn.invars]
        if (inside := inner(eqn)) is not None:
            body, consts = inside
            own = dict(zip(body.constvars, map(np.asarray, consts), strict=True))
            own.update(zip(body.invars, given[len(given) - len(body.invars) :], strict=True))
            found = _inlined(body, own, text, inner, evaluate, steps)
        elif all(x.dtype != object for x in given):
            found = evaluate(eqn, given)
        else:
            next(steps)
            found = operation(text, eqn, given)
        env.update(zip(eqn.outvars, map(np.asarray, found), strict=True))
    return [read(v) for v in jaxpr.outvars]


def or_arrays(make: Callable | None, slow: Numbers, fixed: Sequence[Any]) -> Numbers:
    """The function for these fixed arguments; on arrays if there is no other, or if Python cannot compute them."""
    if make is None:
        return slow
    try:
        return make(slow, *(float(x) for a in fixed for x in np.ravel(a)))
    except _ARITHMETIC:
        return slow
