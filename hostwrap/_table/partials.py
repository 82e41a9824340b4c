"""An elementwise host function with a rule for each partial derivative, and its derivatives of any order.

A multi-index gives the order of differentiation in each *slot*. A slot is an argument, or the conjugate of a complex
argument, if the function is not holomorphic (Wirtinger calculus: df = f_z dz + f_zbar conj(dz)).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.dtypes import check_real, kind_of, x64_enabled
from hostwrap._errors import RuleError, check_array, missing_derivative
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call

Index = tuple[int, ...]
Rule = Callable[..., Any]  # (answer, *arguments) -> the partial derivative, one per output
_NEEDS_NUMBERS = (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)


class Unknown:
    """In place of a rule: why there is no derivative in this argument. It raises when it is asked for.

    >>> import hostwrap as hw, jax, numpy as np
    >>> power = hw.wrap(lambda x, n: np.power(x, n))
    >>> _ = power.defpartials(x=lambda ans, x, n: n * ans / x, n=hw.discrete)
    >>> print(jax.grad(power)(2.0, 3))
    12.0
    """

    def __init__(self, why: str) -> None:
        self.why = why


def unknown(why: str) -> Unknown:
    """In place of a partial: it is not there, and why. Asking for it raises MissingDerivative.

    >>> import hostwrap as hw, jax, numpy as np
    >>> power = hw.wrap(lambda x, p: np.power(x, p))
    >>> _ = power.defpartials(x=lambda ans, x, p: p * ans / x, p=hw.unknown("I have no formula"))
    >>> print(jax.grad(power)(2.0, 3.0))
    12.0
    >>> try:
    ...     jax.grad(power, 1)(2.0, 3.0)
    ... except hw.MissingDerivative as error:
    ...     print(str(error).partition(".")[0])
    <lambda>: there is no derivative with respect to `p`: I have no formula
    """
    if not isinstance(why, str) or not why:
        raise RuleError("unknown(why): say why there is no derivative, in words.")
    return Unknown(why)


discrete = Unknown("it is an integer, in which the function is not differentiated")


class NotThere(Exception):
    """Raised by `missing`; it becomes MissingDerivative."""


def missing(why: str) -> Any:
    """Raise inside a rule: there is no such derivative (of this order), and why."""
    raise NotThere(why)


class Elementwise:
    """`rules[i]` is the partial in argument i, `conjugates[i]` the one in its conjugate (if it is complex).

    `plain` is the function with a jvp that calls the rules one by one, each with host calls of its own.
    """

    def __init__(
        self, host: HostFunction, rules: Sequence[Rule | Unknown], conjugates: dict[int, Rule],
        result_dtypes: Callable[[Sequence[Any]], Sequence[np.dtype]], pack: Callable[[tuple], Any],
    ) -> None:  # fmt: skip
        self.host, self.pack, self.result_dtypes = host, pack, result_dtypes
        self.slots: list[tuple[int, bool]] = [(i, False) for i in range(len(rules))]
        self.slots += [(i, True) for i in conjugates]
        self.rules = [*rules, *conjugates.values()]
        self.conjugates = conjugates
        self.zero: Index = (0,) * len(self.slots)
        self._layout = functools.lru_cache(maxsize=256)(self._layout_of)

    def plain(self, *args: Any) -> tuple:
        return tuple(host_call(self.host, self.layout(args), *args, forward=self.plain_rule))

    def plain_rule(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[tuple, tuple]:
        with promoting():
            answer = self.plain(*primals)
            live = self.perturbed(primals, tangents)
            terms = [(self.what(s), self.partial(s, answer, primals), t) for s, t in live]
            return answer, combine(answer, terms)

    def partial(self, slot: int, answer: tuple, args: Sequence[Any]) -> list:
        """The partial in a slot, an inexact array for each output."""
        argument, what = self.host.argnames[self.slots[slot][0]], self.what(slot)
        partial = evaluate(self.host.name, argument, self.rules[slot], self.pack(answer), *args)
        if len(answer) == 1:
            return [_inexact(what, partial, *answer)]
        if not isinstance(partial, tuple | list) or len(partial) != len(answer):
            raise RuleError(
                f"{what} must be a tuple with one for each of the {len(answer)} results, got {partial!r:.80}."
            )
        return [_inexact(what, part, y) for part, y in zip(partial, answer, strict=True)]

    def what(self, slot: int) -> str:
        """The name of the rule of a slot in errors."""
        return f"{self.host.name}: the partial with respect to `{self.host.argnames[self.slots[slot][0]]}`"

    def perturbed(self, primals: Sequence[Any], tangents: Sequence[Any]) -> list[tuple[int, Any]]:
        """(slot, tangent) for every slot with a tangent, which may be a list of terms."""
        rows = [(slot, i, conj) for slot, (i, conj) in enumerate(self.slots) if tangents[i] is not None]
        live = [row for row in rows if not row[2] or jnp.iscomplexobj(primals[row[1]])]
        return [(s, jax.tree.map(jnp.conj, tangents[i]) if conj else tangents[i]) for s, i, conj in live]

    def derivative(self, index: Index) -> Callable[..., tuple]:
        """The derivative as a JAX function: one rule for the first order, JAX's derivatives of it for the rest."""
        if not any(index):
            return self.plain
        first = min(slot for slot, order in enumerate(index) if order)

        def function(*args: Any) -> tuple:
            return tuple(map(jnp.asarray, self.partial(first, self.plain(*args), args)))

        for slot, order in enumerate(index):
            for _ in range(order - (slot == first)):
                function = self.differentiated(function, slot)
        return function

    def differentiated(self, function: Callable[..., tuple], slot: int) -> Callable[..., tuple]:
        i, conjugate = self.slots[slot]

        def along(args: Sequence[Any], direction: complex) -> tuple:
            moving = lambda x: function(*replaced(args, [i], [x]))
            return jax.jvp(moving, (args[i],), (np.asarray(direction, args[i].dtype),))[1]

        def derivative(*args: Any) -> tuple:
            if i not in self.conjugates or not jnp.iscomplexobj(args[i]):
                return along(args, 1)
            # f(1) = f_z + f_zbar and f(i) = i (f_z - f_zbar), the directional derivatives
            unit = 1j if conjugate else -1j
            return tuple((a + unit * b) / 2 for a, b in zip(along(args, 1), along(args, 1j), strict=True))

        return derivative

    def kinds(self, args: Sequence[Any]) -> str:
        return "".join(kind_of(a.dtype) for a in args)

    def layout(self, args: Sequence[Any], derivatives: int = 1) -> Layout:
        """The layout of an elementwise call, in the common precision of the inexact arguments."""
        return self._layout(tuple(a.dtype for a in args), derivatives, x64_enabled())

    def _layout_of(self, dtypes: tuple, derivatives: int, x64: bool) -> Layout:
        outs = tuple(Result((), dtype) for dtype in self.result_dtypes(dtypes))
        return Layout((0,) * len(dtypes), outs * derivatives)


def in_jax(function: str, what: str, rule: Callable[..., Any], /, *args: Any, **statics: Any) -> Any:
    """The result of the rule; a clear error if the rule is no JAX code, because it needs concrete numbers."""
    try:
        return rule(*args, **statics)
    except _NEEDS_NUMBERS as error:
        raise RuleError(
            f"{function}: {what} needs the numbers of a traced array: it calls NumPy, SciPy or math, or asks `if`. "
            "Write it in JAX: jax.numpy in place of numpy, hostwrap.special in place of scipy.special, "
            "jnp.where in place of if. Or give it in NumPy, with defhost, defjacobian or defvalue_and_grad."
        ) from error


def evaluate(function: str, argument: str, rule: Rule | Unknown, /, *args: Any, **statics: Any) -> Any:
    """The partial derivative of a rule; raises MissingDerivative if it has none."""
    if isinstance(rule, Unknown):
        raise missing_derivative(function, argument, rule.why)
    try:
        return in_jax(function, f"the partial with respect to `{argument}`", rule, *args, **statics)
    except NotThere as why:
        raise missing_derivative(function, argument, str(why)) from None


def _inexact(what: str, part: Any, y: Any) -> Any:
    check_array(what, part)
    check_real(what, part, y)
    return part if jnp.issubdtype(jnp.result_type(part), jnp.inexact) else jnp.asarray(part, y.dtype)


@contextlib.contextmanager
def promoting() -> Iterator[None]:
    """Standard promotion inside rules: JAX's strict promotion is meant for the user's own code."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


def combine(answer: Sequence[Any], terms: Sequence[tuple[str, Sequence[Any], Any]]) -> tuple:
    """The sum of partial * tangent for each output, in its shape and dtype; a term is (what, partials, tangent)."""
    totals: list[Any] = []
    for k, y in enumerate(answer):
        if not jnp.issubdtype(y.dtype, jnp.inexact):
            totals.append(np.zeros(y.shape, jax.dtypes.float0))
            continue
        total = jnp.zeros_like(y)
        for what, partials, tangent in terms:
            _check_fits(what, jnp.shape(partials[k]), y.shape)
            total = total + _along(partials[k], tangent)
        totals.append(total.astype(y.dtype))
    return tuple(totals)


def _along(partial: Any, tangent: Any) -> Any:
    """The product. A real tangent multiplies both parts of a complex partial, so that (inf + 0i) t is not NaN."""
    if jnp.iscomplexobj(tangent) or not jnp.iscomplexobj(partial):
        return partial * tangent
    return jax.lax.complex(jnp.real(partial) * tangent, jnp.imag(partial) * tangent)


def _check_fits(what: str, shape: tuple, expected: tuple) -> None:
    sizes = zip(reversed(shape), reversed(expected), strict=False)
    if len(shape) > len(expected) or any(a not in (1, b) for a, b in sizes):
        raise RuleError(f"{what} must fit the result's shape {expected}; the rule returned {shape}.")


def replaced(args: Sequence[Any], where: Sequence[int], values: Sequence[Any]) -> list:
    args = list(args)
    for i, value in zip(where, values, strict=True):
        args[i] = value
    return args
